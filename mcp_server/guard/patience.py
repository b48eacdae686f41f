"""How long an agent may be kept waiting, as a factor of the usual times.

``UNITY_SNIPPET_GUARD_PATIENCE=10`` is for machines that are slow or very busy. Hook processes read
the same variable.
"""

from __future__ import annotations

import os

VARIABLE = "UNITY_SNIPPET_GUARD_PATIENCE"
_MOST = 100


def factor() -> int:
    """Return the factor, which is 1 unless the variable has another number of up to 100."""
    given = os.environ.get(VARIABLE, "")
    return min(max(1, int(given)), _MOST) if given.isdigit() else 1
