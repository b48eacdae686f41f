"""A text that is longer than its reader is shown: cut at a line's end, saying so."""

from __future__ import annotations

_MORE_LINES = "… ({} more lines: in structuredContent)"


def cut_at_line(text: str, room: int) -> str:
    """``text`` in at most ``room`` code points: its first lines, and how many more there are.

    A first line that is too long by itself is cut.
    """
    if len(text) <= room:
        return text
    lines = text.split("\n")
    left = room - len(_MORE_LINES.format(len(lines)))
    kept: list[str] = []
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    if not kept:
        return text[: room - 1] + "…"
    return "\n".join((*kept, _MORE_LINES.format(len(lines) - len(kept))))
