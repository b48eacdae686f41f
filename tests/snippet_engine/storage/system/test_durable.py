"""macOS' own call first, and ``fsync`` where it can't: docs/design/systems.md "Durability"."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from snippet_engine.storage.system import system_calls


@pytest.mark.parametrize(
    ("system", "can", "calls"),
    [
        ("darwin", True, ["F_FULLFSYNC"]),
        ("darwin", False, ["F_FULLFSYNC", "fsync"]),
        ("linux", True, ["fsync"]),
        ("win32", True, ["fsync"]),
    ],
)
def test_what_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, can: bool, calls: list[str]
) -> None:
    made: list[str] = []

    def control(_: int, command: int) -> None:
        assert command == 51
        made.append("F_FULLFSYNC")
        if not can:
            raise OSError(45, "Operation not supported")

    monkeypatch.setattr(system_calls.os, "fsync", lambda _: made.append("fsync"))
    with (tmp_path / "file").open("wb") as file:
        system_calls.make_durable(file.fileno(), system, control)
    assert made == calls
    assert os.path.lexists(tmp_path / "file")


def test_what_is_on_its_way_to_the_disk_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    with path.open("wb", buffering=0) as file:
        file.write(b"text" * 10_000)
        system_calls.begin_write_out(file.fileno())
        assert path.read_bytes() == b"text" * 10_000
        system_calls.make_durable(file.fileno())
    # Advice that isn't taken, or can't be given, is no failure.
    system_calls.begin_write_out(-1)
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    system_calls.begin_write_out(-1)
