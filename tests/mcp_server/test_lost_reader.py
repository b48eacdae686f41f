"""How a pipe without a reader is told from what else can fail, by what each system says."""

from __future__ import annotations

import errno

import pytest

from mcp_server.terminal_text import nobody_reads

C_LIBRARYS = OSError(errno.EINVAL, "Invalid argument")
OF_A_FILE = OSError(errno.EINVAL, "Invalid argument", "a:b")
WINDOWS_OWN = OSError(errno.EINVAL, "The parameter is incorrect")
WINDOWS_OWN.winerror = 87  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("failure", "on_windows", "elsewhere"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), True, True),
        (C_LIBRARYS, True, False),
        (OF_A_FILE, False, False),
        (WINDOWS_OWN, False, False),
        (OSError(errno.ENOSPC, "No space left on device"), False, False),
        (ValueError("invalid argument"), False, False),
    ],
)
def test_what_says_that_nobody_reads(
    failure: BaseException, on_windows: bool, elsewhere: bool
) -> None:
    assert nobody_reads(failure, windows=True) is on_windows
    assert nobody_reads(failure, windows=False) is elsewhere
