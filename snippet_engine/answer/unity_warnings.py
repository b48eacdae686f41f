"""Warn of effects in Unity that an edited script has, apart from compile errors.

Implements docs/design/engine.md §2.7 and docs/design/change-sets.md §2: ``script_name``, and
``serialized_field`` for fields whose values in scenes, prefabs and assets are lost. Only the
request's texts are read. So the Unity type of a class is unknown if its base class is in another
script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.parts import base_names, modifiers_of
from snippet_engine.csharp.declarations.serialized_fields import (
    UNITY_OBJECTS,
    DeclaredField,
    as_kept,
    declared_fields,
    keeps_value,
    may_be_serialized,
    serialized_fields,
    unity_objects,
)
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
"""The Unity type that each class derives from, by the class's name."""


def script_names(
    document: Document, file: str, bases: Bases, known: Iterable[str]
) -> Iterator[Warn]:
    """Yield ``script_name`` for each class that Unity won't find in ``file``; skip ``known``."""
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
    """Return each class with the Unity type that it derives from, as far as known."""
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
        # Sorted, so that the order of the scripts doesn't matter.
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
"""A part of an expression or comment that neither starts nor ends a surrounding construct."""
_ASSIGNED = re.compile(r"""(=[^{};,="'/#\n]*|(\w|=>?\s*)\([^){};="'/#\n]*)\Z""")
"""The text before a value on its line: the start of an assignment or a call."""
_MOST_LOOKED_AT = 200
"""Most code points before a value that are examined, because a line may be very long."""

_BRACE = re.compile("[{}]")
_MAY_HIDE = re.compile(r"[#']|//|/\*|\*/")
"""Text that changes what a brace or quotation mark after it means."""


def keeps_declarations(before: Document, after: Document, edits: EditSet) -> bool:
    """Return whether the edits change only values and bodies of members, as most edits do."""
    view = before.source.view
    small = edits.trimmed(view)
    others = [
        each
        for each, changed in zip(edits, small, strict=True)
        if not _is_of_a_value(view, changed)
    ]
    if not all(is_inside_block(before, TextRange(each.start, each.end)) for each in others):
        return False
    # If the texts alone decide this, a preview needn't parse the result for these warnings.
    if all(_keeps_blocks(view, each) for each in others):
        return True
    if not all(_is_whole(text) for each in others for text in _texts(view, each)):
        return False
    ranges = zip(edits, edits.after_ranges(), strict=True)
    return all(
        is_inside_block(after, TextRange(*place)) for each, place in ranges if each in others
    )


def keeps_types(before: Document, edits: EditSet) -> bool:
    """Return whether the types stay the same because all edits lie inside their bodies."""
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
    texts = _texts(view, edit)
    return all(_is_whole(each) and not _MAY_HIDE.search(each) for each in texts)


def _texts(view: str, edit: TextEdit) -> tuple[str, str]:
    return view[edit.start : edit.end], edit.new_text


def _is_whole(text: str) -> bool:
    """Return whether all strings and blocks that ``text`` touches begin and end in it."""
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


_MAX_FIELDS = 5
_LONGEST = 200
_NAME = re.compile(r"\w+")
_TYPES = (SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.ENUM)

Texts = Collection[tuple[Document | None, Document | None]]
"""Each script of a request, before and after it; ``None`` if it doesn't exist at that time."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the rest of the request says about the fields of one script."""

    kept: Collection[tuple[str, str]]
    """Names and types of the fields that some script serializes afterwards."""
    gone: Collection[str]
    """Names of types that the request removes."""
    made: Collection[str]
    """Names of types that the request declares."""

    def is_renamed(self, old: str, new: str) -> bool:
        """Return whether two types differ only in names that the request removes and declares."""
        if _NAME.sub("", old) != _NAME.sub("", new):
            return False
        pairs = zip(_NAME.findall(old), _NAME.findall(new), strict=True)
        return all(a == b or (a in self.gone and b in self.made) for a, b in pairs)


