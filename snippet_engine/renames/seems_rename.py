"""Recognise edits that only rename a symbol, count the places that they omit, offer a rename.

Implements docs/design/rename.md §6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from snippet_engine import budget
from snippet_engine.change_request import ChangeRequest
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.parts import name_range
from snippet_engine.csharp.declarations.symbols import Declaration, are_readable, declarations
from snippet_engine.csharp.document import Document
from snippet_engine.errors import Offer, SnippetError, shortened
from snippet_engine.renames.asset_names import AssetNames
from snippet_engine.renames.replaced_name import ReplacedName, replaced_name
from snippet_engine.renames.symbol_server import FoundReferences, SymbolServer
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.single_edit.planned_edit import PlannedEdit, Unplanned
from snippet_engine.source_text import Position

RENAME_TOOL = "rename_symbol"

_SHOWN = 60
_OF_A_TYPE = frozenset({SymbolKind.CONSTRUCTOR, SymbolKind.DESTRUCTOR})
"""Declarations that have the name of their type."""

Place = tuple[str, Position]
"""A script's canonical path, and the position where a name begins in it."""


@dataclass(frozen=True, slots=True)
class SeemingRename:
    """A rename that edits make."""

    path: str
    """The script that declares the symbol."""
    canonical: str
    """The canonical path of that script."""
    symbol_paths: tuple[str, ...]
    """The symbol paths of the declarations that get the new name. Several may be one symbol, such
    as a method and its override.
    """
    new_name: str
    place: Position
    """Where the name of the first declaration is."""
    declared: frozenset[Place]
    """Where the names of all declarations are."""
    replaced: frozenset[Place]
    """Every place that the edits replace."""

    def request(self, *, apply: bool) -> dict[str, Any]:
        """Return the arguments with which ``rename_symbol`` makes this rename."""
        asked = {"path": self.path, "symbolPath": self.symbol_paths[0], "newName": self.new_name}
        return {**asked, "mode": "apply" if apply else "preview"}


def seeming_rename(edited: Iterable[PlannedEdit]) -> SeemingRename | None:
    """Return the rename that the edits make; ``None`` if they do anything else."""
    names: list[tuple[PlannedEdit, ReplacedName]] = []
    for each in edited:
        if not each.plan.edits:
            continue
        name = replaced_name(each.before.source.view, each.plan.edits)
        if name is None or (names and (name.was, name.now) != (names[0][1].was, names[0][1].now)):
            return None
        names.append((each, name))
    renamed = [(each, _renamed(each.before, each.after)) for each, _ in names]
    if not names or any(found is None for _, found in renamed):
        return None
    symbols = [
        (each, declaration, place)
        for each, found in renamed
        for declaration in found or ()
        for place in [_name_place(each.before, declaration)]
        if place is not None
    ]
    if not symbols:
        return None
    first, _, place = symbols[0]
    return SeemingRename(
        first.script.relative,
        first.script.canonical,
        tuple(dict.fromkeys(declaration.path for _, declaration, _ in symbols)),
        names[0][1].now,
        place,
        frozenset((each.script.canonical, at) for each, _, at in symbols),
        frozenset(
            (each.script.canonical, each.before.source.position(offset))
            for each, name in names
            for offset in name.offsets
        ),
    )


def _renamed(before: Document, after: Document) -> Sequence[Declaration] | None:
    """Return the declarations that get a new name; ``None`` if that is unclear."""
    if not are_readable(before) or not are_readable(after):
        return None
    old, new = declarations(before), declarations(after)
    if [each.kind for each in old] != [each.kind for each in new]:
        return None
    return [
        one
        for one, other in zip(old, new, strict=True)
        if one.name != other.name and one.kind not in _OF_A_TYPE
    ]


def _name_place(document: Document, declaration: Declaration) -> Position | None:
    found = name_range(document, declaration)
    return None if found is None else document.source.position(found.start)


def with_rename_offered(
    error: SnippetError, request: EditRequest | ChangeRequest, judging: ScriptJudging
) -> SnippetError:
    """Return ``error``; if the refused edits seem to be a rename, that is its last offer."""
    planned = list(_planned(request, judging))
    rename = None if None in planned else seeming_rename(filter(None, planned))
    if rename is None:
        return error
    offer = Offer(
        f"rename {shortened(rename.symbol_paths[0], _SHOWN)} everywhere, in scenes too",
        rename.request(apply=request.apply),
        tool=RENAME_TOOL,
        unless="other uses should keep the old name",
    )
    return replace(error, offers=(*error.offers, offer))


