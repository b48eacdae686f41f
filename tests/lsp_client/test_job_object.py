"""Job objects: as documented here, for real on Windows. docs/design/systems.md "Processes"."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from other_process import Watched
from this_system import only_windows

from lsp_client.process import job_object
from lsp_client.process.job_object import ExtendedLimits, JobObject


class Kernel:
    """``kernel32`` as documented: what is asked of it, and whether it does that."""

    def __init__(self, *refused: str) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._refused = refused
        self._handles = iter(range(100, 200))
        self.open: set[int] = set()

    def _handle(self, name: str) -> int | None:
        if name in self._refused:
            return None
        handle = next(self._handles)
        self.open.add(handle)
        return handle

    def CreateJobObjectW(self, *_: object) -> int | None:  # noqa: N802 - Windows' names
        return self._handle("CreateJobObjectW")

    def SetInformationJobObject(self, job: int, kind: int, told: Any, size: int) -> int:  # noqa: N802
        assert job in self.open
        assert size == ctypes.sizeof(told._obj)
        self.asked.append(("set", kind, told._obj.basic.flags))
        return "SetInformationJobObject" not in self._refused

    def OpenProcess(self, rights: int, inherited: bool, pid: int) -> int | None:  # noqa: N802
        assert not inherited
        self.asked.append(("open", rights, pid))
        return self._handle("OpenProcess")

    def AssignProcessToJobObject(self, job: int, process: int) -> int:  # noqa: N802
        assert {job, process} <= self.open
        self.asked.append(("assign",))
        return "AssignProcessToJobObject" not in self._refused

    def CloseHandle(self, handle: int) -> int:  # noqa: N802
        self.open.remove(handle)
        return 1


def test_what_is_asked_of_windows() -> None:
    kernel = Kernel()
    job = JobObject(kernel)
    assert job.add(4711)
    assert kernel.asked == [("set", 9, 0x2000), ("open", 0x0101, 4711), ("assign",)]
    assert len(kernel.open) == 1  # the job; not the process
    job.close()
    job.close()
    assert not kernel.open


@pytest.mark.parametrize(
    "refused",
    ["CreateJobObjectW", "SetInformationJobObject", "OpenProcess", "AssignProcessToJobObject"],
)
def test_where_it_can_t_be_the_caller_is_told(refused: str) -> None:
    kernel = Kernel(refused)
    job = JobObject(kernel)
    assert job.add(4711) is False
    job.close()
    assert not kernel.open


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes of 64 bits")
def test_the_structure_is_windows_own() -> None:
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert ctypes.sizeof(job_object.BasicLimits) == 64
    assert job_object.BasicLimits.flags.offset == 16


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has them")
def test_other_systems_have_none() -> None:
    assert job_object.job_of_ours() is None


CHILD = "import sys; print('up', flush=True); sys.stdin.read()"
WITH_CHILD = (
    "import subprocess, sys\n"
    f"child = subprocess.Popen([sys.executable, '-c', {CHILD!r}], stdin=subprocess.PIPE,\n"
    "                         stdout=subprocess.PIPE)\n"
    "child.stdout.readline()\n"
    "print(child.pid, flush=True)\n"
    "child.wait()\n"
)


@only_windows
def test_everything_in_it_ends_when_it_is_closed() -> None:
    job = JobObject()
    # What is started is held back until it is in the job, as its children have to be.
    waiting = f"import sys\nsys.stdin.readline()\n{WITH_CHILD}"
    with subprocess.Popen(
        [sys.executable, "-c", waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        assert job.add(parent.pid)
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        child = int(parent.stdout.readline())
        with Watched(child) as ended:
            job.close()
            parent.wait()
            ended.wait()


@only_windows
def test_everything_in_it_ends_with_who_holds_it(tmp_path: Path) -> None:
    holder = (
        "import subprocess, sys\n"
        "from lsp_client.process.job_object import JobObject\n"
        f"child = subprocess.Popen([sys.executable, '-c', {CHILD!r}], stdin=subprocess.PIPE)\n"
        "job = JobObject()\n"
        "assert job.add(child.pid)\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        lines = [parent.stdout.readline(), parent.stdout.readline()]
        child = next(int(line) for line in lines if line.strip().isdigit())
        with Watched(child) as ended:
            parent.kill()
            parent.wait()
            ended.wait()
