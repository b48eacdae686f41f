"""Add to a change set the code fixes that the compiler suggests for its new texts.

Part of the offers of ``compile_error``, docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from snippet_engine.change_request import Change, ChangeRequest
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.fixes.compiler_fixes import MAX_WAYS, Way, ways, with_edits
from snippet_engine.validation.code_fixes import MENDED, FixingJudge
from snippet_engine.validation.judge import Judgement


@dataclass(frozen=True, slots=True)
class MendedSet:
    """A set to judge and offer."""

    what: str
    request: ChangeRequest
    unless: str
    """Names the other fixes, if there is a choice."""


def mended_sets(
    request: ChangeRequest,
    planned: Sequence[PlannedChange],
    judgement: Judgement,
    texts: Mapping[str, str | None],
    judge: object,
) -> list[MendedSet]:
    """Return the sets that mend every error, as far as the compiler knows fixes.

    Several sets are a choice.
    """
    paths = {each.path for each in judgement.elsewhere}
    mine = [each for each in planned if each.place.relative in paths]
    is_known = {each.id for each in judgement.elsewhere} <= MENDED and len(mine) == len(paths)
    if not is_known or judgement.refused or not isinstance(judge, FixingJudge):
        return []
    found: list[list[tuple[PlannedChange, Way, Change]]] = []
    for each in mine:
        assert each.after is not None
        fixes = judge.code_fixes(each.place.relative, texts)
        changed = [
            (each, way, change)
            for way in ways(fixes, each.after.source)
            for change in [_changed(request, each, way)]
            if change is not None
        ]
        found.append(changed)
    to_choose = [each for each in found if len(each) != 1]
    if len(to_choose) > 1 or any(not each or len(each) > MAX_WAYS for each in to_choose):
        return []
    return [_joined(request, chosen) for chosen in product(*found)] if found else []


def _changed(request: ChangeRequest, planned: PlannedChange, way: Way) -> Change | None:
    change, after = request.changes[planned.index], planned.after
    if planned.edit is not None:
        edit, plan = request.edit_of(planned.index), planned.edit.plan
        meant = with_edits(edit, planned.edit.before, plan, way.edits)
        return None if meant is None else replace(change, instructions=meant.instructions)
    if change.create is None or after is None or change.create != after.source.view:
        return None
    return replace(change, create=way.edits.apply(change.create))


def _joined(
    request: ChangeRequest, chosen: Sequence[tuple[PlannedChange, Way, Change]]
) -> MendedSet:
    changes = list(request.changes)
    for planned, _, change in chosen:
        changes[planned.index] = change
    is_one = len(request.changes) == 1
    whats = (f"{'' if is_one else f'file {at.index} '}{way.what}" for at, way, _ in chosen)
    unless = "; ".join(way.unless for _, way, _ in chosen if way.unless)
    return MendedSet("; ".join(whats), replace(request, changes=tuple(changes)), unless)
