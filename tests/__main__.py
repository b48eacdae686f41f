"""``python -m tests``: pytest, which Ctrl-C ends without a traceback while it loads, too."""

import sys

try:
    import pytest

    code = pytest.main()
except KeyboardInterrupt:
    code = 130
sys.exit(code)
