"""The agents' sessions, and what each has changed. Pure, of bounded size."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from mcp_server.news.reported_errors import StatedError
from mcp_server.watcher.outside_change import BulkChange, OutsideChange

MAX_SESSIONS = 64
"""Most sessions that are remembered. The session that was not used for longest goes first."""

MAX_FILES = 1_000
MAX_BYTES = 32 * 1024 * 1024
MAX_BLOCKED_FOR = 1_000
"""Most errors of a session that are remembered as reported, or as having blocked its stop."""


@dataclass(slots=True)
class Session:
    """What one agent has changed, and which errors it got."""

    earlier: dict[str, bytes | None] = field(default_factory=dict)
    """Each changed script's text from before its first change."""
    latest: dict[str, bytes | None] = field(default_factory=dict)
    """Each changed script's text after the session's last change.

    Another text is from somebody else.
    """
    late_changes: list[OutsideChange] = field(default_factory=list)
    """Changes that were found after the hook's answer."""
    blocked_for: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_BLOCKED_FOR))
    """The errors that have blocked a stop of the session. Each does so once."""
    reported: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_BLOCKED_FOR))
    """The errors that were reported to the session in full."""
    settings: dict[str, None] = field(default_factory=dict)
    """The assembly definitions and similar files that the session wrote since its last stop."""
    commands_s: float | None = None
    """When the first command since the last stop began, as of ``time.monotonic``."""
    many_s: float = field(default_factory=monotonic)
    """When many changes at once were last reported to the session, as of ``time.monotonic``."""

    many: int = 0
    """The number of scripts that its commands changed at once since its last stop."""
    not_kept: int = 0
    """The number of those that can't be judged, because their earlier texts had no room."""

    def add_reported(self, errors: Sequence[StatedError]) -> None:
        """Note errors as reported. Each of them may block a stop once more."""
        self.reported.extend(errors)
        for each in errors:
            while each in self.blocked_for:
                self.blocked_for.remove(each)

    def keep_only(self, standing: Iterable[StatedError]) -> None:
        """Forget all remembered errors except those in ``standing``."""
        left = set(standing)
        for kept in (self.blocked_for, self.reported):
            known = [each for each in kept if each in left]
            kept.clear()
            kept.extend(known)

    def changed_many(self, changes: BulkChange) -> None:
        """Note that a command of the session changed many scripts."""
        self.many += len(changes.paths)
        kept = [self.changed(*each) for each in changes.texts]
        self.not_kept += len(changes.paths) - sum(kept)

    def changed(self, path: str, before: bytes | None, after: bytes | None) -> bool:
        """Note that the session changed a script. Return whether there is room for its texts.

        If somebody else changed the script in between, only the changes since then count.
        """
        if path in self.earlier and self.latest[path] == before:
            self.latest[path] = after
            return True
        kept = (*self.earlier.values(), *self.latest.values(), before, after)
        is_full = len(self.earlier) == MAX_FILES and path not in self.earlier
        if is_full or sum(len(each or b"") for each in kept) > MAX_BYTES:
            return False
        self.earlier[path], self.latest[path] = before, after
        return True


class Sessions:
    """The sessions of one project."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Session] = OrderedDict()

    def of(self, client: str, session: str) -> Session:
        """Return the session; a new one if it is unknown."""
        key = client, session
        found = self._known.setdefault(key, Session())
        self._known.move_to_end(key)
        if len(self._known) > MAX_SESSIONS:
            self._known.popitem(last=False)
        return found

    def known(self, client: str, session: str) -> Session | None:
        """Return the session; ``None`` if it is unknown."""
        return self._known.get((client, session))
