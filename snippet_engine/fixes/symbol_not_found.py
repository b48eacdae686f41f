"""Find the symbol that a path means which names none: ``symbol_not_found``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.resolution import Resolved, Unresolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.history.known_edits import declared_next_to, is_in_one
from snippet_engine.fixes.history.track_position import (
    MAX_VERSIONS,
    Earlier,
    TouchedWords,
    known_before,
    now_at,
)
from snippet_engine.fixes.model import Repair
from snippet_engine.fixes.named_places import SEGMENTS
from snippet_engine.fixes.not_found.anchor_not_found import moved
from snippet_engine.fixes.not_found.nearest import most_like
from snippet_engine.fixes.same_symbol import (
    has_its_parameters,
    in_same_type,
    may_be_offered,
    renamed_to,
)
from snippet_engine.fixes.search.tokens import composed
from snippet_engine.request import Anchor, Instruction, Operation, anchor_of

_ALIKE = 0.8
"""From which ratio on, of ``difflib``, a name is a slip of the pen for another."""
_MARGIN = 0.1
"""How much less like it every other name has to be."""
_NAME = re.compile(r"([^\W\d]\w*)(?:<[^()]*>|`\d+)?(?:\(.*)?$")
_CONSTRUCTORS = {"ctor", "cctor"}
_WORD = re.compile(r"[^\W\d]\w*")
_GENERIC = re.compile(r"<[^()]*>|`\d+")
_MAX_NAMES = 20
"""Names of a new text that are looked for among what is declared."""
_DIGITS = re.compile(r"\d+")


def for_symbol(
    document: Document, instruction: Instruction, details: Mapping[str, Any], earlier: Earlier
) -> Sequence[Repair]:
    """The instruction with the path of the one symbol that is clearly meant."""
    renamed = _renamed(document, instruction, earlier)
    found = [renamed] if renamed is not None else _nearest(document, instruction, details, earlier)
    if renamed is None and (
        _is_declared_as_wanted(document, instruction) or has_its_parameters(document, instruction)
    ):
        return ()
    beside = (
        declared_next_to(document, instruction.anchor.symbol_path or "", earlier) if found else ()
    )
    if beside and any(is_in_one(document, each.instructions[0], beside) for each in found):
        return ()  # That was there when what is named was there as well.
    is_known = renamed is not None and instruction.operation is Operation.INSERT
    if is_known or instruction.anchor.target is not None:
        return found[0].readings if len(found) == 1 else found
    asked = instruction.anchor.symbol_path or ""
    # Offering some of several alone would prefer them.
    may_be = all(may_be_offered(document, each.instructions[0], asked) for each in found)
    return found if may_be else ()


def _nearest(
    document: Document, instruction: Instruction, details: Mapping[str, Any], earlier: Earlier
) -> Sequence[Repair]:
    """The instruction with the path of the one declaration whose name is the same, or nearly."""
    asked = instruction.anchor.symbol_path or ""
    nearest = details.get("nearest", ())
    # What is like it in another type is no rival of what is in the one that was named.
    own = [each for each in nearest if in_same_type(asked, each["symbolPath"])]
    nearest = own or nearest
    name = _name(asked)
    same = [each for each in nearest if _name(each["symbolPath"]).casefold() == name.casefold()]
    if same:
        # The type that was named has it not, if it is there: another one's isn't meant.
        same = [each for each in same if not _is_of_another(document, asked, each["symbolPath"])]
        if not same:
            return ()
        sendable = [each for each in same if "anchor" in each]
        if len(same) == 1:
            found = _repairs(instruction, sendable, "")
            ways = [
                found or _like_target_in(document, instruction, same[0]["symbolPath"], earlier),
                # Its parameters were changed, or its name.
                *(
                    _at_target_in(document, instruction, each, earlier)
                    for each in renamed_to(document, asked)
                ),
            ]
            return [each for way in ways for each in way] if all(ways) else ()
        if any(_may_be_done_in(document, instruction, each) for each in same):
            return ()
        basis = "the target stands only there" if len(sendable) == 1 else ""
        return _repairs(instruction, sendable, basis)
    likeness = sorted(
        ((_likeness(name, each), at) for at, each in enumerate(nearest)),
        key=lambda each: (-each[0], each[1]),
    )
    if not likeness or likeness[0][0] < _ALIKE:
        return _by_target(document, instruction, earlier)
    best = nearest[likeness[0][1]]
    if len(likeness) > 1 and likeness[1][0] > likeness[0][0] - _MARGIN:
        return ()
    if len(likeness) > 1 and _apart(name, nearest[likeness[1][1]]) <= _apart(name, best):
        return ()
    # Run1 isn't a slip of the pen for Run2, but where the target stands in it.
    if instruction.anchor.target is None and _digits(name) != _digits(_name(best["symbolPath"])):
        return ()
    if "anchor" not in best:
        return _by_target(document, instruction, earlier)  # Its name is in the target, perhaps.
    return _repairs(instruction, [best], "")


def _renamed(document: Document, instruction: Instruction, earlier: Earlier) -> Repair | None:
    """The instruction at the symbol that had the path before an edit, or at its target in it."""
    anchor = instruction.anchor
    if anchor.target is not None:
        return moved(document, instruction, known_before(document, anchor, earlier()))[1]
    view = document.source.view
    asked = anchor.symbol_path or ""
    touched = TouchedWords(view)
    for old in islice(earlier(), MAX_VERSIONS):
        budget.spend_reading(len(old.view))
        # Only what an edit since has touched had a path that it hasn't now.
        if not _may_have_had(old.view, asked, touched):
            continue
        found = resolve(document.alike(old), asked)
        if isinstance(found, SymbolPathProblem) or len(found) != 1:
            continue
        place = now_at(old.view, view, found[0].full)
        now = [each for each in declarations(document) if each.full == place]
        if len(now) != 1:
            return None
        repaired = replace(instruction, anchor=replace(anchor, symbol_path=now[0].path))
        if not isinstance(resolve_anchor(document, repaired.anchor), Resolved):
            return None
        basis = "it had that path before an edit since"
        return Repair(f"symbolPath {now[0].path}", (repaired,), basis)
    return None


def _may_have_had(old: str, path: str, touched: TouchedWords) -> bool:
    """Whether the text ``old`` has what the ``path`` names, and some of it was edited since."""
    name = _name(path)
    if not name.isidentifier() or name in _CONSTRUCTORS:
        return True
    types = _WORD.findall(_GENERIC.sub("", _parent(path)))
    if any(each not in old for each in (name, *types)):
        return False
    return not touched.since(old).isdisjoint(_WORD.findall(path))


def _by_target(document: Document, instruction: Instruction, earlier: Earlier) -> Sequence[Repair]:
    """The instruction at its target, where that is told without a symbol."""
    anchor = instruction.anchor
    if anchor.target is None:
        return ()
    by_text = replace(instruction, anchor=replace(anchor, symbol_path=None))
    resolved = resolve_anchor(document, by_text.anchor)
    if isinstance(resolved, Resolved):
        if not _is_in_its_type(document, anchor, resolved):
            return ()  # The type that was named is there, and hasn't it.
        # Where the target is the declaration itself, what merely uses it isn't meant.
        name = _name(anchor.symbol_path or "")
        if name in _WORD.findall(anchor.target) and not any(
            each.full.start <= resolved.place.start
            and resolved.place.end <= each.full.end
            and _name(each.path) == name
            for each in declarations(document)
        ):
            return ()
        gone = "it is gone with its symbol" if instruction.operation is Operation.DELETE else ""
        return [Repair("the one place of its target, in another symbol", (by_text,), unless=gone)]
    found = most_like(document, by_text, known_before(document, by_text.anchor, earlier())) or ()
    places = [resolve_anchor(document, each.instructions[0].anchor) for each in found]
    return found if all(_is_in_its_type(document, anchor, each) for each in places) else ()


def _is_declared_as_wanted(document: Document, instruction: Instruction) -> bool:
    """Whether the symbol, which isn't there, has the name that the new text gives it."""
    path = instruction.anchor.symbol_path or ""
    parent, name = _parent(path), _name(path)
    given = list(dict.fromkeys(_WORD.findall(instruction.new_text)))[:_MAX_NAMES]
    target = _WORD.findall(instruction.anchor.target or "")
    # A local function is named behind its method, whose parameters may have dots.
    local = _name(SEGMENTS.split(path[:1000])[-1])
    if target == [local] != [name] and len(given) == 1:
        return any(_name(SEGMENTS.split(each.path)[-1]) in given for each in declarations(document))
    is_given = name in target and name not in given
    if instruction.operation is not Operation.REPLACE or not is_given:
        return False
    paths = (f"{parent}.{each}" if parent else each for each in given)
    found = [resolve(document, each) for each in paths]
    return any(each and not isinstance(each, SymbolPathProblem) for each in found)


