"""What is to be judged, what was found, and who knows: the news of one project. Pure.

Who publishes needn't be the caller: an edit may be anyone's, and a compile's errors are published
by what led to them. Time is a parameter, in seconds on a steady clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.contract.short_schemas import HASH_DIGITS
from mcp_server.news.applied_edits import AppliedEdit, AppliedEdits, earliest
from mcp_server.news.callers import Callers
from mcp_server.news.findings import Finding, Findings, Key, NewError, Origin, keyed

KEPT_S = 900.0
"""How long a finding is kept for callers that don't come."""

MAX_ATTEMPTS = 3
"""How often a verdict is asked for that doesn't come."""

TOO_MANY = "too many edits at once"


@dataclass(frozen=True, slots=True)
class Round:
    """One question to the compiler: which errors came with these edits?"""

    revision: int
    edits: tuple[AppliedEdit, ...]

    @property
    def earlier(self) -> dict[str, str | None]:
        """Return each file's text from before the edits."""
        return earliest(self.edits)

    def since(self, edit: AppliedEdit) -> dict[str, str | None]:
        """Return each file's text from before ``edit``, without earlier edits."""
        return earliest(each for each in self.edits if each.number >= edit.number)

    @property
    def begins_earlier(self) -> bool:
        """Return whether its errors may have come before all edits that are due."""
        return not self.edits[0].is_due

    @property
    def due(self) -> list[AppliedEdit]:
        """Return the edits that were not judged before."""
        return [each for each in self.edits if each.is_due]


