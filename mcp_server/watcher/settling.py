"""Decide when changed files are at rest, and whether many changed at once. Pure.

Time is a parameter, in seconds of a steady clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

QUIET_S = 0.5
"""Seconds without a change after which a file is at rest."""

LONGEST_S = 5.0
"""Seconds after its first change when a file counts as at rest, even if it still changes."""

EMPTY_S = 1.0
"""Seconds for which a file that became empty counts as still being written."""

MANY = 20
"""More files than this within :data:`MANY_S` seconds are many changes at once."""

MANY_S = 2.0

MANY_QUIET_S = 1.0
"""Seconds without a change after which many changes are over."""

MANY_LONGEST_S = 60.0
"""Seconds after which many changes are looked at, even if they go on."""

EXPECTED_S = 600.0
"""Seconds after a hook for which a client's write is expected. The user may have to agree first."""


@dataclass(slots=True)
class _Touch:
    first_s: float
    last_s: float
    wait_s: float = QUIET_S


@dataclass(frozen=True, slots=True)
class Settled:
    """Files at rest."""

    paths: tuple[str, ...]
    are_many: bool
    """Whether many files changed at once."""
    since_s: float
    """When the first of them changed."""


@dataclass(slots=True)
class Settling:
    """The files that changed since the last look."""

    _touched: dict[str, _Touch] = field(default_factory=dict)
    _recent: deque[tuple[float, str]] = field(default_factory=deque)
    _many_since: float | None = None
    _expected: dict[str, float] = field(default_factory=dict)
    """The files that a client is about to write, and until when."""

    def touch(self, path: str, now_s: float) -> None:
        """Note that a file changed."""
        touch = self._touched.get(path)
        if touch is None:
            self._touched[path] = _Touch(now_s, now_s)
        else:
            touch.last_s = now_s
        self._recent.append((now_s, path))
        while now_s - self._recent[0][0] > MANY_S:
            self._recent.popleft()
        if self._many_since is None and len({each for _, each in self._recent}) > MANY:
            self._many_since = now_s

    def hold(self, path: str, now_s: float, wait_s: float) -> None:
        """Let a file be at rest only ``wait_s`` seconds after its last change."""
        self._touched.setdefault(path, _Touch(now_s, now_s)).wait_s = wait_s

    def drop(self, path: str) -> None:
        """Forget a file, because it was looked at."""
        self._touched.pop(path, None)
        self._expected.pop(path, None)

    def expect(self, path: str, now_s: float) -> None:
        """Note that a client is about to write a file. Its change then doesn't count among many."""
        self._expected = {each: end for each, end in self._expected.items() if end > now_s}
        self._expected[path] = now_s + EXPECTED_S

    def is_expected(self, path: str, now_s: float) -> bool:
        """Return whether a client is about to write a file."""
        return self._expected.get(path, 0.0) > now_s

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that wait for a look."""
        return tuple(self._touched)

    def __contains__(self, path: str) -> bool:
        return path in self._touched

    def __len__(self) -> int:
        return len(self._touched)

    def changed_since(self, path: str) -> float | None:
        """Return when a waiting file was first seen to change; ``None`` if it doesn't wait."""
        touch = self._touched.get(path)
        return None if touch is None else touch.first_s

    def next_s(self) -> float | None:
        """Return when the next files will be at rest; ``None`` if no file waits."""
        if not self._touched:
            return None
        if self._many_since is not None:
            return self._many_ends_s()
        return min(_rests_s(each) for each in self._touched.values())

    def settled(self, now_s: float, *, is_git_busy: bool = False) -> Settled | None:
        """Return the files at rest, and forget them; ``None`` if there are none.

        While git is busy, no file is at rest, for at most :data:`MANY_LONGEST_S` seconds.
        """
        if not self._touched:
            self._many_since = None
            return None
        first_s = min(each.first_s for each in self._touched.values())
        if is_git_busy and now_s - first_s < MANY_LONGEST_S:
            return None
        if self._many_since is not None:
            if now_s < self._many_ends_s():
                return None
            paths, are_many, self._many_since = tuple(self._touched), True, None
            self._recent.clear()
        else:
            paths = tuple(path for path, each in self._touched.items() if _rests_s(each) <= now_s)
            are_many = False
        if not paths:
            return None
        since_s = min(self._touched.pop(path).first_s for path in paths)
        return Settled(paths, are_many, since_s)

    def _many_ends_s(self) -> float:
        assert self._many_since is not None
        last_s = max(each.last_s for each in self._touched.values())
        return min(last_s + MANY_QUIET_S, self._many_since + MANY_LONGEST_S)


def _rests_s(touch: _Touch) -> float:
    return min(touch.last_s + touch.wait_s, touch.first_s + max(LONGEST_S, touch.wait_s))
