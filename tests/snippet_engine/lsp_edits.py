"""A small LSP client's side: positions and workspace edits applied to a file's text.

Knows nothing of the engine. Lines end as LSP says: at CRLF, CR or LF.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any


def offset_of(text: str, position: Mapping[str, int]) -> int:
    """The code point that an LSP position (UTF-16 code units) names."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    start = starts[position["line"]]
    units = position["character"]
    offset = start
    while units > 0:
        units -= 2 if ord(text[offset]) > 0xFFFF else 1
        offset += 1
    assert units == 0, "a position inside a surrogate pair"
    return offset


def with_edits(text: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """``text`` after LSP ``TextEdit`` objects, all given against ``text``."""
    spans = sorted(
        (
            offset_of(text, edit["range"]["start"]),
            offset_of(text, edit["range"]["end"]),
            number,
            edit["newText"],
        )
        for number, edit in enumerate(edits)
    )
    result, done = [], 0
    for start, end, _, new_text in spans:
        assert start >= done, "overlapping edits"
        result += [text[done:start], new_text]
        done = end
    return "".join([*result, text[done:]])


def workspace_edit_applied(data: bytes, workspace_edit: Mapping[str, Any]) -> bytes:
    """A file's bytes after a ``WorkspaceEdit`` for it alone; UTF-8, a BOM kept."""
    (change,) = workspace_edit["documentChanges"]
    bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    text = data[len(bom) :].decode()
    return bom + with_edits(text, change["edits"]).encode()
