"""The news of one project: what to judge, what was found, and who was given it. Pure.

An edit's errors may concern not only the caller who made the edit. A compile's errors concern all
callers. Time is a parameter, in seconds of a steady clock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any, NamedTuple

from mcp_server.contract.short_schemas import HASH_DIGITS
from mcp_server.news.applied_edits import (
    MAX_EDITS,
    AppliedEdit,
    AppliedEdits,
    common_origin,
    earliest,
)
from mcp_server.news.callers import Callers
from mcp_server.news.findings import Finding, Findings, Key, NewError, Origin, keyed, with_advice
from mcp_server.news.reported_errors import said

KEPT_S = 900.0
"""Seconds for which a finding is kept for callers that don't call."""

MAX_ATTEMPTS = 3
TOO_MANY = "too many edits at once"

_MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class Round:
    """A question to the compiler: which errors are new since before these edits?"""

    revision: int
    edits: tuple[AppliedEdit, ...]

    @property
    def earlier(self) -> dict[str, str | None]:
        """Return each file's text from before all the edits."""
        return earliest(self.edits)

    def since(self, edit: AppliedEdit) -> dict[str, str | None]:
        """Return each file's text from before ``edit``, with the earlier edits applied."""
        return earliest(each for each in self.edits if each.number >= edit.number)

    @property
    def begins_earlier(self) -> bool:
        """Return whether the round begins with settled edits, which may have caused the errors."""
        return self.edits[0].is_settled

    @property
    def due(self) -> list[AppliedEdit]:
        """Return the edits that were not judged before."""
        return [each for each in self.edits if each.is_due]

    @property
    def suspects(self) -> list[AppliedEdit]:
        """Return the edits that may have caused new errors: from the first unsettled one on."""
        return list(dropwhile(lambda each: each.is_settled, self.edits))


class NotJudged(NamedTuple):
    """Why a part of a round could not be judged."""

    other: str = ""
    blocked: str = ""
    """The reason if errors elsewhere must be repaired first."""
    unheard: str = ""
    """The reason if it applies to every edit, so that each caller gets it only once."""


