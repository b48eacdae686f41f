"""The comment at the end of a directive's line.

Part of docs/design/roslyn.md §1.1. Only ``//`` begins one there, outside of a file's name in
quotes; the rest of some lines is a message, whatever stands in it.
"""

from __future__ import annotations

from snippet_engine.csharp.lexical.preprocessor import WHITESPACE
from snippet_engine.late_pattern import late_pattern

_BEFORE_COMMENT = late_pattern(
    rf"#[{WHITESPACE}]*+(?!(?:region|endregion|error|warning)(?!\w)|[!:])"
    r'(?:[^"/]|"[^"]*+(?:"|\Z)|/(?!/))*+(?=//)'
)
"""A quote that isn't closed takes the rest of its line; no escape is read in one."""


def comment_start(line: str, hash_sign: int) -> int | None:
    """Where the comment begins in the ``line`` of a directive, whose ``#`` is at ``hash_sign``."""
    before = _BEFORE_COMMENT().match(line, hash_sign)
    return before.end() if before is not None else None
