"""A scratch folder goes as far as it can, and fails nothing. docs/design/systems.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippet_engine.storage.system.scratch_folder import scratch_folder


def test_it_goes_with_all_that_is_in_it(tmp_path: Path) -> None:
    with scratch_folder(tmp_path, ".work-") as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith(".work-")
        (folder / "a").mkdir()
        (folder / "a" / "read-only").touch()
        (folder / "a" / "read-only").chmod(0o444)
    assert list(tmp_path.iterdir()) == []


def test_what_is_held_open_stays_and_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held_open(path: object, *_: object, **__: object) -> None:
        raise PermissionError(13, "used by another process", str(path))

    with monkeypatch.context() as patch:
        with scratch_folder(tmp_path, ".work-") as folder:
            (folder / "a").mkdir()
            (folder / "a" / "file").touch()
            patch.setattr("os.unlink", held_open)
            patch.setattr("os.rmdir", held_open)
        assert (folder / "a" / "file").is_file()


def test_what_failed_inside_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), scratch_folder(tmp_path, ".work-"):
        raise ValueError("inside")
    assert list(tmp_path.iterdir()) == []
