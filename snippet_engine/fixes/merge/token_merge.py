"""Merge, token by token: apply a change to a text that differs from the one it was made for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from snippet_engine.fixes.merge.conflicts import Conflict, conflict_between
from snippet_engine.fixes.merge.indentation import WIDE, Indents, are_mixed, is_other_kind
from snippet_engine.fixes.merge.whitespace_merge import (
    UnclearError,
    between_ends,
    has_no_break_space,
    has_one_side,
    is_in_literal,
    is_on_own_line,
    matched,
    runs_together,
    spelling_of,
    with_breaks_there,
    with_markers_there,
)
from snippet_engine.fixes.search.tokens import Hunk, Token

_TIGHT = frozenset((",", ";", ")", "]", "."))
"""Signs without white space before them, whatever is at their place in the file."""
_WIDE_IN_COMMENT = r"(?:/|\*)(?: {2,}| ?\t)"


class Merge:
    """Three texts as tokens, and the differences of the first from each of the others."""

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
        # Text that only the file has is kept next to a change, but not within one.
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
        # The counterparts, with the file's tokens that replace sent ones, one for one.
        self._stands_for = list(self._in_theirs)
        for each in mistakes:
            if each.end - each.start == each.other_end - each.other_start:
                self._stands_for[each.start : each.end] = range(each.other_start, each.other_end)
        pairs = [
            (base[at].gap, theirs[other].gap)
            for at, other in enumerate(self._in_theirs)
            if other is not None
        ]
        lines = [*around, *(pair for pair in pairs if "\n" in pair[0])]
        self._is_other_kind = is_other_kind([*around, *pairs])
        # The white space that both begin with, whether or not their first words are equal.
        begun = base[0].gap, theirs[0].gap
        first = [begun] if all(begun) and "\n" not in begun[0] else []
        self._indents = Indents([*lines, *first])
        # The first line may be indented as in the file, and the others not.
        self._below_first = Indents(lines) if lines else None
        self._is_mixed = are_mixed(self._of_changed_lines(), around)
        self._is_first_apart = any(one == other for one, other in first) and any(
            one != other for one, other in lines
        )
        sent_between: dict[tuple[str, str], set[str]] = {}
        for left, token in pairwise(base):
            sent_between.setdefault((left.text, token.text), set()).add(token.gap)
        # White space within a line, by the tokens around it: as sent, in the file. Not if it was
        # sent in several ways.
        self._blanks = {
            (base[at - 1].text, base[at].gap, base[at].text): theirs[other].gap
            for at, other in enumerate(self._in_theirs)
            if at
            and other
            and self._in_theirs[at - 1] == other - 1
            and "\n" not in base[at].gap + theirs[other].gap
            and len(sent_between[base[at - 1].text, base[at].text]) == 1
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

        The first token is the counterpart of the one at ``at``, unless the text begins there.
        ``gap`` replaces the white space before it.
        """
        pieces: list[str] = []
        sent = {self._stands_for[each]: each for each in range(at, len(self._base))}
        for index in range(start, end):
            token = self._theirs[index]
            before = token.gap
            if index == start and gap is not None:
                before = gap
            elif index in sent:
                before = self._changed_gap(sent[index], index)
            elif index - 1 in sent:
                before = self._gap_of_added(sent[index - 1] + 1, index)
            pieces += (before, token.text)
        return pieces

    def _changed_gap(self, at: int, index: int) -> str:
        """Return the white space before an unchanged token; the white space may have changed."""
        standing, base = self._theirs[index].gap, self._base[at].gap
        counterpart = self._in_mine[at]
        if counterpart is None:
            return standing
        mine = self._mine[counterpart].gap
        follows = self._stands_for[at - 1] == index - 1 if at else index == 0
        if mine == base or (mine == standing and follows):
            return with_breaks_there(standing, mine, base, standing)
        if not follows or standing not in (base, self._indents.translated(base)):
            raise UnclearError
        if not at and is_on_own_line(mine, base):
            raise UnclearError  # As deep as it is, or as what stands below it?
        if not at and mine and "\n" in base and "\n" not in mine:
            raise UnclearError  # Which line's indentation is it?
        if at == len(self._base) - 1 and "\n" in mine and self._indents.is_ambiguous_in_kind:
            raise UnclearError  # Nothing follows that would tell how deep its last line is.
        return self._changed(mine, base, standing)

    def _gap_of_added(self, at: int, index: int) -> str:
        """Return the white space before a token that only the file has, at ``index``, before
        ``base[at]``.

        If the agent changed the white space between its neighbours, and the file has the result
        behind the token, the agent changed the white space before it.
        """
        standing, base = self._theirs[index].gap, self._base[at].gap
        counterpart, behind = self._in_mine[at], self._in_theirs[at]
        if counterpart is None or behind is None:
            return standing
        mine = self._mine[counterpart].gap
        if mine == base or standing != self._indents.translated(base):
            return standing
        is_right_behind = self._theirs[behind].gap == self._indents.translated(mine)
        return self._changed(mine, base, standing) if is_right_behind else standing

    def _changed(self, mine: str, base: str, standing: str) -> str:
        """Merge white space: ``base`` as sent, ``standing`` in the file, ``mine`` as wanted."""
        found = with_breaks_there(self._translated(mine), mine, base, standing)
        found = with_markers_there(found, mine, base, standing)
        gaps = (mine, base, standing, found)
        if not all("\n" in each for each in gaps):
            return found
        wanted, sent, kept, _ = (each.partition("\n")[0] for each in gaps)
        if wanted == sent:
            return kept + found[found.index("\n") :]
        return self._without_blanks_sent(found, base, standing)

    def _new(self, change: Hunk, left: int) -> tuple[list[str], str]:
        right = self._start_of(change.end)
        left_gap, right_gap = self._theirs[left].gap, self._theirs[right].gap
        base_left, base_right = self._base[change.start].gap, self._base[change.end].gap
        new = self._mine[change.other_start : change.other_end]
        behind = self._mine[change.other_end].gap
        kept = self._kept.get(change.start)
        before = self._theirs[kept.other_start].gap if kept is not None else ""
        if before and left_gap and base_left == before + left_gap:
            raise UnclearError  # A forgotten sign divides white space: which part is changed?
        if not new:
            if behind == base_right:
                is_other = left_gap.count("\n") != right_gap.count("\n")
                is_other = is_other or ("\n" not in behind + left_gap and left_gap != right_gap)
                if behind == base_left and is_other:
                    raise UnclearError  # The one before what goes, or the one behind it?
                return [], right_gap
            if behind == base_left:
                return [], left_gap
            if change.start == 0 and base_left and behind and "\n" not in behind:
                raise UnclearError  # It is that of a line below, the first one now.
            return [], self._translated(behind)
        inserted = change.start == change.end
        if inserted and not has_one_side(new[0].gap, behind, base_left, left_gap):
            raise UnclearError  # On which side of a blank line?
        is_known = new[0].gap == base_left
        is_either = inserted and is_known and behind == base_right
        between, there = between_ends(base_left), between_ends(left_gap)
        is_comment = inserted and new[0].text == "/"
        if is_comment and [*map(str.strip, between)] != [*map(str.strip, there)]:
            raise UnclearError  # It is put into a line of a comment that is another one there.
        if is_either and between != there:
            raise UnclearError  # On which side of it is the white space of the file?
        if is_known and left_gap != base_left and is_in_literal(new[0], self._literals):
            raise UnclearError  # Is the blank wanted, or was it there?
        if is_known and not base_left and new[0].text in _TIGHT and left_gap.isspace():
            pieces = [left_gap if "\n" in left_gap else ""]
        elif is_known:
            pieces = [left_gap]
        elif change.start == 0 and new[0].gap and "\n" not in new[0].gap:
            raise UnclearError  # Which line's indentation is it?
        else:
            pieces = [self._changed(new[0].gap, base_left, left_gap)]
        pieces.append(new[0].text.translate(self._spelling))
        for left_token, token in pairwise(new):
            pieces += (self._gap_between(left_token, token), token.text.translate(self._spelling))
        if behind == base_right and not (inserted and is_known):
            return pieces, right_gap
        if not change.end and is_on_own_line(behind, base_right):
            raise UnclearError  # As deep as it is, or as what stands below it?
        gap = with_breaks_there(self._translated(behind), behind, base_right, right_gap)
        gap = with_markers_there(gap, behind, base_right, right_gap, from_end=True)
        return pieces, self._without_blanks_sent(gap, base_right, right_gap)

    def _gap_between(self, left: Token, token: Token) -> str:
        """Return the white space before a new token; in a literal, the agent's own."""
        if is_in_literal(token, self._literals):
            return token.gap
        gap = self._blanks.get((left.text, token.gap, token.text))
        return self._translated(token.gap) if gap is None else gap

    def _without_blanks_sent(self, gap: str, base: str, standing: str) -> str:
        """Remove from ``gap`` trailing spaces that were sent in ``base`` and aren't in the file."""
        rows = gap.count("\n")
        if not rows or not all("\n" in each for each in (base, standing)):
            return gap
        wanted, sent, kept = (each.partition("\n")[0] for each in (gap, base, standing))
        if base.count("\n") == standing.count("\n") > rows:
            # It stands for the last lines of them.
            sent, kept = (each.rsplit("\n", rows + 1)[1] for each in (base, standing))
        more = sent[len(kept) :]
        if not wanted or not more or not sent.startswith(kept):
            return gap
        if not wanted.endswith(more):
            raise UnclearError
        return wanted.removesuffix(more) + gap[len(wanted) :]

    def _translated(self, gap: str) -> str:
        first, line_break, rest = gap.partition("\n")
        if self._is_other_kind and WIDE.fullmatch(first):
            if not line_break:
                raise UnclearError  # A tab, or blanks?
            # At the end of a line, or in an empty one, blanks are of that kind as well.
            return self._translated(f"\n{first}")[1:] + self._translated(line_break + rest)
        if self._is_other_kind and re.search(_WIDE_IN_COMMENT, gap):
            raise UnclearError
        found, below = self._indents.translated(gap), None
        if self._below_first is not None:
            below = self._below_first.translated(gap)
        if found is None:
            found = below
        elif self._is_first_apart and found != below:
            raise UnclearError  # As deep as the first line, or as what stands below it?
        if found is None:
            raise UnclearError
        return found.translate(self._spelling)
