"""One lexical error on a line."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """An error on one line: zero-based column in code points, Roslyn's id, the message."""

    column: int
    id: str
    message: str
    opener: int | None = None
    """View offset of the unclosed construct; only a report with openers knows it."""
    suspect: int | None = None
    """View offset of the brace that is the likely cause by its indentation."""
    is_unpaired: bool = False
    """Whether it is about an unclosed construct, or about a closer without an opener."""
