"""A system that refuses: one call of many, or room on its disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from snippet_engine.storage.system import folder

STEPS = ("mkdir", "open", "write", "fsync", "fchmod", "link", "replace", "rename", "unlink")


def refused_by_the_system(failure: int) -> OSError:
    """As the system raises it."""
    return OSError(failure, os.strerror(failure), "/the/absolute/path")


class FailingSystem:
    """Lets the system call with the given number fail, and counts them all.

    With ``from_then_on`` all that come after it fail too, as on a disk that is gone.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        number: int,
        failure: Callable[[], OSError],
        *,
        from_then_on: bool = False,
    ) -> None:
        self.count = 0
        steps = [*((os, name) for name in STEPS), (folder, "exchange_names")]
        for module, name in steps:
            call = getattr(module, name)

            def step(*args: Any, call: Callable[..., Any] = call, **options: Any) -> Any:
                self.count += 1
                if self.count == number or (from_then_on and self.count > number):
                    raise failure()
                return call(*args, **options)

            monkeypatch.setattr(module, name, step)


@contextmanager
def small_disk(at: Path, size: str) -> Iterator[Callable[[], None]]:
    """A real file system of ``size`` at a folder; what is given fills what is left of it."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(at)]
    if (
        not (mount and umount)
        or subprocess.run(command, capture_output=True, check=False).returncode
    ):
        pytest.skip("mounting a small tmpfs needs root; each step was made to fail above")
    try:
        yield lambda: _fill(at)
    finally:
        subprocess.run([umount or "", str(at)], check=True)


def _fill(disk: Path) -> None:
    (disk / "ballast").write_bytes(b"x" * shutil.disk_usage(disk).free)


def no_room_for(doing: str, what: str) -> str:
    """The message of a write that has found the disk full."""
    reason = f"no room for {what}: the disk is full; free some space"
    return f"{doing} failed: {reason}. Nothing was changed."
