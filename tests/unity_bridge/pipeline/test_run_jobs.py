"""Jobs over the Pipeline: what each ends as, whatever the Editor is by then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from unity_bridge.clock import LoopClock
from unity_bridge.editor_state import EditorState
from unity_bridge.link import Answer, Completed, NotSent
from unity_bridge.pipeline.replies import Result
from unity_bridge.pipeline.run_jobs import MAX_REFRESHES, EditorJobs
from unity_bridge.pipeline.sightings import PlayMode, Sighting, Tally
from unity_bridge.pipeline.vocabulary import Operation
from unity_bridge.states import JOB_TRANSITIONS, JobState
from unity_bridge.timing import Pace

pytestmark = pytest.mark.anyio

QUICK = Pace(status_file_ms=1)
READY = Sighting(EditorState.READY, PlayMode.STOPPED, "/project")
UP_TO_DATE = {"status": "up_to_date", "failed": False, "errors": [], "compilationFailed": False}


class GoneError(Exception):
    pass


class Editor:
    """Answers conversations at once; ``pid`` is the process that does."""

    def __init__(self, project: Path, pace: Pace = QUICK) -> None:
        self.project = project
        self.pid = 1
        self.tester: int | None = None
        self.asked: list[Operation] = []
        self.away_for: set[Operation] = set()
        """What it isn't there for."""
        self.is_popular = False
        """Whether somebody joins each compile."""
        self.joiners: list[Answer] = []
        self.looks = 0
        """How often it was asked which process it is."""
        self.restarts_after: Operation | None = None
        self.leaves_after: Operation | None = None
        """Then it isn't there any more to be asked for that again."""
        self.ended: asyncio.Future[Mapping[str, Any]] = asyncio.Future()
        self.jobs = EditorJobs(
            project,
            converse=self.converse,
            editor=self.process,
            tester=lambda: self.tester,
            report=self.tell,
            pace=pace,
            clock=LoopClock(),
        )

    def process(self) -> int:
        self.looks += 1
        return self.pid

    def tell(self, status: Mapping[str, Any]) -> None:
        if JOB_TRANSITIONS.is_terminal(JobState(status["state"])) and not self.ended.done():
            self.ended.set_result(status)

    async def converse(
        self, conversation: Callable[[Editor], Awaitable[Any]], _timeout_ms: float
    ) -> Any:
        try:
            return await conversation(self)
        except GoneError:
            return NotSent("ERR_UNITY_DISCONNECTED", "it has gone")

    async def look(self) -> Sighting:
        return READY

    async def pause(self, duration_ms: float) -> None:
        pass

    def now_ms(self) -> float:
        return 0

    tally = Tally()
    pace = Pace()

    def was_replaced(self, _operation: Operation) -> bool:
        return False

    def uncompiled_scripts(self) -> list[str]:
        return []

    async def exec(self, operation: Operation, **_parameters: Any) -> Result:
        if operation in self.away_for:
            raise GoneError
        if operation is Operation.RECOMPILE and self.is_popular:
            self.joiners.append(await self.jobs.submit("compile", {}, 20_000))
        self.asked.append(operation)
        if operation is Operation.RUN_TESTS:
            self.tester = self.pid
            self.write("running")
        if operation is self.restarts_after:
            self.pid, self.restarts_after = self.pid + 1, None
        if operation is self.leaves_after:
            self.away_for.add(operation)
        return Result(UP_TO_DATE)

    def write(self, status: str) -> None:
        self.write_raw(json.dumps({"status": status, "summary": {"total": 0}, "results": []}))

    def write_raw(self, text: str) -> None:
        path = self.project / "Temp" / "pipeline_test_status.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    async def start(self, tool: str, **params: Any) -> str:
        accepted = await self.jobs.submit(tool, params, 20_000)
        assert isinstance(accepted, Completed)
        job_id: str = accepted.body["job_id"]
        return job_id


@pytest.fixture
async def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path)


async def test_what_was_not_begun_says_so(editor: Editor) -> None:
    editor.away_for.add(Operation.RECOMPILE)
    await editor.start("compile")
    status = await asyncio.wait_for(editor.ended, 20)
    assert status["state"] == "failed"
    assert status["result"]["code"] == "ERR_UNITY_DISCONNECTED"
    assert status["result"]["execution_guarantee"] == "not_executed"


