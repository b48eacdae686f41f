"""Call into .NET: convert texts, cancel calls, recognize failures."""

from __future__ import annotations

import importlib
from typing import Any


class CancelledError(Exception):
    """The call was cancelled before it returned an answer."""


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether a call ran out of memory. No later answer is then reliable."""
    return _is_one_of(error, frozenset(("OutOfMemoryException",)))


def is_unreadable(error: BaseException) -> bool:
    """Return whether a call failed because a file can't be read."""
    return _is_one_of(error, frozenset(("UnauthorizedAccessException", "IOException")))


def _is_one_of(error: BaseException, names: frozenset[str]) -> bool:
    if type(error).__name__ in names:
        return True
    # .NET wraps the failures of several threads in one exception.
    inner = list(getattr(error, "InnerExceptions", None) or ())
    only = getattr(error, "InnerException", None)
    if not inner and only is not None:
        inner = [only]
    return any(_is_one_of(each, names) for each in inner)


class Cancellation:
    """Cancels a running call, from any thread.

    Every call that takes one may raise :class:`CancelledError`.
    """

    def __init__(self, source: Any = None) -> None:
        self._sources: Any = importlib.import_module("System.Threading").CancellationTokenSource
        self._source = source if source is not None else self._sources()

    @property
    def token(self) -> Any:
        """The .NET ``CancellationToken``."""
        return self._source.Token

    @property
    def is_cancelled(self) -> bool:
        """Whether the call was cancelled."""
        return bool(self._source.IsCancellationRequested)

    def cancel(self) -> None:
        """Ask the call to end; do nothing if it has already ended."""
        self._source.Cancel()

    def linked(self) -> Cancellation:
        """Return a cancellation that is cancelled with this one, or earlier."""
        return Cancellation(self._sources.CreateLinkedTokenSource(self.token))


def asked(ask: Any, *arguments: Any) -> Any:
    """Return what ``ask`` answers. Raises :class:`CancelledError`."""
    cancelled: Any = importlib.import_module("System").OperationCanceledException
    try:
        return ask(*arguments)
    except cancelled as error:
        raise CancelledError from error


def rows(answer: Any) -> list[str]:
    """Return the strings of a .NET answer."""
    return [str(row) for row in answer]


def utf16(text: str) -> str:
    """Replace lone surrogates, which can't be passed to .NET. The length stays the same."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "replace").decode("utf-16-le")
    return text
