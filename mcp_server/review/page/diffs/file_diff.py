"""Compare two texts of a file, as rows of HTML.

Implements docs/design/review.md "Diffs". A diff has at most :data:`MAX_ROWS` rows, and says how
many it leaves out. Cached diffs are found by the hashes of the texts, so they are never outdated.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

from mcp_server.review.page.diffs.marked_text import (
    Marks,
    Span,
    changed_words,
    coloured_lines,
    marked_line,
)
from mcp_server.review.take_back.text_lines import viewed_lines
from snippet_engine.answer.unified_diff import ChangedLines, LineDiff, hunks
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode

CONTEXT_LINES = 3
MAX_ROWS = 3_000


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a diff."""

    sign: str
    """A space, ``+`` or ``-``."""
    old: int | None
    """The line number in the old text, from 1; ``None`` for an added line."""
    new: int | None
    """The line number in the new text, from 1; ``None`` for a removed line."""
    html: str
    """The line as safe HTML."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring changes, with the lines around them."""

    rows: tuple[Row, ...]
    skipped: int
    """How many unchanged lines lie between the previous hunk and this one."""
    changes: tuple[int, ...]
    """The numbers of the changes in the hunk, counted from 0 in the file."""

    @property
    def first_line(self) -> int | None:
        """The number of the first changed line: in the new text, or in the old one if removed."""
        changed = next((each for each in self.rows if each.sign != " "), self.rows[0])
        return changed.new or changed.old

    @property
    def pairs(self) -> list[tuple[Row | None, Row | None]]:
        """The rows side by side: the old text on the left, the new text on the right."""
        return list(_paired(self.rows))


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The changes of one file."""

    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    note: str = ""
    """What the rows can't show, or why there are no rows."""
    left_out: int = 0
    """How many rows are left out, because there are too many."""
    skipped_at_end: int = 0


def file_diff(
    before: bytes | None, after: bytes | None, *, is_csharp: bool, context: int = CONTEXT_LINES
) -> FileDiff:
    """Return the difference between two texts. A text is ``None`` if there is no file."""
    texts = [decode(b"" if data is None else data) for data in (before, after)]
    for text, which in zip(texts, ("before", "after"), strict=True):
        if isinstance(text, SnippetError):
            return FileDiff(note=f"The text {which} can't be shown. {text.message}")
    old, new = (each for each in texts if isinstance(each, SourceText))
    if before is not None and after is not None and old.view == new.view:
        return FileDiff(note=_unseen(before, after))
    return _Comparison(old, new, is_csharp=is_csharp).diff(context)


def _unseen(before: bytes, after: bytes) -> str:
    if before == after:
        return "Nothing changed."
    return "Only line endings or the encoding changed; the text is the same."


class _Comparison:
    """Two texts, and the changed lines between them."""

    def __init__(self, old: SourceText, new: SourceText, *, is_csharp: bool) -> None:
        self._texts = old, new
        self._old, self._new = map(viewed_lines, (old, new))
        self._is_csharp = is_csharp
        self._diff = LineDiff()
        self._changes = list(self._diff.changes(self._old, self._new))

    def diff(self, context: int) -> FileDiff:
        """Return the diff with ``context`` unchanged lines around each change.

        A file of more than :data:`MAX_ROWS` lines isn't shown whole, but with less context.
        """
        longest = max(len(self._old), len(self._new))
        note = self._last_line()
        if context > CONTEXT_LINES and longest + len(self._changes) > MAX_ROWS:
            context = CONTEXT_LINES
            note = f"With {longest:,} lines, the file is too long to be shown whole. {note}".strip()
        groups = list(hunks(self._changes, context))
        kept, left_out = _within_bounds(groups, context, len(self._old))
        old_colours, new_colours = self._colours(kept, context)
        shown: list[Hunk] = []
        done = number = 0
        for group in kept:
            start = max(done, group[0].old_start - context)
            rows = tuple(self._rows(group, start, context, old_colours, new_colours))
            numbers = tuple(range(number, number + len(group)))
            shown.append(Hunk(rows, start - done, numbers))
            done = min(len(self._old), group[-1].old_end + context)
            number += len(group)
        return FileDiff(
            tuple(shown),
            added=sum(each.new_end - each.new_start for each in self._changes),
            removed=sum(each.old_end - each.old_start for each in self._changes),
            note=note,
            left_out=left_out,
            skipped_at_end=len(self._old) - done if not left_out else 0,
        )

    def _rows(
        self,
        group: Sequence[ChangedLines],
        start: int,
        context: int,
        old_colours: dict[int, list[Span]],
        new_colours: dict[int, list[Span]],
    ) -> Iterator[Row]:
        at = start
        new_at = group[0].new_start - (group[0].old_start - start)
        for change in group:
            yield from self._unchanged_rows(at, change.old_start, new_at - at, new_colours)
            old_marks, new_marks = self._marks(change)
            for line, marks in zip(range(change.old_start, change.old_end), old_marks, strict=True):
                html = marked_line(self._old[line], old_colours.get(line, ()), marks)
                yield Row("-", line + 1, None, html)
            for line, marks in zip(range(change.new_start, change.new_end), new_marks, strict=True):
                html = marked_line(self._new[line], new_colours.get(line, ()), marks)
                yield Row("+", None, line + 1, html)
            at, new_at = change.old_end, change.new_end
        yield from self._unchanged_rows(
            at, min(len(self._old), at + context), new_at - at, new_colours
        )

    def _unchanged_rows(
        self, start: int, end: int, shift: int, colours: dict[int, list[Span]]
    ) -> Iterator[Row]:
        for line in range(start, end):
            new = line + shift
            yield Row(" ", line + 1, new + 1, marked_line(self._new[new], colours.get(new, ())))

    def _marks(self, change: ChangedLines) -> tuple[Marks, Marks]:
        old = self._old[change.old_start : change.old_end]
        new = self._new[change.new_start : change.new_end]
        return changed_words(old, new, self._diff)

    def _colours(
        self, groups: Sequence[Sequence[ChangedLines]], context: int
    ) -> tuple[dict[int, list[Span]], dict[int, list[Span]]]:
        """Return the colours of the removed lines of the old text, and of the new text's lines."""
        if not self._is_csharp:
            return {}, {}
        removed = [
            line
            for group in groups
            for each in group
            for line in range(each.old_start, each.old_end)
        ]
        shown = sorted(
            {
                line
                for group in groups
                for line in range(
                    max(0, group[0].new_start - context),
                    min(len(self._new), group[-1].new_end + context),
                )
            }
        )
        old, new = self._texts
        return (
            coloured_lines(old.utf8, self._old, removed),
            coloured_lines(new.utf8, self._new, shown),
        )

    def _last_line(self) -> str:
        """Return a note if the last line gained or lost its line ending, which no row shows."""
        ended = [each.view.endswith("\n") or not each.view for each in self._texts]
        if ended[0] == ended[1]:
            return ""
        return (
            "The file's last line now ends with a line break."
            if ended[1]
            else ("The file's last line no longer ends with a line break.")
        )