class News:
    """The news of one project. Lives on one thread."""

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
        self._attributed: dict[int, Origin] = {}
        self.on_found: Callable[[Sequence[Finding]], None] = lambda _: None
        """Called with all standing findings after each round."""

    # -- what is to be judged ----------------------------------------------------------------

    def applied(
        self,
        origin: Origin,
        earlier: Mapping[str, str | None],
        now_s: float,
        *,
        is_judged: bool = False,
    ) -> None:
        """Add an applied edit. ``earlier`` has the texts from before it.

        An edit that ``is_judged`` has no errors. It only makes other findings be judged again,
        because it may repair them. The number of ``origin`` comes from :meth:`new_number`.
        """
        self._revision += 1
        if is_judged or not earlier:
            return
        for gone in self._edits.add(AppliedEdit(self._latest(origin), earlier)):
            self._findings.grow_old({gone.number})
            if gone.is_due:
                self._add_unknown([gone], TOO_MANY, now_s, merges=True)

    def new_number(self) -> int:
        """Return a new number for an origin, larger than all earlier ones."""
        self._last_number += 1
        return self._last_number

    def attribute(self, origin: Origin) -> None:
        """Replace the origin of the edit with the same number, whose maker was found later."""
        self._attributed[origin.number] = origin
        while len(self._attributed) > MAX_EDITS:
            del self._attributed[next(iter(self._attributed))]
        self._edits.attribute(origin)
        self._findings.attribute(origin)

    def of(self, numbers: Collection[int]) -> list[Finding]:
        """Return the errors whose origins have these numbers."""
        return [e for e in self._findings if e.origin.number in numbers and not e.is_unknown]

    def errors_like(self, errors: Sequence[NewError]) -> list[Finding]:
        """Return the findings with the same errors; none if they may have been repaired since."""
        wanted = set(map(said, errors))
        found = [e for e in self._findings if not e.is_unknown and said(e.error) in wanted]
        return found if all(map(self.is_current, found)) else []

    def _latest(self, origin: Origin) -> Origin:
        return origin if origin.is_one_of_several else self._attributed.get(origin.number, origin)

    def disk_changed(self) -> None:
        """Judge the findings again, because files changed."""
        self._revision += 1

    def earlier(self, numbers: Iterable[int]) -> dict[str, str | None]:
        """Return the texts from before the first of these edits, for all files edited since."""
        first = min((each for each in numbers if each in self._edits), default=None)
        return earliest(e for e in self._edits if first is not None and e.number >= first)

    @property
    def pending(self) -> int:
        """Return the number of edits that are still to be judged."""
        return len(self._awaited())

    def pending_for(self, caller: str) -> int:
        """Return how many edits must still be judged before the caller can get all its news."""
        withheld = [each for each in self.waiting_for(caller) if not self.is_current(each)]
        return len(self._awaited() | {each.origin.number for each in withheld})

    def _awaited(self) -> set[int]:
        is_behind = self._handled_revision < self._revision
        return {
            each.number
            for each in self._edits
            if each.is_due or (is_behind and not each.is_settled)
        }

    @property
    def _handled_revision(self) -> int:
        return max(self._judged_revision, self._given_up_revision)

    @property
    def files(self) -> set[str]:
        """Return the files of all kept edits."""
        return {path for each in self._edits for path in each.earlier}

    @property
    def has_errors(self) -> bool:
        """Return whether any new error stands."""
        return any(not each.is_unknown and self.is_current(each) for each in self._findings)

    @property
    def is_behind(self) -> bool:
        """Return whether some finding may have been repaired since it was judged."""
        return not all(map(self.is_current, self._findings))

    def is_due(self, number: int) -> bool:
        """Return whether the edit ``number`` is still to be judged."""
        return any(each.number == number for each in self._edits.due)

    def next_round(self, now_s: float) -> Round | None:
        """Return the next round to judge; ``None`` if nothing is to be judged."""
        self._forget([each for each in self._findings if now_s - each.found_s > KEPT_S])
        self._edits.no_longer_blocked(now_s - KEPT_S)
        edits = tuple(self._edits)
        if not self._edits.due and not (edits and self._handled_revision < self._revision):
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
        left: NotJudged | None = None,
    ) -> None:
        """Record a round's verdict: all errors that are new since before its edits.

        ``origins`` maps each error that one of its suspects caused to that edit. ``left`` says what
        could not be judged.
        """
        left = left or NotJudged()
        self._attempts, self._asked = 0, None
        self._judged_revision = max(self._judged_revision, asked.revision)
        numbers = {each.number for each in asked.edits}
        latest = {key: self._latest(origin) for key, origin in origins.items()}
        self._findings.replace(numbers, errors, latest, now_s)
        having = {each.origin.number for each in self._findings if not each.is_unknown}
        self._add_left(asked.due, left, having, now_s)
        unsettled = {each.number for each in asked.edits if not each.is_settled}
        waiting = unsettled if left.blocked else set()
        # Keep all edits from the first one with errors on. Only a round that begins with that edit
        # can find that its errors are gone.
        first = min((number for number in numbers if number in having | waiting), default=None)
        kept = {n: first is not None and n >= first for n in numbers - waiting}
        self._edits.judged(kept)
        self._edits.blocked(waiting, now_s)
        self._forget_given()
        self.on_found(tuple(self._findings))

    def failed(self, asked: Round, reason: str, now_s: float) -> bool:
        """Note that no verdict came for a round. Return whether to ask again later.

        After :data:`MAX_ATTEMPTS` failures, its edits count as not judged.
        """
        self._attempts += 1
        if self._attempts < MAX_ATTEMPTS:
            return True
        self._attempts, self._asked = 0, None
        self._given_up_revision = asked.revision
        if self._judged_revision < asked.revision:
            self._findings.grow_old(each.number for each in asked.edits)
        self._add_unknown(asked.due, reason, now_s)
        self._edits.judged({each.number: False for each in asked.due})
        self._forget_given()
        return False

    def _add_left(
        self, due: Sequence[AppliedEdit], left: NotJudged, having: Collection[int], now_s: float
    ) -> None:
        """Add findings that say which part of a round's due edits could not be judged."""
        # An edit with errors of its own needs no finding that errors block its verdict.
        clean = [each for each in due if each.number not in having]
        if left.blocked and clean:
            both = "; ".join(each for each in (left.other, left.blocked) if each)
            self._add_unknown(clean, both, now_s)
            due = [each for each in due if each.number in having]
        if left.other:
            self._add_unknown(due, left.other, now_s)
        if left.unheard:
            self._add_unknown(due, left.unheard, now_s, is_said_once=True)

    def _add_unknown(
        self,
        edits: Sequence[AppliedEdit],
        reason: str,
        now_s: float,
        *,
        merges: bool = False,
        is_said_once: bool = False,
    ) -> None:
        if not edits:
            return
        reason = reason.removesuffix(".")
        error = _unknown(edits, reason, is_named=not is_said_once)
        origin = common_origin(edits, f"{len(edits)} edits")
        finding = Finding(0, error, origin, now_s, is_unknown=True, is_said_once=is_said_once)
        self._findings.add_unknown(finding, reason, merges=merges)

    def publish(self, origin: Origin, errors: Sequence[NewError], now_s: float) -> None:
        """Replace the errors of an origin that is no edit, such as a compile in Unity."""
        origins = dict.fromkeys((key for key, _ in keyed(errors)), self._latest(origin))
        self._findings.replace({origin.number}, errors, origins, now_s)
        self._forget_given()
        self.on_found(tuple(self._findings))

    # -- who knows -----------------------------------------------------------------------------

    def enter(self, caller: str, name: str | None = None) -> bool:
        """Remember a caller before its call. Return whether it is new.

        Callers of one ``name`` may be the same client.
        """
        return self._callers.enter(caller, self._findings.next_number, name)

    def waiting_for(self, caller: str) -> list[Finding]:
        """Return the findings that a caller was not given yet, those of its own edits first."""
        waiting = self._callers.not_given(caller, self._findings)
        return sorted(waiting, key=lambda each: (each.origin.caller != caller, each.number))

    def is_current(self, finding: Finding) -> bool:
        """Return whether the finding was judged after all known edits."""
        number = finding.origin.number
        return number not in self._edits or self._handled_revision == self._revision

    def give(self, caller: str, findings: Sequence[Finding]) -> None:
        """Note findings as given to ``caller``. Forget those that every caller was given."""
        self._callers.give(caller, findings)
        self._forget_given()

    def _forget_given(self) -> None:
        self._forget([each for each in self._findings if self._callers.have_all(each)])

    def _forget(self, findings: Sequence[Finding]) -> None:
        """Forget findings, and edits that no other finding needs. Does nothing during a round."""
        if self._asked is not None or not findings:
            return
        # An edit is kept while it has errors. Later edits are kept as part of the same round.
        gone = {each.number for each in findings}
        left = {
            each.origin.number
            for each in self._findings
            if each.number not in gone and not each.is_unknown
        }
        first = min(
            (n for each in self._edits if (n := each.number) in left or each.blocked_s is not None),
            default=None,
        )
        settled = [each.number for each in self._edits if each.is_settled]
        dropped = [number for number in settled if first is None or number < first]
        self._edits.judged(dict.fromkeys(dropped, False))
        self._findings.drop(
            each for each in findings if each.is_unknown or each.origin.number not in self._edits
        )
        self._callers.forget(self._findings)


def _unknown(edits: Sequence[AppliedEdit], reason: str, *, is_named: bool) -> NewError:
    """Return an error that says why edits could not be judged."""
    files = list(dict.fromkeys(path for each in edits for path in each.earlier))
    named = ""
    if len(edits) > 1 and is_named:
        more = f" and {len(files) - _MAX_NAMED} more files" if len(files) > _MAX_NAMED else ""
        named = f" ({', '.join(files[:_MAX_NAMED])}{more})"
    return NewError(files[0], 0, "", f"not judged: {with_advice(f'{reason}{named}')}")


def origin_of_edit(
    number: int, tool: str, result: Mapping[str, Any], caller: str | None, client: str | None
) -> Origin:
    """Return the origin of the edit that a tool's ``result`` reports as applied."""
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
