"""Our entry in a client's file: what is planned is what is written, or nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.clients import config_files
from mcp_server.clients.config_files import Plan, Problem, write
from mcp_server.clients.installation import plan
from mcp_server.clients.table import CLIENTS

CONTENT = {"url": "http://127.0.0.1:48091/mcp"}
BEFORE = '{\n  "mine": 1\n}\n'


def planned(file: Path) -> Plan:
    made = plan(CLIENTS["cursor"], file, "unity", CONTENT)
    assert isinstance(made, Plan), made
    assert made.changes
    return made


@pytest.mark.parametrize("before", [BEFORE, None], ids=["a file", "no file"])
@pytest.mark.parametrize("now", ['{"somebody": "else"}', BEFORE + " ", "", None])
def test_a_file_that_changed_meanwhile_is_left_alone(
    tmp_path: Path, before: str | None, now: str | None
) -> None:
    file = tmp_path / "mcp.json"
    if before is not None:
        file.write_text(before, encoding="utf-8")
    made = planned(file)
    file.unlink(missing_ok=True)
    if now is not None:
        file.write_text(now, encoding="utf-8")
    answer = write(made)
    if now == before:
        assert answer is None
        assert file.read_text(encoding="utf-8") == made.after
        return
    assert answer == Problem(f"{file} was changed by someone else in the meantime. Try again.")
    assert [each.name for each in tmp_path.iterdir()] == ([] if now is None else ["mcp.json"])
    if now is not None:
        assert file.read_text(encoding="utf-8") == now


def test_a_file_that_is_no_text_any_more_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(BEFORE, encoding="utf-8")
    made = planned(file)
    changed = Problem(f"{file} was changed by someone else in the meantime. Try again.")
    file.write_bytes(b"\xff\xfe")
    assert write(made) == changed
    file.write_text(BEFORE * 2, encoding="utf-8")
    monkeypatch.setattr(config_files, "MAX_FILE_BYTES", len(BEFORE))
    assert write(made) == changed
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


def test_what_was_planned_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(BEFORE, encoding="utf-8")
    file.chmod(0o640)
    mode = file.stat().st_mode  # Windows keeps one bit of it
    made = planned(file)
    assert write(made) is None
    assert file.read_bytes().decode() == made.after
    assert file.stat().st_mode == mode
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]
    again = plan(CLIENTS["cursor"], file, "unity", CONTENT)
    assert isinstance(again, Plan)
    assert not again.changes
