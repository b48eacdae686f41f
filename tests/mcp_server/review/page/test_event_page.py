"""The page of one entry, of what changed since this morning and of this moment, over HTTP."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from call_results import result
from fake_editor import PATIENCE_S, FakeEditor
from hypothesis import given
from hypothesis import strategies as st
from live_server import LiveServer
from review_person import Person, words
from running_server import SCRIPT

from mcp_server.review.page.event_view import MAX_JSON, MAX_LISTED, as_json, said
from mcp_server.review.page.rendering import ago, clock, counted, milliseconds
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


pytestmark = pytest.mark.anyio

DAY_S = 24 * 3600.0


@pytest.mark.parametrize(
    ("days_ago", "count"), [([2, 1, 0, 0], 2), ([0, 2, 0], 3), ([2, 1], 0), ([0], 1)]
)
async def test_since_this_morning(project: Path, days_ago: list[int], count: int) -> None:
    async with LiveServer(project=project) as live, Person(live.port) as person:
        store = live.server.review.store
        for number, days in enumerate(days_ago):
            time_s = time.time() - days * DAY_S
            event = Event(0, time_s, "agent", None, "edit_snippet", Outcome.APPLIED)
            store.add(NewEvent(event, (FileTexts(f"Assets/{number}.cs", b"a", b"b"),)))
        assert await asyncio.to_thread(store.settle, PATIENCE_S)
        said = words(await person.view("/net?since=today"))
    assert f"{count} entr{'y' if count == 1 else 'ies'} changed" in said


async def shows(person: Person, text: str) -> None:
    """Wait until the page shows ``text``."""
    async with asyncio.timeout(PATIENCE_S):
        while text not in words(await person.view("/")):
            await asyncio.sleep(0.05)


async def test_without_an_editor(person: Person) -> None:
    said = words(await person.view("/"))
    assert "Unity Editor not connected Compiler off" in said
    assert "Play mode" not in said


async def test_the_editors_state_and_play_mode(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect()
    first = words(await person.view("/"))
    assert "Unity Editor ready since " in first
    assert "Play mode stopped (asked at " in first
    async with live.client() as client:
        result(await client.call_tool("control_play_mode", {"action": "play"}), "control_play_mode")
    await shows(person, "Play mode playing (asked at ")
    await editor.close()
    await shows(person, "Unity Editor not connected since ")


async def test_a_page_does_not_wait_for_an_editor_that_is_silent(
    live: LiveServer, person: Person
) -> None:
    editor: FakeEditor = await live.editor().connect()
    editor.held = True
    assert "Play mode not known yet" in words(await person.view("/"))


async def test_a_busy_editor_is_not_asked(live: LiveServer, person: Person) -> None:
    editor = await live.editor().connect("compiling")
    said = words(await person.view("/"))
    assert "Unity Editor compiling since " in said
    assert "Play mode not known yet" in said
    assert editor.count("execute") == 0


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "result",
                    "error",
                    "details",
                    "validation",
                    "warnings",
                    "offers",
                    "nearest",
                    "message",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_any_detail_can_be_read(detail: object) -> None:
    found = said(detail)
    assert isinstance(found.message, str)


def test_a_refusal() -> None:
    near = {"line": 9, "text": "if (x)", "symbol": "A.B()", "differs": ["the text"]}
    offer = {"what": "line 9", "arguments": {"path": "A.cs"}}
    error = {
        "message": "Not found.",
        "details": {"code": "anchor_not_found", "details": {"nearest": [near]}, "offers": [offer]},
    }
    found = said({"arguments": {}, "error": error})
    assert found.message == "Not found."
    assert (found.near[0].place, found.near[0].differs) == ("line 9, A.B()", "the text")
    assert found.offers[0].what == "line 9"
    assert '"path": "A.cs"' in found.offers[0].request


def test_a_verdict() -> None:
    validation = {"validator": "lsp", "compiler": "4.8", "coverage": ["syntax"], "notChecked": []}
    found = said({"result": {"validation": validation, "warnings": [{"code": "x", "line": 3}]}})
    assert found.verdicts[0].validator == "lsp (4.8)"
    assert found.verdicts[0].duration_ms is None
    assert (found.warnings[0].code, found.warnings[0].place) == ("x", "3")


def test_it_is_bounded() -> None:
    found = said({"result": {"warnings": [{"code": "x"}] * (MAX_LISTED + 1)}})
    assert len(found.warnings) == MAX_LISTED
    assert "more characters" in as_json("x" * (MAX_JSON + 1))


def test_words() -> None:
    assert [ago(each) for each in (0, 1, 59, 60, 7200, 90_000)] == [
        "less than a second",
        "1 second",
        "59 seconds",
        "1 minute",
        "2 hours",
        "1 day",
    ]
    assert [milliseconds(each) for each in (None, 4.7, 1500.0)] == ["", "5 ms", "1.5 s"]
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2_000, "entry", "entries") == "2,000 entries"
    assert len(clock(0)) == 8
