"""What every call into .NET has: texts that can cross, an end that can be asked for, a failure.

Part of docs/design/roslyn.md §3.
"""

from __future__ import annotations

import importlib
from typing import Any


class CancelledError(Exception):
    """The call was cancelled before it had an answer."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a call failed for want of memory, after which nothing can be relied on."""
    return _is_one_of(error, frozenset(("OutOfMemoryException",)))


def is_unreadable(error: BaseException) -> bool:
    """Whether a call failed as a file can't be read."""
    return _is_one_of(error, frozenset(("UnauthorizedAccessException", "IOException")))


def _is_one_of(error: BaseException, names: frozenset[str]) -> bool:
    if type(error).__name__ in names:
        return True
    # Of work on several threads, .NET tells all that failed together.
    inner = list(getattr(error, "InnerExceptions", None) or ())
    only = getattr(error, "InnerException", None)
    if not inner and only is not None:
        inner = [only]
    return any(_is_one_of(each, names) for each in inner)


class Cancellation:
    """Ends a running call when :meth:`cancel` is called, from whatever thread."""

    def __init__(self, source: Any = None) -> None:
        self._sources: Any = importlib.import_module("System.Threading").CancellationTokenSource
        self._source = source if source is not None else self._sources()

    @property
    def token(self) -> Any:
        """The .NET ``CancellationToken``."""
        return self._source.Token

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to end."""
        return bool(self._source.IsCancellationRequested)

    def cancel(self) -> None:
        """Ask the call to end; nothing happens if it has."""
        self._source.Cancel()

    def linked(self) -> Cancellation:
        """One that ends with this one, or before."""
        return Cancellation(self._sources.CreateLinkedTokenSource(self.token))


def answered(ask: Any, cancelled: Any, *arguments: Any) -> list[str]:
    """The rows that ``ask`` answers. Raises :class:`CancelledError`, ``cancelled`` being .NET's."""
    try:
        return [str(row) for row in ask(*arguments)]
    except cancelled as error:
        raise CancelledError from error


def utf16(text: str) -> str:
    """``text`` without lone surrogates, which can't cross into .NET; of the same length."""
    return text.encode("utf-16-le", "replace").decode("utf-16-le") if not _is_clean(text) else text


def _is_clean(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
