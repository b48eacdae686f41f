"""Merge token by token: apply a change to a text that differs from the text it was made for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.fixes.merge.conflicts import Conflict, conflict_between
from snippet_engine.fixes.merge.indentation import WIDE, Indents, are_mixed, is_other_kind
from snippet_engine.fixes.merge.whitespace_merge import (
    UnclearError,
    has_no_break_space,
    is_in_literal,
    matched,
    runs_together,
    spelling_of,
)
from snippet_engine.fixes.search.tokens import Hunk, Token

_WIDE_IN_COMMENT = r"(?:/|\*)(?: {2,}| ?\t)"


class Merge:
    """The sent, the wanted and the file's text as tokens, and their differences.

    White space is merged like tokens. Where the agent changed none, the file's is used; otherwise
    the agent's, translated to the file's indentation. The result is unclear if both differ from the
    white space that was sent, and not only in indentation.
    """

    def __init__(
        self,
        base: Sequence[Token],
        mine: Sequence[Token],
        theirs: Sequence[Token],
        changes: Sequence[Hunk],
        mistakes: Sequence[Hunk],
        around: Sequence[tuple[str, str]],
        literals: Sequence[tuple[int, int]],
    ) -> None:
        self._literals = literals
        self._base, self._mine, self._theirs = base, mine, theirs
        self._changes, self._mistakes = changes, mistakes
        # Text that only the file has is kept if it is next to a change, but not if it is within
        # one.
        self._kept = {
            each.start: each
            for each in mistakes
            if each.start == each.end
            and all(
                conflict_between(base, mine, theirs, each, change) is Conflict.APART
                for change in changes
            )
        }
        self._in_mine = matched(len(base), changes)
        self._in_theirs = matched(len(base), mistakes)
        # Counterparts. Also includes tokens of the file that replace sent tokens one for one.
        self._stands_for = list(self._in_theirs)
        for each in mistakes:
            if each.end - each.start == each.other_end - each.other_start:
                self._stands_for[each.start : each.end] = range(each.other_start, each.other_end)
        pairs = [
            (base[at].gap, theirs[other].gap)
            for at, other in enumerate(self._in_theirs)
            if other is not None
        ]
        # The leading white space of both texts, even if their first words differ.
        begun = base[0].gap, theirs[0].gap
        first = [begun] if all(begun) and "\n" not in begun[0] else []
        lines = [*around, *first, *(pair for pair in pairs if "\n" in pair[0])]
        self._indents = Indents(lines)
        self._is_other_kind = is_other_kind([*around, *pairs])
        self._is_mixed = are_mixed(self._of_changed_lines(), around)
        # Perhaps the first line is indented as in the file, and the other lines are not.
        self._is_first_apart = any(one == other for one, other in first) and any(
            one != other for one, other in lines
        )
        # Trailing blanks of sent lines that the file doesn't have.
        self._blank_ends = {
            one: other
            for one, other in pairs
            if "\n" in one and other and one != other and one.endswith(other)
        }
        self._spelling = spelling_of(base, theirs, self._in_theirs)
        if has_no_break_space(base) and not has_no_break_space(theirs):
            self._spelling[0xA0] = " "

    def _of_changed_lines(self) -> list[tuple[str, str]]:
        begun: set[int] = set()
        for change in self._changes:
            first = change.start
            while first and "\n" not in self._base[first].gap:
                first -= 1
            begun.add(first)
            begun.update(at for at in range(first, change.end) if "\n" in self._base[at].gap)
        counterparts = ((at, self._in_theirs[at]) for at in sorted(begun))
        return [
            (self._base[at].gap, self._theirs[other].gap)
            for at, other in counterparts
            if other is not None
        ]

    def text(self) -> str:
        """Return the merged text. Raises ``UnclearError``."""
        if self._is_mixed or any(map(self._is_lost, range(len(self._base)))):
            raise UnclearError
        pieces: list[str] = []
        at = theirs_at = 0
        gap: str | None = None
        for change in self._changes:
            end = self._end_of(change.start)
            kept = self._kept.get(change.start) if change.start == change.end else None
            if kept is not None:
                end = kept.other_start  # An insertion comes before the forgotten text.
            pieces += self._standing(at, theirs_at, end, gap)
            new, gap = self._new(change, end)
            pieces += new
            at, theirs_at = change.end, self._start_of(change.end)
        pieces += self._standing(at, theirs_at, len(self._theirs), gap)
        if any(
            runs_together(pieces[at - 1], *pieces[at : at + 2]) for at in range(2, len(pieces), 2)
        ):
            raise UnclearError
        return "".join(pieces)

    def _is_lost(self, at: int) -> bool:
        """Whether the change touches white space before a token that the file doesn't have."""
        mine = self._in_mine[at]
        if self._in_theirs[at] is not None or mine is None:
            return False
        return self._stands_for[at] is None and self._mine[mine].gap != self._base[at].gap

    def _start_of(self, at: int) -> int:
        if at in self._kept:
            return self._kept[at].other_start
        found = self._in_theirs[at]
        if found is None:
            found = next((each.other_start for each in self._mistakes if each.start == at), None)
        if found is None:
            raise UnclearError
        return found

    def _end_of(self, at: int) -> int:
        if at in self._kept:
            return self._kept[at].other_end
        if at == 0:
            return 0
        found = self._in_theirs[at - 1]
        if found is not None:
            return found + 1
        ends = (each.other_end for each in self._mistakes if each.start < at == each.end)
        end = next(ends, None)
        if end is None:
            raise UnclearError
        return end

    def _standing(self, at: int, start: int, end: int, gap: str | None) -> list[str]:
        """Return the file's tokens ``[start, end)`` with the changed white space between them.

        The first token is the counterpart of the token at ``at``, unless the text begins there.
        ``gap`` replaces the white space before the first token.
        """
        pieces: list[str] = []
        sent = {self._stands_for[each]: each for each in range(at, len(self._base))}
        for index in range(start, end):
            token = self._theirs[index]
            before = token.gap
            if index == start and gap is not None:
                before = gap
            elif index in sent:
                before = self._gap_of_unchanged(sent[index], index)
            pieces += (before, token.text)
        return pieces

    def _gap_of_unchanged(self, at: int, index: int) -> str:
        """Return the merged white space before a token that the change keeps."""
        standing, base = self._theirs[index].gap, self._base[at].gap
        counterpart = self._in_mine[at]
        mine = base if counterpart is None else self._mine[counterpart].gap
        if mine == base:
            return standing
        follows = self._stands_for[at - 1] == index - 1 if at else standing == base
        if not follows:
            raise UnclearError
        return self._merged(mine, base, standing)

    def _new(self, change: Hunk, left: int) -> tuple[list[str], str]:
        """Return the change's new text, and the white space after it."""
        right = self._start_of(change.end)
        left_gap, right_gap = self._theirs[left].gap, self._theirs[right].gap
        base_left, base_right = self._base[change.start].gap, self._base[change.end].gap
        new = self._mine[change.other_start : change.other_end]
        behind = self._mine[change.other_end].gap
        if not new:
            return [], self._gap_left(behind, (base_left, left_gap), (base_right, right_gap))
        inserted = change.start == change.end
        # Whole lines are added above the first line, unless it is indented with both tabs and
        # spaces.
        is_above = not change.start and "\n" in behind and len({*left_gap}) < 2
        if base_left != left_gap and (
            (inserted and not is_above and _lines_in(base_left) != _lines_in(left_gap))
            or change.start in self._kept
            or is_in_literal(new[0], self._literals)
        ):
            raise UnclearError  # Does the file's white space belong before or behind the new text?
        ends = (
            (base_left, left_gap, new[0], self._base[change.start]),
            (base_right, right_gap, new[-1], self._base[change.end - 1]),
        )
        for sent, there, one, other in ends:
            are_words = is_word(one.text[:1]) and is_word(other.text[:1])
            if sent != there and "\n" not in sent and not inserted and not are_words:
                raise UnclearError  # White space around signs differs from that around words.
        pieces = [self._merged(new[0].gap, base_left, left_gap)]
        pieces.append(new[0].text.translate(self._spelling))
        for token in new[1:]:
            is_own = is_in_literal(token, self._literals)
            gap = token.gap if is_own else self._translated(token.gap)
            pieces += (gap, token.text.translate(self._spelling))
        if inserted and new[0].gap == base_left:
            return pieces, self._translated(behind)
        return pieces, self._merged(behind, base_right, right_gap)

    def _gap_left(self, behind: str, left: tuple[str, str], right: tuple[str, str]) -> str:
        """Return the white space left by a deletion; each side is a pair: as sent, in the file."""
        is_either = behind == left[0] == right[0] and left[1] != right[1]
        if is_either and not left[1].count("\n") == right[1].count("\n") > 0:
            raise UnclearError  # The white space before the removed text, or behind it?
        if behind == right[0]:
            return right[1]
        if behind == left[0]:
            return left[1]
        if left[0] != left[1] or right[0] != right[1]:
            raise UnclearError
        return self._translated(behind)

    def _merged(self, mine: str, base: str, standing: str) -> str:
        """Merge white space: ``base`` as sent, ``mine`` as wanted, ``standing`` in the file."""
        if mine == base or (mine == standing and "\n" not in base + mine):
            return standing
        if base == standing:
            return self._translated(mine)
        breaks = base.count("\n")
        if breaks != standing.count("\n") or not breaks or "\n" not in mine:
            raise UnclearError
        if _lines_in(base) != _lines_in(standing) or base.split() != standing.split():
            raise UnclearError
        found = self._translated(mine)
        wanted, sent, kept = (each.partition("\n")[0] for each in (mine, base, standing))
        if sent == kept:
            return found
        if wanted != sent:
            raise UnclearError
        return kept + found[found.index("\n") :]

    def _translated(self, gap: str) -> str:
        """Return new white space as the file would have it."""
        gap = self._blank_ends.get(gap, gap)
        is_wide = WIDE.fullmatch(gap) or re.search(_WIDE_IN_COMMENT, gap)
        found = self._indents.translated(gap)
        if found is None or (self._is_other_kind and is_wide):
            raise UnclearError  # A tab, or blanks?
        if self._is_first_apart and "\n" in gap:
            raise UnclearError  # As deep as the first line, or as the lines below it?
        return found.translate(self._spelling)


def _lines_in(gap: str) -> list[str]:
    """Return the whole lines in the white space ``gap``; ``gap`` itself if within a line."""
    return gap.split("\n")[1:-1] if "\n" in gap else [gap]
