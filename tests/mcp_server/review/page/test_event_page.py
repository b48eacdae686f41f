"""The page of one entry, as the server sends it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from fake_editor import PATIENCE_S
from live_server import LiveServer
from running_server import SCRIPT

from mcp_server.review.record.events import Event, FileTexts, NewEvent, Outcome

CHANGED = Event(0, 1_700_000_000.0, None, None, "", Outcome.CHANGED)


def page_of(project: Path, texts: FileTexts, query: str = "", event: Event = CHANGED) -> str:
    """Return the page of an entry that has one file."""

    async def run() -> str:
        async with LiveServer(project=project) as server:
            store = server.server.review.store
            store.add(NewEvent(event, (texts,)))
            assert await asyncio.to_thread(store.settle, PATIENCE_S)
            root = f"http://127.0.0.1:{server.port}"
            async with httpx2.AsyncClient(base_url=root) as client:
                answer = await client.get(f"/event/{store.events()[0].number}{query}")
            assert answer.status_code == 200, answer.text
            return answer.text

    return asyncio.run(run())


@pytest.mark.parametrize("query", ["", "?side=1"])
def test_all_lines_of_a_deleted_file_are_a_part(project: Path, query: str) -> None:
    page = page_of(project, FileTexts(SCRIPT, b"class A { }\n", None), query)
    assert "deleted" in page
    assert f"{SCRIPT}, line 1<" in page


def test_a_file_whose_text_nobody_saw_is_not_called_new(project: Path) -> None:
    page = page_of(project, FileTexts(SCRIPT, None, b"class A { }\n", is_unknown=True))
    assert "Its text was not seen" in page
    assert "new file" not in page


def test_a_refusal_is_not_said_to_have_changed_anything(project: Path) -> None:
    refused = replace(CHANGED, outcome=Outcome.REFUSED, tool="edit_snippet", client="agent")
    page = page_of(project, FileTexts(SCRIPT, is_unknown=True), event=refused)
    assert "What it would have changed" in page
    assert "It was not changed" in page
    assert "was not seen" not in page


def test_a_part_is_named_by_its_changed_line(project: Path) -> None:
    before = b"class A\n{\n    int a;\n    int b;\n    int c;\n}\n"
    page = page_of(project, FileTexts(SCRIPT, before, before.replace(b"int c", b"int d")))
    assert f"{SCRIPT}, line 5<" in page
    assert "another program" in page
