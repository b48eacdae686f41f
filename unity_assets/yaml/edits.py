"""Replace bytes of a file, and keep all others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unity_assets.yaml.nodes import Node
from unity_assets.yaml.scalars import FOLD_COLUMN, Layout, changed, rendered, style_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unity_assets.yaml.nodes import Entry

_FLOW_BREAK = re.compile(rb",[ \t]*\r?\n[ ]*")


@dataclass(frozen=True, order=True)
class Edit:
    """New bytes in place of those from ``start`` to ``end``."""

    start: int
    end: int
    new: bytes


def applied(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return ``data`` with all edits made; raise ValueError where two overlap and differ."""
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(set(edits)):
        if edit.start < at:
            raise ValueError(f"two changes of the same bytes at {edit.start}")
        pieces += (data[at : edit.start], edit.new)
        at = edit.end
    return b"".join([*pieces, data[at:]])


def scalar_edit(node: Node, text: str) -> Edit:
    """Return the edit that replaces the text of a block's scalar."""
    layout = Layout(_column(node.data, node.start), node.column + 2, _newline(node.data))
    return Edit(node.start, node.end, changed(node.raw, text, layout))


def key_edit(entry: Entry, data: bytes, text: str) -> Edit:
    """Return the edit that replaces an entry's key."""
    raw = data[entry.key_start : entry.key_end]
    new = rendered(text, style_of(raw), Layout(0, 0), fold=None)
    return Edit(entry.key_start, entry.key_end, new)


def flow_edit(flow: Node, texts: dict[str, str]) -> Edit:
    """Return the edit that replaces texts of scalars in a ``{…}``, folded like the others."""
    data = flow.data
    newline = _newline(data)
    parts: list[bytes] = []
    for entry in flow.entries:
        key, value = str(entry.key), entry.value
        raw = value.raw
        if key in texts and value.text != texts[key]:
            raw = rendered(
                texts[key], style_of(raw), Layout(0, 0, newline, in_flow=True), fold=None
            )
        parts.append(data[entry.key_start : entry.key_end] + b": " + raw)
    column = _column(data, flow.start)
    new = _flow(parts, column, flow.column + 2, newline, fold=_folds(flow))
    return Edit(flow.start, flow.end, new)


def _flow(parts: list[bytes], column: int, continuation: int, newline: str, *, fold: bool) -> bytes:
    line, lines = b"{", []
    for index, part in enumerate(parts):
        line += part
        if index == len(parts) - 1:
            break
        line += b","
        if fold and column + len(line) > FOLD_COLUMN:
            lines.append(line)
            line, column = b"", continuation
        else:
            line += b" "
    return (newline.encode() + b" " * continuation).join([*lines, line + b"}"])


def _folds(flow: Node) -> bool:
    """Return whether the file folds its ``{…}``; Unity folds all or none of a file."""
    if b"\n" in flow.raw:
        return True
    if _column(flow.data, flow.start) + len(flow.raw) > FOLD_COLUMN + len(b", type: 3}"):
        return False
    return _FLOW_BREAK.search(flow.data) is not None


def _column(data: bytes, offset: int) -> int:
    return offset - (data.rfind(b"\n", 0, offset) + 1)


def _newline(data: bytes) -> str:
    end = data.find(b"\n")
    return "\r\n" if end > 0 and data[end - 1] == 0x0D else "\n"
