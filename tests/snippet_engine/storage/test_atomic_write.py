"""The temporary file of a write takes over what the target is, as far as the system lets us."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from snippet_engine.storage.files import stage
from snippet_engine.storage.system.folder import Folder

TEMPORARY = ".A.cs.tmp"

pytestmark = pytest.mark.skipif(not hasattr(os, "fchown"), reason="Windows has no owners")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    (tmp_path / "A.cs").write_bytes(b"old")
    with Folder.open(tmp_path) as opened:
        yield opened


def owned_by(status: os.stat_result, uid: int, gid: int) -> os.stat_result:
    return os.stat_result((*status[:4], uid, gid, *status[6:]))


class Ownership:
    """``fchown`` of a system that lets groups be given, or nothing at all."""

    def __init__(self, *, groups: bool) -> None:
        self.asked: list[tuple[int, int]] = []
        self._groups = groups

    def __call__(self, fd: int, uid: int, gid: int) -> None:
        os.fstat(fd)  # it is an open file
        self.asked.append((uid, gid))
        if uid != -1 or not self._groups:
            raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("groups", [True, False])
def test_a_group_is_kept_where_the_owner_can_t_be(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: bool
) -> None:
    system = Ownership(groups=groups)
    monkeypatch.setattr(os, "fchown", system)
    like = owned_by(folder.status("A.cs"), 1234, 5678)
    stage(folder, TEMPORARY, b"new", "A.cs", like)
    assert system.asked == [(1234, 5678), (-1, 5678)]
    assert (tmp_path / TEMPORARY).read_bytes() == b"new"


@pytest.mark.parametrize("attributes", ["listxattr", "getxattr"])
def test_attributes_that_can_t_be_read_keep_nobody_from_writing(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attributes: str
) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "listxattr", lambda _: ["user.mine"], raising=False)
    monkeypatch.setattr(os, "getxattr", lambda *_: b"", raising=False)
    monkeypatch.setattr(os, "setxattr", lambda *_: None, raising=False)
    monkeypatch.setattr(os, attributes, refused)
    stage(folder, TEMPORARY, b"new", "A.cs", folder.status("A.cs"))
    assert (tmp_path / TEMPORARY).read_bytes() == b"new"


def test_what_failed_is_told_even_if_nothing_can_be_cleaned_up(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    def refused(_: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(folder, "remove", refused)
    with pytest.raises(OSError, match="No space left"):
        stage(folder, TEMPORARY, b"new", "A.cs", folder.status("A.cs"))
