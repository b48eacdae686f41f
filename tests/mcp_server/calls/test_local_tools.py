"""Script tools in process: results, refusals, bugs, and calls that take too long."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from running_server import SCRIPT, SOURCE, edit

from mcp_server.calls import local_tools, project_check
from mcp_server.calls.language_server import START_S
from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import Guarantee, ToolError, ToolErrorCode
from mcp_server.contract.outcome import ToolResult
from mcp_server.contract.script_tools import check_arguments
from mcp_server.contract.tool_spec import Executor
from snippet_engine import budget
from snippet_engine.answer.text_form import text_form
from snippet_engine.budget import Stop
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import CheckedParams, checked
from snippet_engine.storage.stores.script_store import ScriptStore

EDIT, UNDO = CATALOG["edit_snippet"], CATALOG["undo_snippet"]


def succeeded(outcome: object) -> dict[str, Any]:
    assert isinstance(outcome, ToolResult), outcome
    return outcome.to_json()


def failed(outcome: object) -> ToolError:
    assert isinstance(outcome, ToolError), outcome
    return outcome


def test_every_tool_answers_what_its_schema_says(project: Path) -> None:
    tools = LocalTools(project)
    applied = succeeded(tools.call(EDIT, edit("apply")))
    calls = {
        "edit_snippet": edit("preview", include=["workspaceEdit"]) | {"instructions": [_insert()]},
        "edit_scripts": {
            "mode": "apply",
            "changes": [{"path": "Assets/New/Made.cs", "create": "class Made { }\n"}],
        },
        "get_history": {"path": SCRIPT},
        "undo_snippet": {"path": SCRIPT, "hashAfter": applied["hashAfter"]},
        "get_symbols": {"path": SCRIPT},
        "validate_script": {"path": SCRIPT},
        "check_project": {},
    }
    jsonschema.validate(applied, dict(EDIT.output_schema))
    local = {name for name, tool in CATALOG.items() if tool.executor is Executor.LOCAL}
    need_compiler = {"find_references", "rename_symbol"}
    assert {*calls} == local - need_compiler, "add a call of the new tool to calls"
    for name, arguments in calls.items():
        outcome = tools.call(CATALOG[name], arguments)
        result = succeeded(outcome)
        jsonschema.validate(result, dict(CATALOG[name].output_schema))
        in_words = project_check.text if name == "check_project" else partial(text_form, name)
        assert outcome.text == in_words(result)
    assert (project / SCRIPT).read_bytes() == SOURCE


def _insert() -> dict[str, Any]:
    anchor = {"type": "text", "target": "speed = 0;", "position": "line_after"}
    return {"operation": "insert", "anchor": anchor, "newText": "speed = 1;"}


def test_refusals_of_the_engine(project: Path) -> None:
    tools = LocalTools(project)
    assert succeeded(tools.call_in_time(EDIT, edit("preview")))["status"] == "previewed"
    missing = failed(tools.call(CATALOG["get_symbols"], {"path": "Assets/None.cs"}))
    assert missing.code is ToolErrorCode.SNIPPET
    assert missing.details["code"] == "file_not_found"
    assert missing.details["execution_guarantee"] == "not_executed"
    stale = edit("apply", expectedHash="sha256:" + "0" * 64)
    assert failed(tools.call(EDIT, stale)).retryable
    assert failed(tools.call(EDIT, {"mode": "apply"})).code is ToolErrorCode.INVALID_PARAMS


def test_no_project() -> None:
    error = failed(LocalTools(None).call(EDIT, edit()))
    assert error.code is ToolErrorCode.CONFIG_VALIDATION
    assert "--project" in error.message
    assert error.details["execution_guarantee"] == "not_executed"


@pytest.mark.parametrize("kind", ["missing", "file", "no Assets"])
def test_a_project_that_is_none(tmp_path: Path, kind: str) -> None:
    root = tmp_path / ("f" * 100) / "x"  # longer than what is told of it
    root.parent.mkdir()
    if kind == "file":
        root.write_text("")
    elif kind == "no Assets":
        root.mkdir()
    error = failed(LocalTools(root).call(EDIT, edit()))
    assert error.code is ToolErrorCode.CONFIG_VALIDATION
    assert str(tmp_path) not in error.message


def test_preparing_removes_nothing_from_a_clean_project(project: Path) -> None:
    assert LocalTools(project).prepare() == []
    assert LocalTools(None).prepare() == []


def test_a_bug_is_logged_and_answered(
    project: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_self: SnippetEngine, _params: Mapping[str, Any]) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr(SnippetEngine, "get_symbols", broken)
    error = failed(LocalTools(project).call(CATALOG["get_symbols"], {"path": SCRIPT}))
    assert error.code is ToolErrorCode.UNITY_EXECUTION
    assert error.retryable
    assert error.details["execution_guarantee"] == "completed_error"
    assert "RuntimeError: a bug" in caplog.text


def test_a_call_that_takes_too_long_is_stopped(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it writes, for it is sure then that it won't."""
    release, ended = threading.Event(), threading.Event()
    whole = SnippetEngine.edit_snippet

    def slow(self: SnippetEngine, params: Mapping[str, Any]) -> Any:
        release.wait(60)
        result = whole(self, params)
        ended.set()
        return result

    monkeypatch.setattr(SnippetEngine, "edit_snippet", slow)
    error = failed(LocalTools(project).call_in_time(EDIT, edit("apply", timeout_ms=1)))
    assert error.code is ToolErrorCode.REQUEST_TIMEOUT
    assert error.retryable
    assert error.details == {"execution_guarantee": "not_executed"}
    assert "changed nothing. Send it again, with a larger timeout_ms" in error.message
    release.set()
    assert ended.wait(60)
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_a_call_whose_time_is_over_while_it_writes(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, ended = threading.Event(), threading.Event()
    whole = ScriptStore._write

    def slow(self: ScriptStore, *args: Any, **kwargs: Any) -> Any:
        release.wait(60)
        result = whole(self, *args, **kwargs)
        ended.set()
        return result

    monkeypatch.setattr(ScriptStore, "_write", slow)
    tools = LocalTools(project)
    succeeded(tools.call(EDIT, edit("preview")))
    writing = threading.Event()
    begin = Stop.begin_writing

    def noted(self: Stop) -> None:
        begin(self)
        writing.set()

    monkeypatch.setattr(Stop, "begin_writing", noted)
    # It is the clock that ends the call, so the clock has to wait for the write to begin.
    monkeypatch.setattr(local_tools, "Event", lambda: _WaitedFor(writing))
    error = failed(tools.call_in_time(EDIT, edit("apply", timeout_ms=1)))
    assert error.code is ToolErrorCode.REQUEST_TIMEOUT
    assert not error.retryable
    assert error.details == {
        "recovery_action": "inspect_state_then_retry",
        "execution_guarantee": "unknown",
    }
    assert "It may have taken effect: check get_history before you repeat it." in error.text
    release.set()
    assert ended.wait(60)
    assert b"speed > 20" in (project / SCRIPT).read_bytes()


class _WaitedFor(threading.Event):
    """An event for which nobody begins to wait before something has happened."""

    def __init__(self, happened: threading.Event) -> None:
        super().__init__()
        self._happened = happened

    def wait(self, timeout: float | None = None) -> bool:
        assert self._happened.wait(60)
        return super().wait(timeout)


@pytest.mark.parametrize("tool", ["get_symbols", "validate_script", "edit_snippet"])
def test_a_reading_call_out_of_time_changed_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    release, stopped = threading.Event(), threading.Event()

    def slow(_self: SnippetEngine, _params: Mapping[str, Any]) -> Any:
        release.wait(60)
        try:
            budget.check()
        except budget.StoppedError:
            stopped.set()
            raise

    monkeypatch.setattr(SnippetEngine, tool, slow)
    spec = CATALOG[tool]
    arguments = edit("preview") if tool == "edit_snippet" else {"path": SCRIPT}
    error = failed(LocalTools(project).call_in_time(spec, arguments | {"timeout_ms": 1}))
    assert error.retryable
    assert error.details == {"execution_guarantee": "not_executed"}
    release.set()
    assert stopped.wait(60)


def test_a_timed_call_is_checked_first(project: Path) -> None:
    error = failed(LocalTools(project).call_in_time(EDIT, edit(timeout_ms=30_001)))
    assert error.code is ToolErrorCode.INVALID_PARAMS
    assert "$.timeout_ms must be at most 30000 (got 30001)" in error.text


class StartingServer:
    """A language server that is never ready in time; notes what is asked of it."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.waits_s: list[float] = []

    def start(self) -> None:
        self.heard.append("start")

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        self.heard.append(f"warm up {path}")
        self.waits_s.append(within_s)

    def wait_until_ready(self, within_s: float) -> None:
        self.waits_s.append(within_s)

    def diagnose(self, *_: object, within_s: float, patient: bool) -> SnippetError:
        self.heard.append("asked")
        self.waits_s.append(within_s)
        return SnippetError(
            ErrorCode.VALIDATOR_UNAVAILABLE,
            "No verdict: it is still starting.",
            details={"reason": "it is still starting", "found": True},
        )

    def close(self) -> None:
        pass


@pytest.fixture
def starting(monkeypatch: pytest.MonkeyPatch) -> StartingServer:
    """What ``--lsp auto`` finds; it hears, too, when a script is read without it."""
    server = StartingServer()
    monkeypatch.setattr(local_tools, "server_validator", lambda *_, **_options: server)
    read_ahead = SnippetEngine.read_ahead

    def noted(engine: SnippetEngine, path: str) -> None:
        read_ahead(engine, path)
        server.heard.append(f"read {path}")

    monkeypatch.setattr(SnippetEngine, "read_ahead", noted)
    return server


@pytest.mark.parametrize("given_ms", [None, 5_000])
def test_a_command_waits_for_a_start_with_its_own_verdict_at_hand(
    project: Path, starting: StartingServer, given_ms: int | None
) -> None:
    arguments = {"path": SCRIPT} | ({} if given_ms is None else {"timeout_ms": given_ms})
    tools = LocalTools(project, "auto")
    result = succeeded(tools.call_in_time(CATALOG["validate_script"], arguments))
    assert starting.heard == ["start", f"read {SCRIPT}", f"warm up {SCRIPT}", "asked"]
    assert result["validation"]["validator"] == "embedded"
    assert any("still starting" in each for each in result["validation"]["notChecked"])
    start_s, verdict_s = starting.waits_s
    if given_ms is None:
        # No time of its kind is so long that a server starts in it: the start has its own.
        assert start_s == START_S
        assert 1 < verdict_s <= 4
    else:
        # What is left for the verdict is more than the thread that is asked may be late.
        assert start_s <= given_ms / 1000 * 0.7
        assert verdict_s <= given_ms / 1000 * 0.8


def test_a_thread_that_cant_be_started_is_no_timeout(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    tools = LocalTools(project)
    assert tools.open() is None
    monkeypatch.setattr(threading.Thread, "start", refuse)
    error = failed(tools.call_in_time(EDIT, checked_edit("apply")))
    assert error.code is ToolErrorCode.UNITY_EXECUTION
    assert "can't start new thread" in error.message
    assert "changed nothing" in error.message
    assert "timeout_ms" not in error.message
    assert error.details["execution_guarantee"] == Guarantee.NOT_EXECUTED


@pytest.mark.parametrize("is_writing", [False, True])
def test_a_thread_that_dies_is_no_timeout(
    project: Path, monkeypatch: pytest.MonkeyPatch, *, is_writing: bool
) -> None:
    def out_of_memory(*_: object) -> None:
        if is_writing:
            budget.begin_writing()
        raise Dead

    class Dead(BaseException):
        """What no tool catches, as where there is no memory for it."""

    tools = LocalTools(project)
    monkeypatch.setattr(tools, "call", out_of_memory)
    error = failed(tools.call_in_time(EDIT, checked_edit("apply")))
    assert error.code is ToolErrorCode.UNITY_EXECUTION
    assert "Dead" in error.message
    assert "timeout_ms" not in error.message
    expected = Guarantee.UNKNOWN if is_writing else Guarantee.NOT_EXECUTED
    assert error.details["execution_guarantee"] == expected


def test_a_thread_that_ends_without_a_word_is_no_timeout(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where its very first step has no memory."""
    monkeypatch.setattr(threading.Thread, "run", lambda _: None)
    error = failed(LocalTools(project).call_in_time(EDIT, checked_edit("apply")))
    assert error.code is ToolErrorCode.UNITY_EXECUTION
    assert "no reason is known" in error.message


def checked_edit(mode: str) -> CheckedParams:
    params = checked(EDIT.name, EDIT.input_schema, edit(mode))
    assert isinstance(params, CheckedParams)
    return params


CHANGE = {
    "operation": "replace",
    "anchor": {"type": "text", "target": "speed = 10"},
    "newText": "speed = 11",
}


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("get_symbols", {"path": SCRIPT}),
        ("validate_script", {"path": SCRIPT}),
        ("check_project", {}),
        ("get_history", {}),
        ("edit_snippet", {"path": SCRIPT, "mode": "preview", "instructions": [CHANGE]}),
        ("edit_snippet", {"path": SCRIPT, "mode": "apply", "instructions": [CHANGE]}),
        ("undo_snippet", {"path": SCRIPT, "hashAfter": f"sha256:{'0' * 64}"}),
    ],
)
def test_every_tool_says_that_the_folder_is_gone(
    project: Path, tool: str, params: dict[str, Any]
) -> None:
    tools, spec = LocalTools(project), CATALOG[tool]
    assert tools.open() is None
    moved = project.rename(project.with_name("renamed"))
    checked = check_arguments(spec, params)
    assert not isinstance(checked, ToolError)
    for call in (tools.call_in_time, tools.call):
        told = call(spec, checked)
        assert isinstance(told, ToolError)
        assert "The project's folder isn't there any more" in told.message
        assert "--project" in told.message
    assert moved.is_dir()
    assert not project.exists()
