"""``compile`` and tests that compile first, over Unity's Pipeline package, in every dialect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pipeline_editor import PipelineEditor
from pipeline_editor.dialects import Dialect

from unity_bridge.editor_state import EditorView
from unity_bridge.link import Answer, CancelJob, Command, Completed, Rejected, SubmitJob
from unity_bridge.pipeline import http_client, run_jobs
from unity_bridge.pipeline.pipeline_link import PipelineLink
from unity_bridge.timing import Pace

pytestmark = pytest.mark.anyio

WRONG = "Assets/Scripts/Player.cs(5,36): error CS0029: Cannot convert"
DIALOG = {"title": "Script Updating Consent", "message": "Go ahead?", "buttons": ["Yes"]}
PATIENCE_S = 120


class Listening:
    """A link, and what it says."""

    def __init__(self, project: Path, pace: Pace) -> None:
        self.written: dict[str, float] = {}
        self.link = PipelineLink(
            project,
            log_event=lambda *_args, **_fields: None,
            wanted=lambda _entry, _params: True,
            written=lambda: self.written,
            pace=pace,
        )
        self.answers: dict[str, Answer] = {}
        self.jobs: list[Mapping[str, Any]] = []
        self._happened = asyncio.Event()
        self.link.listen(self)
        self.link.open()

    def on_view(self, view: EditorView) -> None:
        self._happened.set()

    def on_answer(self, request_id: str, answer: Answer) -> None:
        assert request_id not in self.answers, "one answer each"
        self.answers[request_id] = answer
        self._happened.set()

    def on_job(self, status: Mapping[str, Any]) -> None:
        self.jobs.append(status)
        self._happened.set()

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._happened.clear()
                await self._happened.wait()

    async def send(self, command: Command, timeout_ms: int = 20_000) -> Answer:
        await self.until(lambda: self.link.view.ready)
        name = f"request-{len(self.answers)}"
        self.link.start(name, command, timeout_ms)
        await self.until(lambda: name in self.answers)
        return self.answers[name]

    async def compile(self, **params: Any) -> Answer:
        return await self.send(SubmitJob("compile", params))

    async def ended(self, job_id: str) -> Mapping[str, Any]:
        def ends() -> list[Mapping[str, Any]]:
            running = ("queued", "running")
            return [e for e in self.jobs if e["job_id"] == job_id and e["state"] not in running]

        await self.until(ends)
        (end,) = ends()
        return end

    async def begun(self, **params: Any) -> str:
        answer = await self.compile(**params)
        assert isinstance(answer, Completed), answer
        job_id: str = answer.body["job_id"]
        return job_id

    async def unknown(self, job_id: str) -> dict[str, Any]:
        """What is told at the end of a compile of which nobody knows what became."""
        end = await self.ended(job_id)
        assert (end["state"], end["result"]["code"]) == ("failed", "ERR_JOB_NOT_FOUND"), end
        return dict(end["result"])

    async def compiled(self, **params: Any) -> dict[str, Any]:
        end = await self.ended(await self.begun(**params))
        assert (end["tool_name"], end["state"]) == ("compile", "succeeded"), end
        result = dict(end["result"])
        assert result.pop("duration_ms") >= 0
        return result


@pytest.fixture
async def listening(
    project: Path, pace: Pace, unity: PipelineEditor, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Listening]:
    """A link that has found :func:`unity`, and waits for it however slow the machine is."""
    monkeypatch.setattr(http_client, "CONNECT_S", PATIENCE_S)
    monkeypatch.setattr(http_client, "GET_S", PATIENCE_S)
    listening = Listening(project, pace)
    await listening.until(lambda: listening.link.view.ready)
    yield listening
    await listening.link.close()


async def test_errors_have_a_place_and_a_repair_succeeds(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit(WRONG)
    assert await listening.compiled() == {
        "status": "failed",
        "errors": [
            {
                "path": "Assets/Scripts/Player.cs",
                "line": 5,
                "column": 36,
                "code": "CS0029",
                "message": "Cannot convert",
            }
        ],
        "warnings": [],
        "reloaded": False,
    }
    unity.edit()
    unity.reload_s = 0.5
    # The flag still says that compilation failed: what was compiled counts.
    repaired = {"status": "succeeded", "errors": [], "warnings": [], "reloaded": True}
    assert await listening.compiled() == repaired
    assert (unity.state, unity.reloads) == ("ready", 1), "it is done after the reload"
    assert (await listening.compiled())["status"] == "up_to_date"
    assert len(unity.did("recompile")) == 3


async def test_nothing_is_compiled_in_play_mode(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    unity.play_mode = "playing"
    refused = await listening.compile()
    assert isinstance(refused, Rejected)
    assert refused.code == "ERR_INVALID_STATE"
    assert unity.did("recompile") == []
    assert (await listening.compiled(stop_play_mode=True))["status"] == "succeeded"
    assert unity.play_mode == "stopped"


async def test_an_editor_that_does_not_see_the_change(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    unity.blind = True
    listening.written["Assets/Scripts/Player.cs"] = 4e9
    blind = await listening.compiled()
    assert blind["status"] == "up_to_date"
    assert blind["stale_view"] == ["Assets/Scripts/Player.cs"]
    assert len(unity.did("recompile")) == 2


async def test_up_to_date_is_believed_of_what_was_compiled(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    listening.written["Assets/Scripts/Player.cs"] = 1.0
    assert (await listening.compiled())["status"] == "succeeded"
    assert "stale_view" not in await listening.compiled()


async def test_a_dialog_while_it_compiles(listening: Listening, unity: PipelineEditor) -> None:
    unity.edit()
    unity.compile_s = 0.5
    job_id = await listening.begun()
    await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
    with unity.lock:
        unity.dialog = DIALOG
    assert (await listening.unknown(job_id))["details"] == {"dialog": DIALOG}
    with unity.lock:
        unity.dialog = None


async def test_an_answer_lost_in_the_reload_is_no_loss(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    unity.cut.add("recompile")
    assert (await listening.compiled())["status"] == "succeeded"
    assert len(unity.did("recompile")) == 1


PUT_OFF: dict[str, tuple[Callable[[PipelineEditor], None], str]] = {
    "it never began": (lambda unity: unity.lost.add("recompile"), ""),
    "it is put off": (
        lambda unity: unity.answer_with.update(
            recompile={"status": "compiling", "message": "Compilation requested"}
        ),
        "",
    ),
    "play mode came in between": (
        lambda unity: unity.plays_first.add("recompile"),
        "Play mode was entered meanwhile",
    ),
}


@pytest.mark.parametrize("what", PUT_OFF)
@pytest.mark.parametrize("dialect", [Dialect.V0_3, Dialect.V1_0], indirect=True)
async def test_an_earlier_compile_s_end_is_not_told_for_this_one(
    listening: Listening, unity: PipelineEditor, what: str
) -> None:
    happens, words = PUT_OFF[what]
    unity.edit()
    assert (await listening.compiled())["status"] == "succeeded"
    unity.edit(WRONG)
    happens(unity)
    told = await listening.unknown(await listening.begun())
    assert told["message"].startswith(words)


async def test_who_comes_second_joins(listening: Listening, unity: PipelineEditor) -> None:
    unity.edit()
    unity.compile_s = 0.5
    first = await listening.compile()
    await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
    listening.link.start("second", SubmitJob("compile", {}), 20_000)
    await listening.until(lambda: "second" in listening.answers)
    assert first == listening.answers["second"]
    assert isinstance(first, Completed)
    end = await listening.ended(first.body["job_id"])
    # Whoever joins may have written something since it began.
    assert len(unity.did("recompile")) == 2
    told = end["result"]["status"], end["result"]["reloaded"]
    assert told == ("succeeded", True), "that nothing came after it hides nothing"


async def test_what_is_written_while_it_compiles_is_compiled_for_who_joins(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    unity.compile_s = 0.5
    first = await listening.compile()
    assert isinstance(first, Completed)
    await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
    unity.held.add("recompile_status")  # so that it isn't over before the second comes
    await asyncio.to_thread(unity.wait_until, lambda: unity.state != "compiling")
    unity.edit(WRONG)
    listening.link.start("second", SubmitJob("compile", {}), 20_000)
    await listening.until(lambda: "second" in listening.answers)
    unity.released.set()
    assert first == listening.answers["second"]
    end = await listening.ended(first.body["job_id"])
    assert end["result"]["status"] == "failed"
    assert end["result"]["errors"][0]["line"] == 5


async def test_tests_that_compile_first(listening: Listening, unity: PipelineEditor) -> None:
    unity.edit(WRONG)
    params = {"mode": "all", "compile_first": True}
    answer = await listening.send(SubmitJob("run_tests", params))
    assert isinstance(answer, Completed)
    await listening.until(lambda: listening.jobs and listening.jobs[-1]["state"] == "failed")
    result = listening.jobs[-1]["result"]
    assert result["code"] == "ERR_COMPILE_ERRORS"
    assert result["details"]["errors"][0]["line"] == 5
    assert unity.did("run_tests") == []
    unity.edit()
    answer = await listening.send(SubmitJob("run_tests", params))
    assert isinstance(answer, Completed)
    await listening.until(lambda: listening.jobs[-1]["state"] == "succeeded")
    assert [name for name, _ in unity.done if name in ("recompile", "run_tests")] == [
        "recompile",
        "recompile",
        "run_tests",
    ]


async def test_a_run_that_compiles_is_cancelled_before_it_began(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    unity.compile_s = 0.5
    answer = await listening.send(SubmitJob("run_tests", {"compile_first": True}))
    assert isinstance(answer, Completed)
    await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
    listening.link.start("cancel", CancelJob(answer.body["job_id"]), 5_000)
    await listening.until(lambda: "cancel" in listening.answers)
    assert listening.answers["cancel"] == Completed({"status": "cancelled"})
    assert unity.did("run_tests") == []


async def test_a_recompile_that_returns_nothing_is_looked_at(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.says_nothing.add("recompile")
    unity.edit(WRONG)
    assert (await listening.compiled())["status"] == "failed"
    unity.edit()
    assert (await listening.compiled())["status"] == "succeeded"
    assert (await listening.compiled())["status"] == "up_to_date"
    # What it says now is what it said before: perhaps of the compile before.
    await listening.unknown(await listening.begun())


async def test_who_compiles_for_ever_is_not_followed_for_ever(
    listening: Listening, unity: PipelineEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_jobs, "COMPILE_LIMIT_MS", 300)
    unity.edit()
    unity.compile_s = 600
    told = await listening.unknown(await listening.begun())
    assert told["message"] == "The Unity Editor did not finish in time."


async def test_an_editor_that_crashes_while_it_compiles(
    listening: Listening, unity: PipelineEditor
) -> None:
    unity.edit()
    unity.compile_s = 600
    job_id = await listening.begun()
    await asyncio.to_thread(unity.wait_until, lambda: unity.state == "compiling")
    await asyncio.to_thread(unity.crash)
    unity.compile_s = 0.02
    await asyncio.to_thread(unity.restart)
    told = await listening.unknown(job_id)
    assert told["message"] == "The Unity Editor was closed or crashed while it compiled."
    assert (await listening.compiled())["status"] == "succeeded"
