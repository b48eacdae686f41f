"""Changes of clients' files: one command at a time; what is planned is written, or nothing is."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest
from user_state import set_state

from mcp_server.clients import config_files
from mcp_server.clients.config_files import Plan, Problem, write
from mcp_server.clients.installation import (
    ATTEMPTS,
    ClientFilesLock,
    carry_out,
    lock_client_files,
    plan,
)
from mcp_server.clients.json_document import parse_json
from mcp_server.clients.table import CLIENTS

CONTENT = {"url": "http://127.0.0.1:48091/mcp"}


class Planning:
    """The plan to install into a file, and how often it was asked for."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.count = 0

    def __call__(self) -> Plan | Problem:
        self.count += 1
        return plan(CLIENTS["cursor"], self.file, "unity", CONTENT)


@pytest.fixture
def planning(tmp_path: Path) -> Planning:
    file = tmp_path / "mcp.json"
    file.write_text("{}", encoding="utf-8")
    return Planning(file)


def test_what_a_client_wrote_while_ours_was_on_its_way_is_kept(
    planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written_meanwhile(fd: int) -> None:
        monkeypatch.undo()
        planning.file.write_text('{"theirs": 1}', encoding="utf-8")
        os.fsync(fd)

    monkeypatch.setattr(config_files, "make_durable", written_meanwhile)
    assert isinstance(carry_out(planning), Plan)
    expected = {"theirs": 1, "mcpServers": {"unity": CONTENT}}
    assert parse_json(planning.file.read_text(encoding="utf-8")) == expected
    assert planning.count == 2
    assert list(planning.file.parent.iterdir()) == [planning.file]


def test_a_file_that_never_holds_still_is_left_to_the_one_who_writes_it(
    planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written_meanwhile(_: int) -> None:
        planning.file.write_text(f'{{"theirs": {planning.count}}}', encoding="utf-8")

    monkeypatch.setattr(config_files, "make_durable", written_meanwhile)
    assert carry_out(planning) == Problem(
        f"{planning.file} was changed by someone else in the meantime. Try again."
    )
    assert planning.count == ATTEMPTS
    assert planning.file.read_text(encoding="utf-8") == f'{{"theirs": {ATTEMPTS}}}'
    assert list(planning.file.parent.iterdir()) == [planning.file]


def test_a_change_after_the_last_reading_is_seen(
    planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = config_files.read_file

    def read_and_written(file: Path) -> str | None:
        text = read(file)
        if list(file.parent.glob(".mcp.json.*")):  # what is to be renamed is there
            file.write_text('{"theirs": 1}', encoding="utf-8")
            monkeypatch.undo()
        return text

    monkeypatch.setattr(config_files, "read_file", read_and_written)
    assert isinstance(carry_out(planning), Plan)
    expected = {"theirs": 1, "mcpServers": {"unity": CONTENT}}
    assert parse_json(planning.file.read_text(encoding="utf-8")) == expected


def test_another_failure_is_not_tried_again(
    planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: int) -> None:
        raise OSError("the disk is on fire")

    monkeypatch.setattr(config_files, "make_durable", fails)
    problem = carry_out(planning)
    assert problem == Problem(f"{planning.file} can't be written: the disk is on fire.")
    assert planning.count == 1


def test_the_turn_is_one_commands_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_state(monkeypatch, tmp_path)
    first = lock_client_files(0)
    assert isinstance(first, ClientFilesLock)
    with first:
        second = lock_client_files(0)
        assert isinstance(second, Problem)
        assert "Try again when it has ended" in second.message
    third = lock_client_files(0)
    assert isinstance(third, ClientFilesLock)
    third.release()
    ours = platformdirs.user_state_path("unity-snippet", appauthor=False)
    assert not ours.exists()


def test_a_folder_that_can_have_no_lock_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_state(monkeypatch, tmp_path)
    ours = platformdirs.user_state_path("unity-snippet", appauthor=False)
    ours.parent.mkdir(parents=True, exist_ok=True)
    ours.write_text("a file", encoding="utf-8")
    problem = lock_client_files(0)
    assert isinstance(problem, Problem)
    assert problem.message.startswith(f"{ours / 'clients.lock'} can't be locked: ")


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
