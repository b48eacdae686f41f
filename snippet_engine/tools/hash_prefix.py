"""Hashes of which a request sends only the first digits (docs/design/engine.md §1).

Answers over MCP show 16 of a hash's 64 digits. A request may send the first eight or more of them,
in upper or lower case.
"""

from __future__ import annotations

from collections.abc import Iterable

from snippet_engine.errors import ErrorCode, SnippetError, show

_PREFIX = "sha256:"
_DIGITS = 64


def is_whole(given: str) -> bool:
    """Return whether ``given`` is a whole hash, with its prefix."""
    return len(given) == len(_PREFIX) + _DIGITS


def whole_hash(path: str, key: str, given: str, versions: Iterable[str]) -> str | SnippetError:
    """Return the one hash in ``versions`` that begins with the ``given`` digits.

    If there is none, return the digits, which match no text. Error: ``invalid_request`` if there
    are several.
    """
    begins = _PREFIX + given.removeprefix(_PREFIX).lower()
    if is_whole(begins):
        return begins
    found = sorted({each for each in versions if each.startswith(begins)})
    if len(found) > 1:
        return SnippetError(
            ErrorCode.INVALID_REQUEST,
            f"{len(found)} versions of {show(path)} have a hash that begins with this {key}. "
            "Send more of its digits.",
            details={"versions": found},
        )
    return found[0] if found else begins
