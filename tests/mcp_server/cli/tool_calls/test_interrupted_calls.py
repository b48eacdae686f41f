"""A call that is interrupted says what it has done: Ctrl-C, a cancelled job, a closed terminal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bundle_files import request, with_target
from interrupting import INTERRUPTING
from running_server import SCRIPT, SOURCE, run_cli, run_python
from running_server import tool_call as call

if sys.platform == "win32":
    pytest.skip("signals of POSIX", allow_module_level=True)

# The signal comes at one moment of a call, and the call waits until it has been heard.
INTERRUPTED = (
    INTERRUPTING
    + """
from mcp_server import interrupt_signals
from mcp_server.cli import main
from mcp_server.cli import printing
from mcp_server.cli import calling
from snippet_engine.storage.stores import script_store
from snippet_engine.storage.change_sets.open_change import OpenChange

if moment == "before":
    budget.begin_writing = interrupting(budget.begin_writing)
elif moment == "writing":
    OpenChange.sync = interrupting(OpenChange.sync)
    script_store.put_in_place = interrupting(script_store.put_in_place)
elif moment == "second":
    script_store.put_in_place = interrupting(script_store.put_in_place, at=2)
elif moment == "told":
    for name in ("history_commands", "tool_commands"):
        module = __import__(f"mcp_server.cli.commands.{name}", fromlist=["x"])
        module.print_result = interrupting(module.print_result)
elif moment == "printed":
    printing.LastingOutput.write = interrupting(printing.LastingOutput.write)
main(rest)
"""
)

SET = {
    "mode": "apply",
    "changes": [
        {"path": SCRIPT, "instructions": request()["instructions"]},
        {"path": "Assets/New.cs", "create": "class New { }\n"},
    ],
}
EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")


def interrupted(
    project: Path,
    moment: str,
    *command: str,
    by: signal.Signals = signal.SIGINT,
    in_background: bool = False,
) -> subprocess.CompletedProcess[str]:
    """What became of ``command``; a shell has what runs in the background ignore Ctrl-C."""

    def begin() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN if in_background else signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup it is ignored

    return run_python(INTERRUPTED, moment, str(int(by)), *command, cwd=project, preexec_fn=begin)


def made(project: Path) -> str:
    """A change set that was applied: its id."""
    done = run_cli(*call("edit_scripts", SET), "--output", "json", cwd=project)
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["changeId"])


def listed(project: Path) -> list[dict[str, Any]]:
    done = run_cli("history", "--output", "json", cwd=project)
    return list(json.loads(done.stdout)["changes"])


BY = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


@pytest.mark.parametrize(
    ("moment", "by", "code"),
    [("writing", *BY[0]), ("told", *BY[0]), ("writing", *BY[1]), ("told", *BY[2])],
)
def test_an_undo_says_what_it_has_undone(
    project: Path, moment: str, by: signal.Signals, code: int
) -> None:
    change = made(project)
    done = interrupted(project, moment, "undo", by=by)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"Interrupted. Change {change} was already undone.\n"
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert not (project / "Assets/New.cs").exists()
    assert listed(project) == []


def test_an_undo_of_one_edit(project: Path) -> None:
    run_cli(*call("edit_snippet", request()), cwd=project)
    done = interrupted(project, "writing", "undo", "--output", "json")
    error = json.loads(done.stdout)["error"]
    assert error["message"] == f"Interrupted. The edit of {SCRIPT} was already undone."
    assert error["details"]["execution_guarantee"] == "completed"
    assert (project / SCRIPT).read_bytes() == SOURCE


@pytest.mark.parametrize(
    ("moment", "by", "code"),
    [("writing", *BY[0]), ("told", *BY[0]), ("writing", *BY[1]), ("told", *BY[2])],
)
def test_a_set_says_that_it_was_applied(
    project: Path, moment: str, by: signal.Signals, code: int
) -> None:
    done = interrupted(project, moment, *call("edit_scripts", SET), by=by)
    (entry,) = listed(project)
    change = entry["undo"]["changeId"]
    assert done.returncode == code
    assert done.stderr == (
        f"Interrupted. Change {change} was already applied. To take it back: "
        f"unity-cli undo {change}\n"
    )
    assert (project / SCRIPT).read_bytes() == EDITED


def test_an_edit_says_that_it_was_applied(project: Path) -> None:
    done = interrupted(project, "writing", *call("edit_snippet", request()), "--output", "json")
    assert done.returncode == 130
    error = json.loads(done.stdout)["error"]
    assert error["message"] == (
        f"Interrupted. The edit of {SCRIPT} was already applied. To take it back: "
        f"unity-cli undo {SCRIPT}"
    )
    assert error["details"]["execution_guarantee"] == "completed"
    assert not error["retryable"]
    assert (project / SCRIPT).read_bytes() == EDITED


@pytest.mark.parametrize(("by", "code"), BY[:2])
def test_an_interrupt_before_the_first_byte_leaves_one_document(
    project: Path, by: signal.Signals, code: int
) -> None:
    command = [*call("edit_snippet", request()), "--output", "json"]
    done = interrupted(project, "printed", *command, by=by)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (code, "applied")
    assert done.stderr.startswith(f"Interrupted. The edit of {SCRIPT} was already applied.")


@pytest.mark.parametrize("tool", ["edit_scripts", "edit_snippet"])
def test_what_had_not_begun_to_write_is_stopped(project: Path, tool: str) -> None:
    command = [*call(tool, SET if tool == "edit_scripts" else request())]
    if tool == "edit_snippet":
        done = interrupted(project, "before", *command, "--output", "json")
        error = json.loads(done.stdout)["error"]
        assert error["message"] == "Interrupted. It was stopped, and changed nothing."
        assert error["details"]["execution_guarantee"] == "not_executed"
    else:
        done = interrupted(project, "before", *command)
        told = "Interrupted. It was stopped, and changed nothing.\n"
        assert (done.stdout, done.stderr) == ("", told)
    assert done.returncode == 130
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert listed(project) == []


def test_in_the_background_of_a_shell_a_cancelled_job_is_told_too(project: Path) -> None:
    change = made(project)
    done = interrupted(project, "writing", "undo", by=signal.SIGTERM, in_background=True)
    assert done.returncode == 143
    assert done.stderr == f"Interrupted. Change {change} was already undone.\n"


@pytest.mark.parametrize(("by", "code"), BY)
def test_a_batch_tells_what_it_has_done(project: Path, by: signal.Signals, code: int) -> None:
    edits = [request(), with_target("speed > 20", "speed > 30"), with_target("speed > 30")]
    items = [{"tool": "edit_snippet", "params": each} for each in edits]
    (project / "items.json").write_text(json.dumps(items))
    done = interrupted(project, "second", "batch", "items.json", "--output", "json", by=by)
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    assert (found["interrupted"], found["succeeded"], found["not_run"]) == (True, 2, 1)
    assert [each["result"]["status"] for each in found["results"]] == ["applied", "applied"]
    assert (project / SCRIPT).read_bytes() == SOURCE.replace(b"speed > 10", b"speed > 30")


def test_a_batch_whose_item_had_not_begun_to_write(project: Path) -> None:
    (project / "items.json").write_text(json.dumps([{"tool": "edit_scripts", "params": SET}] * 2))
    done = interrupted(project, "before", "batch", "items.json", "--output", "json")
    (stopped,) = json.loads(done.stdout)["results"]
    assert stopped["error"]["message"] == "Interrupted. It was stopped, and changed nothing."
    assert stopped["error"]["details"]["execution_guarantee"] == "not_executed"
    assert (project / SCRIPT).read_bytes() == SOURCE
