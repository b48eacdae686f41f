"""The callers that are remembered, and what each was given. Pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from mcp_server.news.findings import Finding

MAX_CALLERS = 64
"""Most callers that are remembered; the one that has been away longest is forgotten."""

MAX_ERRORS = 200
"""Most errors that are remembered as given to a caller."""


@dataclass(slots=True)
class _Caller:
    """``since`` is the number of the first finding that concerns it; earlier ones don't.

    ``errors`` are the latest that it was given, by file, code and message.
    """

    since: int
    given: set[int] = field(default_factory=set)
    errors: deque[tuple[str, str, str]] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))

    def knows(self, finding: Finding) -> bool:
        """Return whether the caller needs not be given the finding any more."""
        if finding.number < self.since or finding.number in self.given:
            return True
        return finding.origin.is_compile and finding.key[:3] in self.errors


class Callers:
    """Who calls, each by its session."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Caller] = OrderedDict()

    def enter(self, caller: str, next_number: int) -> None:
        """Remember a caller; findings from ``next_number`` on concern a new one."""
        if caller not in self._known:
            self._known[caller] = _Caller(next_number)
        self._known.move_to_end(caller)
        while len(self._known) > MAX_CALLERS:
            self._known.popitem(last=False)

    def not_given(self, caller: str, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that the caller was not given yet."""
        known = self._known.get(caller)
        if known is None:
            return []
        return [each for each in findings if not known.knows(each)]

    def give(self, caller: str, findings: Iterable[Finding]) -> None:
        """Record findings as given."""
        known = self._known.get(caller)
        if known is not None:
            for each in findings:
                known.given.add(each.number)
                known.errors.append(each.key[:3])

    def forget(self, standing: Iterable[Finding]) -> None:
        """Forget what was given of findings that stand no more."""
        numbers = {each.number for each in standing}
        for each in self._known.values():
            each.given &= numbers

    def have_all(self, finding: Finding) -> bool:
        """Return whether every caller that it concerns was given the finding."""
        return not any(self.not_given(each, [finding]) for each in self._known)
