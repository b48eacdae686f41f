"""The agents' sessions: what each has changed. Pure, and bounded."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from mcp_server.news.told_errors import StatedError
from mcp_server.watcher.outside_change import BulkChange, OutsideChange

MAX_SESSIONS = 64
"""Most sessions that are remembered; the one that is quiet for longest is forgotten."""

MAX_FILES = 1_000
MAX_BYTES = 32 * 1024 * 1024
MAX_BLOCKED_FOR = 1_000
"""Most errors of a session that are remembered as told, or as having held up its end."""


@dataclass(slots=True)
class Session:
    """What one agent has changed."""

    earlier: dict[str, bytes | None] = field(default_factory=dict)
    """The text of each changed script from before its first change."""
    latest: dict[str, bytes | None] = field(default_factory=dict)
    """What its last change left, so that later changes are known as others'."""
    unheard: list[OutsideChange] = field(default_factory=list)
    """Changes that were found after their hook's answer."""
    blocked_for: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_BLOCKED_FOR))
    """The errors for which its end was held up; each does so once."""
    told: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_BLOCKED_FOR))
    """The errors that were reported to it in full."""
    settings: dict[str, None] = field(default_factory=dict)
    """The ``.asmdef`` files and the like that it wrote since its last end."""
    commands_s: float | None = None
    """When its first command since its last end began, as of ``time.monotonic``."""
    many_s: float = field(default_factory=monotonic)
    """Until when it knows that many scripts changed at once, as of ``time.monotonic``."""

    many: int = 0
    """How many scripts changed at once by its commands since its last end."""
    not_kept: int = 0
    """How many of them can't be judged, as there was no room for their earlier texts."""

    def were_told(self, errors: Sequence[StatedError]) -> None:
        """Remember errors as reported. Each may hold up the session's end again, once."""
        self.told.extend(errors)
        for each in errors:
            while each in self.blocked_for:
                self.blocked_for.remove(each)

    def still_blocked_for(self, standing: Iterable[StatedError]) -> None:
        """Forget the errors that are gone."""
        left = set(standing)
        for kept in (self.blocked_for, self.told):
            known = [each for each in kept if each in left]
            kept.clear()
            kept.extend(known)

    def changed_many(self, changes: BulkChange) -> None:
        """Remember that a command of the session changed many scripts."""
        self.many += len(changes.paths)
        kept = [self.changed(*each) for each in changes.texts]
        self.not_kept += len(changes.paths) - sum(kept)

    def changed(self, path: str, before: bytes | None, after: bytes | None) -> bool:
        """Remember that the session changed a script; return whether there is room for it.

        If someone else has changed it meanwhile, only the changes since then count.
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
        """Return the session, which is new if it is unknown."""
        key = client, session
        found = self._known.setdefault(key, Session())
        self._known.move_to_end(key)
        if len(self._known) > MAX_SESSIONS:
            self._known.popitem(last=False)
        return found

    def known(self, client: str, session: str) -> Session | None:
        """Return the session; ``None`` if nothing is remembered of it."""
        return self._known.get((client, session))
