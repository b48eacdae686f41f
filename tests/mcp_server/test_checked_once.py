"""A call is held against its tool's schema once, on whatever road it comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT, edit

from mcp_server.calls.local_tools import LocalTools
from mcp_server.cli import main
from mcp_server.contract.catalog import CATALOG
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.schemas import checked_params

EDIT = CATALOG["edit_snippet"]
ROADS = ("coordinator", "tool call", "tool call --dry-run", "batch", "lint", "engine")


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations of the requests that were held against a schema, in order."""
    judged: list[str] = []
    judge = checked_params.request_problems

    def noted(schema: Any, instance: Any) -> Any:
        if isinstance(instance, dict) and "instructions" in instance:
            judged.append(instance["mode"])
        return judge(schema, instance)

    monkeypatch.setattr(checked_params, "request_problems", noted)
    return judged


@pytest.fixture
def in_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the project is the working folder."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("UNITY_CLI_LSP", "off")
    return project


def travel(road: str, project: Path) -> None:
    """Send one preview or apply on that road, and see that it was answered."""
    request = edit("apply" if "dry" in road else "preview")
    if road == "coordinator":
        outcome = asyncio.run(ExecutionCoordinator(LocalTools(project)).call(EDIT, request))
        assert outcome.to_json()["status"] == "previewed"
        return
    if road == "engine":
        engine = SnippetEngine.open(project)
        assert not isinstance(engine, SnippetError)
        answer = engine.edit_snippet(request)
        assert not isinstance(answer, SnippetError)
        return
    batch, bundle = project / "calls.json", project / "one.snippet.json"
    batch.write_text(json.dumps([{"tool": "edit_snippet", "params": request}]))
    bundle.write_text(json.dumps(request))
    call = ["tool", "call", "edit_snippet", "--json", json.dumps(request)]
    arguments = {
        "tool call": call,
        "tool call --dry-run": ["--dry-run", *call],
        "batch": ["batch", str(batch)],
        "lint": ["lint", "--jobs", "1", str(bundle)],
    }[road]
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0


@pytest.mark.parametrize("road", ROADS)
def test_a_request_is_checked_once(road: str, in_project: Path, judged: list[str]) -> None:
    travel(road, in_project)
    assert len(judged) == 1


def test_what_was_checked_for_another_tool_is_checked_again(judged: list[str]) -> None:
    mistaken = checked_params.CheckedParams("get_symbols", {**edit(), "path": SCRIPT, "mode": "no"})
    assert isinstance(checked_params.checked("edit_snippet", EDIT.input_schema, mistaken), list)


@pytest.mark.parametrize("road", ["coordinator", "tool call"])
def test_a_refusal_has_one_wording(
    road: str, in_project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"path": "Assets/A.cs", "mode": "aply", "extra": 1}
    if road == "coordinator":
        coordinator = ExecutionCoordinator(LocalTools(in_project))
        error = asyncio.run(coordinator.call(EDIT, request)).to_json()["error"]
    else:
        with pytest.raises(SystemExit):
            main(
                ["--output", "json", "tool", "call", "edit_snippet", "--json", json.dumps(request)]
            )
        error = json.loads(capsys.readouterr().out)["error"]
    direct = SnippetEngine.open(in_project)
    assert not isinstance(direct, SnippetError)
    refused = direct.edit_snippet(request)
    assert isinstance(refused, SnippetError)
    assert error["message"] == f"Invalid parameters for tool `edit_snippet`: {refused.message}"
    assert error["details"]["details"]["problems"] == refused.details["problems"]
