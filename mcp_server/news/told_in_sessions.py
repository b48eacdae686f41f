"""The errors that hooks have reported to each session, so that they are no news to it. Pure.

If an error was repaired and made again, it counts as another one: a later edit led to it.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable

from mcp_server.news.findings import Finding, NewError
from mcp_server.news.stated_errors import StatedError
from mcp_server.news.told_errors import said

MAX_SESSIONS = 400
"""Most sessions that are remembered."""

MAX_ERRORS = 400
"""Most errors of each that are remembered."""


class ToldInSessions:
    """The errors that hooks reported to the sessions of one project."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, deque[tuple[StatedError, int]]] = OrderedDict()

    def add(self, caller: str, errors: Iterable[NewError], number: int) -> None:
        """Note errors as reported; they came with the origin of that ``number`` at the latest."""
        self._of(caller).extend((said(each), number) for each in errors)

    def add_new(self, caller: str, errors: Iterable[NewError], number: int) -> None:
        """Note errors as reported, except those that were noted already."""
        known = {each for each, _ in self._of(caller)}
        self.add(caller, (each for each in errors if said(each) not in known), number)

    def has(self, caller: str, finding: Finding) -> bool:
        """Return whether an error was reported to a session."""
        return self._find(caller, finding) is not None

    def take(self, caller: str, finding: Finding) -> bool:
        """Return whether an error was reported to a session, and forget it: it is news only
        once.
        """
        found = self._find(caller, finding)
        if found is not None:
            self._of(caller).remove(found)
        return found is not None

    def _find(self, caller: str, finding: Finding) -> tuple[StatedError, int] | None:
        origin = finding.origin
        is_any = origin.is_compile or origin.is_one_of_several
        for each, number in self._of(caller):
            if each == said(finding.error) and (is_any or origin.number <= number):
                return each, number
        return None

    def _of(self, caller: str) -> deque[tuple[StatedError, int]]:
        told = self._told.setdefault(caller, deque(maxlen=MAX_ERRORS))
        self._told.move_to_end(caller)
        if len(self._told) > MAX_SESSIONS:
            self._told.popitem(last=False)
        return told
