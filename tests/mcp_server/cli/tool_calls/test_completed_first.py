"""Who completes a change that a killed process left says so, in every answer; who reads doesn't.

The moments are those of a process that is interrupted; the changes are as a kill leaves them.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bundle_files import request, write_bundle
from interrupting import INTERRUPTING
from running_server import SCRIPT, SOURCE, run_cli, run_python
from running_server import tool_call as call
from torn_sets import NAMES, NEW, OLD, note, raising, texts, torn

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

# The signal comes before the second name that is changed, or before the command's own write, and
# waits there until it has been heard.
INTERRUPTED = (
    INTERRUPTING
    + """
from mcp_server.cli import main
from snippet_engine.storage.change_sets.change_slots import OpenSlot

if moment == "ending":
    OpenSlot.forward = interrupting(OpenSlot.forward, 2)
else:
    budget.begin_writing = interrupting(budget.begin_writing, 1)
main(rest)
"""
)

EDIT = {**request(), "mode": "apply"}
BY = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


def interrupted(
    project: Path, moment: str, *command: str, by: signal.Signals = signal.SIGINT
) -> subprocess.CompletedProcess[str]:
    return run_python(
        INTERRUPTED,
        moment,
        str(int(by)),
        *command,
        cwd=project,
        preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each, _ in BY],
    )


def pending(project: Path) -> list[str]:
    return [each.name for each in (project / "Library/SnippetEngine/pending").iterdir()]


@posix
@pytest.mark.parametrize(
    ("tool", "moment", "by", "code"),
    [
        ("edit_snippet", "ending", *BY[0]),
        ("edit_snippet", "before", *BY[0]),
        *(("edit_scripts", "ending", *each) for each in BY),
        ("edit_scripts", "before", *BY[1]),
    ],
)
def test_an_interrupt_ends_no_recovery_and_tells_it(
    project: Path, tool: str, moment: str, by: signal.Signals, code: int
) -> None:
    change = torn(project)
    command = call(tool, EDIT if tool == "edit_snippet" else raising(2, 3))
    done = interrupted(project, moment, *command, by=by)
    assert (done.returncode, done.stdout) == (code, "")
    told = f"Interrupted. It was stopped before its own change. {note(change)}\n"
    assert done.stderr == told
    assert texts(project) == {NEW}
    assert pending(project) == []
    assert (project / SCRIPT).read_bytes() == SOURCE


@posix
def test_scripts_are_told_that_the_request_itself_was_not_carried_out(project: Path) -> None:
    change = torn(project)
    command = [*call("edit_scripts", raising(2, 3)), "--output", "json"]
    error = json.loads(interrupted(project, "ending", *command).stdout)["error"]
    assert error["message"].endswith(f"It was stopped before its own change. {note(change)}")
    assert error["details"]["execution_guarantee"] == "not_executed"
    assert error["retryable"]


@posix
def test_an_item_of_a_batch(project: Path) -> None:
    change = torn(project)
    items = [{"tool": "edit_scripts", "params": raising(2, 3)}] * 2
    (project / "items.json").write_text(json.dumps(items))
    done = interrupted(project, "ending", "batch", "items.json", "--output", "json")
    (stopped,) = json.loads(done.stdout)["results"]
    assert note(change) in stopped["error"]["message"]
    assert texts(project) == {NEW}


@posix
@pytest.mark.parametrize(
    ("moment", "by", "code"), [("ending", *BY[1]), ("before", *BY[0]), ("before", *BY[2])]
)
def test_an_undo_that_is_interrupted(
    project: Path, moment: str, by: signal.Signals, code: int
) -> None:
    change = torn(project)
    done = interrupted(project, moment, "undo", by=by)
    told = f"Interrupted. It was stopped before its own change. {note(change)}\n"
    assert (done.returncode, done.stdout, done.stderr) == (code, "", told)
    assert texts(project) == {NEW}
    assert pending(project) == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_undo_takes_back_what_it_has_completed(project: Path, form: str) -> None:
    change = torn(project)
    done = run_cli("undo", "--output", form, cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    if form == "json":
        result = json.loads(done.stdout)
        assert result["changeId"] == change
        assert result["warnings"] == [{"code": "completed_first", "message": note(change)}]
    else:
        assert done.stdout.splitlines()[1] == note(change)
    assert texts(project) == {OLD}


def test_an_undo_that_finds_nothing_tells_what_it_has_taken_back(project: Path) -> None:
    change = torn(project)
    (project / NAMES[0]).write_bytes(b"// theirs\n")
    done = run_cli("undo", cwd=project)
    assert done.returncode == 1
    assert "There is nothing to undo" in done.stderr
    told = f"taken back first: {len(NAMES) - 1} files (changeId {change}); "
    assert done.stderr.endswith(f"{told}1 is left as others have since changed it: {NAMES[0]}.\n")


def test_a_change_tells_it(project: Path) -> None:
    change = torn(project)
    done = run_cli(*call("edit_scripts", raising(2, 3)), cwd=project)
    assert done.returncode == 0, done.stderr
    assert note(change) in done.stdout.splitlines()
    again = run_cli(*call("edit_scripts", raising(3, 4)), cwd=project)
    assert "of before" not in again.stdout


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_refusal_tells_it(project: Path, form: str) -> None:
    change = torn(project)
    done = run_cli(*call("edit_scripts", raising(7, 8)), "--output", form, cwd=project)
    assert done.returncode == 1
    if form == "json":
        error = json.loads(done.stdout)["error"]
        assert error["details"]["details"]["completedFirst"] == [note(change)]
    else:
        assert note(change) in done.stderr
    assert texts(project) == {NEW}


@pytest.mark.parametrize("more", [[], ["--quiet"], ["--output", "json"]])
def test_a_bundle_that_is_judged_again_tells_it(project: Path, more: list[str]) -> None:
    change = torn(project)
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": "int speed"},
        "newText": "long speed",
    }
    item = {"mode": "apply", "path": NAMES[0], "instructions": [instruction]}
    write_bundle(project / "edits", "a", [item])
    done = run_cli("apply", "edits", "--yes", *more, cwd=project)
    assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).count(note(change)) == 1
    assert (project / NAMES[0]).read_bytes() == NEW.replace(b"int", b"long")


def everything(project: Path) -> dict[str, bytes | None]:
    found = sorted(project.rglob("*"))
    return {str(each): each.read_bytes() if each.is_file() else None for each in found}


READING = {
    "history": ["history"],
    "get_history": call("get_history", {}),
    "undo": ["--dry-run", "undo"],
    "undo of one": ["--dry-run", "undo", NAMES[0]],
    "bundle": ["bundle", "from-history", "--partial"],
    "doctor": ["doctor"],
    "lint": ["lint", "edits"],
    "apply": ["apply", "edits", "--dry-run"],
    "preview": call("edit_scripts", {**raising(1, 3), "mode": "preview"}),
    "small preview": call("edit_snippet", {**EDIT, "mode": "preview"}),
    "dry run": ["--dry-run", *call("edit_scripts", raising(1, 3))],
    "dry batch": ["--dry-run", "batch", "items.json"],
    "symbols": call("get_symbols", {"path": NAMES[0]}),
}
TELLING = frozenset(("history", "get_history", "undo", "undo of one", "bundle"))


@pytest.mark.parametrize("what", READING)
def test_who_only_reads_writes_nothing_and_tells_what_is_unfinished(
    project: Path, what: str
) -> None:
    change = torn(project)
    write_bundle(project / "edits", "a", [request()])
    items = [{"tool": "edit_scripts", "params": raising(1, 3)}]
    (project / "items.json").write_text(json.dumps(items))
    before = everything(project)
    done = run_cli(*READING[what], cwd=project)
    assert everything(project) == before
    told = f"Change {change} was cut short; it is unfinished. The next apply or undo completes it"
    assert (told in done.stdout + done.stderr) == (what in TELLING), done
