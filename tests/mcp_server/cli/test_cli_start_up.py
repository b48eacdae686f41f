"""What a command loads, and what it needs: it must not wait for the server's libraries."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from running_server import SCRIPT, RunningServer, run_cli, run_python
from this_system import needs_posix

from mcp_server.cli import entry
from mcp_server.cli.command_table import COMMANDS

HEAVY = {"mcp", "starlette", "uvicorn", "pydantic", "asyncio", "rich", "jsonschema", "httpx2"}
ENGINE = {"snippet_engine.engine", "tree_sitter", "jsonschema_rs"}


def loaded_by(*arguments: str, cwd: Path) -> set[str]:
    code = (
        "import sys\n"
        "from mcp_server.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "print('modules', *sys.modules)\n"
    )
    done = run_python(code, *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("arguments", ["--help", "serve --help", "tool list", "client list"])
def test_help_and_lists_load_next_to_nothing(no_project: Path, arguments: str) -> None:
    heavy = HEAVY | ENGINE | {"ssl", "http.client", "email"}
    if arguments == "--help":
        heavy |= {f"mcp_server.cli.commands.{entry.module}" for entry in COMMANDS.values()}
    assert not loaded_by(*arguments.split(), cwd=no_project) & heavy


def test_a_local_call_loads_the_engine_only(project: Path) -> None:
    loaded = loaded_by(
        "tool", "call", "get_symbols", "--json", f'{{"path": "{SCRIPT}"}}', cwd=project
    )
    assert not loaded & HEAVY
    assert not any(name.startswith(("lsp_client", "roslyn_server", "pygls")) for name in loaded)
    assert loaded >= ENGINE


def test_a_preview_loads_nothing_that_only_errors_writes_or_servers_need(project: Path) -> None:
    request = {
        "path": SCRIPT,
        "mode": "preview",
        "instructions": [
            {
                "operation": "insert",
                "anchor": {"type": "text", "target": "using UnityEngine;", "position": "after"},
                "newText": " // all of it",
            }
        ],
    }
    loaded = loaded_by("tool", "call", "edit_snippet", "--json", json.dumps(request), cwd=project)
    needless = (
        "snippet_engine.changes",
        "snippet_engine.fixes.explain.explanation",
        "snippet_engine.fixes.normalise",
        "snippet_engine.fixes.search",
        "snippet_engine.tools.undo_tool",
        "unity_bridge",
    )
    assert not {name for name in loaded if name.startswith(needless)}
    assert not loaded & {
        "difflib",
        "http.client",
        "importlib.resources",
        "lzma",
        "mcp_server.calls.server.server_status",
        "mcp_server.contract.catalog",
        "snippet_engine.csharp.tree.grammar_gaps",
        "snippet_engine.storage.records.change_record",
        "snippet_engine.storage.recovery.unfinished",
        "ssl",
        "tempfile",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_can_be_loaded_and_says_what_it_does(name: str) -> None:
    command = COMMANDS[name].load()
    assert command.name == name
    assert command.help
    assert len(COMMANDS[name].short_help) <= 60


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to interrupt with")
@pytest.mark.parametrize(
    ("while_loading", "form"),
    [
        ("mcp_server.cli.entry", "text"),
        ("mcp_server.cli.entry", "json"),
        ("mcp_server.version", "text"),
    ],
)
def test_an_interrupt_while_it_is_loading_is_no_traceback(
    no_project: Path, while_loading: str, form: str
) -> None:
    code = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {while_loading!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from mcp_server.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    done = run_python(code, "--version", "--output", form, cwd=no_project)
    assert done.returncode == 130, done.stderr
    if form == "json":
        assert (json.loads(done.stdout)["error"]["message"], done.stderr) == ("Interrupted.", "")
    else:
        assert (done.stdout, done.stderr) == ("", "Interrupted.\n")


def test_an_editor_s_tool_is_called_without_the_library_of_mcp(project: Path) -> None:
    code = (
        "import sys; from mcp_server.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print('loaded:', 'mcp' in sys.modules, file=sys.stderr)"
    )
    with RunningServer(cwd=project) as server:
        command = ["tool", "call", "get_editor_state", "--url", server.url]
        done = run_python(code, *command, cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("loaded: False\n")


PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_it_is_the_one_that_an_installation_requires() -> None:
    required = tomllib.loads(PYPROJECT.read_text())["project"]["requires-python"]
    assert required == ">=" + ".".join(map(str, entry._OLDEST_PYTHON))


@pytest.mark.parametrize("output", ["text", "json"])
def test_an_older_one_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    class OldSystem:
        version_info = (3, 11, 4, "final", 0)

        def __getattr__(self, name: str) -> Any:
            return getattr(sys, name)

    monkeypatch.setattr(entry, "sys", OldSystem())
    done = run_cli("--output", output, "tool", "list", cwd=project)
    assert done.returncode == 2
    said = done.stderr if output == "text" else json.loads(done.stdout)["error"]["message"]
    assert "needs Python 3.11.5 or newer: under Python 3.11.4, " in said


IN_A_REMOVED_FOLDER = (
    "import os, sys; os.rmdir(os.getcwd()); "
    "from mcp_server.cli.entry import main; main(sys.argv[1:])"
)


@needs_posix
@pytest.mark.parametrize("command", ["check", "lint x.json", "doctor"])
def test_it_is_named_without_a_traceback(command: str, tmp_path: Path) -> None:
    output = ["--output", "json", *command.split()]
    done = run_python(IN_A_REMOVED_FOLDER, *output, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "working folder was removed" in json.loads(done.stdout)["error"]["message"]
    assert "Traceback" not in done.stderr
