"""One text under one symbol set: its scan, its active code, its tree, its broken nodes.

Implements docs/design/roslyn.md §1.1–1.3. Everything is computed when first needed. The analysis of
an edited text reuses that of the text before. The analysis of the same text under another symbol
set reuses its tree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import itemgetter
from threading import RLock
from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp.lexical.lexical_state import COMMENT
from snippet_engine.csharp.lexical.rescanner import rescan
from snippet_engine.csharp.lexical.scanner import MAX_BAD_LINES, Scan, scan
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.csharp.tree.cured_tree import Reading, least_broken
from snippet_engine.csharp.tree.edit_windows import EditWindow, edit_windows
from snippet_engine.csharp.tree.syntax_tree import Allowance, Change, TooMuchWorkError
from snippet_engine.edits import EditSet
from snippet_engine.source_text import SourceText

_MAX_CHANGES = 400
"""With more changed ranges than this, parsing from scratch is faster."""

_MAX_PENDING = 8
"""Most edited but unparsed texts in a row that are kept, so that the last can reuse a tree."""

_MANY_PROBLEMS = 200
"""A text with more lexical errors, or more brackets open at its end, counts as full of errors."""
_UNENDED = "CS1035"
_RARE_LINE_ENDS = (b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")

_Ranges = list[tuple[int, int]]


class Origin(NamedTuple):
    """Where a text comes from: the analysis before, and the edits since."""

    before: Analysis
    edits: EditSet


class BrokenNode(NamedTuple):
    """An ``ERROR`` or ``MISSING`` node, in view offsets."""

    start: int
    end: int
    type: str
    """For a ``MISSING`` node, the missing token."""
    is_missing: bool


class Analysis:
    """One text under one symbol set.

    ``origin``, and ``alike`` (the same text under another set), only make it faster. ``allowance``
    limits the cost of its tree, so that the same text gets the same answer, whatever was asked
    before. The scan stops after ``most_bad_lines`` with lexical errors.
    """

    def __init__(
        self,
        source: SourceText,
        symbols: SymbolSet,
        origin: Origin | None = None,
        alike: Analysis | None = None,
        allowance: Allowance | None = None,
        most_bad_lines: int = MAX_BAD_LINES,
    ) -> None:
        self._most_bad_lines = most_bad_lines
        self._allowance = allowance if allowance is not None else Allowance()
        self.source = source
        self.symbols = symbols
        before = origin.before if origin is not None else None
        self._pending: int = 0 if before is None or before.has_tree else before._pending + 1
        """How many texts in a row, including this one, are not parsed yet."""
        self._origin = origin if self._pending <= _MAX_PENDING else None
        self._alike = alike
        self._parsing = RLock()
        self.is_parsed = True
        """Whether :attr:`tree`, once made, is the tree of this text."""
        self._cost: int | None = None
        """Cost of the tree, if it was made from the text alone."""

    def take_over(self, other: Analysis) -> None:
        """Take over the scan and the tree of ``other``, the same text with a larger allowance.

        Do nothing if this one's smaller allowance could give another result.
        """
        cost = other._cost
        if cost is None or cost > self._allowance.left or not other.scan.is_clean:
            return
        self._allowance.left -= cost
        self._allowance.weight = other._allowance.weight
        self.__dict__.update(scan=other.scan, active_utf8=other.active_utf8, tree=other.tree)

    @cached_property
    def scan(self) -> Scan:
        """The lexical analysis."""
        origin = self._origin
        if origin is None:
            view, numbers = self.source.view, self.source.numbers
            return scan(view, self.symbols, self._most_bad_lines, numbers)
        before, edits = origin
        return rescan(before.scan, self.source.view, edits, self.symbols, self.source.numbers)

    @cached_property
    def _blanks(self) -> _Ranges:
        return self.scan.blanks()

    @cached_property
    def active_utf8(self) -> bytes:
        """Return the UTF-8 view with spaces in place of inactive code, at equal byte length.

        Line ends that only C# knows become ``\\n``, and NUL and U+001A become spaces, because the
        parser reads them differently.
        """
        view = self.source.view
        active = self.source.utf8
        if self._blanks:
            active = syntax_tree.blanked(active, _byte_ranges(view, self._blanks))
        if self.scan.lines.has_rare_ends:
            for rare in _RARE_LINE_ENDS:
                active = active.replace(rare, b"\n".ljust(len(rare)))
        for blank in (b"\0", b"\x1a"):
            active = active.replace(blank, b" ") if blank in active else active
        if self._ends_in_comment:
            # Everything after an unclosed `/*` is a comment. At each later `/*` the parser would
            # search for an end, up to the end of the text.
            opener = next((p.opener for _, p in self.scan.errors() if p.id == _UNENDED), None)
            if opener is not None:
                start = self.source.utf8_offset(opener)
                active = syntax_tree.blanked(active, [(start, len(active))])
        return active

    @property
    def _ends_in_comment(self) -> bool:
        """Return whether a comment isn't closed, so that everything after its start is blank.

        An edit or a symbol set that opens or closes it changes the tree far from its own place.
        """
        return self.scan.final.frame.kind == COMMENT

    @property
    def has_whole_tree(self) -> bool:
        """Return whether the text has a tree of its own, without an error."""
        return not self.tree.root_node.has_error and self.is_parsed

    @property
    def is_whole_text_parsed(self) -> bool:
        """Return whether the text has a tree of its own, broken or not."""
        return self.tree is not None and self.is_parsed

    @property
    def has_tree(self) -> bool:
        """Whether the tree is made already."""
        return "tree" in self.__dict__

    @cached_property
    def tree(self) -> tree_sitter.Tree:
        """Return the tree of the active text; an empty one if parsing costs too much.

        :attr:`is_parsed` says which.
        """
        with self._parsing:
            made: tree_sitter.Tree | None = self.__dict__.get("tree")
            if made is not None:
                return made  # by another thread, meanwhile
            if max(len(self.scan.problems), self.scan.final.frame.depth) > _MANY_PROBLEMS:
                self._allowance.note_many_errors()
            try:
                tree = self._parse()
            except TooMuchWorkError:
                tree = syntax_tree.parse(b"")
                self.is_parsed = False
            # The origin isn't needed any more; keeping it would keep a chain of texts alive.
            self._origin = self._alike = None
            self.__dict__["tree"] = tree
        return tree

    def forget_origin(self) -> None:
        """Forget the earlier text, so that the tree is made from this text alone.

        The final tree of a broken text is always made from the text alone.
        """
        if "scan" in self.__dict__:
            self._origin = self._alike = None

    def _parse(self) -> tree_sitter.Tree:
        origin, alike = self._origin, self._alike
        known = alike if origin is None else origin.before
        if known is not None and (known._ends_in_comment or self._ends_in_comment):
            origin = alike = None
        if origin is not None:
            before, edits = origin
            ranges = [
                *((e.start, e.end, e.new_text) for e in edits),
                *_switched(before, self, edits),
            ]
            changes = _byte_changes(before.source.view, sorted(ranges, key=itemgetter(0, 1)))
        elif alike is not None:
            before = alike
            changes = _byte_changes(
                before.source.view,
                ((start, end, None) for start, end in _difference(before._blanks, self._blanks)),
            )
        else:
            left = self._allowance.left
            tree = syntax_tree.parse(self.active_utf8, None, self._allowance)
            self._cost = left - self._allowance.left
            return tree
        if len(changes) > _MAX_CHANGES:
            return syntax_tree.parse(self.active_utf8, None, self._allowance)
        tree = before.tree
        if not before.is_parsed:
            raise TooMuchWorkError
        return syntax_tree.reparse(
            tree, before.active_utf8, self.active_utf8, changes, self._allowance
        )

    @cached_property
    def edit_windows(self) -> tuple[EditWindow, ...] | None:
        """Return windows around the edits that prove the tree whole; ``None`` if none do.

        Only for a text that results from edits of another, and before its own tree is made.
        """
        origin = self._origin
        if origin is None or not self.scan.is_clean:
            return None
        changes = self.changes_since(*origin)
        if changes is None or not origin.before.has_whole_tree:
            return None
        return edit_windows(origin.before.tree, self.active_utf8, changes)

    def changes_since(self, before: Analysis, edits: EditSet) -> list[Change] | None:
        """Return the byte changes that ``edits`` of ``before`` made in its active text.

        ``None`` if they change which code is active.
        """
        if _switched(before, self, edits) or before._ends_in_comment or self._ends_in_comment:
            return None
        return _byte_changes(
            before.source.view, ((edit.start, edit.end, edit.new_text) for edit in edits)
        )

    @cached_property
    def cured(self) -> Reading:
        """Return the least broken reading, with gaps of the grammar worked around if that helps."""
        return least_broken(self.active_utf8, self.tree, self._allowance)

    @property
    def is_cut_short(self) -> bool:
        """Return whether the tree is broken but might be whole with a larger share of steps.

        The tree exists, but its broken parts may be valid C#. With the steps of a whole request,
        the parser might read them.
        """
        return self._allowance.is_shared and self.cured.has_run_out

    @property
    def cured_tree(self) -> tree_sitter.Tree:
        """Return the tree of the least broken reading.

        The reading's text may differ: read the texts of nodes from the source.
        """
        return self.cured.tree

    @cached_property
    def broken_nodes(self) -> tuple[BrokenNode, ...]:
        """Return what is broken in the tree, apart from gaps of the grammar, in text order."""
        if not self.has_tree and self.edit_windows is not None:
            return ()
        at = self.source.view_offset
        return tuple(
            BrokenNode(at(node.start_byte), at(node.end_byte), node.type, not node.is_error)
            for node in self.cured.broken
        )


def _switched(before: Analysis, after: Analysis, edits: EditSet) -> list[tuple[int, int, None]]:
    """Return the old ranges, outside the edits, that became active or inactive."""
    found: list[tuple[int, int, None]] = []
    if not before._blanks and not after._blanks:
        return found
    done = moved = 0
    ends = ((len(before.source.view), len(before.source.view), 0),)
    gaps = (*((e.start, e.end, len(e.new_text) - (e.end - e.start)) for e in edits), *ends)
    for start, end, growth in gaps:
        old = _clip(before._blanks, done, start, 0)
        new = _clip(after._blanks, done + moved, start + moved, -moved)
        found += ((first, last, None) for first, last in _difference(old, new))
        moved += growth
        done = end
    return found


def _clip(ranges: _Ranges, start: int, end: int, moved: int) -> _Ranges:
    """Return the parts of sorted ``ranges`` in ``[start, end)``, moved."""
    first = bisect_left(ranges, (start, 0))
    if first and ranges[first - 1][1] > start:
        first -= 1
    found = ranges[first : bisect_left(ranges, (end, 0))]
    if found:
        found[0] = max(found[0][0], start), found[0][1]
        found[-1] = found[-1][0], min(found[-1][1], end)
    return [(left + moved, right + moved) for left, right in found] if moved else found


def _difference(left: _Ranges, right: _Ranges) -> Iterator[tuple[int, int]]:
    """Yield the ranges that belong to exactly one of two sets of ranges."""
    if left == right:
        return
    edges = Counter(edge for ranges in (left, right) for pair in ranges for edge in pair)
    odd = sorted(edge for edge, count in edges.items() if count % 2)
    yield from zip(odd[::2], odd[1::2], strict=True)


def _byte_changes(view: str, changes: Iterable[tuple[int, int, str | None]]) -> list[Change]:
    """Return changes of view ranges as changes of bytes; without new text, the length stays."""
    given = list(changes)
    ranges = _byte_ranges(view, [(start, end) for start, end, _ in given])
    return [
        Change(first, last, last - first if new_text is None else len(new_text.encode()))
        for (first, last), (_, _, new_text) in zip(ranges, given, strict=True)
    ]


def _byte_ranges(view: str, ranges: _Ranges) -> _Ranges:
    """Return sorted, disjoint view ranges as byte ranges of the encoded view."""
    if view.isascii():
        return ranges
    found: _Ranges = []
    position = last = 0
    for start, end in ranges:
        first = last + len(view[position:start].encode())
        last = first + len(view[start:end].encode())
        position = end
        found.append((first, last))
    return found
