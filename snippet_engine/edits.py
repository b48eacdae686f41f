"""Edits as values: disjoint, sorted replacements against the original text.

Implements docs/design/engine.md §2.1–2.3 and §3. When an :class:`EditSet` is made, it is checked
that its edits are disjoint. Text is never mutated: an edit set computes the new view or the new
bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import AnyStr

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import SourceText


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    r"""Replace the view range ``[start, end)`` by ``new_text`` (line endings as ``\\n``)."""

    start: int
    end: int
    new_text: str
    beside: int | None = field(default=None, compare=False)
    """A view offset on the line whose ending new lines get; ``None`` for the line of ``start``."""

    def trimmed(self, view: str) -> TextEdit:
        """Return the smallest edit with the same effect, without common prefix and suffix."""
        if self.start == self.end or not self.new_text:
            return self
        old = view[self.start : self.end]
        prefix = common_prefix_length(old, self.new_text)
        rest_old, rest_new = old[prefix:], self.new_text[prefix:]
        suffix = common_prefix_length(rest_old[::-1], rest_new[::-1])
        return TextEdit(self.start + prefix, self.end - suffix, rest_new[: len(rest_new) - suffix])

    def changed_code_points(self, view: str) -> int:
        """Return the larger length of removed and inserted text, after trimming."""
        return self.trimmed(view).size

    @property
    def size(self) -> int:
        """Return the larger length of removed and inserted text, in code points."""
        return max(self.end - self.start, len(self.new_text))

    def overlaps(self, other: TextEdit) -> bool:
        """Return whether both edits change the same place, or both insert at one point."""
        if self.start == self.end == other.start == other.end:
            return True
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class EditSet:
    """Disjoint edits in ascending order. Make one with :meth:`of`."""

    edits: tuple[TextEdit, ...]
    _trimmed: list[tuple[str, EditSet]] = field(default_factory=list, compare=False, repr=False)
    """The latest result of :meth:`trimmed`, which is needed several times for one request."""

    @classmethod
    def of(cls, edits: Iterable[TextEdit]) -> EditSet | tuple[TextEdit, TextEdit]:
        """Sort ``edits``; return the first overlapping pair instead if they are not disjoint."""
        ordered = sorted(edits)
        for left, right in pairwise(ordered):
            if left.overlaps(right):
                return left, right
        return cls(tuple(ordered))

    def __iter__(self) -> Iterator[TextEdit]:
        return iter(self.edits)

    def __len__(self) -> int:
        return len(self.edits)

    def trimmed(self, view: str) -> EditSet:
        """Return the smallest edits with the same effect; their number stays the same."""
        if self._trimmed and self._trimmed[0][0] is view:
            return self._trimmed[0][1]
        found = EditSet(tuple(edit.trimmed(view) for edit in self.edits))
        self._trimmed[:] = [(view, found)]
        return found

    def apply(self, view: str) -> str:
        """Return the view after the edits."""
        pieces: list[str] = []
        done = 0
        for edit in self.edits:
            pieces += (view[done : edit.start], edit.new_text)
            done = edit.end
        pieces.append(view[done:])
        return "".join(pieces)

    def apply_to_bytes(self, source: SourceText) -> bytes | SnippetError:
        """Return the file's bytes after the edits; ``invalid_request`` if they can't be encoded."""
        pieces: list[bytes] = []
        done = 0
        for edit, new_text in self.spliced(source):
            try:
                encoded = new_text.encode(source.encoding.codec)
            except UnicodeEncodeError as error:
                return SnippetError(
                    ErrorCode.INVALID_REQUEST,
                    f"newText has {new_text[error.start]!r}, which {source.encoding.codec} "
                    "can't encode. Send the whole character.",
                )
            pieces += (source.data[done : source.byte_offset(edit.start)], encoded)
            done = source.byte_offset(edit.end)
        pieces.append(source.data[done:])
        return b"".join(pieces)

    def spliced(self, source: SourceText) -> Iterator[tuple[TextEdit, str]]:
        """Yield each edit, trimmed, and its new text with the file's line endings.

        Trimmed edits keep the line endings inside a replaced range. New line breaks get the ending
        of the changed line. If a CR and an LF would become one line break, another CR is put
        between them.
        """
        view = source.view
        edits = self.trimmed(view).edits
        after_cr = False
        for index, edit in enumerate(edits):
            if not index or edits[index - 1].end < edit.start:
                after_cr = source.has_ending_at(edit.start - 1, "\r")
            new_text = edit.new_text
            if "\n" in new_text:
                beside = edit.start if edit.beside is None else edit.beside
                new_text = new_text.replace("\n", source.line_ending_at(beside))
            if new_text:
                new_text = "\r" * (after_cr and new_text[0] == "\n") + new_text
                after_cr = new_text[-1] == "\r"
            touches_next = index + 1 < len(edits) and edits[index + 1].start == edit.end
            if after_cr and not touches_next and source.has_ending_at(edit.end, "\n"):
                new_text += "\r"
            yield edit, new_text

    def map_offset(self, offset: int) -> int | None:
        """Return where a view offset is after the edits; ``None`` inside a replaced range."""
        shift = 0
        for edit in self.edits:
            if edit.end <= offset:
                shift += len(edit.new_text) - (edit.end - edit.start)
            elif edit.start < offset:
                return None
            else:
                break
        return offset + shift

    def after_ranges(self) -> list[tuple[int, int]]:
        """Return the view range of each edit's new text after the edits, in order."""
        ranges: list[tuple[int, int]] = []
        shift = 0
        for edit in self.edits:
            start = edit.start + shift
            ranges.append((start, start + len(edit.new_text)))
            shift += len(edit.new_text) - (edit.end - edit.start)
        return ranges


def joined_insertions(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """Return the edits with all insertions at one place joined into one, in the given order."""
    insertions: dict[int, TextEdit] = {}
    others = []
    for each in edits:
        if each.start != each.end:
            others.append(each)
            continue
        before = insertions.get(each.start)
        text = each.new_text if before is None else before.new_text + each.new_text
        insertions[each.start] = TextEdit(each.start, each.end, text)
    return [*others, *insertions.values()]


def common_prefix_length(left: AnyStr, right: AnyStr) -> int:
    """Return the length of the common prefix of two texts or two byte strings."""
    common, limit = 0, min(len(left), len(right))
    while common < limit:
        middle = (common + limit + 1) // 2
        if left.startswith(right[common:middle], common):
            common = middle
        else:
            limit = middle - 1
    return common