def _is_in_its_type(document: Document, anchor: Anchor, resolved: Resolved | Unresolved) -> bool:
    """Whether a place is in the type that the path names, if that is declared."""
    parent = _parent(anchor.symbol_path or "")
    types = resolve(document, parent) if parent else ()
    if not types or isinstance(types, SymbolPathProblem) or isinstance(resolved, Unresolved):
        return True
    start, end = resolved.place
    return any(each.full.start <= start and end <= each.full.end for each in types)


def _like_target_in(
    document: Document, instruction: Instruction, path: str, earlier: Earlier
) -> Sequence[Repair]:
    """The instruction at what is most like its target in the symbol of that name, whose parameters
    are others than were sent, as the target's are perhaps."""
    if instruction.anchor.target is None:
        return ()
    there = replace(instruction, anchor=replace(instruction.anchor, symbol_path=path))
    return most_like(document, there, known_before(document, there.anchor, earlier())) or ()


def _at_target_in(
    document: Document, instruction: Instruction, path: str, earlier: Earlier
) -> Sequence[Repair]:
    """Return the instruction at its target in that symbol, or at what is most like it there."""
    there = replace(instruction, anchor=replace(instruction.anchor, symbol_path=path))
    if isinstance(resolve_anchor(document, there.anchor), Resolved):
        return [Repair(f"symbolPath {path}", (there,))]
    return _like_target_in(document, instruction, path, earlier)


