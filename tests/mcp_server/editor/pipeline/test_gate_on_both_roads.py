"""What an edit is made to answer for that Unity compiles before it stays, over both roads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from call_results import refused, result, succeeded
from live_server import LiveServer
from marked_scripts import MarkedPipelineEditor, MarkedScripts, plugin_compiles

from mcp_server.contract.catalog import CATALOG
from mcp_server.host.config import EditorRoad
from snippet_engine.errors import MAX_MESSAGE_LENGTH
from unity_bridge.timing import Pace, Timing

pytestmark = [pytest.mark.anyio, pytest.mark.sampled(one_in=2)]

ONE, TWO, OTHER = (f"Assets/{name}.cs" for name in ("One", "Two", "Other"))
TOOLS = ["edit_snippet", "edit_scripts"]


@pytest.fixture(params=[EditorRoad.PLUGIN, EditorRoad.PIPELINE], ids=str)
def road(request: pytest.FixtureRequest) -> EditorRoad:
    found: EditorRoad = request.param
    return found


@pytest.fixture
def scripts(project: Path) -> MarkedScripts:
    """The project's scripts: two classes, and one of somebody else's."""
    for path in (ONE, TWO, OTHER):
        (project / path).write_text(f"class {Path(path).stem}\n{{\n    int a;\n    int b;\n}}\n")
    return MarkedScripts(project)


@asynccontextmanager
async def served(road: EditorRoad, pace: Pace, scripts: MarkedScripts) -> AsyncIterator[LiveServer]:
    """A server whose Editor compiles ``scripts``."""
    async with LiveServer(project=scripts.project, editor=road, pace=pace) as live:
        if road is EditorRoad.PLUGIN:
            editor = await live.editor(held=True).connect()
            compiling = asyncio.create_task(plugin_compiles(editor, scripts))
            yield live
            compiling.cancel()
            await editor.close()
            return
        with MarkedPipelineEditor(scripts.project, scripts=scripts, compile_s=0.3) as editor:
            await live.logged("editor_state", state="ready", connected=True)
            yield live
            editor.stop()


@pytest.fixture
async def live(road: EditorRoad, pace: Pace, scripts: MarkedScripts) -> AsyncIterator[LiveServer]:
    async with served(road, pace, scripts) as server:
        yield server


def request(tool: str, path: str, old: str, new: str, **more: Any) -> dict[str, Any]:
    anchor = {"type": "text", "target": old}
    change = {
        "path": path,
        "instructions": [{"operation": "replace", "anchor": anchor, "newText": new}],
    }
    gated = {"mode": "apply", "editorGate": "compile", "include": ["full"], **more}
    return {**change, **gated} if tool == "edit_snippet" else {"changes": [change], **gated}


async def sent(live: LiveServer, tool: str, *about: str, **more: Any) -> dict[str, Any]:
    async with live.client() as client:
        done = result(await client.call_tool(tool, request(tool, *about, **more)), tool)
    jsonschema.validate(done, CATALOG[tool].answer_schema)
    return done


def words(done: dict[str, Any]) -> list[str]:
    return [each["message"] for each in done["compile"]["errors"]]


BAD = ("int a;", "int a; //! mine")
GOOD = ("int b;", "int c;")


@pytest.mark.parametrize("tool", TOOLS)
async def test_of_two_at_once_each_answers_for_itself(
    live: LiveServer, scripts: MarkedScripts, tool: str
) -> None:
    before = (scripts.project / ONE).read_bytes()
    bad, good = await asyncio.gather(sent(live, tool, ONE, *BAD), sent(live, tool, TWO, *GOOD))
    assert (bad["status"], words(bad)) == ("undone_by_compile", ["mine"])
    assert (good["status"], good["compile"]["status"]) == ("applied", "succeeded")
    assert (scripts.project / ONE).read_bytes() == before
    assert b"int c;" in (scripts.project / TWO).read_bytes()


async def test_two_bad_ones_of_one_file_are_both_undone(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    before = (scripts.project / ONE).read_bytes()
    other = ("int b;", "int b; //! also mine")
    calls = [sent(live, "edit_snippet", ONE, *each) for each in (BAD, other)]
    both = await asyncio.gather(*calls)
    assert [each["status"] for each in both] == ["undone_by_compile"] * 2
    assert [words(each) for each in both] == [["mine"], ["also mine"]]
    assert (scripts.project / ONE).read_bytes() == before


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("edit", "stands"), [(GOOD, True), (BAD, False)])
async def test_what_is_saved_by_hand_meanwhile_is_not_laid_at_its_door(
    live: LiveServer, scripts: MarkedScripts, tool: str, edit: tuple[str, str], stands: bool
) -> None:
    before = (scripts.project / ONE).read_text()
    scripts.at[2] = lambda: (scripts.project / OTHER).write_text("class Other { } //! not mine\n")
    done = await sent(live, tool, ONE, *edit, client_request_id="once")
    assert words(done) == (["not mine"] if stands else ["mine"])
    assert (done["status"], done["applied"]) == (
        ("applied", True) if stands else ("undone_by_compile", False)
    )
    now = (scripts.project / ONE).read_text()
    assert now == (before.replace(*edit) if stands else before)
    again = await sent(live, tool, ONE, *edit, client_request_id="once")
    assert (again["applied"], again["replayed"]) == (stands, True)


@pytest.mark.parametrize("tool", TOOLS)
async def test_what_cannot_be_undone_any_more_stands_and_says_so_in_whole_sentences(
    live: LiveServer, scripts: MarkedScripts, tool: str
) -> None:
    def save() -> None:
        script = scripts.project / ONE
        script.write_text(script.read_text() + "// by hand\n")

    scripts.at[2] = save
    done = await sent(live, tool, ONE, *BAD)
    assert (done["status"], words(done)) == ("applied", ["mine"])
    assert done["compile"]["reason"].startswith(
        "the edit is in place, because it could not be undone: "
    )
    assert done["compile"]["reason"].endswith(".")
    assert "// by hand" in (scripts.project / ONE).read_text()


@pytest.mark.parametrize("edit", [GOOD, BAD], ids=["good", "bad"])
async def test_what_is_broken_by_hand_and_mended_at_once_is_not_laid_at_its_door(
    live: LiveServer, scripts: MarkedScripts, edit: tuple[str, str]
) -> None:
    def save(text: str) -> None:
        (scripts.project / OTHER).write_text(f"class Other {{ }}{text}\n")

    scripts.at = {2: lambda: save(" //! not mine"), 3: lambda: save("")}
    done = await sent(live, "edit_snippet", ONE, *edit)
    if edit is GOOD:
        assert (done["status"], done["compile"]["status"]) == ("applied", "succeeded")
    else:
        assert (done["status"], words(done)) == ("undone_by_compile", ["mine"])


async def test_where_it_is_so_time_and_again_it_may_be_others_and_is_tried_anew(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    def save(text: str) -> None:
        (scripts.project / OTHER).write_text(f"class Other {{ }}{text}\n")

    broken, mended = (lambda: save(" //! not mine")), (lambda: save(""))
    scripts.at = {2: broken, 3: mended, 4: broken, 5: mended}
    done = await sent(live, "edit_snippet", ONE, *GOOD, client_request_id="once")
    assert done["status"] == "undone_by_compile"
    assert "others may have caused" in done["compile"]["reason"]
    again = await sent(live, "edit_snippet", ONE, *GOOD, client_request_id="once")
    assert (again["applied"], "replayed" in again) == (True, False)


async def test_what_others_break_time_and_again_is_told_as_theirs(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    before = (scripts.project / ONE).read_text()

    def broken(number: int) -> None:
        (scripts.project / OTHER).write_text("class Other { } //! not mine\n" * number)

    scripts.at = {number: lambda number=number: broken(number) for number in (2, 4)}
    done = await sent(live, "edit_snippet", ONE, *GOOD, client_request_id="once")
    assert done["status"] == "undone_by_compile"
    assert "others caused them" in done["compile"]["reason"]
    assert (scripts.project / ONE).read_text() == before
    again = await sent(live, "edit_snippet", ONE, *GOOD, client_request_id="once")
    assert (again["applied"], "replayed" in again) == (True, False), "it is tried anew"


SYNTAX = ("{ int a; } //? syntax", "{ int b; }")
MANY = "".join(f"int x{number}; //! old {number}\n" for number in range(250))


@pytest.mark.parametrize(
    ("there", "edit", "why"),
    [
        ("class One { int a; } //? syntax\nclass T { } //! old\n", SYNTAX, "is gone with the edit"),
        (
            f"class One {{\n{MANY}}}\n",
            ("int x7; //! old 7", "int x7;"),
            "of the errors before the edit",
        ),
    ],
    ids=["a syntax error hid others", "the list was cut"],
)
async def test_a_repair_stays_that_uncovers_errors(
    live: LiveServer, scripts: MarkedScripts, there: str, edit: tuple[str, str], why: str
) -> None:
    (scripts.project / ONE).write_text(there)
    done = await sent(live, "edit_snippet", ONE, *edit)
    assert (done["status"], done["compile"]["status"]) == ("applied", "failed")
    assert why in done["compile"]["reason"]
    assert (scripts.project / ONE).read_text() == there.replace(*edit)


async def test_a_second_error_of_the_same_words_is_a_new_one(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    (scripts.project / ONE).write_text("class One\n{\n    int a;\n    int b; //! same\n}\n")
    done = await sent(live, "edit_snippet", ONE, "int a;", "int a; //! same")
    assert (done["status"], words(done)) == ("undone_by_compile", ["same"])


async def test_what_a_cut_list_leaves_out_is_not_said_to_be_gone(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    (scripts.project / TWO).write_text("class Two { } //! old\n")
    done = await sent(live, "edit_scripts", ONE, "int a;", f"int a;\n{MANY}")
    assert (done["status"], done["compile"]["status"]) == ("applied", "failed")
    assert "so the resolved ones are unknown" in done["compile"]["reason"]


async def test_edits_of_two_servers_of_a_project_take_turns(
    pace: Pace, scripts: MarkedScripts
) -> None:
    road = EditorRoad.PIPELINE  # the plugin has one server
    async with (
        served(road, pace, scripts) as live,
        LiveServer(project=scripts.project, editor=road, pace=pace) as other,
    ):
        await other.logged("editor_state", state="ready", connected=True)
        bad, good = await asyncio.gather(
            sent(live, "edit_snippet", ONE, *BAD), sent(other, "edit_snippet", TWO, *GOOD)
        )
    assert (bad["status"], words(bad)) == ("undone_by_compile", ["mine"])
    assert (good["status"], good["compile"]["status"]) == ("applied", "succeeded")
    assert scripts.compiles <= 5, "none was made again"


async def test_beyond_a_cut_list_not_all_are_said_to_be_older(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    (scripts.project / ONE).write_text(f"class One {{\n{MANY}}}\n")
    done = await sent(live, "edit_snippet", TWO, *BAD)
    assert done["status"] == "applied"
    assert "all of these" not in done["compile"]["reason"]
    assert "it lists only some" in done["compile"]["reason"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("by", ["the same server", "the next one"])
async def test_what_was_undone_is_not_called_applied_when_it_is_sent_again(
    road: EditorRoad, pace: Pace, scripts: MarkedScripts, tool: str, by: str
) -> None:
    before = (scripts.project / ONE).read_bytes()

    async def once(live: LiveServer) -> dict[str, Any]:
        return await sent(live, tool, ONE, *BAD, client_request_id="once")

    async with served(road, pace, scripts) as first:
        told = await once(first)
        assert (told["status"], words(told)) == ("undone_by_compile", ["mine"])
        again = await once(first) if by == "the same server" else None
    if again is None:
        async with served(road, pace, scripts) as second:
            again = await once(second)
    assert again == {**told, "replayed": True}
    assert (scripts.project / ONE).read_bytes() == before


async def test_one_whose_turn_does_not_come_in_time_writes_nothing(
    live: LiveServer, scripts: MarkedScripts
) -> None:
    before = (scripts.project / TWO).read_bytes()
    compiling, may_go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        loop.call_soon_threadsafe(compiling.set)
        asyncio.run_coroutine_threadsafe(may_go_on.wait(), loop).result()

    scripts.at[2] = hold
    async with live.client() as client:
        first = asyncio.create_task(sent(live, "edit_snippet", ONE, *GOOD))
        await compiling.wait()
        late = request("edit_snippet", TWO, *GOOD, timeout_ms=50)
        told = await refused(client, "edit_snippet", **late)
        may_go_on.set()
        assert (await first)["status"] == "applied"
    assert told["details"]["execution_guarantee"] == "not_executed"
    assert "other edits were compiled first" in told["message"]
    assert (scripts.project / TWO).read_bytes() == before


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_reload_right_after_the_write_does_not_leave_a_bad_edit(
    live: LiveServer, scripts: MarkedScripts, tool: str
) -> None:
    before = (scripts.project / ONE).read_bytes()
    scripts.reloads_at = 2
    done = await sent(live, tool, ONE, *BAD)
    assert (done["status"], words(done)) == ("undone_by_compile", ["mine"])
    assert (scripts.project / ONE).read_bytes() == before


# -- what only the Pipeline's Editor does ----------------------------------------------------------

LONG_S = 600
SOON = Timing(**{each.name: getattr(Timing(), each.name) / 10 for each in fields(Timing)})
"""Windows a tenth as long."""


@pytest.fixture
def unity(scripts: MarkedScripts) -> Iterator[MarkedPipelineEditor]:
    with MarkedPipelineEditor(scripts.project, scripts=scripts) as editor:
        yield editor
        editor.stop()


@pytest.fixture
async def pipeline(
    pace: Pace, scripts: MarkedScripts, unity: MarkedPipelineEditor
) -> AsyncIterator[LiveServer]:
    """A server that has found :func:`unity`."""
    road = EditorRoad.PIPELINE
    async with LiveServer(project=scripts.project, editor=road, pace=pace, timing=SOON) as server:
        await server.logged("editor_state", state="ready", connected=True)
        yield server


async def test_an_editor_that_crashes_in_between_leaves_the_edit(
    pipeline: LiveServer, unity: MarkedPipelineEditor, scripts: MarkedScripts
) -> None:
    scripts.at[2] = lambda: setattr(unity, "compile_s", LONG_S)
    call = asyncio.create_task(sent(pipeline, "edit_snippet", ONE, *GOOD))
    await asyncio.to_thread(
        unity.wait_until, lambda: unity.state == "compiling" and unity.compile_s == LONG_S
    )
    await asyncio.to_thread(unity.crash)
    await asyncio.to_thread(unity.restart)
    done = await call
    assert (done["status"], done["compile"]["status"]) == ("applied", "unknown")
    assert done["compile"]["reason"].startswith("the edit is in place; ")
    assert b"int c;" in (scripts.project / ONE).read_bytes()


async def test_an_editor_that_sees_no_change_has_not_compiled_it(
    pipeline: LiveServer, unity: MarkedPipelineEditor
) -> None:
    """Out of focus, its refresh finds nothing."""
    async with pipeline.client() as client:
        await succeeded(client, "compile")
    unity.blind = True
    done = await sent(pipeline, "edit_snippet", ONE, *GOOD)
    assert (done["status"], done["compile"]["status"]) == ("applied", "unknown")
    assert done["compile"]["stale_view"] == [ONE]
    assert "doesn't see the change" in done["compile"]["reason"]


async def test_in_play_mode_nothing_is_written(
    pipeline: LiveServer, unity: MarkedPipelineEditor, scripts: MarkedScripts
) -> None:
    before = (scripts.project / ONE).read_bytes()
    unity.play_mode = "playing"
    edit = request("edit_snippet", ONE, *GOOD)
    async with pipeline.client() as client:
        problem = await refused(client, "edit_snippet", **edit)
        assert (problem["code"], problem["retryable"]) == ("ERR_UNITY_EXECUTION", False)
        assert problem["details"]["execution_guarantee"] == "not_executed"
        assert problem["message"].startswith("Nothing was written (ERR_INVALID_STATE): ")
        assert 'control_play_mode {"action": "stop"}, or compile ' in problem["message"]
        assert problem["message"].endswith('{"stop_play_mode": true}.')
        assert len(problem["message"]) <= MAX_MESSAGE_LENGTH
        assert (scripts.project / ONE).read_bytes() == before
        await succeeded(client, "control_play_mode", action="stop")
        await succeeded(client, "edit_snippet", **edit)
    assert (scripts.project / ONE).read_bytes() != before