class News:
    """Of one project. Lives on one thread."""

    def __init__(self) -> None:
        self._edits = AppliedEdits()
        self._findings = Findings()
        self._callers = Callers()
        self._last_number = 0
        self._revision = 0
        self._judged_revision = 0
        self._attempts = 0
        self._asked: Round | None = None
        self._given_up_revision = 0

    # -- what is to be judged ----------------------------------------------------------------

    def applied(
        self,
        origin: Origin,
        earlier: Mapping[str, str | None],
        now_s: float,
        *,
        is_judged: bool = False,
    ) -> None:
        """Add an applied edit; one that ``is_judged`` has no errors, but may repair others'.

        Its ``origin`` has a number of :meth:`new_number`.
        """
        self._revision += 1
        if is_judged or not earlier:
            return
        for gone in self._edits.add(AppliedEdit(origin, earlier)):
            self._drop_findings_of({gone.number})
            if gone.is_due:
                self._add_unknown([gone], TOO_MANY, now_s)

    def new_number(self) -> int:
        """Return a number for an origin, larger than all before it."""
        self._last_number += 1
        return self._last_number

    def disk_changed(self) -> None:
        """Let what was found be judged again: files changed."""
        self._revision += 1

    @property
    def pending(self) -> int:
        """Return how many edits are still to be judged."""
        return len(self._edits.due)

    def is_due(self, number: int) -> bool:
        """Return whether this edit is still to be judged."""
        return any(each.number == number for each in self._edits.due)

    def next_round(self, now_s: float) -> Round | None:
        """Return what to judge next, if anything."""
        self._forget([each for each in self._findings if now_s - each.found_s > KEPT_S])
        edits = tuple(self._edits)
        looked = max(self._judged_revision, self._given_up_revision)
        if not self._edits.due and not (edits and looked < self._revision):
            return None
        self._asked = Round(self._revision, edits)
        return self._asked

    # -- what was found ------------------------------------------------------------------------

    def judged(
        self,
        asked: Round,
        errors: Sequence[NewError],
        origins: Mapping[Key, Origin],
        now_s: float,
        left: str = "",
    ) -> None:
        """Record a round's verdict: all errors that came with its edits.

        ``origins`` has those that came with edits that were due.
        ``left`` is why some of it could not be judged.
        """
        self._attempts, self._asked = 0, None
        self._judged_revision = max(self._judged_revision, asked.revision)
        numbers = {each.number for each in asked.edits}
        self._findings.replace(numbers, errors, origins, now_s)
        having = {each.origin.number for each in self._findings}
        if left:
            self._add_unknown(
                [each for each in asked.due if each.number not in having], left, now_s
            )
        # Errors are gone only once they are gone since before the first edit that has some.
        first = min((number for number in numbers if number in having), default=None)
        kept = {n: first is not None and n >= first for n in numbers}
        self._edits.judged(kept)
        self._forget_given()

    def failed(self, asked: Round, reason: str, now_s: float) -> bool:
        """Record that no verdict came; return whether to ask again later."""
        self._attempts += 1
        if self._attempts < MAX_ATTEMPTS:
            return True
        self._attempts, self._asked = 0, None
        self._given_up_revision = asked.revision
        self._add_unknown(asked.due, reason, now_s)
        self._edits.judged({each.number: False for each in asked.due})
        self._forget_given()
        return False

    def _add_unknown(self, edits: Sequence[AppliedEdit], reason: str, now_s: float) -> None:
        for edit in edits:
            self._findings.add(_unknown(edit, reason), edit.origin, now_s)

    def publish(self, origin: Origin, errors: Sequence[NewError], now_s: float) -> None:
        """Let ``errors`` be all that stand of something else than an edit, as Unity's compile."""
        known = {each.key for each in self._findings if each.origin.number == origin.number}
        origins = {key: origin for key, _ in keyed(errors) if key not in known}
        self._findings.replace({origin.number}, errors, origins, now_s)
        self._forget_given()

    # -- who knows -----------------------------------------------------------------------------

    def enter(self, caller: str) -> None:
        """Remember a caller, before its call."""
        self._callers.enter(caller, self._findings.next_number)

    def waiting_for(self, caller: str) -> list[Finding]:
        """Return what a caller was not given yet, its own first, the oldest first."""
        waiting = self._callers.not_given(caller, self._findings)
        return sorted(waiting, key=lambda each: (each.origin.caller != caller, each.number))

    def is_current(self, finding: Finding) -> bool:
        """Return whether the finding still stands after all edits that are known."""
        number = finding.origin.number
        return number not in self._edits or self._judged_revision == self._revision

    def give(self, caller: str, findings: Sequence[Finding]) -> None:
        """Record that a caller was given findings; forget what all have."""
        self._callers.give(caller, findings)
        self._forget_given()

    def _forget_given(self) -> None:
        self._forget([each for each in self._findings if self._callers.have_all(each)])

    def _forget(self, findings: Sequence[Finding]) -> None:
        """Forget findings, and edits without others, unless the compiler is asked about them."""
        if self._asked is not None or not findings:
            return
        # An edit is kept while it has errors; those after it are part of the question.
        gone = {each.key for each in findings}
        left = (each.origin.number for each in self._findings if each.key not in gone)
        first = min((number for number in left if number in self._edits), default=None)
        settled = [each.number for each in self._edits if not each.is_due]
        dropped = [number for number in settled if first is None or number < first]
        self._edits.judged(dict.fromkeys(dropped, False))
        self._findings.drop(each.key for each in findings if each.origin.number not in self._edits)
        self._callers.forget(self._findings)

    def _drop_findings_of(self, numbers: set[int]) -> None:
        self._findings.drop([each.key for each in self._findings if each.origin.number in numbers])


def _unknown(edit: AppliedEdit, reason: str) -> NewError:
    """Return what says that an edit could not be judged."""
    file = next(iter(edit.earlier))
    return NewError(file, 0, "", f"not judged: {reason.removesuffix('.')}. Run check_project.")


def origin_of_edit(
    number: int, tool: str, result: Mapping[str, Any], caller: str | None, client: str | None
) -> Origin:
    """Return the origin of what a tool's ``result`` says was applied."""
    files = [each["path"] for each in result.get("files", ())] or [result["path"]]
    kind = "undo" if tool == "undo_snippet" else "edit"
    what = f"{kind} of {files[0] if len(files) == 1 else f'{len(files)} files'}"
    undo: dict[str, Any] = {}
    if kind == "edit" and "changeId" in result:
        undo = {"changeId": result["changeId"]}
    elif kind == "edit" and "hashAfter" in result:
        digits = result["hashAfter"].removeprefix("sha256:")[:HASH_DIGITS]
        undo = {"path": result["path"], "hashAfter": digits}
    return Origin(number, what, caller, client, undo)
