"""Many bundles: several processes and one give the same result; what each is handed."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bundle_files import request, with_target, write_bundle
from running_server import SOURCE

from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.findings import BundleReport
from mcp_server.contract.errors import ToolError
from mcp_server.lint import run as lint_run
from mcp_server.lint.run import Target, lint, parts_of, processes_for


def bundle_set(project: Path, count: int) -> list[BundleFile]:
    """Bundles over several scripts; every seventh is wrong, in one of four ways."""
    for number in range(5):
        (project / "Assets" / f"S{number}.cs").write_bytes(SOURCE)
    files = []
    for number in range(count):
        path = f"Assets/S{number % 5}.cs"
        content: object = [request(path=path), with_target("speed = 10", "speed = 11")]
        if number % 7 == 0:
            content = [
                request(path="Assets/No.cs"),
                with_target("nowhere"),
                {"path": path},
                b"{",
            ][number % 4]
        written = write_bundle(project / "edits", f"{number:04}", content)
        files.append(BundleFile(written, written.name))
    return files


def run(project: Path, files: list[BundleFile], jobs: int) -> tuple[list[BundleReport], int]:
    done: list[int] = []
    reports = lint(Target(project), files, jobs, done.append)
    assert not isinstance(reports, ToolError), reports
    return reports, sum(done)


def test_parallel_and_serial_runs_are_identical(project: Path) -> None:
    files = bundle_set(project, 120)
    serial, seen = run(project, files, 1)
    assert seen == 120
    assert [report.file for report in serial] == [file.shown for file in files]
    assert sum(report.errors for report in serial) >= 120 // 7
    for workers in (2, 3):
        assert run(project, files, workers) == (serial, 120)


def test_no_more_processes_than_are_worth_it() -> None:
    assert processes_for(None, 0) == processes_for(None, 99) == 1
    assert processes_for(8, 3) == 3
    assert processes_for(8, 0) == 1
    assert processes_for(2, 10_000) == 2


def test_a_project_or_a_language_server_that_cannot_be_used(tmp_path: Path, project: Path) -> None:
    for target in (Target(tmp_path), Target(project, "'unbalanced")):
        error = lint(target, [], 1, lambda _: None)
        assert isinstance(error, ToolError)
        assert error.code.value == "ERR_CONFIG_VALIDATION"


def killed(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="a forked worker has what is patched here")
@pytest.mark.parametrize("step", ["_begin", "check_bundle"])
def test_a_worker_that_is_killed_is_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(lint_run, "can_fork", lambda: True)
    monkeypatch.setattr(lint_run, step, killed)
    error = lint(Target(project), bundle_set(project, 10), 2, lambda _: None)
    assert isinstance(error, ToolError)
    assert error.code.value == "ERR_UNITY_EXECUTION"
    assert "A worker process was lost" in error.message


_PARENT = """
import multiprocessing, os, sys, threading
from pathlib import Path
from mcp_server.bundles.bundle import BundleFile
from mcp_server.lint import run
if __name__ == "__main__":
    if sys.argv[1] == "spawned":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    assert run.can_fork() == (sys.argv[1] == "forked")
    project = Path(sys.argv[2])
    bundles = [BundleFile(each, each.name) for each in sorted(project.glob("edits/*"))]
    def report(count):
        print(*multiprocessing.active_children(), flush=True)
        sys.stdin.read()
    run.lint(run.Target(project), bundles, 2, report)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by their file descriptor")
@pytest.mark.parametrize(
    ("begun", "with_signal"),
    [("forked", "SIGKILL"), ("forked", "SIGTERM"), ("spawned", "SIGKILL")],
)
def test_workers_end_with_a_parent_that_is_killed(
    project: Path, tmp_path: Path, with_signal: str, begun: str
) -> None:
    bundle_set(project, 40)
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    with subprocess.Popen(
        [sys.executable, str(script), begun, str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        pids = re.findall(r"pid=(\d+)", parent.stdout.readline())
        workers = [os.pidfd_open(int(pid)) for pid in pids]
        parent.send_signal(signal.Signals[with_signal])
        assert parent.wait(60) == -signal.Signals[with_signal]
    assert len(workers) == 2
    for worker in workers:  # readable once the process has ended
        assert select.select([worker], [], [], 60)[0]
        os.close(worker)


# -- what a worker is handed at once ---------------------------------------------------------------


def bundles_of(folder: Path, scripts: list[str]) -> list[BundleFile]:
    """A bundle for each script named, in that order."""
    written = (
        write_bundle(folder, f"{number:04}", request(path=script))
        for number, script in enumerate(scripts)
    )
    return [BundleFile(each, each.name) for each in written]


def test_every_bundle_is_in_one_part(tmp_path: Path) -> None:
    bundles = bundles_of(tmp_path, [f"Assets/S{number % 7}.cs" for number in range(100)])
    for workers in (1, 2, 3, 100):
        parts = parts_of(bundles, workers)
        assert sorted(each for part in parts for each in part) == list(range(100))
    assert parts_of([], 2) == []


def test_few_scripts_are_read_by_two_workers(tmp_path: Path) -> None:
    bundles = bundles_of(tmp_path, [f"Assets/S{number % 20}.cs" for number in range(200)])
    parts = parts_of(bundles, 2)
    scripts = [{index % 20 for index in part} for part in parts]
    assert len(set.union(*scripts)) == 20
    assert sum(map(len, scripts)) < 20 + len(parts)
    assert len(parts) >= 8


def test_bundles_of_one_script_are_divided_all_the_same(tmp_path: Path) -> None:
    parts = parts_of(bundles_of(tmp_path, ["Assets/S.cs"] * 80), 2)
    assert [len(part) for part in parts] == [10] * 8


def test_what_names_no_script_is_in_a_part_too(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b'{"path":')
    (tmp_path / "folder").mkdir()
    bundles = [BundleFile(tmp_path / name, name) for name in ("broken", "folder", "nowhere")]
    assert sorted(each for part in parts_of(bundles, 2) for each in part) == [0, 1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs among its files")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert parts_of([BundleFile(tmp_path / "fifo", "fifo")], 2) == [[0]]
