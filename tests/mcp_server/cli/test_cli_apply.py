"""``unity-cli apply``: asked for, shown, written whole, and told in one document."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bundle_files import request, with_target, write_bundle
from running_server import SCRIPT, SOURCE, TIMEOUT_S, UNITY_CLI, document, environment, run_cli

LAST = SOURCE.replace(b"speed > 10", b"speed > 30")


@pytest.fixture
def edits(project: Path) -> Path:
    """Two bundles that build on each other in the order of their names."""
    write_bundle(project / "edits", "a", request())
    write_bundle(project / "edits", "b", [with_target("speed > 20", "speed > 30")])
    return project / "edits"


@pytest.mark.parametrize("output", ["text", "json"])
def test_nothing_is_written_where_nobody_can_be_asked(
    project: Path, edits: Path, output: str
) -> None:
    done = run_cli("apply", "edits", "--output", output, cwd=project)
    assert done.returncode == 2
    assert "--yes" in done.stdout + done.stderr
    assert (project / SCRIPT).read_bytes() == SOURCE


def test_applied_in_order_without_a_server(project: Path, edits: Path) -> None:
    done = run_cli("apply", "edits", "--yes", "--url", "http://127.0.0.1:9/mcp", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("edits/a.snippet.json (1 request): applied\napplied Assets/")
    assert "+        if (speed > 30)" in done.stdout
    assert done.stdout.endswith(f"\nproject {project}\n2 bundles: 2 applied\n")
    assert (project / SCRIPT).read_bytes() == LAST
    history = run_cli("history", "--output", "json", cwd=project)
    asked = [each["client"] for each in json.loads(history.stdout)["changes"]]
    assert asked == ["unity-cli", "unity-cli"]


def test_a_dry_run_shows_all_and_writes_nothing(project: Path, edits: Path) -> None:
    found = document(run_cli("--dry-run", "apply", "edits", "--output", "json", cwd=project))
    assert (found["ok"], found["dry_run"], found["project"]) == (True, True, str(project))
    assert [each["status"] for each in found["bundles"]] == ["previewed", "previewed"]
    second = found["bundles"][1]["results"][0]
    assert second["hashBefore"] == found["bundles"][0]["results"][0]["hashAfter"]
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert not (project / "Library").exists()
    wrong_order = run_cli(
        "apply", "--dry-run", "edits/b.snippet.json", "edits/a.snippet.json", cwd=project
    )
    assert wrong_order.returncode == 1
    assert ": anchor_not_found: $[0]." in wrong_order.stdout
    assert wrong_order.stdout.endswith("1 refused, 1 previewed; dry run, nothing was written\n")


def test_a_refused_bundle_leaves_nothing_and_the_others_are_applied(
    project: Path, edits: Path
) -> None:
    write_bundle(project / "edits", "aa", [with_target("speed = 10", "speed = 9"), request()])
    found = document_of_failure(project)
    assert [each["status"] for each in found["bundles"]] == ["applied", "refused", "applied"]
    assert [each["path"] for each in found["bundles"][1]["findings"]] == [
        "$[1].instructions[0].anchor.target"
    ]
    assert (project / SCRIPT).read_bytes() == LAST


def document_of_failure(project: Path) -> Any:
    done = run_cli("apply", "edits", "--yes", "--output", "json", cwd=project)
    assert done.returncode == 1
    found = document(done)
    assert found["ok"] is False
    return found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument 'BUNDLE...'"),
        (["nowhere", "--yes"], "nowhere does not exist"),
        (["nowhere"], "nowhere does not exist"),
        (["Assets", "--yes"], "There is no bundle (*.snippet.json) to apply."),
        (["edits", "--yes", "--project", "nowhere"], "There is no folder "),
    ],
)
def test_wrong_usage(project: Path, edits: Path, arguments: list[str], said: str) -> None:
    done = run_cli("apply", *arguments, cwd=project)
    assert done.returncode == 2
    assert said in done.stderr
    as_json = run_cli("apply", *arguments, "--output", "json", cwd=project)
    assert said in document(as_json)["error"]["message"]
    assert (project / SCRIPT).read_bytes() == SOURCE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    ("answer", "code", "holds"), [(b"y\n", 0, LAST), (b"\n", 1, SOURCE), (b"\x03", 130, SOURCE)]
)
def test_a_terminal_is_shown_the_edits_and_asked(
    project: Path, edits: Path, answer: bytes, code: int, holds: bytes
) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [UNITY_CLI, "apply", "edits"],
        cwd=project,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(TERM="xterm", NO_COLOR="1"),
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - no other thread runs here
    )
    os.close(theirs)
    shown = b""
    while b"[y/N]: " not in shown:
        shown += os.read(ours, 4096)
    assert b"+        if (speed > 30)" in shown
    assert f"Apply 2 bundles (2 requests) in {project}?".encode() in shown.replace(b"\r\n", b"")
    assert (project / SCRIPT).read_bytes() == SOURCE
    os.write(ours, answer)
    try:
        while True:
            # Python misses a signal right before it waits for a line: users type ^C again.
            if answer == b"\x03" and not select.select([ours], [], [], 1)[0]:
                os.write(ours, answer)
            elif chunk := os.read(ours, 4096):
                shown += chunk
            else:
                break
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    assert process.wait(TIMEOUT_S) == code, shown
    assert (project / SCRIPT).read_bytes() == holds
    assert b"Traceback" not in shown


def _take_terminal() -> None:
    """Make the terminal on stdin the new session's own, so that ^C comes as a signal."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
