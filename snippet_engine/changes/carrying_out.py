"""Preview, draft or write a judged change set (docs/design/change-sets.md §3 and §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from snippet_engine import budget
from snippet_engine.answer.result import changed_lines, instruction_result, validation
from snippet_engine.answer.unified_diff import MAX_DIFF_LENGTH, Diff, unified_diff
from snippet_engine.answer.warnings import Warn, about_file, about_name
from snippet_engine.call_context import note_changes, record_partly_judged
from snippet_engine.change_request import ChangeRequest
from snippet_engine.changes.judging import ChangeJudging, JudgedSet
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.changes.unity_warnings import unity_warnings
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError, shortened
from snippet_engine.set_writing import Written, write_set
from snippet_engine.single_edit.planned_edit import until_not_overtaken
from snippet_engine.single_edit.versions import Drafts
from snippet_engine.source_text import content_hash
from snippet_engine.storage.records.write_record import new_ticket
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.request_log import Claim
from snippet_engine.validation.judge import ChangesJudge

Result = dict[str, Any]
Instead = Callable[[JudgedSet, ChangeRequest, dict[str, Any]], Result]
"""Returns an offer if an accepted set seems to be a rename. The last argument is the call that
undoes the set.
"""


class ChangeSets:
    """Carries out change sets in one project. Thread-safe."""

    def __init__(
        self,
        root: Path,
        judging: ChangeJudging,
        store: ChangeStore,
        written: Written,
        instead: Instead,
    ) -> None:
        self._root = root
        self._judging = judging
        self._store = store
        self._written = written
        self._instead = instead

    def preview(self, request: ChangeRequest, judge: ChangesJudge) -> Result | SnippetError:
        """Return the result that the set would have. Writes nothing."""
        judged = self._judging.judged(request, judge)
        if isinstance(judged, SnippetError):
            return judged
        changes = [each.to_write() for each in judged.changes]
        note_changes(lambda: changes)
        if any(each.place is not each.script or each.new is None for each in judged.changes):
            # The .meta of a created, moved or deleted file is changed, too, and wasn't checked yet.
            refused = self._store.check(changes)
            if refused is not None:
                return refused
        result = change_result(judged, self._root, applied=False)
        return result | self._instead(judged, request, {})

    def draft(
        self, request: ChangeRequest, judge: ChangesJudge, drafts: Drafts
    ) -> tuple[Result, Drafts] | SnippetError:
        """Return the set's result on ``drafts``, in any mode, and the new drafts."""
        judged = self._judging.judged(replace(request, apply=False), judge, drafts)
        if isinstance(judged, SnippetError):
            return judged
        return change_result(judged, self._root, applied=False), judged.drafted_on(drafts)

    def apply(
        self, request: ChangeRequest, judge: ChangesJudge, claim: Claim | None
    ) -> Result | SnippetError:
        """Judge and write. If someone else writes first, repeat, unless a hash is expected."""
        return until_not_overtaken(
            lambda: self._judge_and_write(request, judge, claim),
            may_repeat=not request.expects_hashes,
        )

    def _judge_and_write(
        self, request: ChangeRequest, judge: ChangesJudge, claim: Claim | None
    ) -> Result | SnippetError:
        judged = self._judging.judged(request, judge)
        if isinstance(judged, SnippetError):
            return judged
        result = change_result(judged, self._root, applied=True)
        if not result["applied"]:
            return result
        changes = [each.to_write() for each in judged.changes]
        ticket = claim.ticket if claim is not None else new_ticket()
        result["changeId"] = ticket
        result |= self._instead(judged, request, {"changeId": ticket})
        failed = write_set(self._store, changes, result, claim, self._written)
        if failed is not None:
            return failed
        if judged.verdict.is_partial:
            record_partly_judged()
        return result


_SNIPPET = 200
_SNIPPETS = ("beforeSnippet", "afterSnippet")

_LEAST_DIFF = 160