def _repairs(
    instruction: Instruction, found: Sequence[Mapping[str, Any]], basis: str
) -> list[Repair]:
    return [
        Repair(
            f"symbolPath {each['symbolPath']}",
            (replace(instruction, anchor=anchor_of(each["anchor"])),),
            basis,
        )
        for each in found
    ]


def _name(path: str) -> str:
    found = _NAME.search(composed(path[:1000]))
    return found.group(1) if found else ""


def _may_be_done_in(
    document: Document, instruction: Instruction, suggestion: Mapping[str, Any]
) -> bool:
    """Whether a symbol of the name that was asked for hasn't the target, but the new text."""
    new_text = instruction.new_text.strip()
    if "anchor" in suggestion or instruction.operation is not Operation.REPLACE or not new_text:
        return False
    found = resolve(document, suggestion["symbolPath"])
    view = document.source.view
    return not isinstance(found, SymbolPathProblem) and any(
        new_text in view[slice(*each.full)] for each in found
    )


def _is_of_another(document: Document, asked: str, path: str) -> bool:
    """Whether the type that was named is there, and isn't the one that ``path`` is a member of."""
    parent = _parent(asked)
    if not parent or f".{_parent(path)}".endswith(f".{parent}"):
        return False
    return not isinstance(resolve(document, parent), SymbolPathProblem)


def _parent(path: str) -> str:
    return path[:1000].partition("(")[0].rpartition(".")[0].rstrip(".")


def _digits(name: str) -> list[str]:
    return _DIGITS.findall(name)


def _likeness(name: str, suggestion: Mapping[str, Any]) -> float:
    other = _name(suggestion["symbolPath"])
    if {name, other} == _CONSTRUCTORS:
        return 0.0  # an object's and a type's: nobody means one by the other
    return SequenceMatcher(None, name.casefold(), other.casefold(), autojunk=False).ratio()


def _apart(name: str, suggestion: Mapping[str, Any]) -> int:
    """How many letters of a name are others, or more, or fewer, in that of a suggestion."""
    other = _name(suggestion["symbolPath"])
    matcher = SequenceMatcher(None, name.casefold(), other.casefold(), autojunk=False)
    return sum(
        max(last - first, other_last - other_first)
        for kind, first, last, other_first, other_last in matcher.get_opcodes()
        if kind != "equal"
    )
