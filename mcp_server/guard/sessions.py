"""The agents' sessions: what each has changed. Pure, and bounded."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

MAX_SESSIONS = 64
"""Most sessions that are remembered; the one that is quiet for longest is forgotten."""

MAX_FILES = 1_000
"""Most changed scripts of a session that are remembered."""

MAX_BYTES = 32 * 1024 * 1024
"""Most bytes of their earlier texts."""


@dataclass(slots=True)
class Session:
    """``earlier`` has the text of each changed script from before its first change."""

    earlier: dict[str, bytes | None] = field(default_factory=dict)
    was_blocked: bool = False
    """Whether its end was blocked; that happens once."""

    def changed(self, path: str, before: bytes | None) -> None:
        """Remember that the session changed a script."""
        size = sum(len(each) for each in self.earlier.values() if each is not None)
        if path in self.earlier:
            return
        if len(self.earlier) == MAX_FILES or size + len(before or b"") > MAX_BYTES:
            return
        self.earlier[path] = before


class Sessions:
    """Of one project."""

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
