"""Lets the rights of files bind root too, who passes over them, for tests of what can't be read.

On Linux that is a capability, which a process gives up for the program that it becomes, and a
thread for a while.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from this_system import is_root

binds_rights = pytest.mark.skipif(
    is_root() and sys.platform != "linux", reason="only Linux lets root give up its rights"
)

_OVERRIDING = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH"""

_VERSION_3 = 0x20080522
_DROP_BOUNDING = 24
_GET_SECUREBITS, _SET_SECUREBITS = 27, 28
_NOROOT = 1
"""Root's programs begin without capabilities."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def without_roots_rights() -> None:
    """For ``preexec_fn``: the program that is started then may override no rights."""
    if is_root():
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):
            if libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")


@contextmanager
def bound_by_rights() -> Iterator[None]:
    """Until its end, this thread may override no rights, nor may what it starts."""
    if not is_root():
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION_3, 0), (_Sets * 2)()
    _do(libc.capget(ctypes.byref(header), sets))
    before = sets[0].effective
    securebits = libc.prctl(_GET_SECUREBITS, 0, 0, 0, 0)
    _do(libc.prctl(_SET_SECUREBITS, securebits | _NOROOT, 0, 0, 0))
    sets[0].effective = before & ~_OVERRIDING
    _do(libc.capset(ctypes.byref(header), sets))
    try:
        yield
    finally:
        _do(libc.prctl(_SET_SECUREBITS, securebits, 0, 0, 0))
        sets[0].effective = before
        _do(libc.capset(ctypes.byref(header), sets))


def _do(failed: int) -> None:
    if failed:
        raise OSError(ctypes.get_errno(), "capabilities")


@contextmanager
def closed(path: Path, mode: int = 0) -> Iterator[None]:
    """``path`` has these rights until the end, and they bind this thread."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        with bound_by_rights():
            yield
    finally:
        path.chmod(before & 0o7777)
