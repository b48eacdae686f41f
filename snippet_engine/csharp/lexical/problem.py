"""One thing that is lexically wrong with a line."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """An error on one line: zero-based column in code points, Roslyn's id, what is wrong."""

    column: int
    id: str
    message: str
    opener: int | None = None
    """View offset of what isn't closed; only a report of openers knows it."""
    suspect: int | None = None
    """View offset of the brace that indentation shows to be the real culprit."""
    is_unpaired: bool = False
    """It is about something that isn't closed, or that closes nothing."""
