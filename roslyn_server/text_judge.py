"""Judge a text that no client has opened: syntax, semantics and coverage in one answer.

Implements docs/design/roslyn.md §2 "One message".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from roslyn_server import documents, protocol
from roslyn_server.compiler.answers import Finding
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.failures import in_time, leave
from roslyn_server.judge import Judge, Reading, SemanticVerdict
from roslyn_server.turns import SlowAssemblies

_On = Callable[..., Awaitable[Any]]
"""Runs a call with its arguments on a thread of its own, and waits for it."""


class TextJudge:
    """Asks ``judge`` on two threads: for syntax ``on_syntax``, for semantics ``on_semantics``."""

    def __init__(self, judge: Judge, on_syntax: _On, on_semantics: _On) -> None:
        self._judge = judge
        self._on_syntax = on_syntax
        self._on_semantics = on_semantics
        self._slow = SlowAssemblies()
        self._covers_names = True
        """Whether the last text's names could be judged, which mostly holds for the next one."""

    async def judged(
        self,
        path: Path | None,
        asked: protocol.JudgeTextParams,
        open_texts: Mapping[Path, str],
        cancellation: Cancellation,
    ) -> protocol.JudgedText:
        """Return the verdict on the text, judged as the text of the file ``path``.

        ``open_texts`` replace other scripts. Raises ``asyncio.CancelledError``.
        """
        uri, text, names_s = asked["uri"], asked["text"], asked["namesMs"] / 1000
        others = {other: each for other, each in open_texts.items() if other != path}
        is_late = False
        if names_s > 0 and not asked.get("patient") and not await self._is_waited_for(path):
            names_s, is_late = 0.0, True
        naming = asyncio.ensure_future(self._semantics(path, text, others, names_s, cancellation))
        # If semantics are judged, they include the syntax errors beyond parsing.
        is_parsed = names_s > 0 and self._covers_names
        try:
            reading, found = await self._on_syntax(self._read, path, text, is_parsed, cancellation)
            semantics = await naming
        finally:
            leave(naming)
        if names_s > 0:
            is_late = semantics is None
            if is_late or self._slow.are_any:
                assembly = await self._on_syntax(self._judge.assembly_of, path)
                self._slow.came(assembly, monotonic(), late=is_late)
            if semantics is not None:
                self._covers_names = semantics.covers
        if is_parsed and (semantics is None or not semantics.covers):
            found = await self._on_syntax(self._judge.syntax, reading, text, cancellation)
        named = semantics.findings if semantics is not None else ()
        own = [*found, *(each for each in named if each not in found)]
        elsewhere = semantics.elsewhere if semantics is not None else {}
        return {
            "errors": [documents.text_error(uri, each) for each in own if _is_error(each)],
            "elsewhere": [
                documents.text_error(other.as_uri(), each)
                for other, findings in elsewhere.items()
                for each in findings
                if _is_error(each)
            ],
            "namesLate": is_late,
            "coverage": self._judge.coverage(reading, semantics),
        }

    async def _is_waited_for(self, path: Path | None) -> bool:
        """Return whether to wait for the names of this script, as far as is known."""
        if not self._slow.are_any:
            return True
        assembly = await self._on_syntax(self._judge.assembly_of, path)
        return self._slow.is_waited_for([assembly], monotonic())

    def _read(
        self, path: Path | None, text: str, is_parsed: bool, cancellation: Cancellation
    ) -> tuple[Reading, list[Finding]]:
        """Return how to read the text, and its syntax errors."""
        reading = self._judge.reading(path, text)
        return reading, self._judge.syntax(reading, text, cancellation, only_parsed=is_parsed)

    async def _semantics(
        self,
        path: Path | None,
        text: str,
        others: Mapping[Path, str],
        within_s: float,
        cancellation: Cancellation,
    ) -> SemanticVerdict | None:
        """Return the verdict on names; ``None`` if it takes too long, or isn't asked for."""
        if within_s <= 0:
            return None
        ask = partial(self._judge.semantics, warnings=False)
        return await in_time(
            lambda bound: self._on_semantics(ask, path, text, others, bound), within_s, cancellation
        )


def _is_error(finding: Finding) -> bool:
    return finding.severity == documents.ERROR
