"""``python -m tests.compile_tests PATHS``: have pytest compile the modules of tests.

``dev.py test`` runs it ahead of the workers, each of which would otherwise compile all of them.
"""

import sys

import pytest

if __name__ == "__main__":
    sys.dont_write_bytecode = False  # also where Python is told not to
    sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:xdist", *sys.argv[1:]]))
