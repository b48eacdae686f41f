"""Judge a change set: each file alone, then all together (docs/design/change-sets.md §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from snippet_engine import budget
from snippet_engine.answer.result import would_not_compile
from snippet_engine.change_request import Change, ChangeRequest
from snippet_engine.changes.new_files import cleaned_text, commented_out
from snippet_engine.changes.offers import for_set
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.changes.planning import ChangePlanning
from snippet_engine.edits import EditSet
from snippet_engine.errors import MAX_OFFERS, Offer, SnippetError
from snippet_engine.fixes.compiler_fixes import MAX_WAYS, Way, ways, with_edits
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.single_edit.versions import NO_DRAFTS, Drafts
from snippet_engine.validation.code_fixes import MENDED
from snippet_engine.validation.judge import ChangesJudge, Judgement
from snippet_engine.validation.validator import Diagnostic, Verdict


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A change set that was planned and judged valid."""

    changes: tuple[PlannedChange, ...]
    verdict: Verdict
    verdicts: Mapping[int, Verdict]
    """The verdicts on single files, by their index."""

    def drafted_on(self, drafts: Drafts) -> Drafts:
        """Return ``drafts`` with the set's new contents of its files."""
        for change in self.changes:
            if change.target is not None or change.new is None:
                drafts = drafts.with_draft(change.script, None)
            if change.new is not None and change.status != "unchanged":
                drafts = drafts.with_draft(change.place, change.new)
        return drafts


class ChangeJudging:
    """Plans and judges change sets of one project. Thread-safe."""

    def __init__(self, planning: ChangePlanning, scripts: ScriptJudging) -> None:
        self._planning = planning
        self._scripts = scripts

    def judged(
        self,
        request: ChangeRequest,
        judge: ChangesJudge,
        drafts: Drafts = NO_DRAFTS,
        *,
        is_offer: bool = False,
    ) -> JudgedSet | SnippetError:
        """Return the set as it would be written, or all of its faults.

        ``is_offer`` says that the set is an offer, tried in place of a refused set.
        """
        planned = self._planning.planned(request, drafts)
        if isinstance(planned, SnippetError):
            return planned
        verdicts: dict[int, Verdict] = {}
        for change in planned:
            with budget.in_part(change.part):
                verdict = _own_verdict(change, judge)
            if isinstance(verdict, SnippetError):
                return verdict.for_file(change.index)
            if verdict is not None:
                verdicts[change.index] = verdict
        judgement = judge.judge_together(verdicts, dict(texts_after(planned)))
        if isinstance(judgement, SnippetError):
            return judgement
        errors = [
            *self._refused(request, planned, judgement, judge),
            *self._commented_out(request, planned, judgement, judge),
            *_project_errors(planned, judgement),
        ]
        if not errors:
            return JudgedSet(tuple(planned), judgement.verdict, verdicts)
        error = for_set(request, errors)
        if error.offers or is_offer or drafts:
            return error
        offers = self._mended(request, planned, judgement, judge)
        return replace(error, offers=tuple(offers) if len(offers) <= MAX_OFFERS else ())

    def _mended(
        self,
        request: ChangeRequest,
        planned: Sequence[PlannedChange],
        judgement: Judgement,
        judge: ChangesJudge,
    ) -> list[Offer]:
        return [
            Offer(what, mended.to_json(), unless=unless)
            for what, mended, unless in _mended_sets(request, planned, judgement, judge)
            if isinstance(self.judged(mended, judge, is_offer=True), JudgedSet)
        ]

    def _refused(
        self,
        request: ChangeRequest,
        planned: Sequence[PlannedChange],
        judgement: Judgement,
        judge: ChangesJudge,
    ) -> Iterator[SnippetError]:
        for index, verdict in judgement.refused.items():
            edit = planned[index].edit
            if edit is not None:
                with budget.in_part(planned[index].part):
                    error = self._scripts.refused(request.edit_of(index), edit, verdict, judge)
            else:
                error = would_not_compile(verdict, [None] * len(verdict.diagnostics))
                error = replace(
                    error, offers=self._cleaned_text_offers(request, planned[index], judge)
                )
            yield replace(error, message=_named(planned[index], error.message)).for_file(index)

    def _cleaned_text_offers(
        self, request: ChangeRequest, planned: PlannedChange, judge: ChangesJudge
    ) -> tuple[Offer, ...]:
        with budget.in_part(planned.part):
            change = request.changes[planned.index]
            return tuple(cleaned_text(change, self._is_valid(planned, judge)))

    def _commented_out(
        self,
        request: ChangeRequest,
        planned: Sequence[PlannedChange],
        judgement: Judgement,
        judge: ChangesJudge,
    ) -> Iterator[SnippetError]:
        for change in planned:
            if change.index in judgement.refused or change.after is None:
                continue
            with budget.in_part(change.part):
                made = request.changes[change.index]
                error = commented_out(made, change.after, self._is_valid(change, judge))
            if error is not None:
                yield error.for_file(change.index)

    def _is_valid(self, planned: PlannedChange, judge: ChangesJudge) -> Callable[[str], bool]:
        def is_valid(text: str) -> bool:
            document = self._scripts.document_of(text.encode(), planned.place)
            if isinstance(document, SnippetError):
                return False
            verdict = judge.diagnose(planned.place.relative, document)
            return not isinstance(verdict, SnippetError) and not verdict.diagnostics

        return is_valid


