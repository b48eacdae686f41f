"""What is said of names that come late: docs/design/roslyn.md §2 "One message"."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lsp_client.diagnostics.report import Report, SemanticsLate
from lsp_client.diagnostics.text_reports import reports_of_texts
from lsp_client.protocol.connection import Connection

pytestmark = pytest.mark.anyio

URI = "file:///game/Assets/A.cs"
TEXTS = ["class A { int x = no; }\n", "class A { long x = no; }\n"]


class Scripted:
    """A connection whose server is late with names as often as it is told to be."""

    def __init__(self, *is_late: bool) -> None:
        self.turn = asyncio.Lock()
        self.spec = SimpleNamespace(text_request="unity/judgeText")
        self.asked: list[tuple[str, bool]] = []
        """The texts, and whether their names were asked for."""
        self._is_late = list(is_late)

    async def ask(
        self, _method: str, params: dict[str, Any], read: Callable[[Mapping[str, Any]], Report]
    ) -> Report:
        names = params["namesMs"] > 0
        self.asked.append((params["text"], names))
        late = names and self._is_late.pop(0)
        error = {"line": 0, "character": 14, "code": "CS0103", "message": "no"}
        coverage = {"languageVersion": "9.0", "symbolSets": [], "covers": ["syntax"]}
        answer = {
            "errors": [error] if names and not late else [],
            "elsewhere": [],
            "namesLate": late,
            "coverage": {**coverage, "notChecked": [], "compiler": "4.8"},
        }
        return read(answer)

    async def reports(self, names_s: float, *, requires_names: bool = False) -> list[Report]:
        by = asyncio.get_running_loop().time() + names_s
        connection = cast("Connection", self)
        return await reports_of_texts(connection, URI, TEXTS, by, requires_names=requires_names)


async def test_after_a_late_answer_names_are_asked_for_again() -> None:
    server = Scripted(True, False, False)
    late = await server.reports(60)
    known = await server.reports(60)
    assert [(each.semantics, each.semantics_late) for each in (late[1], known[1])] == [
        (False, True),
        (True, False),
    ]
    assert server.asked == [(TEXTS[1], True), (TEXTS[1], True), (TEXTS[0], True)]


async def test_an_error_in_names_is_not_new_where_those_of_the_old_text_came_late() -> None:
    server = Scripted(False, True)
    before, after = await server.reports(60)
    assert (before.errors, after.errors) == ((), ())
    assert (after.semantics, after.semantics_late) == (False, True)
    assert server.asked == [(TEXTS[1], True), (TEXTS[0], True), (TEXTS[1], False)]


async def test_names_are_never_late_without_being_asked_for() -> None:
    server = Scripted(True)
    with pytest.raises(SemanticsLate):
        await server.reports(-1, requires_names=True)
    assert server.asked == [(TEXTS[1], True)]
