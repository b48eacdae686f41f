"""Errors that agents already got, from hooks, tools or the answer itself. Pure.

An agent gets each error only once, by one of these ways.

An agent may have both a connection to the tools and hooks, which have no session in common. Both
count as one agent if the client's name fits, and only one session of its hooks is known.

An error that was repaired and made again counts as a new one, because a later edit caused it.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_server.news.findings import Finding, NewError

MAX_CLIENTS = 32
MAX_ERRORS = 400
_MAX_SESSIONS = 2


@dataclass(slots=True)
class _Client:
    sessions: deque[str] = field(default_factory=lambda: deque(maxlen=_MAX_SESSIONS))
    by_hooks: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))
    by_tools: deque[StatedError] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))


class ReportedErrors:
    """The errors that the clients of one project got. Lives on one event loop."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def hook_called(self, client: str, session: str) -> None:
        """Note that a session of this client has hooks."""
        known = self._clients.setdefault(client, _Client())
        self._clients.move_to_end(client)
        if session not in known.sessions:
            known.sessions.append(session)
        if len(self._clients) > MAX_CLIENTS:
            self._clients.popitem(last=False)

    def by_hook(self, client: str, errors: Iterable[NewError]) -> None:
        """Note errors that a hook reported to this client."""
        self._clients.setdefault(client, _Client()).by_hooks.extend(map(said, errors))

    def by_tool(self, name: str | None, errors: Iterable[NewError]) -> None:
        """Note errors that a tool's answer reported to the client of this name, if it has hooks."""
        known = self._named(name)
        if known is not None:
            known.by_tools.extend(map(said, errors))

    def was_by_hook(self, name: str | None, error: NewError) -> bool:
        """Return whether a hook reported the error to the client of this name."""
        known = self._named(name)
        return known is not None and len(known.sessions) == 1 and said(error) in known.by_hooks

    def was_by_tool(self, client: str, error: NewError) -> bool:
        """Return whether a tool's answer reported the error to this client, which has hooks."""
        known = self._clients.get(client)
        return known is not None and len(known.sessions) == 1 and said(error) in known.by_tools

    def _named(self, name: str | None) -> _Client | None:
        """Return the client that calls itself ``name``: ``codex`` may say ``codex-mcp-client``."""
        lower = (name or "").lower()
        return next((each for key, each in self._clients.items() if lower.startswith(key)), None)


def said(error: NewError) -> StatedError:
    """Return the error's file, code and message: a key that stays equal when its line moves."""
    return error.file, error.code, error.message


MAX_SESSIONS = 400


class ReportedInSessions:
    """The errors that hooks reported to the sessions of one project."""

    def __init__(self) -> None:
        self._reported: OrderedDict[str, deque[tuple[StatedError, int]]] = OrderedDict()

    def add(self, caller: str, errors: Iterable[NewError], number: int) -> None:
        """Note errors as reported to a session.

        They were caused by origin ``number`` or an earlier one.
        """
        self._of(caller).extend((said(each), number) for each in errors)

    def add_new(self, caller: str, errors: Iterable[NewError], number: int) -> None:
        """Note errors as reported to a session, except those already noted."""
        known = {each for each, _ in self._of(caller)}
        self.add(caller, (each for each in errors if said(each) not in known), number)

    def has(self, caller: str, finding: Finding) -> bool:
        """Return whether an error was reported to a session."""
        return self._find(caller, finding) is not None

    def take(self, caller: str, finding: Finding) -> bool:
        """Return whether an error was reported to a session. Forget that: an error is news once."""
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
        reported = self._reported.setdefault(caller, deque(maxlen=MAX_ERRORS))
        self._reported.move_to_end(caller)
        if len(self._reported) > MAX_SESSIONS:
            self._reported.popitem(last=False)
        return reported


StatedError: TypeAlias = tuple[str, str, str]
"""File, code and message."""

_MAX_DEPTH = 6


def stated_errors(answer: Mapping[str, Any], path: str | None) -> set[StatedError]:
    """Return the errors in a tool's answer. Errors without a path are in the file at ``path``."""
    return set(_errors(answer, str(answer.get("path") or path or ""), _MAX_DEPTH))


def _errors(value: Any, path: str, depth: int) -> Iterator[StatedError]:
    if depth == 0:
        return
    if isinstance(value, list | tuple):
        for each in value:
            yield from _errors(each, path, depth)
    elif isinstance(value, Mapping):
        code = value.get("code") or value.get("id")
        message = value.get("message")
        if isinstance(code, str) and isinstance(message, str) and "line" in value:
            yield str(value.get("path") or value.get("file") or path), code, message
        for key, each in value.items():
            if isinstance(each, Mapping | list | tuple) and key not in ("news", "validation"):
                yield from _errors(each, path, depth - 1)
            elif key == "validation" and isinstance(each, Mapping):
                yield from _errors(each.get("diagnostics"), path, depth - 1)
