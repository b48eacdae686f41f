"""The new errors that were found and still stand. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

MAX_FINDINGS = 200
"""Most findings that are kept; the first ones are."""

Key: TypeAlias = tuple[str, str, str, int]
"""File, code, message, and how many such errors stand above it."""


@dataclass(frozen=True, slots=True)
class NewError:
    """An error at a one-based line of a project-relative file; ``line`` 0: of no line.

    Without a ``code``, the message says what could not be judged.
    """

    file: str
    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What led to an error: an edit, or something else in ``what``'s words.

    ``number`` is the edit's, ``caller`` and ``client`` who asked for it, ``undo`` what
    ``undo_snippet`` takes to take it back. ``is_one_of_several``: which edit it was isn't known.
    ``is_compile``: a compile of all; it finds again what edits led to.
    """

    number: int
    what: str
    caller: str | None = None
    client: str | None = None
    undo: Mapping[str, Any] = field(default_factory=dict)
    is_one_of_several: bool = False
    is_compile: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One new error. Its ``number`` is larger than that of all found before it.

    It was found at ``found_s``, in seconds on any steady clock.
    """

    number: int
    key: Key
    error: NewError
    origin: Origin
    found_s: float


class Findings:
    """What stands, by key."""

    def __init__(self) -> None:
        self.next_number = 1
        self._standing: dict[Key, Finding] = {}

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._standing.values())

    def replace(
        self,
        numbers: Iterable[int],
        errors: Sequence[NewError],
        origins: Mapping[Key, Origin],
        now_s: float,
    ) -> None:
        """Let ``errors`` be all that stand of the origins with these ``numbers``.

        ``origins`` has what led to those that are new; others stand as they were found.
        """
        replaced = set(numbers)
        known = {
            key: each for key, each in self._standing.items() if each.origin.number in replaced
        }
        for key in known:
            del self._standing[key]
        for key, error in keyed(errors):
            if key in origins:
                self._add(key, error, origins[key], now_s)
            elif key in known:
                self._standing[key] = replace(known[key], error=error)

    def add(self, error: NewError, origin: Origin, now_s: float) -> None:
        """Add one finding that stands until it is dropped."""
        self._add((error.file, error.code, error.message, -origin.number), error, origin, now_s)

    def _add(self, key: Key, error: NewError, origin: Origin, now_s: float) -> None:
        if key not in self._standing and len(self._standing) < MAX_FINDINGS:
            self._standing[key] = Finding(self.next_number, key, error, origin, now_s)
            self.next_number += 1

    def drop(self, keys: Iterable[Key]) -> None:
        """Forget findings."""
        for key in list(keys):
            self._standing.pop(key, None)


def keyed(errors: Sequence[NewError]) -> Iterator[tuple[Key, NewError]]:
    """Yield each error with its key. Those of one file are in the order of their lines."""
    above: Counter[tuple[str, str, str]] = Counter()
    for error in errors:
        same = (error.file, error.code, error.message)
        yield (*same, above[same]), error
        above[same] += 1
