"""The caller of the call in the present context, and what each caller was given."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from mcp_server.news.findings import Finding

MAX_KEY = 200

_caller: ContextVar[str | None] = ContextVar("caller", default=None)
_name: ContextVar[str | None] = ContextVar("name of a caller without a session", default=None)


def caller() -> str | None:
    """Return the session of the present call; ``None`` if its caller won't call again."""
    return _caller.get()


def name() -> str | None:
    """Return the name that joins the client's connections; ``None`` if it has a session."""
    return _name.get()


@contextmanager
def as_caller(key: str | None, name: str | None = None) -> Iterator[None]:
    """Let calls in this context belong to session ``key``.

    If a client has no session, ``name`` joins its connections.
    """
    token = _caller.set(key[:MAX_KEY] if key else None)
    name_token = _name.set(name[:MAX_KEY] if name else None)
    try:
        yield
    finally:
        _name.reset(name_token)
        _caller.reset(token)


MAX_CALLERS = 64
"""Most callers that are remembered. The caller whose last call is oldest is forgotten first."""

MAX_OF_ONE_NAME = 8
MAX_ERRORS = 200


@dataclass(slots=True)
class _Caller:
    """One remembered caller."""

    since: int
    """The number of the first finding that this caller is to be given."""
    name: str | None = None
    given: set[int] = field(default_factory=set)
    errors: deque[tuple[str, str, str]] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))
    """The last errors that the caller was given, as file, code and message."""

    def knows(self, finding: Finding) -> bool:
        """Return whether the caller was given the finding, or doesn't need it."""
        if finding.number < self.since or finding.number in self.given:
            return True
        is_said_once = finding.origin.is_compile or finding.is_said_once
        return is_said_once and _error_key(finding) in self.errors


class Callers:
    """The remembered callers, by their sessions."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Caller] = OrderedDict()

    def enter(self, caller: str, next_number: int, name: str | None = None) -> bool:
        """Remember a caller. Return whether it is new.

        A new caller is given findings from ``next_number`` on. If a known caller has the same
        ``name``, both may be one client. Then the new caller is given findings from the known
        caller's first number on. A finding may come twice, but none is missed.
        """
        is_new = caller not in self._known
        if is_new:
            same = [key for key, each in self._known.items() if name and each.name == name]
            since = min((self._known[key].since for key in same), default=next_number)
            self._known[caller] = _Caller(since, name)
            for key in same[: max(0, len(same) + 1 - MAX_OF_ONE_NAME)]:
                del self._known[key]
        self._known.move_to_end(caller)
        while len(self._known) > MAX_CALLERS:
            self._known.popitem(last=False)
        return is_new

    def not_given(self, caller: str, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that the caller was not given yet."""
        known = self._known.get(caller)
        if known is None:
            return []
        waiting = [each for each in findings if not known.knows(each)]
        once = {_error_key(each): each.number for each in reversed(waiting) if each.is_said_once}
        return [e for e in waiting if not e.is_said_once or once[_error_key(e)] == e.number]

    def give(self, caller: str, findings: Iterable[Finding]) -> None:
        """Note findings as given to the caller."""
        known = self._known.get(caller)
        if known is not None:
            for each in findings:
                known.given.add(each.number)
                known.errors.append(_error_key(each))

    def forget(self, standing: Iterable[Finding]) -> None:
        """Forget which findings were given, except those in ``standing``."""
        numbers = {each.number for each in standing}
        for each in self._known.values():
            each.given &= numbers

    def have_all(self, finding: Finding) -> bool:
        """Return whether every remembered caller was given the finding, or doesn't need it."""
        return all(each.knows(finding) for each in self._known.values())


def _error_key(finding: Finding) -> tuple[str, str, str]:
    error = finding.error
    return ("" if finding.is_said_once else error.file, error.code, error.message)
