"""Processes that are killed right before each step that they take on disk.

Every call that changes something there is a numbered step, and a write is two: its first half and
its second. For each number a process is killed with SIGKILL right before that step. A test file is
the program whose forked children are killed: it calls :func:`main` when it is run.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from snippet_engine.storage.system import folder

STEPS = (
    "mkdir",
    "rmdir",
    "open",
    "write",
    "fsync",
    "fchmod",
    "close",
    "link",
    "replace",
    "rename",
    "unlink",
    "utime",
)
MOST_STEPS = 1000


def kill_before(number: int) -> None:
    """Let this process die right before its step ``number``."""
    count = 0

    def numbered(call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)

        return step

    folder.exchange_names = numbered(folder.exchange_names)
    write = numbered(os.write)
    for name in STEPS:
        setattr(os, name, numbered(getattr(os, name)))

    def write_in_halves(fd: int, data: bytes) -> int:
        half = len(data) // 2
        return int(write(fd, data[:half])) + int(write(fd, data[half:]))

    os.write = write_in_halves  # type: ignore[assignment]


def _run(actions: Mapping[str, Callable[[Path], object]], action: str, root: Path) -> None:
    try:
        actions[action](root)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def main(
    actions: Mapping[str, Callable[[Path], object]],
    action: str,
    template: str,
    base: str,
    numbers: str,
) -> None:
    """For each n of ``numbers``: a copy of ``template`` as ``base/n``; a child killed at step n.

    Ends with the first that comes to its end.
    """
    import filelock  # noqa: F401 - so that no child dies in the middle of an import

    for number in map(int, numbers.split()):
        root = Path(base) / str(number)
        shutil.copytree(template, root, symlinks=True)
        child = os.fork()
        if child == 0:
            kill_before(number)
            _run(actions, action, root)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            return
        if status != -signal.SIGKILL:
            sys.exit(f"step {number}: the child ended with {status}")
    sys.exit("the child never came to its end")


def killed_runs(
    program: str, action: str, template: Path, base: Path, every: int = 1, one_in: int = 1
) -> list[Path]:
    """The projects that the killed processes left; the last one's process came to its end.

    With ``every`` only each so manyth step; with ``one_in`` a sample of these.

    The calling test is skipped where processes can't fork: a new one for each of some thousand
    steps, which imports all that it needs, would take hours.
    """
    if not hasattr(os, "fork"):
        pytest.skip("this system can't fork: a killed process for each step would take hours")
    from lanes import is_drawn  # not for the program, which has no tests around it

    steps = range(1, MOST_STEPS, every)
    numbers = [str(each) for each in steps if is_drawn(f"{base.name} {action} {each}", one_in)]
    return _left_by(program, action, template, base, " ".join(numbers))


def _left_by(program: str, action: str, template: Path, base: Path, numbers: str) -> list[Path]:
    command = [sys.executable, program, action, str(template), str(base), numbers]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(base.iterdir(), key=lambda root: int(root.name))
