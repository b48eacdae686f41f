"""``unity-cli lint`` as a real process: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running_server import (
    SCRIPT,
    SOURCE,
    TIMEOUT_S,
    UNITY_CLI,
    document,
    edit,
    environment,
    run_cli,
)
from terminal import run_on_terminal

BAD_TARGET = "nowhere in the file"


@pytest.fixture
def edits(project: Path) -> Path:
    """A folder of bundles: one clean, one with a fault."""
    folder = project / "edits"
    folder.mkdir()
    (folder / "good.snippet.json").write_text(json.dumps(edit("apply")))
    bad = edit("apply")
    bad["instructions"][0]["anchor"]["target"] = BAD_TARGET
    (folder / "bad.snippet.json").write_text(json.dumps([bad], indent=1))
    return folder


def test_findings_and_exit_codes(project: Path, edits: Path) -> None:
    done = run_cli("lint", "edits", cwd=project)
    assert (done.returncode, done.stderr) == (1, "")
    first, last = done.stdout.splitlines()
    assert first.startswith("edits/bad.snippet.json:10:16: error: anchor_not_found: $[0].")
    assert last == "2 bundles, 2 requests: 1 error"
    clean = run_cli("lint", "edits/good.snippet.json", cwd=project)
    assert (clean.returncode, clean.stdout) == (0, "1 bundle, 1 request: no errors\n")
    assert run_cli("--quiet", "lint", "edits/good.snippet.json", cwd=project).stdout == ""
    assert (project / SCRIPT).read_bytes() == SOURCE
    assert not (project / "Library").exists()


@pytest.mark.parametrize(
    "options",
    [["--format", "json"], ["--output", "json"], ["--output", "json", "--format", "json"]],
)
def test_the_json_document(project: Path, edits: Path, options: list[str]) -> None:
    done = run_cli("lint", "edits", *options, cwd=project)
    assert done.returncode == 1
    found = document(done)
    assert (found["ok"], found["bundles"], found["errors"]) == (False, 2, 1)
    (finding,) = found["findings"]
    assert (finding["file"], finding["line"]) == ("edits/bad.snippet.json", 10)


def test_two_formats_at_once(project: Path, edits: Path) -> None:
    done = run_cli("lint", "edits", "--output", "json", "--format", "github", cwd=project)
    assert done.returncode == 2
    assert "exclude each other" in document(done)["error"]["message"]


def test_sarif_and_annotations_name_files_from_the_repositorys_root(
    project: Path, edits: Path
) -> None:
    (project.parent / ".git").mkdir()
    sarif = run_cli("lint", "edits", "--format", "sarif", "--output", "json", cwd=project)
    assert sarif.returncode == 1
    (result,) = document(sarif)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "project/edits/bad.snippet.json"
    assert (place["region"]["startLine"], place["region"]["startColumn"]) == (10, 16)
    assert str(project) not in sarif.stdout
    github = run_cli("lint", "edits", "--format", "github", cwd=project)
    assert github.returncode == 1
    assert github.stdout.startswith("::error file=project/edits/bad.snippet.json,line=10,")
    assert github.stdout.count("\n") == 1
    assert github.stderr == "2 bundles, 2 requests: 1 error\n"


def test_shards_and_jobs(project: Path, edits: Path) -> None:
    whole = document(run_cli("lint", "edits", "--output", "json", "--jobs", "2", cwd=project))
    assert whole["bundles"] == 2
    parts = [
        document(run_cli("lint", "edits", "--output=json", "--shard", part, cwd=project))
        for part in ("1/2", "2/2")
    ]
    assert sum(part["bundles"] for part in parts) == 2
    assert [finding for part in parts for finding in part["findings"]] == whole["findings"]


def test_the_project_is_found_from_the_bundles(project: Path, edits: Path) -> None:
    assert run_cli("lint", str(edits), cwd=project.parent).returncode == 1
    other = run_cli("lint", str(edits), "--project", "project", cwd=project.parent)
    assert other.stdout.splitlines()[-1] == "2 bundles, 2 requests: 1 error"


def test_no_bundles_at_all(project: Path) -> None:
    refused = run_cli("lint", "Assets", cwd=project)
    assert refused.returncode == 1
    assert refused.stdout.startswith("Assets:1:1: error: no_bundles: ")
    done = run_cli("lint", "Assets", "--allow-empty", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    told, summary = done.stdout.splitlines()
    assert told.startswith("Assets:1:1: warning: no_bundles: ")
    assert summary == "0 bundles, 0 requests: no errors, 1 warning"
    as_json = run_cli("lint", "Assets", "--output", "json", cwd=project)
    assert as_json.returncode == 1
    assert [each["code"] for each in document(as_json)["findings"]] == ["no_bundles"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument 'PATH...'"),
        (["nowhere"], "nowhere does not exist. Name bundles, or folders of them."),
        (["nowhere", "there", "edits"], "nowhere does not exist (and 1 more)."),
        (
            ["edits", "--shard", "3/2"],
            "--shard must be I/N with 1 <= I <= N, such as 2/8 (got 3/2).",
        ),
        (["edits", "--shard", "x"], "--shard must be I/N"),
        (["edits", "--jobs", "0"], "0 is not in the range 1<=x<=61"),
        (["edits", "--project", "nowhere"], "There is no folder "),
        (["edits", "--project", "n" * 300], "There is no folder "),
        (["n" * 300], "nnn"),
    ],
)
def test_wrong_usage(project: Path, edits: Path, arguments: list[str], said: str) -> None:
    done = run_cli("lint", *arguments, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    as_json = run_cli("--output", "json", "lint", *arguments, cwd=project)
    assert as_json.returncode == 2
    assert said in document(as_json)["error"]["message"]


def test_a_bundle_of_no_project_is_named_and_the_others_are_checked(
    project: Path, edits: Path, no_project: Path
) -> None:
    (no_project / "a.snippet.json").write_text("{}")
    (no_project / "b.snippet.json").write_text("{}")
    paths = [str(edits / "good.snippet.json"), no_project.name]
    done = run_cli("lint", *paths, cwd=no_project.parent)
    assert (done.returncode, done.stderr) == (1, "")
    first, second, last = done.stdout.splitlines()
    assert first.startswith("elsewhere/a.snippet.json:1:1: error: no_project: $: lies in no Unity")
    assert second.startswith("elsewhere/b.snippet.json:1:1: error: no_project: ")
    assert last == "1 bundle, 1 request: 2 errors"
    applied = run_cli("apply", *paths, "--yes", cwd=no_project.parent)
    assert (applied.returncode, applied.stdout) == (2, "")
    assert " for elsewhere/a.snippet.json (and 1 more): none was given " in applied.stderr
    assert (project / SCRIPT).read_bytes() == SOURCE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("quiet", [False, True])
def test_a_progress_bar_on_a_terminal_and_colours(project: Path, edits: Path, quiet: bool) -> None:
    code, shown, _ = run_on_terminal("lint", "edits", *(["--quiet"] if quiet else []), cwd=project)
    assert code == 1
    assert ("Bundles" in shown and "2/2" in shown) is not quiet
    assert "\x1b[31merror: anchor_not_found" in shown


_WITH_A_THREAD = """
import threading
from mcp_server.cli import main
threading.Thread(target=threading.Event().wait, daemon=True).start()
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the processes in /proc")
@pytest.mark.parametrize(
    ("program", "children", "output"),
    [
        *(([UNITY_CLI], count, "text") for count in (1, 2, 3)),
        ([UNITY_CLI], 2, "json"),
        # Its workers are spawned, behind one process more that multiprocessing starts.
        *(([sys.executable, "-c", _WITH_A_THREAD], count, "text") for count in (1, 2, 3)),
        ([sys.executable, "-c", _WITH_A_THREAD], 4, "json"),
    ],
)
def test_an_interrupt_is_told_in_one_line_whatever_has_started(
    project: Path, program: list[str], children: int, output: str
) -> None:
    folder = project / "edits"
    folder.mkdir()
    for number in range(600):
        (folder / f"{number}.snippet.json").write_text(json.dumps(edit("apply")))
    process = subprocess.Popen(
        [*program, "lint", "edits", "--jobs", "3", "--output", output],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(started.read_text().split()) < children and process.poll() is None:
        pass
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, stderr
    if output == "json":
        assert json.loads(stdout)["error"]["message"] == "Interrupted."
        assert stderr == b""
    else:
        assert (stdout, stderr) == (b"", b"Interrupted.\n")