def change_result(judged: JudgedSet, root: Path, *, applied: bool) -> dict[str, Any]:
    """Return the result of an accepted request, without a ``changeId``."""
    changed = any(each.status != "unchanged" for each in judged.changes)
    done = "applied" if applied else "previewed"
    diffs = _diffs(judged.changes)
    warnings, not_checked = _warnings(judged, root)
    return {
        "status": done if changed else "unchanged",
        "applied": applied and changed,
        "files": [
            _file(change, diff, done) for change, diff in zip(judged.changes, diffs, strict=True)
        ],
        "validation": validation(judged.verdict.with_notes(not_checked)),
        "warnings": [_warning(judged, index, each) for index, each in warnings],
    }


def _file(change: PlannedChange, diff: str, done: str) -> dict[str, Any]:
    body: dict[str, Any] = {"path": change.script.relative}
    if change.target is not None:
        body["movedTo"] = change.target.relative
    body["status"] = change.status
    if change.old is not None:
        body["hashBefore"] = _hash(change.old, change.before)
    if change.new is not None:
        body["hashAfter"] = _hash(change.new, change.after)
    if change.edit is not None:
        text = change.edit.text
        body["lines"] = changed_lines(text.before.source, text.after.source, text.plan.edits)
    body["results"] = list(_results(change, done))
    body["diff"] = diff
    return body


def _hash(data: bytes, document: Document | None) -> str:
    return content_hash(data) if document is None else document.source.hash


def _results(change: PlannedChange, done: str) -> Iterator[dict[str, Any]]:
    edit = change.edit
    if edit is None:
        return
    for item in edit.plan.instructions:
        each = instruction_result(edit.before.source, item, done)
        snippets = {key: shortened(each[key], _SNIPPET) for key in _SNIPPETS}
        yield {**each, **snippets}


def _diffs(changes: Sequence[PlannedChange]) -> list[str]:
    with budget.in_part(1 / max(1, len(changes))):
        diffs = [_diff(change) for change in changes]
    room = MAX_DIFF_LENGTH
    shown = [each.shown() for each in diffs]
    by_length = sorted(range(len(shown)), key=lambda index: len(shown[index]))
    for place, index in enumerate(by_length):
        share = max(room // (len(shown) - place), _LEAST_DIFF)
        if len(shown[index]) > share:
            shown[index] = diffs[index].shown(share)
        room = max(0, room - len(shown[index]))
    return shown


def _diff(change: PlannedChange) -> Diff:
    before, after = _view(change.before), _view(change.after)
    if change.edit is not None:
        return unified_diff(before, after, change.edit.plan.edits)
    return unified_diff(before, after, EditSet((TextEdit(0, len(before), after),)))


def _view(document: Document | None) -> str:
    return "" if document is None else document.source.view


def _warnings(
    judged: JudgedSet, root: Path
) -> tuple[list[tuple[int | None, Warn]], dict[str, None]]:
    found: list[tuple[int | None, Warn]] = []
    not_checked: dict[str, None] = {}
    for change in judged.changes:
        edit = change.edit
        if edit is not None:
            verdict = judged.verdicts[change.index]
            about = edit.text.about_edit
            others = about_file(edit.before, verdict, edit.links)
            warnings = (*about.beside(judged.verdict), *others, *edit.drifted)
            found += ((change.index, warning) for warning in warnings)
            not_checked.update(dict.fromkeys(about.not_checked))
        if change.new is not None:
            named = about_name(change.place.relative)
            found += ((change.index, warning) for warning in named)
    found += unity_warnings(root, judged.changes)
    if judged.verdict.semantic_not_checked:
        found.append((None, Warn("semantic_not_checked", judged.verdict.semantic_not_checked)))
    return found, not_checked


def _warning(judged: JudgedSet, index: int | None, warning: Warn) -> dict[str, Any]:
    about = {} if index is None else {"file": index, "path": judged.changes[index].place.relative}
    return {**warning.to_json(), **about}
