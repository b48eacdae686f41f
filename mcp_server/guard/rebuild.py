"""Rebuild the text that a tool is about to write, as its client would. Pure.

A text that can't be rebuilt with certainty is ``None``: it may have changed, or not.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_server.guard.events import Replacement
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import decode

MAX_SEARCHED_BYTES = 200_000_000
"""Most bytes that the replacements in one file may search."""


def whole(text: str) -> bytes | None:
    """Return the bytes of a file that the tool writes whole; ``None`` if UTF-8 can't hold the
    text."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def replaced(before: bytes | None, edits: Sequence[Replacement]) -> bytes | None:
    """Return the file after exact replacements, one after the other.

    Clients match text with LF line endings even in a file with others. An empty text to replace
    means that the file is new or empty.
    """
    if before is None or not before.strip():
        is_new = len(edits) == 1 and not edits[0].old.strip()
        return whole(edits[0].new) if is_new else None
    source = decode(before)
    if isinstance(source, SnippetError):
        return None
    if len(edits) * len(before) > MAX_SEARCHED_BYTES:
        return None
    bom, codec = source.encoding.bom, source.encoding.codec
    exact = before[len(bom) :].decode(codec)
    for text, as_sent in ((exact, str), (source.view, _with_lf)):
        found: str | None = text
        for each in edits:
            if found is not None:
                found = _one_replaced(found, as_sent(each.old), as_sent(each.new), each.everywhere)
        if found is not None:
            try:
                return bom + found.encode(codec)
            except UnicodeEncodeError:
                return None
    return None


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _one_replaced(text: str, old: str, new: str, everywhere: bool) -> str | None:
    if not old or old not in text:
        return None
    if everywhere:
        return text.replace(old, new)
    at = text.find(old)
    return None if text.find(old, at + 1) >= 0 else text[:at] + new + text[at + len(old) :]
