"""Check bundles; rehearse them in memory; write each of them whole or not at all.

Implements docs/design/command-line.md ``lint`` and ``apply``. The rehearsal finds refusals before
anything is written, and decides what will be written. A write may still be refused, for example if
a file was saved meanwhile, or the disk is full. Then the bundle's earlier writes are rolled back;
those that stay are named.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from mcp_server.bundles import item as items
from mcp_server.bundles.bundle import Bundle, BundleFile, read_bundle
from mcp_server.bundles.findings import (
    FILE_START,
    INTERNAL_ERROR,
    TOO_MANY,
    BundleReport,
    Finding,
    problem_finding,
    refusal_findings,
    warning_findings,
)
from mcp_server.bundles.item import (
    Applied,
    Engines,
    Item,
    Result,
    draft,
    pinned_to,
    preview,
    read_item,
)
from snippet_engine.answer.call_notes import notes_of, with_notes
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import CheckedParams
from snippet_engine.schemas.schema_findings import JsonPath
from snippet_engine.single_edit.versions import Drafts

Write: TypeAlias = tuple[Item, Applied]
"""A written item, and its write."""

MAX_ITEMS = 100
"""Most items of a bundle: the history must keep each write until the last item is written."""


class Status(StrEnum):
    """A bundle's state. Only ``applied`` and ``left`` have written anything."""

    PREVIEWED = "previewed"
    APPLIED = "applied"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    TAKEN_BACK = "taken_back"
    LEFT = "left"
    NOT_BEGUN = "not_begun"


