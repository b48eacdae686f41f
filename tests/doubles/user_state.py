"""Where what a user's programs keep is: in a folder of the test's, whatever the system calls it."""

from __future__ import annotations

from pathlib import Path

import pytest


def state_in(folder: Path) -> dict[str, str]:
    """The variables of a user whose state is kept below ``folder``.

    Windows asks the user's profile, not a variable; platformdirs has one of its own for that.
    """
    return {"XDG_STATE_HOME": str(folder), "WIN_PD_OVERRIDE_LOCAL_APPDATA": str(folder)}


def set_state(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Make this process one of that user's."""
    for variable, value in state_in(folder).items():
        patch.setenv(variable, value)
