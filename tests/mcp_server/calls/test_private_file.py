"""Small private files: whole or not at all, and on the disk where that is promised."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mcp_server.calls import private_file
from mcp_server.calls.private_file import write_private
from mcp_server.host.kept_state import JobFiles
from mcp_server.host.mcp.task_store import Task, TaskStore, new_task_id


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_private(target, {"a": 1}, durable=True)
    with pytest.raises(TypeError):
        write_private(target, {"a": object()}, durable=True)
    assert json.loads(target.read_text()) == {"a": 1}
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]
    if os.name == "posix":
        assert target.stat().st_mode & 0o777 == 0o600


def _keep_task(folder: Path) -> None:
    TaskStore(folder).write(Task(new_task_id(), "run_tests", "j", 0, 0, 10, []))


def _keep_job(folder: Path) -> None:
    JobFiles(folder).write("pipeline-1", {"job_id": "pipeline-1"})


@pytest.mark.parametrize("keep", [_keep_task, _keep_job])
def test_what_outlives_the_server_is_on_the_disk_before_it_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Any
) -> None:
    done: list[str] = []
    replace = private_file.replace_file
    monkeypatch.setattr(private_file, "make_durable", lambda _fd: done.append("durable"))
    monkeypatch.setattr(
        private_file, "replace_file", lambda *names: (done.append("seen"), replace(*names))
    )
    keep(tmp_path)
    assert done == ["durable", "seen"]
