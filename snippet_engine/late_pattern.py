"""Regular expressions that most commands don't need."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import AnyStr


def late_pattern(pattern: AnyStr, flags: int = 0) -> Callable[[], re.Pattern[AnyStr]]:
    """Return a function that compiles the expression at its first use: that takes milliseconds."""
    return cache(lambda: re.compile(pattern, flags))
