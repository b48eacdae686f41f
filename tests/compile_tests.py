"""``python -m tests.compile_tests PATHS``: have pytest compile the modules of tests.

``dev.py test`` runs it ahead of the workers, each of which would otherwise compile all of them.
"""

from __future__ import annotations

import sys

import pytest


class ModulesOnly:
    """Loads the modules, and makes no tests of what is in them: that takes a fifth of the time."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self) -> list[pytest.Item]:
        """Return no tests."""
        return []


if __name__ == "__main__":
    sys.dont_write_bytecode = False  # also where Python is told not to
    options = ["--collect-only", "-qq", "-p", "no:xdist"]
    code = pytest.main([*options, *sys.argv[1:]], plugins=[ModulesOnly()])
    sys.exit(0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code)
