"""A text with the line endings and byte order mark of another one. Pure."""

from __future__ import annotations

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import decode

MIXED = "The earlier text had several kinds of line endings. Undo the whole change instead."
NOTHING = "Line endings and byte order mark are those of the earlier text already."


def with_format_of(earlier: bytes, data: bytes) -> bytes | SnippetError:
    """Return ``data`` with the line endings, encoding and byte order mark of ``earlier``.

    Errors: ``unsupported_encoding``; ``invalid_request`` if ``earlier`` has several line endings,
    or nothing differs.
    """
    before, now = decode(earlier), decode(data)
    if isinstance(before, SnippetError):
        return before
    if isinstance(now, SnippetError):
        return now
    if len(before.line_endings) > 1:
        return SnippetError(ErrorCode.INVALID_REQUEST, MIXED)
    text = now.view
    for ending in before.line_endings:
        text = text.replace("\n", ending)
    restored = before.encoding.bom + text.encode(before.encoding.codec)
    return SnippetError(ErrorCode.INVALID_REQUEST, NOTHING) if restored == data else restored