def _own_verdict(change: PlannedChange, judge: ChangesJudge) -> Verdict | SnippetError | None:
    path = change.place.relative
    if change.after is None:
        return None
    if change.before is None or (change.edit is None and change.old != change.new):
        return judge.diagnose(path, change.after)  # Judged as new: an old file had only blanks.
    edits = change.edit.plan.edits if change.edit is not None else EditSet(())
    return judge.validate(path, change.before, change.after, edits)


def texts_after(planned: Sequence[PlannedChange]) -> Iterator[tuple[str, str | None]]:
    r"""Yield each path and its future content, with ``\\n`` as the only line ending."""
    for change in planned:
        if change.status in ("deleted", "moved"):
            yield change.script.relative, None
        if change.after is not None and change.status != "unchanged":
            yield change.place.relative, change.after.source.view


def _project_errors(
    planned: Sequence[PlannedChange], judgement: Judgement
) -> Iterator[SnippetError]:
    if not judgement.elsewhere:
        return
    by_path = {change.place.relative: change for change in planned}
    first = judgement.elsewhere[0]
    verdict = replace(judgement.verdict, diagnostics=judgement.elsewhere)
    causes = [_instruction_at(by_path.get(each.path), each) for each in judgement.elsewhere]
    error = would_not_compile(verdict, causes)
    change = by_path.get(first.path)
    yield error if change is None else error.for_file(change.index)


def _instruction_at(change: PlannedChange | None, diagnostic: Diagnostic) -> int | None:
    if change is None or change.edit is None:
        return None
    plan, after = change.edit.plan, change.edit.after.source
    for edit, (start, end) in zip(plan.edits, plan.edits.after_ranges(), strict=True):
        if after.position(start) <= diagnostic.position <= after.position(end):
            return plan.instruction_of(edit)
    return None


def _named(change: PlannedChange, message: str) -> str:
    return message.replace("The edited file", change.place.relative, 1)


def _mended_sets(
    request: ChangeRequest,
    planned: Sequence[PlannedChange],
    judgement: Judgement,
    judge: ChangesJudge,
) -> list[tuple[str, ChangeRequest, str]]:
    """Return the sets that fix every error, if the compiler suggests fixes for all of them.

    Each has a description, and the condition under which it is needless. Several are a choice.
    """
    paths = {each.path for each in judgement.elsewhere}
    mine = [each for each in planned if each.place.relative in paths]
    is_known = {each.id for each in judgement.elsewhere} <= MENDED and len(mine) == len(paths)
    if not is_known or judgement.refused:
        return []
    texts = dict(texts_after(planned))
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
) -> tuple[str, ChangeRequest, str]:
    changes = list(request.changes)
    for planned, _, change in chosen:
        changes[planned.index] = change
    is_one = len(request.changes) == 1
    whats = (f"{'' if is_one else f'file {at.index} '}{way.what}" for at, way, _ in chosen)
    unless = "; ".join(way.unless for _, way, _ in chosen if way.unless)
    return "; ".join(whats), replace(request, changes=tuple(changes)), unless
