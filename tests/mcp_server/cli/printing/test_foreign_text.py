"""Text that others wrote commands no terminal, wherever it comes from."""

from __future__ import annotations

import ast
import asyncio
import json
import shutil
from pathlib import Path

import pytest
from fake_editor import FakeEditor, PluginError
from rich.progress import Progress
from running_server import SCRIPT, RunningServer, run_cli
from this_system import needs_posix

import mcp_server.cli
from mcp_server.cli.progress import Bar
from mcp_server.terminal_text import safe_json, safe_text

pytestmark = pytest.mark.anyio

CLIPBOARD = "\x1b]52;c;aGk=\x07"
HOSTILE = f"{CLIPBOARD}\x1b[2J\r\x08\x9b2J\u202eevil\u2066\x7f"
SHOWN = r"\x1b]52;c;aGk=\x07\x1b[2J\x0d\x08\x9b2J\u202eevil\u2066\x7f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HOSTILE, SHOWN),
        ("plain\n\ttext, äöü 文 👩‍💻 \\x1b", "plain\n\ttext, äöü 文 👩‍💻 \\x1b"),
        ("one\r\ntwo\rthree", "one\ntwo\\x0dthree"),
        ("a\u2028b\u200ec\u061cd", r"a\u2028b\u200ec\u061cd"),
    ],
)
def test_what_a_terminal_sees(text: str, shown: str) -> None:
    assert safe_text(text) == shown
    assert json.loads(safe_json(json.dumps(text, ensure_ascii=False))) == text


async def test_entries_of_the_console_on_both_streams(
    served: RunningServer, editor: FakeEditor, no_project: Path
) -> None:
    entry = {"type": "log", "message": HOSTILE, "stack_trace": "", "timestamp": "2026-01-01"}
    editor.console = [entry]
    call = ("--url", served.url, "tool", "call", "read_console")
    text = await asyncio.to_thread(run_cli, *call, cwd=no_project)
    document = await asyncio.to_thread(run_cli, *call, "--output", "json", cwd=no_project)
    assert SHOWN in text.stdout
    assert json.loads(document.stdout)["entries"][0]["message"] == HOSTILE
    assert "\x1b" not in text.stdout + text.stderr + document.stdout


async def test_an_error_of_the_editors_package(
    served: RunningServer, editor: FakeEditor, no_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(tool: str, params: object) -> dict[str, object]:
        raise PluginError("ERR_INVALID_STATE", HOSTILE)

    monkeypatch.setattr(editor, "run", fails)
    call = ("--url", served.url, "tool", "call", "get_play_mode_state")
    done = await asyncio.to_thread(run_cli, *call, cwd=no_project)
    assert done.returncode == 1
    assert r"\x1b]52;c;aGk=\x07" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_what_a_job_says_that_it_is_at() -> None:
    progress = Progress()
    task = progress.add_task("tests")
    Bar(progress, task).move(description=HOSTILE)
    assert progress.tasks[0].description == SHOWN


@needs_posix
def test_a_folder_whose_name_fills_the_clipboard(project: Path, tmp_path: Path) -> None:
    hostile = tmp_path / f"Tower{CLIPBOARD}"
    shutil.copytree(project, hostile)
    for call in (["doctor", "--lsp", "off"], ["lint", "."], ["plugin", "status"]):
        done = run_cli(*call, "--project", str(hostile), cwd=hostile)
        assert "\x1b" not in done.stdout + done.stderr, call
    assert r"\x1b]52;" in run_cli("doctor", cwd=hostile).stdout


@needs_posix
def test_a_script_with_such_text_in_a_diff(project: Path) -> None:
    script = project / SCRIPT
    script.write_text(f"class A\n{{\n    // {HOSTILE}\n    int b;\n}}\n", encoding="utf-8")
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": "int b;"},
        "newText": "int c;",
    }
    request = {"path": SCRIPT, "mode": "preview", "instructions": [instruction]}
    done = run_cli("tool", "call", "edit_snippet", "--json", json.dumps(request), cwd=project)
    assert r" // \x1b]52;" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_all_text_of_the_command_line_is_printed_in_one_place() -> None:
    root = Path(mcp_server.cli.__file__).parent
    modules = [each for each in root.rglob("*.py") if each.stem not in ("printing", "progress")]
    assert len(modules) > 20
    printing = {"click.echo", "click.secho", "print", "sys.stdout.write", "sys.stderr.write"}
    for module in modules:
        calls = ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        found = {ast.unparse(each.func) for each in calls if isinstance(each, ast.Call)}
        assert not found & printing, module