def _within_bounds(
    groups: Sequence[list[ChangedLines]], context: int, length: int
) -> tuple[list[list[ChangedLines]], int]:
    """Return the changes that fit into :data:`MAX_ROWS`, and how many rows are left out."""
    kept: list[list[ChangedLines]] = []
    left, left_out = MAX_ROWS, 0
    for group in groups:
        shown: list[ChangedLines] = []
        for change in group:
            needed = _height(change) + min(2 * context, length)
            if left_out == 0 and needed <= left:
                left -= needed
                shown.append(change)
            elif left_out == 0 and not (kept or shown):
                part = _cut(change, left)
                shown.append(part)
                left_out += _height(change) - _height(part)
                left = 0
            else:
                left_out += _height(change)
        if shown:
            kept.append(shown)
    return kept, left_out


def _height(change: ChangedLines) -> int:
    return change.old_end - change.old_start + change.new_end - change.new_start


def _cut(change: ChangedLines, rows: int) -> ChangedLines:
    """Return the beginning of a change that has too many rows."""
    half = rows // 2
    return change._replace(
        old_end=min(change.old_end, change.old_start + half),
        new_end=min(change.new_end, change.new_start + half),
    )


def _paired(rows: Sequence[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Yield removed and added rows side by side; an unchanged row is on both sides."""
    removed: list[Row] = []
    added: list[Row] = []
    for row in (*rows, None):
        if row is not None and row.sign == "-" and not added:
            removed.append(row)
        elif row is not None and row.sign == "+":
            added.append(row)
        else:
            for index in range(max(len(removed), len(added))):
                yield (
                    removed[index] if index < len(removed) else None,
                    added[index] if index < len(added) else None,
                )
            removed, added = [], []
            if row is not None and row.sign == "-":
                removed.append(row)
            elif row is not None:
                yield row, row


MAX_KEPT_ROWS = 30_000
"""Most rows in all cached diffs. The diff that was not used for longest goes first."""

ALL_LINES = 1_000_000
"""A context that shows the whole file."""


class KeptDiffs:
    """Makes and caches diffs. May be used on any thread."""

    def __init__(self, text_of: Callable[[str], bytes | None]) -> None:
        """``text_of`` returns the text with a hash; ``None`` if it isn't stored."""
        self._text_of = text_of
        self._kept: OrderedDict[tuple[object, ...], FileDiff] = OrderedDict()
        self._rows = 0
        self._lock = Lock()

    def diff(
        self, path: str, before: str | None, after: str | None, context: int = CONTEXT_LINES
    ) -> FileDiff:
        """Return the difference between the texts with two hashes; ``None`` means no file."""
        key = (before, after, path.endswith(".cs"), context)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        texts = [None if each is None else self._text_of(each) for each in (before, after)]
        for name, wanted, text in zip(("before", "after"), (before, after), texts, strict=True):
            if wanted is not None and text is None:
                return FileDiff(note=f"The text {name} is not kept, so no difference is known.")
        made = file_diff(*texts, is_csharp=path.endswith(".cs"), context=context)
        with self._lock:
            self._keep(key, made)
        return made

    def _keep(self, key: tuple[object, ...], diff: FileDiff) -> None:
        replaced = self._kept.pop(key, None)
        self._kept[key] = diff
        self._rows += _size(diff) - (0 if replaced is None else _size(replaced))
        while self._rows > MAX_KEPT_ROWS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._rows -= _size(dropped)


def _size(diff: FileDiff) -> int:
    return 1 + sum(len(each.rows) for each in diff.hunks)
