"""``--lsp`` on the command line: what it takes, what it comes to, and real processes with it."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import anyio
import hostile_server
import pytest
from bundle_files import write_bundle
from mcp import Client
from running_server import SCRIPT, SOURCE, RunningServer, edit, environment, run_cli
from this_system import KILL, command_line
from witness import Witness

from mcp_server.calls.language_server import (
    ENVIRONMENT_VARIABLE,
    explain,
    lsp_of_calls,
    lsp_of_server,
    server_validator,
)
from mcp_server.contract.errors import ToolError
from mcp_server.this_installation import lacks_pythonnet
from roslyn_server.toolchains import pythonnet_cache
from snippet_engine.validation.judge import VERDICT_S

LONGEST_MS = 30_000
"""The most that a call may take; what needs less is told by what it says."""

HOSTILE = command_line([sys.executable, "-S", str(hostile_server.__file__)])


@pytest.mark.parametrize(
    ("option", "environment", "of_server", "of_calls", "of_insisting_calls"),
    [
        (None, None, "auto", "off", "auto"),
        ("off", None, "off", "off", "off"),
        ("auto", None, "auto", "auto", "auto"),
        (None, "off", "off", "off", "off"),
        (None, "auto", "auto", "auto", "auto"),
        (None, "", "auto", "off", "auto"),
        ("off", "auto", "off", "off", "off"),
    ],
)
def test_what_the_option_comes_to(
    monkeypatch: pytest.MonkeyPatch,
    option: str | None,
    environment: str | None,
    of_server: str,
    of_calls: str,
    of_insisting_calls: str,
) -> None:
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    if environment is not None:
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, environment)
    assert lsp_of_server(option) == of_server
    assert lsp_of_calls(option, [{}, {"validation": "auto"}, 5]) == of_calls
    assert lsp_of_calls(option, [{}, {"validation": "lsp"}]) == of_insisting_calls
    assert lsp_of_calls(option, [{}], {"edit_snippet"}) == of_calls


def test_calls_that_ask_no_compiler_do_not_look_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "nope")
    assert lsp_of_calls(None, [{}], {"get_history", "undo_snippet"}) == "off"
    assert isinstance(lsp_of_calls(None, [{}], {"get_history", "check_project"}), ToolError)
    assert isinstance(lsp_of_calls("nope", [{}], {"get_history"}), ToolError)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (" ", "is empty"),
        ("csharp-ls 'unclosed", "can't be read"),
        ("no-such-program --stdio", "there is no program 'no-such-program'"),
    ],
)
@pytest.mark.parametrize("command", [["tool", "call", "edit_snippet"], ["serve"]])
def test_a_wrong_option_is_told_at_once(
    project: Path, option: str, says: str, command: list[str]
) -> None:
    arguments = ["--json", json.dumps(edit())] if command[0] == "tool" else []
    done = run_cli(*command, *arguments, "--lsp", option, cwd=project)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr) < 250


def test_off_needs_no_server_and_auto_names_every_candidate(project: Path) -> None:
    assert server_validator("off", project) is None
    assert server_validator("auto", None) is None
    told = explain("auto", project)
    names = [each["name"] for each in told["candidates"]]
    assert names[:2] == ["roslyn_server", "roslyn-language-server"]
    assert all(each["reason"] for each in told["candidates"])


def call(project: Path, lsp: str | None, **request: Any) -> dict[str, Any]:
    options = [] if lsp is None else ["--lsp", lsp]
    request = edit(**request)
    done = run_cli(
        *("tool", "call", "edit_snippet", "--output", "json", *options),
        *("--json", json.dumps(request)),
        cwd=project,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_command_is_asked_for_its_verdict(project: Path) -> None:
    answer = call(project, f"{HOSTILE} none", validation="lsp")
    assert answer["validation"]["validator"] == "python"
    assert call(project, None)["validation"]["validator"] == "embedded"


@pytest.mark.parametrize("what", ["starts_in_s", "first_takes_s"])
def test_a_command_waits_longer_for_a_start_and_a_first_verdict(project: Path, what: str) -> None:
    slow = f"{HOSTILE} {what}:{VERDICT_S + 0.5}"
    answer = call(project, slow, validation="lsp", timeout_ms=LONGEST_MS)
    assert answer["validation"]["validator"] == "python"


@pytest.mark.parametrize("what", ["starts_in_s", "first_takes_s"])
def test_a_call_ends_in_its_time_whatever_its_server_still_does(project: Path, what: str) -> None:
    # Whoever waited for these would have their verdict.
    slow = f"{HOSTILE} {what}:25"
    refused = call(project, slow, validation="lsp", timeout_ms=5000)
    assert refused["error"]["details"]["code"] == "validator_unavailable"
    assert call(project, slow, timeout_ms=5000)["validation"]["validator"] == "embedded"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("never_initializes", "has sent nothing since it started"),
        ("never_answers", "answered nothing for"),
    ],
)
def test_a_server_without_a_sign_of_life_is_given_up_before_the_calls_time_is_over(
    project: Path, fault: str, told: str
) -> None:
    silent = f"{HOSTILE} {fault}"
    refused = call(project, silent, validation="lsp", timeout_ms=LONGEST_MS)
    assert refused["error"]["details"]["code"] == "validator_unavailable"
    assert told in refused["error"]["message"]
    taken = call(project, silent, mode="apply", timeout_ms=LONGEST_MS)
    assert taken["applied"] is True
    assert told in taken["validation"]["notChecked"][-1]


@pytest.mark.parametrize("path", ["Assets/None.cs", "../outside.cs", "Assets", "Assets/none.txt"])
def test_what_cant_be_read_is_told_by_the_call(project: Path, path: str) -> None:
    refused = call(project, f"{HOSTILE} none", validation="lsp", path=path)
    assert refused["error"]["details"]["code"] in (
        "file_not_found",
        "invalid_path",
        "path_not_allowed",
    )


def test_a_call_that_needs_no_verdict_waits_for_no_server(project: Path) -> None:
    answer = call(project, f"{HOSTILE} never_initializes", validation="embedded")
    assert answer["validation"]["validator"] == "embedded"


def test_a_command_that_fails_is_told(project: Path) -> None:
    refused = call(project, f"{HOSTILE} dies_on_start", validation="lsp", mode="apply")
    assert refused["error"]["details"]["code"] == "validator_unavailable"
    assert "no, not today" in refused["error"]["message"]
    taken = call(project, f"{HOSTILE} dies_on_start", mode="apply")
    assert taken["applied"] is True
    assert "no, not today" in taken["validation"]["notChecked"][-1]


def test_lsp_without_a_server_is_refused(project: Path) -> None:
    refused = call(project, "off", validation="lsp", mode="apply")
    assert refused["error"]["details"]["code"] == "validator_unavailable"
    assert (project / SCRIPT).read_bytes() == SOURCE


@pytest.mark.parametrize("number", [signal.SIGTERM, KILL], ids=["terminate", "kill"])
def test_a_server_that_ends_takes_its_language_server_along(
    project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    witness = Witness(tmp_path)

    async def edits(url: str) -> None:
        async with Client(url) as client:
            # The first verdict has a bound, which a slow start of the language server may miss.
            with anyio.fail_after(120):
                while True:
                    result = await client.call_tool("edit_snippet", edit(include=["full"]))
                    if result.structured_content["validation"]["validator"] == "python":
                        return

    with RunningServer(
        "--lsp", f"{HOSTILE} forks_children", cwd=project, **witness.environment
    ) as server:
        anyio.run(edits, server.url)
        code = server.stop(number)
    if os.name == "posix":  # Windows ends a process at once, by whatever number
        assert code == (0 if number == signal.SIGTERM else -KILL)
    witness.wait_until_none_is_left()
    witness.close()


@pytest.fixture
def bare(project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a machine that has no compiler, in whose project there is a bundle."""
    monkeypatch.setattr(pythonnet_cache, "find_spec", lambda _name: None)
    monkeypatch.setattr(pythonnet_cache, "toolchain_cache", lambda: project / "no cache")
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))  # noqa: PTH120
    write_bundle(project / "edits", "one", [edit()])
    (project / "calls.json").write_text(
        json.dumps([{"tool": "edit_snippet", "params": edit()}] * 2), encoding="utf-8"
    )
    home = str(project / "home")
    return environment(PATH=os.path.dirname(sys.executable), HOME=home, USERPROFILE=home)  # noqa: PTH120


