"""Remember which assemblies take longer than callers wait, so that none waits in vain. Pure.

An assembly is tried again after a pause, which doubles each time that it is late again.
"""

from __future__ import annotations

from collections.abc import Collection

FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0


class SlowAssemblies:
    """The slow assemblies, by name. Time is a parameter, in seconds on a steady clock."""

    def __init__(self) -> None:
        self._slow: dict[str, tuple[float, float]] = {}
        """Until when an assembly isn't waited for, and the pause that led to it."""

    def is_waited_for(self, assemblies: Collection[str], now_s: float) -> bool:
        """Return whether to wait for a verdict on all of these."""
        return not any(now_s < self._slow[each][0] for each in assemblies if each in self._slow)

    @property
    def are_any(self) -> bool:
        """Return whether any assembly is slow."""
        return bool(self._slow)

    def came(self, assembly: str, now_s: float, *, late: bool) -> None:
        """Record when a verdict on an assembly came."""
        _, last = self._slow.pop(assembly, (0.0, 0.0))
        if late:
            pause = min(LONGEST_PAUSE_S, max(FIRST_PAUSE_S, 2 * last))
            self._slow[assembly] = (now_s + pause, pause)
