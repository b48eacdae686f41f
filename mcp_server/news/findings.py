"""The new errors that were found and still stand. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from snippet_engine.validation.validator import Diagnostic

MAX_FINDINGS = 200
"""Most findings that are kept. Beyond it, only each origin's first error is added."""

_CHECK = "Run check_project."


def with_advice(reason: str) -> str:
    """Return ``reason`` and what to do, unless a second sentence of ``reason`` says that."""
    return f"{reason}." if ". " in reason else f"{reason}. {_CHECK}"


Key: TypeAlias = tuple[str, str, str, int]
"""File, code, message, and line."""


@dataclass(frozen=True, slots=True)
class NewError:
    """An error at a line (from 1) of a project-relative file."""

    file: str
    line: int
    """0 if the error has no line."""
    code: str
    """If empty, the message says what could not be judged."""
    message: str

    @classmethod
    def of(cls, found: Diagnostic, path: str = "") -> NewError:
        """Return a diagnostic as an error. ``path`` is its script if the diagnostic names none."""
        return cls(found.path or path, found.position.line + 1, found.id, found.message)


@dataclass(frozen=True, slots=True)
class Origin:
    """What caused an error: an edit, or something else."""

    number: int
    what: str
    caller: str | None = None
    client: str | None = None
    undo: Mapping[str, Any] = field(default_factory=dict)
    is_one_of_several: bool = False
    """Whether the cause is one of several edits, and it isn't known which."""
    is_compile: bool = False
    """Whether the origin is a whole compile, which finds the edits' errors again."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A new error, or something that could not be judged."""

    number: int
    error: NewError
    origin: Origin
    found_s: float
    """When the error was found, in seconds of a steady clock."""
    and_more: int = 0
    """How many more errors of the same origin had no room."""
    is_unknown: bool = False
    """Whether the finding says what could not be judged."""
    is_old: bool = False
    """Whether the error could not be judged again after later changes."""
    is_said_once: bool = False
    """Whether the finding applies to every edit, so that each caller gets it only once."""

    @property
    def key(self) -> Key:
        """Return the error's key, which equal errors share."""
        return key_of(self.error)


class Findings:
    """The findings that still stand, by number."""

    def __init__(self) -> None:
        self.next_number = 1
        self._standing: dict[int, Finding] = {}
        self._merged = (0, 0)
        """The number of the finding that summarizes several edits, and how many they are."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._standing.values())

    def replace(
        self,
        numbers: Iterable[int],
        errors: Sequence[NewError],
        origins: Mapping[Key, Origin],
        now_s: float,
    ) -> None:
        """Replace the errors whose origins have these ``numbers`` by ``errors``.

        ``origins`` maps new errors to their edits. Other errors keep their known origins. Findings
        about what could not be judged stay.
        """
        replaced = set(numbers)
        known = [each for each in self if not each.is_unknown and each.origin.number in replaced]
        self.drop(known)
        found = dict(keyed(errors))
        before = [key for key in found if key not in origins]
        stand = _paired(before, known)
        for key in (key for key in found if key in origins):
            number = origins[key].number
            stand |= _paired([key], [each for each in known if each.origin.number == number])
        for key, each in stand.items():
            self._standing[each.number] = replace(each, error=found[key], is_old=False)
        for key, error in found.items():
            if key in origins and key not in stand:
                self._add(error, origins[key], now_s)
        self._take_up(
            [each for each in known if each.number not in self._standing],
            [found[key] for key in before if key not in stand],
            now_s,
        )

    def _take_up(self, gone: Sequence[Finding], errors: list[NewError], now_s: float) -> None:
        """Give errors that had no room (``and_more``) the place of findings that are gone."""
        for each in gone:
            for error in errors[: each.and_more]:
                self._add(error, each.origin, now_s)
            del errors[: each.and_more]

    def add_unknown(self, finding: Finding, reason: str, *, merges: bool) -> None:
        """Add a finding about what could not be judged.

        With ``merges``, or without room, it is merged with earlier ones of its kind and counted.
        """
        finding = replace(finding, number=self.next_number)
        if merges or len(self._standing) >= MAX_FINDINGS:
            former, count = self._merged
            count = count + 1 if self._standing.pop(former, None) else 1
            self._merged = (finding.number, count)
            if count > 1:
                message = f"not judged: {count} edits, {with_advice(reason)}"
                what = f"{count} edits up to the {finding.origin.what}"
                error = replace(finding.error, message=message)
                origin = Origin(finding.origin.number, what)
                finding = replace(finding, error=error, origin=origin, is_said_once=False)
        self._keep(finding)

    def _add(self, error: NewError, origin: Origin, now_s: float) -> None:
        first = next(
            (each for each in self if each.origin.number == origin.number and not each.is_unknown),
            None,
        )
        if first is None or len(self._standing) < MAX_FINDINGS:
            self._keep(Finding(self.next_number, error, origin, now_s))
        else:
            self._standing[first.number] = replace(first, and_more=first.and_more + 1)

    def _keep(self, finding: Finding) -> None:
        self._standing[finding.number] = finding
        self.next_number += 1

    def attribute(self, origin: Origin) -> None:
        """Replace the origin of the findings whose origin has the same number."""
        for each in [each for each in self if each.origin.number == origin.number]:
            self._standing[each.number] = replace(each, origin=origin)

    def grow_old(self, numbers: Iterable[int]) -> None:
        """Mark the errors of these origins as not judged again."""
        origins = set(numbers)
        for each in list(self):
            if each.origin.number in origins and not each.is_unknown:
                self._standing[each.number] = replace(each, is_old=True)

    def drop(self, findings: Iterable[Finding]) -> None:
        """Remove findings."""
        for each in list(findings):
            self._standing.pop(each.number, None)


def key_of(error: NewError) -> Key:
    """Return an error's key, which equal errors share."""
    return error.file, error.code, error.message, error.line


def keyed(errors: Sequence[NewError]) -> Iterator[tuple[Key, NewError]]:
    """Yield each error once, with its key."""
    for error in dict.fromkeys(errors):
        yield key_of(error), error


def found_among(keys: Iterable[Key], later: Iterable[Key]) -> set[Key]:
    """Return those of ``keys`` that are also in ``later``, perhaps at another line."""
    known, asked = list(keys), set(later)
    found = asked.intersection(known)
    rest = defaultdict(list)
    for key in sorted(asked - found):
        rest[key[:3]].append(key)
    for key in sorted(set(known) - found):
        if rest[key[:3]]:
            rest[key[:3]].pop(0)
            found.add(key)
    return found


def _paired(keys: Sequence[Key], known: list[Finding]) -> dict[Key, Finding]:
    """Match errors with known findings: first on the same line, then in order."""
    free: dict[tuple[str, str, str], list[Finding]] = defaultdict(list)
    for each in known:
        free[each.key[:3]].append(each)
    found: dict[Key, Finding] = {}
    for is_exact in (True, False):
        for key in keys:
            same = free[key[:3]]
            at = next((n for n, each in enumerate(same) if not is_exact or each.key == key), None)
            if key not in found and at is not None:
                found[key] = same.pop(at)
    return found
