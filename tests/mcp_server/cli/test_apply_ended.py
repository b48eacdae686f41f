"""``unity-cli apply`` that is ended from outside, by a cancelled job or a closed terminal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bundle_files import request, with_target, write_bundle
from running_server import SCRIPT, SOURCE, run_python

if sys.platform == "win32":
    pytest.skip("signals of POSIX", allow_module_level=True)

# The signal comes while the first request is written, and takes effect as any other.
ENDED = """
import os, signal, sys
from mcp_server.bundles import item
from mcp_server.cli import main

apply = item.apply

def ended(*given):
    os.kill(os.getpid(), int(sys.argv[1]))
    return apply(*given)

item.apply = ended
main(["apply", "edits", "--yes", *sys.argv[2:]])
"""


def end(project: Path, number: int, *more: str, **how: bool) -> subprocess.CompletedProcess[str]:
    write_bundle(project / "edits", "a", [request(), with_target("speed > 20", "speed > 30")])
    write_bundle(project / "edits", "b", [with_target("speed > 30", "speed > 40")])
    before = {signal.SIGHUP: signal.SIG_IGN if how.get("nohup") else signal.SIG_DFL}
    return run_python(
        ENDED,
        str(int(number)),
        *more,
        cwd=project,
        preexec_fn=lambda: [signal.signal(*each) for each in before.items()],
    )


@pytest.mark.parametrize(
    ("sent", "code", "form"),
    [(signal.SIGINT, 130, "text"), (signal.SIGTERM, 143, "json"), (signal.SIGHUP, 129, "text")],
)
def test_what_was_written_is_taken_back_and_told(
    project: Path, sent: signal.Signals, code: int, form: str
) -> None:
    done = end(project, sent, "--output", form)
    assert (done.returncode, done.stderr) == (code, "")
    if form == "json":
        assert json.loads(done.stdout)["interrupted"] is True
    else:
        told = "edits/a.snippet.json (2 requests): not applied; its writes were rolled back"
        assert told in done.stdout
        assert done.stdout.endswith("2 bundles: 1 taken back, 1 not begun. Interrupted.\n")
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_a_command_that_is_to_outlast_its_terminal_does(project: Path) -> None:
    done = end(project, signal.SIGHUP, nohup=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / SCRIPT).read_bytes() == SOURCE.replace(b"speed > 10", b"speed > 40")


# The signal comes while it is found out what would be written.
ENDED_BEFORE = """
import os, signal, sys
from mcp_server.cli import main
from mcp_server.cli.commands import apply_command

apply_command._rehearsed = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
main(["apply", "edits", "--yes", "--output", sys.argv[1]])
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_before_anything_is_written_both_forms_say_so(project: Path, form: str) -> None:
    write_bundle(project / "edits", "a", [request()])
    done = run_python(ENDED_BEFORE, form, cwd=project)
    assert done.returncode == 130
    assert "Nothing was written." in done.stdout + done.stderr
    if form == "json":
        details = json.loads(done.stdout)["error"]["details"]
        assert details["execution_guarantee"] == "not_executed"
    assert (project / SCRIPT).read_bytes() == SOURCE