def _planned(
    request: EditRequest | ChangeRequest, judging: ScriptJudging
) -> Iterator[PlannedEdit | None]:
    """Yield the plan of each script's edits; ``None`` for a change that isn't an edit."""
    if isinstance(request, EditRequest):
        yield _plan(request, judging)
        return
    for index, change in enumerate(request.changes):
        yield _plan(request.edit_of(index), judging) if change.instructions else None


def _plan(edit: EditRequest, judging: ScriptJudging) -> PlannedEdit | None:
    try:
        script = judging.writable(edit.path)
        planned = None if isinstance(script, SnippetError) else judging.planned(edit, script)
    except budget.OutOfStepsError:
        return None
    return None if isinstance(planned, Unplanned) else planned


WITHIN_S = 1.0
"""How long an edit waits for the counts, in seconds."""

NOT_ASKED = "The request didn't ask a language server."
_LATE = f"Counting took longer than {WITHIN_S:g} s."
_ASSETS_LATE = f"Assets: searching them took longer than {WITHIN_S:g} s."
_REASON = 160


@dataclass(frozen=True, slots=True)
class OtherPlaces:
    """How many places have the old name, apart from those that the edits replace."""

    in_scripts: int | None
    """``None`` if unknown."""
    in_assets: int | None
    """``None`` if unknown."""
    reasons: tuple[str, ...] = ()
    """Reasons why the counts are incomplete."""

    @property
    def are_none(self) -> bool:
        """Return whether no other place has the old name."""
        return self.in_scripts == 0 and self.in_assets == 0


def other_places(
    rename: SeemingRename, server: SymbolServer, assets: AssetNames, left_s: float
) -> OtherPlaces | None:
    """Count the other places in the project on disk, before the edits are written.

    ``None`` if the edits don't rename one symbol, or if the server knows no symbol there and so
    would refuse the rename. Raises :class:`.budget.StoppedError`.
    """
    until = monotonic() + min(WITHIN_S, left_s)
    found = server.find_references(
        rename.canonical, rename.place, within_s=max(0.0, until - monotonic())
    )
    if isinstance(found, SnippetError):
        is_late = found.retryable and len(rename.symbol_paths) == 1
        return OtherPlaces(None, None, (_LATE,)) if is_late else None
    places = {(each.path, each.start) for each in found.references}
    if not found.is_provable or not rename.declared <= places:
        return None
    in_assets, left = _in_assets(found, assets, until)
    reasons = [shortened(each, _REASON) for each in (*found.reasons, *left)]
    if not found.complete and not found.reasons:
        reasons.append("The language server doesn't say what it left out.")
    return OtherPlaces(len(places - rename.replaced), in_assets, tuple(reasons))


def _in_assets(
    found: FoundReferences, assets: AssetNames, until: float
) -> tuple[int | None, list[str]]:
    try:
        known = assets.find(found.symbol, until=until)
    except budget.StoppedError:
        budget.check()  # The call's own time may be over, too.
        return None, [_ASSETS_LATE]
    left = [f"{path}: {reason}." for path, reason in known.not_searched]
    return len(known.hits), left


_UNDO_TOOL = "undo_snippet"
_MOST_REASONS = 3


def rename_instead(
    rename: SeemingRename, places: OtherPlaces, undo: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the value of ``seemsRename``: counts, and the requests to send, in order.

    ``undo`` has the arguments that undo an edit that was applied. The edit must be undone first, so
    that the old name exists again.
    """
    requests = [] if undo is None else [{"tool": _UNDO_TOOL, "arguments": dict(undo)}]
    asked = rename.request(apply=undo is not None)
    body: dict[str, Any] = {
        "symbol": rename.symbol_paths[0],
        "newName": rename.new_name,
        "otherPlaces": places.in_scripts,
        "inAssets": places.in_assets,
        "notCounted": list(places.reasons[:_MOST_REASONS]),
        "requests": [*requests, {"tool": RENAME_TOOL, "arguments": asked}],
    }
    return {key: each for key, each in body.items() if each is not None and each != []}
