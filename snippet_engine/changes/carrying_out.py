"""Report, draft or write a judged change set (docs/design/change-sets.md §3 and §4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from snippet_engine.change_request import ChangeRequest
from snippet_engine.changes.judging import ChangeJudging, JudgedSet
from snippet_engine.changes.result import change_result
from snippet_engine.errors import SnippetError
from snippet_engine.recorded_writes import note_changes, record, record_partly_judged
from snippet_engine.set_writing import write_set
from snippet_engine.single_edit.planned_edit import until_not_overtaken
from snippet_engine.single_edit.versions import Drafts
from snippet_engine.source_text import SourceText
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.records.write_record import new_ticket
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.request_log import Claim
from snippet_engine.validation.judge import ChangesJudge

Result = dict[str, Any]
Written = Callable[[ScriptPath, SourceText], None]
"""Called for each script that gets a new text."""
Instead = Callable[[JudgedSet, ChangeRequest, dict[str, Any]], Result]
"""Returns the offer of a rename for the result of an accepted set that seems to be one. Its last
argument is the call that undoes the set."""


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
        """``root`` is the project's folder."""
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
            # What comes or goes takes its .meta along, which nobody has looked at yet.
            refused = self._store.check(changes)
            if refused is not None:
                return refused
        result = change_result(judged, self._root, applied=False)
        return result | self._instead(judged, request, {})

    def draft(
        self, request: ChangeRequest, judge: ChangesJudge, drafts: Drafts
    ) -> tuple[Result, Drafts] | SnippetError:
        """Return the set's result on ``drafts``, whatever its mode, and the new drafts."""
        judged = self._judging.judged(replace(request, apply=False), judge, drafts)
        if isinstance(judged, SnippetError):
            return judged
        return change_result(judged, self._root, applied=False), judged.drafted_on(drafts)

    def apply(
        self, request: ChangeRequest, judge: ChangesJudge, claim: Claim | None
    ) -> Result | SnippetError:
        """Judge and write.

        If someone else wrote first, judge again, unless the request expects a hash.
        """
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
        failed = write_set(self._store, changes, result, claim)
        if failed is not None:
            return failed
        for written_file in changes:
            target = written_file.target
            moved_to = None if target is None else target.relative
            record(written_file.script.relative, written_file.before, moved_to)
        if judged.verdict.is_partial:
            record_partly_judged()
        for each in judged.changes:
            if each.after is not None and each.status != "unchanged":
                self._written(each.place, each.after.source)
        return result
