"""Regular expressions that most commands never ask."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import AnyStr


def late_pattern(pattern: AnyStr, flags: int = 0) -> Callable[[], re.Pattern[AnyStr]]:
    """What gives the regular expression, compiled when it is first asked for.

    For those that take long to compile, up to some milliseconds, where a usual request has no use
    for them.
    """
    return cache(lambda: re.compile(pattern, flags))
