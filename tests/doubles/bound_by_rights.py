"""Python that the rights of files bind, whoever runs the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from this_system import is_root

_SETPRIV = shutil.which("setpriv")
_PASSES_RIGHTS = "-dac_override,-dac_read_search,-fowner"

needs_rights = pytest.mark.skipif(
    sys.platform == "win32" or (is_root() and _SETPRIV is None),
    reason="the rights of files don't bind this user, and there is no setpriv to change that",
)


def run_bound(script: Path, *arguments: str) -> str:
    """What the Python file ``script`` prints, run with these ``arguments`` and without root's right
    to pass the rights of files. It has to end well."""
    words = [sys.executable, str(script), *arguments]
    if is_root():
        assert _SETPRIV is not None
        words = [_SETPRIV, "--bounding-set", _PASSES_RIGHTS, *words]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
