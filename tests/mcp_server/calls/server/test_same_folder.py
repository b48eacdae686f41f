"""A server's project is compared as a folder: docs/design/systems.md "Names"."""

from __future__ import annotations

from pathlib import Path

from this_system import needs_posix

from mcp_server.calls.server.server_status import is_same_folder


def test_another_folder_or_none(tmp_path: Path) -> None:
    (tmp_path / "Game").mkdir()
    (tmp_path / "game2").mkdir()
    assert is_same_folder(str(tmp_path / "Game"), tmp_path / "Game")
    assert is_same_folder(str(tmp_path / "game2" / ".." / "Game"), tmp_path / "Game")
    for other in ("game2", "Gone"):
        assert not is_same_folder(str(tmp_path / other), tmp_path / "Game")


@needs_posix
def test_a_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "Game").mkdir()
    (tmp_path / "Work").symlink_to(tmp_path / "Game")
    assert is_same_folder(str(tmp_path / "Work"), tmp_path / "Game")