async def test_a_compile_that_was_made_is_not_denied(editor: Editor) -> None:
    """The tests are refused after it: what was executed is told."""
    editor.away_for.add(Operation.RUN_TESTS)
    await editor.start("run_tests", compile_first=True)
    status = await asyncio.wait_for(editor.ended, 20)
    assert Operation.RECOMPILE in editor.asked
    assert Operation.RUN_TESTS not in editor.asked
    assert status["state"] == "failed"
    assert status["result"]["code"] == "ERR_UNITY_DISCONNECTED"
    assert "execution_guarantee" not in status["result"]
    said = "The scripts are compiled, but no test was run: It has gone."
    assert status["result"]["message"] == said


async def test_the_run_is_the_process_s_that_started_it(editor: Editor) -> None:
    """The Editor that compiled for it was another one."""
    editor.restarts_after = Operation.RECOMPILE_STATUS
    job_id = await editor.start("run_tests", compile_first=True)
    async with asyncio.timeout(20):
        while Operation.RUN_TESTS not in editor.asked:
            await asyncio.sleep(0)
        looks = editor.looks
        while editor.looks < looks + 3:  # it is followed, or was given up
            await asyncio.sleep(0)
            assert isinstance(editor.jobs.status(job_id), Completed)
    assert isinstance(editor.jobs.status(job_id), Completed)
    editor.write("completed")
    assert (await asyncio.wait_for(editor.ended, 20))["state"] == "succeeded"


async def test_no_compile_goes_on_for_ever_for_who_joins(editor: Editor) -> None:
    editor.is_popular = True
    job_id = await editor.start("compile")
    assert (await asyncio.wait_for(editor.ended, 20))["state"] == "succeeded"
    assert editor.asked.count(Operation.RECOMPILE) == len(editor.joiners) == MAX_REFRESHES
    *joined, refused = editor.joiners
    assert joined == [Completed({"job_id": job_id})] * (MAX_REFRESHES - 1)
    assert isinstance(refused, NotSent)


async def test_of_two_compiles_of_which_one_was_made_none_says_that_nothing_was(
    editor: Editor,
) -> None:
    editor.is_popular = True
    editor.leaves_after = Operation.RECOMPILE
    await editor.start("compile")
    status = await asyncio.wait_for(editor.ended, 20)
    assert editor.asked.count(Operation.RECOMPILE) == 1
    assert status["state"] == "failed"
    assert "execution_guarantee" not in status["result"]
    assert "need another compile: it has gone" in status["result"]["message"]


async def test_a_run_without_an_end_doesn_t_keep_others_out(tmp_path: Path) -> None:
    """Its status file says "running" for ever."""
    editor = Editor(tmp_path, Pace(status_file_ms=1, test_start_ms=50))
    accepted = await editor.jobs.submit("run_tests", {}, 50)
    assert isinstance(accepted, Completed)
    status = await asyncio.wait_for(editor.ended, 20)
    assert status["state"] == "failed"
    assert "did not end within" in status["result"]["message"]
    assert Operation.CANCEL_TESTS in editor.asked
    await editor.start("run_tests")  # the next one can begin


@pytest.mark.parametrize(
    ("results", "actual"),
    [
        ("[" * 5_000 + "]" * 5_000, "nesting of more than 64 levels"),
        ("1" * 100_000, "a number with too many digits"),
    ],
)
async def test_a_status_that_nobody_can_read_is_not_waited_out(
    editor: Editor, results: str, actual: str
) -> None:
    """Half a file is read again; one that would be the same again is the end."""
    await editor.start("run_tests")
    editor.write_raw('{"status": "comple')
    await asyncio.sleep(0.02)
    assert not editor.ended.done()
    editor.write_raw(f'{{"status": "completed", "results": {results}}}')
    status = await asyncio.wait_for(editor.ended, 20)
    assert status["state"] == "failed"
    assert status["result"]["code"] == "ERR_INVALID_RESPONSE"
    assert status["result"]["actual"] == actual
