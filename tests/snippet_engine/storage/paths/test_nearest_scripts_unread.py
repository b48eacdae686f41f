"""What can't be asked of a folder's entries keeps no error from being told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from snippet_engine.storage.paths import path_refusal


class Unasked:
    """An entry of a file system that doesn't give types, in a folder without rights."""

    name = "A.cs"

    def is_file(self, **_: Any) -> bool:
        raise PermissionError(13, "Permission denied")


class Listing(list[Unasked]):
    def __enter__(self) -> Listing:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_entries_that_tell_nothing_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "scandir", lambda _: Listing([Unasked()]))
    unread: list[str] = []
    assert list(path_refusal.scripts_below(tmp_path, ["Assets"], 10, unread)) == []
    assert unread == ["Assets/A.cs"]
