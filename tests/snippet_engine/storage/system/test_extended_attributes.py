"""What a file has beside its content goes over to the one that replaces it: docs/design/systems.md
"Attributes"."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from snippet_engine.storage.system.system_calls import copy_attributes


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """An old file and a new one, open."""
    old = os.open(tmp_path / "old", os.O_RDWR | os.O_CREAT)
    new = os.open(tmp_path / "new", os.O_RDWR | os.O_CREAT)
    yield old, new
    os.close(old)
    os.close(new)


def set_or_skip(file: int, name: str, value: bytes) -> None:
    try:
        os.setxattr(file, name, value)
    except (AttributeError, OSError) as error:
        pytest.skip(f"no {name} here: {error}")


def test_on_linux(files: tuple[int, int]) -> None:
    old, new = files
    set_or_skip(old, "user.origin", b"hand-made")
    os.setxattr(old, "user.empty", b"")
    copy_attributes(old, new)
    assert sorted(os.listxattr(new)) == ["user.empty", "user.origin"]
    assert os.getxattr(new, "user.origin") == b"hand-made"


def test_an_access_control_list_on_linux(files: tuple[int, int]) -> None:
    old, new = files
    # As in linux/posix_acl_xattr.h: owner, one more user, group, mask, others.
    entries = [(1, 6, -1), (2, 4, 1234), (4, 4, -1), (16, 4, -1), (32, 0, -1)]
    packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *each) for each in entries)
    set_or_skip(old, "system.posix_acl_access", packed)
    copy_attributes(old, new)
    assert os.getxattr(new, "system.posix_acl_access") == packed


def test_one_that_can_t_be_set_keeps_no_other_from_it(
    files: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def set_one(_: int, name: str, value: bytes) -> None:
        if name == "security.selinux":
            raise PermissionError(1, "Operation not permitted")
        made.append((name, value))

    monkeypatch.setattr(os, "listxattr", lambda _: ["security.selinux", "user.b"], raising=False)
    monkeypatch.setattr(os, "getxattr", lambda _, name: name.encode(), raising=False)
    monkeypatch.setattr(os, "setxattr", set_one, raising=False)
    copy_attributes(*files, system="linux")
    assert made == [("user.b", b"user.b")]


def test_on_macos_by_the_flags_of_its_copyfile_h() -> None:
    asked: list[tuple[int, int, None, int]] = []

    def fcopyfile(source: int, target: int, state: None, flags: int) -> int:
        asked.append((source, target, state, flags))
        return -1  # a file system without either

    copy_attributes(3, 4, "darwin", fcopyfile)
    extended, access = 0b100, 0b001
    assert asked == [(3, 4, None, extended), (3, 4, None, access)]
