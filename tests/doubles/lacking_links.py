"""Symbolic links where a system makes none for us: what needs one is skipped, not failed.

Windows lets only administrators, and users in developer mode, make them; Wine says that it made one
and makes none.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

REASON = "symbolic links can't be made here"


def skip_without_links(patch: pytest.MonkeyPatch) -> None:
    """Let a test that makes a link, and can't, be skipped there."""
    make = os.symlink

    def symlink(source: Any, target: Any, *arguments: Any, **more: Any) -> None:
        try:
            make(source, target, *arguments, **more)
        except OSError as error:
            held_back = getattr(error, "winerror", None) == 1314  # ERROR_PRIVILEGE_NOT_HELD
            if not held_back or os.fspath(target).endswith("current"):
                raise
        # pytest makes one of that name for each of its folders, and can do without.
        if not os.path.lexists(target) and not os.fspath(target).endswith("current"):
            pytest.skip(REASON)

    patch.setattr(os, "symlink", symlink)
