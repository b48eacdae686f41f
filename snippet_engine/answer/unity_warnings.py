"""Warn of an edited script's effects in Unity, apart from compile errors.

Implements docs/design/engine.md §2.7 and docs/design/change-sets.md §2: ``script_name``, and
``serialized_field`` for a single edit. Reads only the texts of the request, so a base class in
another script hides what a class derives from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from snippet_engine.answer.lost_fields import elsewhere, lost_fields
from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.parts import base_names, modifiers_of
from snippet_engine.csharp.declarations.serialized_fields import UNITY_OBJECTS, may_be_serialized
from snippet_engine.csharp.declarations.symbols import Declaration, declarations, is_inside_block
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import shortened, show
from snippet_engine.source_text import TextRange


def about_unity(before: Document, after: Document, plan: Plan, path: str) -> Iterator[Warn]:
    """Yield the warnings about ``plan`` for the script at ``path``."""
    if not may_be_serialized(before) and not may_be_serialized(after):
        return
    if keeps_declarations(before, after, plan.edits):
        return
    edits = list(plan.edits)
    index = plan.instruction_of(edits[0]) if len(edits) == 1 else None
    names = [] if keeps_types(before, plan.edits) else _about_names(before, after, path)
    fields = lost_fields(before, after, lambda: elsewhere([(before, after)]))
    for warning in (*names, *fields):
        yield replace(warning, index=index)


def _about_names(before: Document, after: Document, path: str) -> Iterator[Warn]:
    file = path.rpartition("/")[2]
    known = names_misplaced(before, file, unity_bases([before]))
    return script_names(after, file, unity_bases([after]), known)


Bases = Mapping[str, str]
"""Names of classes, and the Unity type that each derives from."""


def script_names(
    document: Document, file: str, bases: Bases, known: Iterable[str]
) -> Iterator[Warn]:
    """Yield ``script_name`` for each class, not ``known``, that Unity won't find in its file."""
    for name, base, declaration in _misplaced(document, file, bases):
        if name not in known:
            yield Warn(
                "script_name",
                f"{shortened(name, 40)} is a {base}, but its file is {show(file)}: "
                f"Unity finds it only in {shortened(name, 40)}.cs.",
                line=document.source.line_number(declaration.header.start) + 1,
            )


def names_misplaced(document: Document, file: str, bases: Bases) -> set[str]:
    """Return the names of the classes that Unity won't find in ``file``."""
    return {name for name, *_ in _misplaced(document, file, bases)}


def unity_bases(documents: Iterable[Document]) -> dict[str, str]:
    """Return each class of ``documents`` that derives from a Unity type, as far as they say."""
    unknown: dict[str, list[str]] = {}
    every = list(documents)
    if not any(name in each.source.view for each in every for name in UNITY_OBJECTS):
        return {name: name for name in UNITY_OBJECTS}
    for document in every:
        for each in declarations(document) if ":" in document.source.view else ():
            if each.kind is SymbolKind.CLASS:
                unknown.setdefault(each.name, []).extend(base_names(document, each))
    found: dict[str, str] = {name: name for name in UNITY_OBJECTS}
    grew = True
    while grew:
        grew = False
        # Sorted, so that the order of the scripts changes nothing.
        for name, bases in sorted(unknown.items()):
            base = min((found[each] for each in bases if each in found), default=None)
            if base is not None and name not in found:
                found[name] = base
                grew = True
    return found


def _misplaced(
    document: Document, file: str, bases: Bases
) -> Iterator[tuple[str, str, Declaration]]:
    stem = file.removesuffix(".cs")
    if not any(name in document.source.view for name in bases):
        return
    every = declarations(document)
    for each in every:
        if each.kind is not SymbolKind.CLASS or each.name == stem or "<" in each.path:
            continue
        if each.parent is not None and every[each.parent].kind is not SymbolKind.NAMESPACE:
            continue
        base = next((bases[b] for b in base_names(document, each) if b in bases), None)
        words = modifiers_of(document, each)
        if base is None or "abstract" in words:
            continue
        if "partial" in words and stem.startswith(f"{each.name}."):
            continue
        yield each.name, base, each


_VALUE = re.compile(r"[^][(){};,=\"'/#\n]*")
"""A part of an expression or comment that neither begins nor ends a construct around it."""
_ASSIGNED = re.compile(r"""(=[^{};,="'/#\n]*|(\w|=>?\s*)\([^){};="'/#\n]*)\Z""")
"""The text before a value on its line: the beginning of an assignment or a call."""
_MOST_LOOKED_AT = 200
"""Most code points before a value that are examined: a line may be as long as a file."""

_BRACE = re.compile("[{}]")
_MAY_HIDE = re.compile(r"[#']|//|/\*|\*/")
"""Text that changes the meaning of a brace or quotation mark after it."""


def keeps_declarations(before: Document, after: Document, edits: EditSet) -> bool:
    """Whether only values and bodies of members are edited: most edits."""
    view = before.source.view
    small = edits.trimmed(view)
    others = [
        each
        for each, changed in zip(edits, small, strict=True)
        if not _is_of_a_value(view, changed)
    ]
    if not all(is_inside_block(before, TextRange(each.start, each.end)) for each in others):
        return False
    # If the texts decide, a preview needn't parse the result for these warnings alone.
    if all(_keeps_blocks(view, each) for each in others):
        return True
    if not all(_is_whole(text) for each in others for text in _texts(view, each)):
        return False
    ranges = zip(edits, edits.after_ranges(), strict=True)
    return all(
        is_inside_block(after, TextRange(*place)) for each, place in ranges if each in others
    )


def keeps_types(before: Document, edits: EditSet) -> bool:
    """Return whether the types stay the same: all edits lie within them."""
    view = before.source.view
    if not all(_keeps_blocks(view, each) for each in edits):
        return False
    bodies = [
        each.body
        for each in declarations(before)
        if each.kind in (SymbolKind.CLASS, SymbolKind.STRUCT) and each.body is not None
    ]
    return all(
        any(body.start <= each.start and each.end <= body.end for body in bodies) for each in edits
    )


def _keeps_blocks(view: str, edit: TextEdit) -> bool:
    """Return whether all blocks around the edit keep their begin and end, judged by the texts."""
    texts = _texts(view, edit)
    return all(_is_whole(each) and not _MAY_HIDE.search(each) for each in texts)


def _texts(view: str, edit: TextEdit) -> tuple[str, str]:
    return view[edit.start : edit.end], edit.new_text


def _is_whole(text: str) -> bool:
    """Return whether the strings and blocks in ``text`` begin and end there."""
    depth = 0
    for brace in _BRACE.findall(text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return not depth and not text.count('"') % 2


def _is_of_a_value(view: str, each: TextEdit) -> bool:
    nearest = max(0, each.start - _MOST_LOOKED_AT)
    before = view[view.rfind("\n", nearest, each.start) + 1 or nearest : each.start]
    return _ASSIGNED.search(before) is not None and all(
        _VALUE.fullmatch(text) for text in _texts(view, each)
    )
