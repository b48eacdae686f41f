"""One script's edit: planned or refused, judged, and reported (docs/design/engine.md §2 to §4,
§7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from snippet_engine import budget
from snippet_engine.answer.result import (
    changed_lines,
    instruction_result,
    validation,
    workspace_edit,
)
from snippet_engine.answer.unified_diff import unified_diff
from snippet_engine.answer.unity_warnings import about_unity
from snippet_engine.answer.warnings import (
    Warn,
    Warnings,
    about_edit,
    about_file,
    about_name,
    about_same_line,
)
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.errors import ALREADY_APPLIED, ErrorCode, Offer, SnippetError, show
from snippet_engine.request import EditRequest
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.stores import write_gate
from snippet_engine.validation.validator import Verdict

if TYPE_CHECKING:
    from snippet_engine.storage.change_sets.change_plan import FileChange

T = TypeVar("T")

MAX_JUDGEMENTS = 32


class PlannedText:
    """The result of planning a text, and its warnings. Kept for the apply after a preview."""

    def __init__(self, path: str, before: Document, plan: Plan, after: Document) -> None:
        self.path, self.before, self.plan, self.after = path, before, plan, after

    def is_of(self, before: Document, path: str, request: EditRequest) -> bool:
        """Return whether ``request`` on ``before`` gives the same plan.

        Always false with metadata, which is returned as sent: equal values may be spelled
        differently.
        """
        known = [each.instruction for each in self.plan.instructions]
        return (
            self.before is before
            and self.path == path
            and known == list(request.instructions)
            and not any(each.metadata for each in known)
        )

    @cached_property
    def about_edit(self) -> Warnings:
        """Return the warnings about the edit's places and the effects around them."""
        found = about_edit(self.before, self.after, self.plan)
        beside = about_same_line(self.before, self.plan)
        return found._replace(warnings=[*found.warnings, *beside])

    @cached_property
    def about_unity(self) -> tuple[Warn, ...]:
        """Return the warnings about the edit's effects in Unity."""
        return tuple(about_unity(self.before, self.after, self.plan, self.path))

    @cached_property
    def diff(self) -> str:
        """Return the edit's diff as answers show it; empty if the edit changes nothing."""
        before, after = self.before.source, self.after.source
        if before.data == after.data:
            return ""
        return unified_diff(before.view, after.view, self.plan.edits, before.numbers).shown()


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """The edit of one script, planned on its content."""

    script: ScriptPath
    text: PlannedText
    links: int
    """The file's number of hard links."""
    drifted: Sequence[Warn] = ()
    """Warnings about anchors that matched another place before."""

    @property
    def before(self) -> Document:
        """Return the text that the edit was planned on."""
        return self.text.before

    @property
    def after(self) -> Document:
        """Return the text after the edit."""
        return self.text.after

    @property
    def plan(self) -> Plan:
        """Return the result of each instruction."""
        return self.text.plan

    def changes(self) -> list[FileChange]:
        """Return the files to write."""
        from snippet_engine.storage.change_sets.change_plan import FileChange  # noqa: PLC0415 - seldom

        return [FileChange(self.script, self.before.source.data, self.after.source.data)]


@dataclass(frozen=True, slots=True)
class Unplanned:
    """Why an edit can't be planned. Offers are searched only on demand."""

    error: SnippetError
    offers: Callable[[], tuple[Offer, ...]] | None = None
    check_applied: Callable[[], bool] | None = None
    """Returns whether all edits are already in the file. If ``None``, see the error's details."""

    @property
    def is_applied(self) -> bool:
        """Return whether all edits are already applied."""
        return (
            ALREADY_APPLIED in self.error.details
            if self.check_applied is None
            else self.check_applied()
        )

    def with_offers(self) -> SnippetError:
        """Return the error with offers; ``offersSought`` is false if that is too expensive."""
        if self.offers is None:
            return self.error
        try:
            return replace(self.error, offers=self.offers())
        except budget.OutOfStepsError:
            return replace(self.error, details={**self.error.details, "offersSought": False})


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """A planned edit that was found valid, ready to be reported or written."""

    planned: PlannedEdit
    verdict: Verdict

    def report(self, request: EditRequest) -> dict[str, Any]:
        """Return the result object for ``request``."""
        planned, verdict = self.planned, self.verdict
        text, script = planned.text, planned.script
        about, plan = text.about_edit, text.plan
        before, after = text.before.source, text.after.source
        changed = before.data != after.data
        done = "applied" if request.apply else "previewed"
        warnings = [
            *about.beside(verdict),
            *about_file(text.before, verdict, planned.links),
            *text.about_unity,
            *planned.drifted,
            *about_name(script.relative),
        ]
        result = {
            "status": done if changed else "unchanged",
            "path": script.relative,
            "applied": request.apply and changed,
            "hashBefore": before.hash,
            "hashAfter": after.hash,
            "lines": changed_lines(before, after, plan.edits),
            "results": [instruction_result(before, each, done) for each in plan.instructions],
            "diff": text.diff,
            "validation": validation(verdict.with_notes(about.not_checked)),
            "warnings": [warning.to_json() for warning in warnings],
        }
        if "workspaceEdit" in request.include:
            result["workspaceEdit"] = workspace_edit(script.real.as_uri(), before, plan.edits)
        return result


def until_not_overtaken(
    judge_and_write: Callable[[], T | SnippetError], *, may_repeat: bool
) -> T | SnippetError:
    """Judge and write. If someone else writes first, repeat, if ``may_repeat``."""
    outcome = judge_and_write()
    may_repeat = may_repeat and not write_gate.is_bound()
    for _ in range(MAX_JUDGEMENTS - 1 if may_repeat else 0):
        if not (isinstance(outcome, SnippetError) and outcome.code is ErrorCode.STALE_FILE):
            break
        outcome = judge_and_write()
    return outcome


def stale_file(script: ScriptPath, expected: str, current: str) -> SnippetError:
    """Return ``stale_file`` for a script whose hash isn't the expected one."""
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{show(script.relative)} now has hash {current}, not the expectedHash. Read it again "
        "first.",
        details={"expectedHash": expected, "currentHash": current},
    )