def lost_fields(
    before: Document, after: Document, asked: Callable[[], Elsewhere]
) -> Iterator[Warn]:
    """Yield ``serialized_field`` for each field whose values Unity will no longer find.

    ``asked`` is called only if a field is removed or gets another type.
    """
    was = serialized_fields(before)
    if not was:
        return
    # A class that Unity serialized before still counts: its new base may be Unity's, too.
    is_now = declared_fields(after, unity_objects(before))
    now = {(each.owner, each.name): each for each in is_now}
    formerly = {(each.owner, name) for each in is_now if each.is_kept for name in each.formerly}
    owners = {each.path for each in declarations(after)}
    stay = [each for each in was if each.owner in owners]
    lost = [
        (each, new)
        for each in stay
        if (each.owner, each.name) not in formerly
        for new in [now.get((each.owner, each.name))]
        if new is None or not new.is_kept or not keeps_value(each.type, new.type)
    ]
    if lost:
        request = asked()
        lost = [(each, new) for each, new in lost if not _is_kept(each, new, request)]
    names = {(each.owner, each.name) for each in was}
    added = [each for each in is_now if (each.owner, each.name) not in names]
    warnings = [
        *(_loss_warning(after, each, new, added) for each, new in lost),
        *(
            _former_name_removed(after, now[each.owner, each.name], name)
            for each in stay
            if (new := now.get((each.owner, each.name))) and new.is_kept
            for name in sorted(each.formerly)
            if (each.owner, name) not in formerly and (each.owner, name) not in now
        ),
    ]
    yield from warnings[:_MAX_FIELDS]


def _is_kept(old: DeclaredField, new: DeclaredField | None, request: Elsewhere) -> bool:
    if new is None:
        return (old.name, as_kept(old.type)) in request.kept
    return new.is_kept and request.is_renamed(old.type, new.type)


def _loss_warning(
    after: Document,
    old: DeclaredField,
    new: DeclaredField | None,
    added: Collection[DeclaredField],
) -> Warn:
    if new is None:
        return _removed(old, _renamed_to(old, added))
    # Give no advice: the old name still exists, so the attribute can't go on a new one.
    message = "is no longer serialized: scenes lose its value."
    if new.is_kept:
        types = f"was {shortened(old.type, 30)} and becomes {shortened(new.type, 30)}"
        message = f"{types}: scenes may lose its value."
    return Warn("serialized_field", f"{_field_name(old)} {message}", line=_line(after, new))


def _renamed_to(old: DeclaredField, added: Collection[DeclaredField]) -> DeclaredField:
    """Return the field that ``old`` was renamed to; ``old`` itself if that is unclear."""
    fitting = [
        each for each in added if each.owner == old.owner and keeps_value(old.type, each.type)
    ]
    same = [each for each in fitting if _letters(each) == _letters(old)]
    meant = same or fitting
    is_told = len({(each.is_behind_property, each.is_kept) for each in meant}) == 1
    return meant[0] if is_told else old


def _letters(field: DeclaredField) -> str:
    """Return the form that ``m_speed``, ``_speed`` and ``Speed`` have in common: ``speed``."""
    return field.declared.removeprefix("m_").replace("_", "").casefold()


def _removed(field: DeclaredField, new: DeclaredField) -> Warn:
    target = ""
    if new.is_behind_property:  # C# allows neither attribute on the property itself
        target = "field: " if new.is_kept else "field: SerializeField, "
    for name in (f'("{field.name}")', ""):
        message = (
            f"Scenes lose the value of {_field_name(field)}, unless another script declares it: "
            f"[{target}FormerlySerializedAs{name}] on the new name keeps it."
        )
        if len(message) <= _LONGEST:
            break
    return Warn("serialized_field", message)


def _former_name_removed(after: Document, field: DeclaredField, name: str) -> Warn:
    return Warn(
        "serialized_field",
        f"{_field_name(field)} no longer has FormerlySerializedAs({shortened(name, 30)}): scenes "
        "that still store the value under that name lose it.",
        line=_line(after, field),
    )


def _field_name(field: DeclaredField) -> str:
    return f"{shortened(field.owner, 40)}.{shortened(field.declared, 30)}"


def _line(document: Document, field: DeclaredField) -> int:
    return document.source.utf8[: field.at].count(b"\n") + 1


def elsewhere(texts: Texts) -> Elsewhere:
    """Return the fields and types of a request that changes ``texts``."""
    was, becomes = (
        {name for each in side if each is not None for name in _types(each)}
        for side in zip(*texts, strict=True)
    )
    return Elsewhere(
        named(after for _, after in texts if after is not None), was - becomes, becomes - was
    )


def _types(document: Document) -> Iterable[str]:
    return (each.name for each in declarations(document) if each.kind in _TYPES)


def named(documents: Iterable[Document]) -> set[tuple[str, str]]:
    """Return name and type, as Unity stores it, of every serialized field of ``documents``."""
    return {(each.name, as_kept(each.type)) for one in documents for each in serialized_fields(one)}
