"""Try each kind through a running server, and record what the caller gets.

*Now*: the edit is applied, and refused or not. *Later*: the break is put back by ``undo_snippet``,
which is never judged within the call, so what it breaks can only be news.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from cross_file_breaks.kind import Kind
from cross_file_breaks.project import library, user

Json: TypeAlias = dict[str, Any]
Call: TypeAlias = Callable[[str, Json], Awaitable[Json]]
"""Calls a tool, and returns its structured answer."""

VERDICT_S = 120.0
"""For a verdict, in seconds."""

_Error: TypeAlias = tuple[str, int, str, str]


@dataclass(slots=True)
class Told:
    """What a caller was told of one edit: errors as news, each with how often; or a refusal."""

    is_refused: bool = False
    news: Counter[_Error] = field(default_factory=Counter)
    unknown: list[str] = field(default_factory=list)

    @property
    def is_told(self) -> bool:
        """Return whether it was told of an error."""
        return self.is_refused or bool(self.news)

    @property
    def is_twice(self) -> bool:
        """Return whether an error was told twice."""
        return any(each > 1 for each in self.news.values())


class Caller:
    """One caller of a server, and the project's folder."""

    def __init__(self, call: Call, root: Path) -> None:
        self._call = call
        self._root = root

    async def now(self, kind: Kind, new: str) -> Told:
        """Apply the edit of a kind as it is, wait for its verdict, and restore the file."""
        told = Told()
        answer = await self._rewrite(kind, kind.library_text, changed_text(kind, new), told)
        told.is_refused = "error" in answer
        if not told.is_refused:
            await self._settle(told)
        self._restore(kind)
        return told

    async def later(self, kind: Kind, new: str) -> Told:
        """Have an undo bring the edit, wait for its verdict, and restore the file."""
        told, before = Told(), Told()
        changed = changed_text(kind, new)
        (self._root / library(kind)).write_text(changed, encoding="utf-8")
        repaired = await self._rewrite(kind, changed, kind.library_text, before)
        await self._settle(before)
        if before.is_told or "undo" not in repaired:
            raise AssertionError((kind.name, before, repaired))
        undone = await self._ask("undo_snippet", told, **repaired["undo"])
        if "error" in undone:
            raise AssertionError((kind.name, undone))
        await self._settle(told)
        self._restore(kind)
        return told

    async def _rewrite(self, kind: Kind, old: str, new: str, told: Told) -> Json:
        change = {
            "operation": "replace",
            "anchor": {"type": "text", "target": old.rstrip("\n")},
            "newText": new.rstrip("\n"),
        }
        changes = [{"path": library(kind), "instructions": [change]}]
        return await self._ask("edit_scripts", told, mode="apply", changes=changes)

    async def _settle(self, told: Told) -> None:
        """Call until nothing is pending, and twice more."""
        async with asyncio.timeout(VERDICT_S):
            while _news(await self._ask("get_history", told, limit=1)).get("pending"):
                await asyncio.sleep(0.02)
        for _ in range(2):
            await self._ask("get_history", told, limit=1)

    def _restore(self, kind: Kind) -> None:
        for path, text in ((library(kind), kind.library_text), (user(kind), kind.user_text)):
            (self._root / path).write_text(text, encoding="utf-8")

    async def _ask(self, tool: str, told: Told, **arguments: Any) -> Json:
        answer = await self._call(tool, arguments)
        for each in _news(answer).get("news", ()):
            if "code" not in each:
                told.unknown.append(each["message"])
                continue
            told.news[each["file"], each["line"], each["code"], each["message"]] += 1
        return answer


def changed_text(kind: Kind, new: str) -> str:
    """Return the library with ``new`` in the place of what is changed."""
    return kind.library_text.replace(kind.old, new)


def _news(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    where = answer.get("error", {}).get("details", {}) if "error" in answer else answer
    return {name: where[name] for name in ("news", "more", "pending") if name in where}
