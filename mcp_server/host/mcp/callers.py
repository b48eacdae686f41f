"""Remember which warnings each caller was given, for a bounded number of callers.

Implements docs/design/server-and-bridge.md §2 "Short answers".
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any

MAX_CALLERS = 64
"""Most callers that are remembered; the one that called longest ago is forgotten first."""

MAX_FILES = 256
"""Most files of a caller whose warnings are remembered."""

_COUNTS_LINES = frozenset({"mixed_line_endings"})
"""Warnings whose words change with each edit although they say the same."""


class Caller:
    """One caller. May be used from several threads."""

    def __init__(self) -> None:
        self._given: OrderedDict[str, set[tuple[str, str]]] = OrderedDict()
        self._lock = Lock()

    def not_given(self, path: str, warnings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the ``warnings`` of a file that the caller was not given since they first
        applied."""
        holding = {_name(each) for each in warnings}
        with self._lock:
            before = self._given.pop(path, set())
            if holding:
                self._given[path] = holding
            if len(self._given) > MAX_FILES:
                self._given.popitem(last=False)
        return [each for each in warnings if _name(each) not in before]


class Callers:
    """All callers, by their key. Lives on one event loop."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Caller] = OrderedDict()

    def of(self, key: str | None) -> Caller:
        """Return the caller with that key; a new one if it is unknown or ``None``."""
        if key is None:
            return Caller()
        caller = self._known.pop(key, None) or Caller()
        self._known[key] = caller
        if len(self._known) > MAX_CALLERS:
            self._known.popitem(last=False)
        return caller


def _name(warning: dict[str, Any]) -> tuple[str, str]:
    code = warning["code"]
    return code, "" if code in _COUNTS_LINES else warning["message"]
