"""Many bundles: several processes and one give the same result."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundle_files import request, with_target, write_bundle
from running_server import SOURCE

from mcp_server.bundles.bundle import BundleFile
from mcp_server.bundles.findings import BundleReport
from mcp_server.contract.errors import ToolError
from mcp_server.lint.run import Jobs, Target, lint
from mcp_server.lint.workers import LostWorkerError


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


def run(project: Path, files: list[BundleFile], jobs: Jobs) -> tuple[list[BundleReport], int]:
    done: list[int] = []
    reports = lint(Target(project), files, jobs, done.append)
    assert not isinstance(reports, ToolError), reports
    return reports, sum(done)


def test_parallel_and_serial_runs_are_identical(project: Path) -> None:
    files = bundle_set(project, 300)
    serial, seen = run(project, files, Jobs(1))
    assert seen == 300
    assert [report.file for report in serial] == [file.shown for file in files]
    assert sum(report.errors for report in serial) >= 300 // 7
    for workers in (2, 3):
        assert run(project, files, Jobs(workers)) == (serial, 300)


def test_no_more_processes_than_are_worth_it() -> None:
    assert Jobs().for_bundles(0) == Jobs().for_bundles(99) == 1
    assert Jobs(8).for_bundles(3) == 3
    assert Jobs(8).for_bundles(0) == 1
    assert Jobs(2).for_bundles(10_000) == 2


def test_no_bundles(project: Path) -> None:
    assert run(project, [], Jobs(2)) == ([], 0)


def test_a_project_that_cannot_be_used(tmp_path: Path) -> None:
    error = lint(Target(tmp_path), [], Jobs(1), lambda _: None)
    assert isinstance(error, ToolError)
    assert error.code.value == "ERR_CONFIG_VALIDATION"


def test_a_language_server_that_cannot_be_used(project: Path) -> None:
    error = lint(Target(project, "'unbalanced"), [], Jobs(1), lambda _: None)
    assert isinstance(error, ToolError)
    assert error.code.value == "ERR_CONFIG_VALIDATION"


def test_a_worker_that_is_lost_is_an_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise LostWorkerError("signal 9")

    monkeypatch.setattr("mcp_server.lint.workers.Workers.results", lost)
    error = lint(Target(project), bundle_set(project, 10), Jobs(2), lambda _: None)
    assert isinstance(error, ToolError)
    assert error.code.value == "ERR_UNITY_EXECUTION"
    assert "(signal 9)" in error.message
