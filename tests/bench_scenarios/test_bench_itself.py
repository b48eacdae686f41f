"""The bench does to scripts what Unity does: else what runs on it would prove nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from this_system import needs_posix

from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation


@pytest.fixture
def editor(probe: Installation, tmp_path: Path) -> BenchEditor:
    return BenchEditor(probe, tmp_path)


def test_a_reload_loses_statics_and_keeps_session_state_and_assets(editor: BenchEditor) -> None:
    with editor:
        assert "probe: starts=1 survived=1 saved=0" in editor.logs
        editor.do("menu Probe/Save")
        editor.tell("reload")
        editor.wait("log", message="probe: starts=1 survived=2 saved=7")
        editor.wait("log", message="probe: after reload")
        assert editor.quit() == 0
        assert "probe: quitting" in editor.logs


def test_a_reload_aborts_threads(editor: BenchEditor) -> None:
    with editor:
        editor.do("menu Probe/Sleep")
        editor.do("menu Probe/Behave")
        editor.tell("reload")
        assert editor.wait("reloaded")["threads_left"] == []


def test_a_reload_that_hangs_is_seen(editor: BenchEditor) -> None:
    with editor:
        editor.do("unload-limit 300")
        editor.do("menu Probe/Hang")
        editor.tell("reload")
        hung = editor.wait("reload_hung")
        assert "probe-hanger" in hung["threads"]
        assert hung["elapsed_ms"] >= 300
        assert editor.wait_for_end() == 3


def test_a_compilation_reloads_unless_it_fails(editor: BenchEditor) -> None:
    with editor:
        editor.tell("compile 1")
        editor.wait("compiled", failed=False)
        editor.wait("reloaded")
        editor.tell("compile-fail Assets/A.cs(3,4): CS1002: ; expected")
        editor.wait("compiled", failed=True)
        editor.tell("play")
        editor.wait("play_mode", playing=False)
        assert sum(event["event"] == "reloaded" for event in editor.events) == 1


@pytest.mark.parametrize("reloads", [True, False])
def test_play_mode_with_and_without_reload(editor: BenchEditor, reloads: bool) -> None:
    with editor:
        editor.do(f"play-reload {'on' if reloads else 'off'}")
        editor.tell("play")
        editor.wait("play_mode", playing=True)
        editor.tell("stop")
        editor.wait("play_mode", playing=False)
        seen = [line.removeprefix("probe: ") for line in editor.logs if "will=" in line]
        assert seen == [
            "ExitingEditMode playing=False will=True",
            "EnteredPlayMode playing=True will=True",
            "ExitingPlayMode playing=True will=False",
            "EnteredEditMode playing=False will=False",
        ]
        assert any(event["event"] == "reloaded" for event in editor.events) is reloads


def test_most_of_the_api_is_refused_on_other_threads(editor: BenchEditor) -> None:
    with editor:
        editor.tell("menu Probe/Other Thread")
        editor.wait("log", contains="refused get_isPlaying can only be called from the main thread")


def test_what_is_no_command_is_told(editor: BenchEditor) -> None:
    with editor:
        assert "no command 'jump'" in editor.ask("jump", "error")["message"]
        assert editor.ask("freeze long", "error")["message"] == "Usage: freeze [MS]"
        assert any("reload the domain" in line for line in editor.ask("help", "help")["commands"])


@needs_posix
@pytest.mark.parametrize("line", ["Compiling the package", "Type a command"])
def test_ctrl_c_leaves_no_traceback(on_mono: Installation, tmp_path: Path, line: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "tests.bench", "--project", tmp_path / "project"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as bench:
        assert bench.stdout is not None
        said = [next(each for each in bench.stdout if each.startswith(line))]
        os.killpg(bench.pid, signal.SIGINT)  # as a terminal does: to the Editor, too
        said += bench.stdout
    assert "Traceback" not in "".join(said)
    assert bench.returncode == 130
