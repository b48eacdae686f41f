"""Divide a file into lines with their ends, and merge the lines three ways. Pure.

Implements docs/design/review.md "Take back". Changes of neighbouring lines don't overlap. An
addition overlaps other changes at the same place or next to it, because their order is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from snippet_engine.answer.unified_diff import ChangedLines, LineDiff
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode

_END = re.compile(r"\r\n|\r|\n")
_ENDS = ("\r", "\n")
_ANY = "latin-1"


@dataclass(frozen=True, slots=True)
class TextLines:
    """The lines of a file with their ends, in an encoding. Joined, they are the same bytes."""

    bom: bytes
    """The byte order mark, which is not in ``lines``."""
    codec: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, data: bytes) -> TextLines:
        """Return the lines of a file. Bytes that can't be divided are one line."""
        source = decode(data)
        if isinstance(source, SourceText):
            bom, codec = source.encoding.bom, source.encoding.codec
            return cls(bom, codec, tuple(_divided(data[len(bom) :].decode(codec))))
        text = data.decode(_ANY)
        # Without zero bytes, a line-ending byte is never a part of another character.
        return cls(b"", _ANY, (text,) if "\0" in text else tuple(_divided(text)))

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        after = (*self.lines[1:], "")
        # A CR and an LF that became neighbours must not read as one line ending.
        ended = (
            f"{line}\n" if line.endswith("\r") and next_one.startswith("\n") else line
            for line, next_one in zip(self.lines, after, strict=False)
        )
        return self.bom + "".join(ended).encode(self.codec)


def line_changes(before: bytes | None, after: bytes | None) -> list[ChangedLines] | None:
    """Return which lines differ, in the order in which the page numbers them.

    A different line ending is no difference. A text is ``None`` if there is no file. Returns
    ``None`` if a text can't be decoded.
    """
    old, new = (decode(each or b"") for each in (before, after))
    if isinstance(old, SnippetError) or isinstance(new, SnippetError):
        return None
    return list(LineDiff().changes(viewed_lines(old), viewed_lines(new)))


def without_changes(before: bytes, after: bytes, chosen: Collection[int]) -> bytes | None:
    """Return ``after`` with the ``chosen`` changes undone: numbers of :func:`line_changes`.

    Returns ``None`` if there are no such changes, or if the encoding changed, too.
    """
    changes = line_changes(before, after)
    if changes is None or not chosen or not set(chosen) <= set(range(len(changes))):
        return None
    if len(set(chosen)) == len(changes):
        return before
    old, new = TextLines.of(before), TextLines.of(after)
    if old.codec != new.codec:
        return None
    lines: list[str] = []
    done = 0
    for number, each in enumerate(changes):
        lines += new.lines[done : each.new_start]
        if number in chosen:
            lines += old.lines[each.old_start : each.old_end]
        else:
            lines += new.lines[each.new_start : each.new_end]
        done = each.new_end
    lines += new.lines[done:]
    return replace(new, lines=tuple(_all_ended(lines, (*new.lines, *old.lines)))).data


def _all_ended(lines: Sequence[str], examples: Sequence[str]) -> list[str]:
    """Add a line ending to each line that has none, except the last line.

    The ending is that of the first line in ``examples`` that has one.
    """
    ended = next((each for each in examples if each.endswith(_ENDS)), "\n")
    ending = "\r\n" if ended.endswith("\r\n") else ended[-1]
    return [
        line if line.endswith(_ENDS) or index == len(lines) - 1 else line + ending
        for index, line in enumerate(lines)
    ]


def _divided(text: str) -> list[str]:
    lines, done = [], 0
    for end in _END.finditer(text):
        lines.append(text[done : end.end()])
        done = end.end()
    return [*lines, text[done:]] if done < len(text) else lines


def viewed_lines(source: SourceText) -> list[str]:
    """Return the lines as the page shows them. A line ending at the end begins no further line."""
    lines = source.view.split("\n")
    return lines if lines[-1] else lines[:-1]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Lines ``[start, end)`` of the base that both sides change differently."""

    start: int
    end: int
    ours_start: int
    ours_end: int


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged lines, and the overlaps. With overlaps, ``lines`` isn't to be used."""

    lines: tuple[str, ...]
    overlaps: tuple[Overlap, ...]


def three_way_merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Merged:
    """Merge into ``base`` the changes of ``ours`` and ``theirs``."""
    lines: list[str] = []
    overlaps: list[Overlap] = []
    done = 0
    for part in _parts(base, ours, theirs):
        lines += base[done : part.start]
        ours_part = ours[part.ours_start : part.ours_end]
        theirs_part = theirs[part.theirs_start : part.theirs_end]
        if part.is_theirs and part.is_ours and ours_part != theirs_part:
            overlaps.append(Overlap(part.start, part.end, part.ours_start, part.ours_end))
        lines += theirs_part if part.is_theirs else ours_part
        done = part.end
    return Merged((*lines, *base[done:]), tuple(overlaps))


@dataclass(slots=True)
class _Part:
    """Changes that overlap: lines ``[start, end)`` of the base, and their lines in both sides."""

    start: int
    end: int
    is_ours: bool
    is_theirs: bool
    ours_start: int = 0
    ours_end: int = 0
    theirs_start: int = 0
    theirs_end: int = 0


def _parts(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Iterator[_Part]:
    """Yield the parts of ``base`` that one side or both change, in order."""
    left = list(LineDiff().changes(base, ours))
    right = list(LineDiff().changes(base, theirs))
    changes = sorted(
        [(each, True) for each in left] + [(each, False) for each in right],
        key=lambda each: (each[0].old_start, each[0].old_end),
    )
    parts: list[_Part] = []
    for change, is_ours in changes:
        last = parts[-1] if parts else None
        if last is not None and _overlap(last, change):
            last.end = max(last.end, change.old_end)
            last.is_ours |= is_ours
            last.is_theirs |= not is_ours
        else:
            parts.append(_Part(change.old_start, change.old_end, is_ours, not is_ours))
    sides = zip(parts, _lines_on_side(parts, left), _lines_on_side(parts, right), strict=True)
    for part, in_ours, in_theirs in sides:
        part.ours_start, part.ours_end = in_ours
        part.theirs_start, part.theirs_end = in_theirs
        yield part


def _overlap(part: _Part, change: ChangedLines) -> bool:
    is_added = part.start == part.end or change.old_start == change.old_end
    return change.old_start < part.end or (is_added and change.old_start == part.end)


def _lines_on_side(
    parts: Sequence[_Part], changes: Sequence[ChangedLines]
) -> Iterator[tuple[int, int]]:
    """Yield the lines of each part in the text that ``changes`` lead to."""
    at = shift = 0
    for part in parts:
        start = part.start + shift
        while at < len(changes) and changes[at].old_end <= part.end:
            each = changes[at]
            shift += (each.new_end - each.new_start) - (each.old_end - each.old_start)
            at += 1
        yield start, part.end + shift