CALLS = {
    "tool call": ("tool", "call", "edit_snippet", "--json", json.dumps(edit())),
    "validate": ("tool", "call", "validate_script", "--json", json.dumps({"path": SCRIPT})),
    "batch": ("batch", "calls.json"),
    "lint": ("lint", "edits", "--jobs", "1"),
    "apply": ("apply", "edits", "--dry-run"),
}


@pytest.mark.parametrize("command", CALLS.values(), ids=CALLS)
def test_that_auto_found_no_compiler_is_said_once_with_what_to_type(
    project: Path,
    bare: dict[str, str],
    command: tuple[str, ...],
    caplog: pytest.LogCaptureFixture,
) -> None:
    done = run_cli(*command, "--lsp", "auto", cwd=project, env=bare)
    assert done.returncode == 0, done.stderr
    said = f"judged without a language server: {lacks_pythonnet()}"
    assert [*done.stderr.splitlines(), *caplog.messages].count(said) == 1
    assert run_cli(*command, cwd=project, env=bare).stderr == ""


def test_what_a_running_server_judged_without_a_compiler_is_said_as_well(
    project: Path, bare: dict[str, str]
) -> None:
    (project / "Library").mkdir(exist_ok=True)
    steered = {name: bare[name] for name in ("PATH", "HOME", "USERPROFILE")}
    steered["UNITY_SNIPPET_ROSLYN_DIR"] = str(project)  # no other is looked for
    with RunningServer("--lsp", "auto", cwd=project, **steered) as server:
        done = run_cli(*CALLS["validate"], "--lsp", "auto", cwd=project, env=bare)
        server.wait_for_log("tool=validate_script")
    assert "judged without a language server" in done.stderr


def test_who_wants_the_embedded_verdict_is_told_of_no_other(
    project: Path, bare: dict[str, str]
) -> None:
    wanted = json.dumps(edit(validation="embedded"))
    done = run_cli(
        "tool", "call", "edit_snippet", "--json", wanted, "--lsp", "auto", cwd=project, env=bare
    )
    assert (done.returncode, done.stderr) == (0, "")