@dataclass(frozen=True, slots=True)
class NotRolledBack:
    """A write that could not be rolled back, and why."""

    applied: Applied
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return the arguments of ``undo_snippet``, and ``reason``."""
        return {**self.applied.undo, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class BundleOutcome:
    """The outcome of one bundle."""

    file: str
    status: Status
    items: int = 0
    results: tuple[Result, ...] = ()
    """The result of each item, up to the last one that was tried."""
    findings: tuple[Finding, ...] = ()
    left: tuple[NotRolledBack, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the bundle was not applied, or would not be."""
        return self.status not in (Status.PREVIEWED, Status.APPLIED, Status.UNCHANGED)

    @property
    def notes(self) -> list[str]:
        """Notes on interrupted changes of other processes, which the bundle's requests completed.

        Notes that a finding repeats are left out.
        """
        notes = [note for result in self.results for note in notes_of(result)]
        for finding in self.findings:
            notes += [each for each in notes_of(finding.details) if each not in finding.message]
        return list(dict.fromkeys(notes))

    def to_json(self) -> dict[str, Any]:
        """Return the outcome for ``--output json``."""
        return {
            "file": self.file,
            "status": self.status.value,
            "requests": self.items,
            "results": list(self.results),
            "findings": [finding.to_json() for finding in self.findings],
            **({"left": [each.to_json() for each in self.left]} if self.left else {}),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """One item of a rehearsed bundle, with its index in the bundle and its result."""

    place: JsonPath
    item: Item
    result: Result


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The rehearsal of one bundle."""

    file: BundleFile
    bundle: Bundle | None = None
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Why the bundle can't be applied; empty if it can."""

    @property
    def outcome(self) -> BundleOutcome:
        """The rehearsal as an outcome: previewed, or refused."""
        count = len(self.bundle.requests) if self.bundle is not None else 0
        status = Status.REFUSED if self.findings else Status.PREVIEWED
        results = tuple(step.result for step in self.steps)
        return BundleOutcome(self.file.shown, status, count, results, self.findings)


def rehearse(engines: Engines, files: Sequence[BundleFile]) -> Iterator[Rehearsal]:
    """Preview the bundles in this order, each on the results of the earlier ones. Writes nothing.

    A bundle that can't be applied leaves no result for later ones.
    """
    drafts = Drafts()
    for file in files:
        bundle = read_bundle(file)
        if isinstance(bundle, Finding):
            yield Rehearsal(file, findings=(bundle,))
            continue
        rehearsal, drafted = _rehearse(engines, bundle, drafts)
        if not rehearsal.findings:
            drafts = drafted
        yield rehearsal


def _rehearse(engines: Engines, bundle: Bundle, drafts: Drafts) -> tuple[Rehearsal, Drafts]:
    findings = list(bundle.faults)
    count = len(bundle.requests)
    if count > MAX_ITEMS:
        message = f"has {count} requests; at most {MAX_ITEMS} can be applied together. Split it."
        findings.append(Finding(bundle.file.shown, "$", bundle.text.region(()), TOO_MANY, message))
        return Rehearsal(bundle.file, bundle, findings=tuple(findings)), drafts
    steps: list[Step] = []
    for place, value in bundle.requests:
        item = items.read_item(value)
        if not isinstance(item, CheckedParams):
            findings += [problem_finding(bundle, place, problem) for problem in item]
            continue
        drafted = items.draft(engines.for_request(item), item, drafts)
        if isinstance(drafted, SnippetError):
            findings += refusal_findings(bundle, place, item, drafted)
            continue
        result, drafts = drafted
        engines.log_unavailable(item, result)
        steps.append(Step(place, item, result))
    return Rehearsal(bundle.file, bundle, tuple(steps), tuple(findings)), drafts


def carry_out(
    engines: Engines,
    rehearsal: Rehearsal,
    interrupted: Callable[[], bool],
    *,
    was_shown: bool = True,
) -> BundleOutcome:
    """Write a rehearsed bundle without findings: all of it, or nothing.

    ``interrupted`` is called before each item; if it returns true, the bundle is rolled back. An
    item without an expected hash is judged again if its file has changed since the rehearsal. That
    is not done if the user ``was_shown`` the rehearsal and has confirmed it.
    """
    done: list[Write] = []
    try:
        return _written(engines, rehearsal, interrupted, done, was_shown)
    except BaseException:
        # A bug must not leave half a bundle behind.
        _roll_back(engines, done)
        raise


def _written(
    engines: Engines,
    rehearsal: Rehearsal,
    interrupted: Callable[[], bool],
    done: list[Write],
    was_shown: bool,
) -> BundleOutcome:
    bundle = rehearsal.bundle
    assert bundle is not None
    results: list[Result] = []

    def ended(status: Status, findings: Iterable[Finding] = ()) -> BundleOutcome:
        left: tuple[NotRolledBack, ...] = ()
        if status is not Status.APPLIED and done:
            left = _roll_back(engines, done)
            status = Status.LEFT if left else Status.TAKEN_BACK
        shown, count = bundle.file.shown, len(bundle.requests)
        return BundleOutcome(shown, status, count, tuple(results), tuple(findings), left)

    for step in rehearsal.steps:
        if interrupted():
            return ended(Status.NOT_BEGUN)
        engine = engines.for_request(step.item)
        answer = items.apply(engine, step.item, step.result)
        if (
            isinstance(answer, SnippetError)
            and answer.code is ErrorCode.STALE_FILE
            and not was_shown
            and not items.expects_hashes(step.item)
        ):
            notes = notes_of(answer.details)
            again = items.apply(engine, step.item, step.result, pinned=False)
            answer = with_notes(again, notes)
        if isinstance(answer, SnippetError):
            refused = refusal_findings(bundle, step.place, step.item, answer)
            return ended(Status.REFUSED, refused)
        results.append(answer)
        applied = items.written(answer)
        if applied is not None:
            done.append((step.item, applied))
    return ended(Status.APPLIED if done else Status.UNCHANGED)


def _roll_back(engines: Engines, done: list[Write]) -> tuple[NotRolledBack, ...]:
    """Undo the writes, the latest first, and return those that stay."""
    left: list[NotRolledBack] = []
    while done:
        item, applied = done.pop()
        error = items.take_back(engines.for_request(item), applied)
        if error is not None:
            left.append(NotRolledBack(applied, error.message))
    return tuple(left)


def check_bundle(engines: Engines, file: BundleFile, *, in_order: bool = False) -> BundleReport:
    """Return everything wrong with one bundle, in the order of its text. Never raises."""
    requests, findings = 0, []
    try:
        bundle = read_bundle(file)
        if isinstance(bundle, Finding):
            findings.append(bundle)
        else:
            requests = len(bundle.requests)
            findings += bundle.faults
            drafts = Drafts() if in_order else None
            for steps, request in bundle.requests:
                found, drafts = _check_request(engines, bundle, steps, request, drafts)
                findings += found
    except Exception as error:
        # A bug must not stop the check of the other bundles.
        logging.getLogger(__name__).error("checking %s failed", file.shown, exc_info=error)
        message = f"could not be checked ({type(error).__name__}); the log has the traceback"
        findings.append(Finding(file.shown, "$", FILE_START, INTERNAL_ERROR, message))
    findings.sort(key=lambda finding: finding.region)
    return BundleReport(file.shown, requests, tuple(findings))


def _check_request(
    engines: Engines, bundle: Bundle, steps: JsonPath, request: Any, drafts: Drafts | None
) -> tuple[list[Finding], Drafts | None]:
    """Return an item's findings, and the drafts on which the next item is checked.

    The drafts are ``None`` if each item is checked alone.
    """
    item = read_item(request)
    if not isinstance(item, CheckedParams):
        return [problem_finding(bundle, steps, problem) for problem in item], drafts
    findings: list[Finding] = []
    answer = _judged(engines, item, drafts)
    if isinstance(answer, SnippetError) and answer.code is ErrorCode.STALE_FILE:
        findings += refusal_findings(bundle, steps, item, answer)
        # After the hash is corrected, the anchors must fit, too.
        item = pinned_to(item, _present_hashes(answer))
        answer = _judged(engines, item, drafts)
    if isinstance(answer, SnippetError):
        return [*findings, *refusal_findings(bundle, steps, item, answer)], drafts
    result, drafts = answer
    return [*findings, *warning_findings(bundle, steps, result)], drafts


def _present_hashes(stale: SnippetError) -> dict[int | None, str]:
    found = {stale.file: stale.details["currentHash"]}
    for other in stale.details.get("otherErrors", ()):
        if other["code"] == ErrorCode.STALE_FILE:
            found[other["file"]] = other["details"]["currentHash"]
    return found


def _judged(
    engines: Engines, item: CheckedParams, drafts: Drafts | None
) -> tuple[dict[str, Any], Drafts | None] | SnippetError:
    engine = engines.for_request(item)
    if drafts is not None:
        drafted = draft(engine, item, drafts)
        if not isinstance(drafted, SnippetError):
            engines.log_unavailable(item, drafted[0])
        return drafted
    result = preview(engine, item)
    if isinstance(result, SnippetError):
        return result
    engines.log_unavailable(item, result)
    return result, None
