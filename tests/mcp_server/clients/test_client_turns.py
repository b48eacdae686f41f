"""Changes of clients' files: one command at a time, each by what the file says then."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest
from user_state import set_state

from mcp_server.clients import config_files
from mcp_server.clients.config_files import Plan, Problem
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
