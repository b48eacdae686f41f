"""White space between two tokens: what the sender's comes to in the file.

Part of docs/design/engine.md §8. ``base`` is what was sent, ``mine`` what is to become of it, and
``standing`` what the file has there. The marker of a comment counts as white space.
"""

from __future__ import annotations

from collections.abc import Sequence


class UnclearError(Exception):
    """It can't be told what a change comes to."""


def is_on_own_line(mine: str, base: str) -> bool:
    """Whether what a text begins with, indented by ``base``, has a line of its own now, as deep."""
    return base != "" and "\n" not in base and mine.endswith(f"\n{base}")


def between_ends(gap: str) -> Sequence[str]:
    """White space but for the ends of the lines that it is between: blanks, or empty lines."""
    return gap.split("\n")[1:-1] if "\n" in gap else [gap]


def commented_out(mine: str, base: str, standing: str) -> str | None:
    """``mine`` with the indentation of ``standing`` behind a comment's marker, if that is the one
    of ``base``, which stands for it; ``None`` if it isn't: the line was commented out as it was."""
    *above, wanted = mine.rpartition("\n")
    sent, there = (each.rpartition("\n")[2] for each in (base, standing))
    marker = wanted.removesuffix(sent)
    if not sent or marker == wanted or sent.strip() or there.strip() or marker.rstrip(" ") != "//":
        return None
    return "".join((*above, marker, there))


def with_breaks_there(found: str, mine: str, base: str, standing: str) -> str:
    """``found``, for white space sent as ``mine`` in the stead of ``base``, with the empty lines
    that are in ``standing``: they were misremembered, where both have as many others. Raises
    ``UnclearError`` where they haven't."""
    breaks, sent, wanted = (each.count("\n") for each in (standing, base, mine))
    if not breaks or not sent or not wanted or sent == breaks:
        return found
    if wanted != sent:
        if 1 <= breaks + wanted - sent != wanted:
            raise UnclearError  # As many lines as it says, or as many more, or fewer?
        return found
    return standing[: standing.rindex("\n") + 1] + found.rpartition("\n")[2]


def with_markers_there(
    found: str, mine: str, base: str, standing: str, *, from_end: bool = False
) -> str:
    """``found``, for white space sent as ``mine`` in the stead of ``base``, with the markers of
    comments that ``standing`` has on the lines on which both have another one alike.

    The lines are counted from the first one, or ``from_end``.
    """
    step = -1 if from_end else 1
    rows = [each.split("\n")[::step] for each in (found, mine, base, standing)]
    if len(rows[0]) != len(rows[1]) or len(rows[2]) != len(rows[3]):
        return found
    lines, *others = rows
    for at, (wanted, sent, there) in enumerate(zip(*others, strict=False)):
        marker, other = wanted.strip(), there.strip()
        if other and not at and from_end and wanted == sent and not marker:
            lines[at] = there  # What follows is the file's own, and so is what it stands in.
        if marker and marker == sent.strip() != other and other:
            lines[at] = lines[at].replace(marker, other)
    return "\n".join(lines[::step])
