"""An edit of a text that was remembered wrongly, carried over to the text that stands there.

Part of docs/design/engine.md §8. The agent sent what it believes to stand there, and what should.
Sending its new text as it is would write its other mistakes into the file; what it wants is the
change between its two texts, made to the text of the file. Where change and mistake touch, nobody
can tell what it wants, and there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from snippet_engine.anchors.whole_words import is_word
from snippet_engine.offers.carrying.indents import Indents, are_mixed
from snippet_engine.offers.carrying.literals import is_in_literal, literals_in
from snippet_engine.offers.carrying.own_lines import with_own_lines
from snippet_engine.offers.carrying.sliding import (
    apart_from,
    by_lines,
    is_put_either,
    is_told_by_breaks,
    may_be_either,
    takes_either,
)
from snippet_engine.offers.carrying.spelling import matched, spelling_of
from snippet_engine.offers.carrying.together import Together, not_known, together
from snippet_engine.offers.places.tokens import Hunk, Token, hunks, tokens_of

_TRAILING = re.compile(r"(?<=\S)(?<!//)[ \t]+(?=\n)")
_WIDE = r"(?: {2,}|\t+)"
_WIDE_IN_COMMENT = r"(?:/|\*)(?: {2,}| ?\t)"
_BLANK_LINE = re.compile(r"(?:(?<=\n)|(?<=//))[ \t]+(?=\n)")
"""White space in a line that says nothing, in a comment perhaps."""
_LEAST_KNOWN = 4
"""Of so many tokens that are replaced together, one may have been remembered wrongly."""
_LEAST_KNOWN_GONE = 8
"""The same of those that only go."""


def carried(
    sent: str,
    wanted: str,
    standing: str,
    around: Sequence[tuple[str, str]] = (),
    stands: Callable[[str], bool] = lambda _: False,
) -> str | None:
    """``standing`` with the change that makes ``wanted`` of ``sent``; ``None``: can't be told.

    ``around`` is white space beside the target that stands for one another: as sent, in the file.
    ``stands`` tells whether a word is one of the file's: such a name is no mistake, and a line that
    ``wanted`` has otherwise, with that name in it, stays as it was sent.
    """
    if sent == standing and all(one == other for one, other in around):
        return wanted
    base, mine, theirs = tokens_of(sent), tokens_of(wanted), tokens_of(standing)
    changes = [
        by_lines(base, mine, change)
        for change in hunks([each.text for each in base], [each.text for each in mine])
    ]
    mistakes = [
        by_lines(base, theirs, mistake)
        for mistake in hunks([each.key for each in base], [each.key for each in theirs])
    ]
    if any(
        takes_either(change, mistake) or is_put_either(change, mistake)
        for change in changes
        for mistake in mistakes
    ):
        return None
    if any(may_be_either(base, theirs, change, matched(len(base), mistakes)) for change in changes):
        return None
    changes = [apart_from(mistakes, change, mine, theirs) for change in changes]
    for change in changes:
        is_deletion = change.other_start == change.other_end
        unknown = least = 0
        for mistake in mistakes:
            how = together(base, mine, theirs, mistake, change)
            if how is Together.UNCLEAR:
                return None
            if how is Together.REPLACED:
                count = not_known(base, theirs, mistake)
                goes = is_deletion and mistake.other_start < mistake.other_end
                unknown += count
                least += count * (_LEAST_KNOWN_GONE if goes else _LEAST_KNOWN)
        if least > change.end - change.start and unknown > (0 if is_deletion else 1):
            return None
    rewritten = with_own_lines((base, mine), theirs, changes, mistakes, stands)
    if rewritten is None:
        return None
    try:
        literals = literals_in(wanted)
        merged = _Merge(base, mine, theirs, rewritten, mistakes, around, literals).text()
    except _UnclearError:
        return None
    if _has_more_trailing_blanks(sent, wanted, standing):
        return None
    found = _without_trailing_blanks(merged, sent, wanted, standing)
    # Where the change comes to nothing, it is done, or it isn't the change that was meant.
    return None if found == standing and wanted != sent else found


def _has_more_trailing_blanks(sent: str, wanted: str, standing: str) -> bool:
    """Whether ``wanted`` has blanks at the ends of more lines than ``sent``, where the file has
    none: its own, or imagined as well?"""
    imagined = _TRAILING.findall(sent)
    if not imagined or _TRAILING.search(standing):
        return False
    return len(imagined) < sum(each in imagined for each in _TRAILING.findall(wanted))


def _without_trailing_blanks(found: str, sent: str, wanted: str, standing: str) -> str:
    """``found`` without blanks at the ends of lines that the agent took to be there: it has them in
    its own lines, too, or in an empty one that it put behind such a line."""
    imagined = sorted(_TRAILING.findall(sent), key=len, reverse=True)

    def without(blanks: re.Match[str]) -> str:
        more = next((each for each in imagined if blanks[0].endswith(each)), "")
        return blanks[0].removesuffix(more)

    if imagined and not _TRAILING.search(standing):
        found = _TRAILING.sub(without, found)
        if not _TRAILING.search(wanted):
            found = _BLANK_LINE.sub(without, found)
    empty = set(_BLANK_LINE.findall(sent))
    if empty and not _BLANK_LINE.search(standing):
        found = _BLANK_LINE.sub(lambda each: each[0] * (each[0] not in empty), found)
    return found


def _run_together(left: str, gap: str, right: str) -> bool:
    """Whether two words are one with nothing between them: neither text has that."""
    return not gap and is_word(left[-1:]) and is_word(right[:1])


def _is_on_own_line(mine: str, base: str) -> bool:
    """Whether what a text begins with, indented by ``base``, has a line of its own now, as deep."""
    return base != "" and "\n" not in base and mine.endswith(f"\n{base}")


def _between_ends(gap: str) -> Sequence[str]:
    """White space but for the ends of the lines that it is between: blanks, or empty lines."""
    return gap.split("\n")[1:-1] if "\n" in gap else [gap]


def _commented_out(mine: str, base: str, standing: str) -> str | None:
    """``mine`` with the indentation of ``standing`` behind a comment's marker, if that is the one
    of ``base``, which stands for it; ``None`` if it isn't: the line was commented out as it was."""
    *above, wanted = mine.rpartition("\n")
    sent, there = (each.rpartition("\n")[2] for each in (base, standing))
    marker = wanted.removesuffix(sent)
    if not sent or marker == wanted or sent.strip() or there.strip() or marker.rstrip(" ") != "//":
        return None
    return "".join((*above, marker, there))


def _with_breaks_there(found: str, mine: str, base: str, standing: str) -> str:
    """``found``, for white space sent as ``mine`` in the stead of ``base``, with the empty lines
    that are in ``standing``: they were misremembered, where both have as many others. Raises
    ``_UnclearError`` where they haven't."""
    breaks, sent, wanted = (each.count("\n") for each in (standing, base, mine))
    if not breaks or not sent or not wanted or sent == breaks:
        return found
    if wanted != sent:
        if 1 <= breaks + wanted - sent != wanted:
            raise _UnclearError  # As many lines as it says, or as many more, or fewer?
        return found
    return standing[: standing.rindex("\n") + 1] + found.rpartition("\n")[2]


def _with_markers_there(
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


def _has_no_break(tokens: Sequence[Token]) -> bool:
    return any("\u00a0" in each.gap for each in tokens)


class _UnclearError(Exception):
    """It can't be told what the change comes to."""


class _Merge:
    """Three texts as tokens, and what differs between the first and each of the others."""

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
        # What the file has more beside a change, and keeps; what a change has in it is not kept.
        self._kept = {
            each.start: each
            for each in mistakes
            if each.start == each.end
            and all(
                together(base, mine, theirs, each, change) is Together.APART for change in changes
            )
        }
        self._in_mine = matched(len(base), changes)
        self._in_theirs = matched(len(base), mistakes)
        # With what stands in the stead of a token, one for one.
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
        # Whether blanks were sent for tabs, or tabs for blanks.
        self._is_other_kind = any(
            "\t" in (one + other) and {*one} != {*other}
            for one, other in (
                (one.rpartition("\n")[2], other.rpartition("\n")[2])
                for one, other in (*around, *pairs)
            )
            if one.isspace() and other.isspace()
        )
        # What both begin with, whether or not their first words are the same.
        begun = base[0].gap, theirs[0].gap
        first = [begun] if all(begun) and "\n" not in begun[0] else []
        self._indents = Indents([*lines, *first])
        # The first line may be indented as it should be, and the others not.
        self._below_first = Indents(lines) if lines else None
        self._is_mixed = are_mixed(self._of_changed_lines(), around)
        self._is_first_apart = any(one == other for one, other in first) and any(
            one != other for one, other in lines
        )
        sent_between: dict[tuple[str, str], set[str]] = {}
        for left, token in pairwise(base):
            sent_between.setdefault((left.text, token.text), set()).add(token.gap)
        # Blanks within a line, by what stands beside them: as sent, in the file. Not where those
        # were sent in several ways.
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
        if _has_no_break(base) and not _has_no_break(theirs):
            self._spelling[0xA0] = " "

    def _of_changed_lines(self) -> list[tuple[str, str]]:
        """The white space before the lines that are changed: as sent, in the file."""
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
        """The merged text. Raises ``_UnclearError``."""
        if self._is_mixed or any(map(self._is_lost, range(len(self._base)))):
            raise _UnclearError
        pieces: list[str] = []
        at = theirs_at = 0
        gap: str | None = None
        for change in self._changes:
            end = self._end_of(change.start)
            kept = self._kept.get(change.start) if change.start == change.end else None
            if kept is not None:
                end = kept.other_start  # What is put in is before what was forgotten there.
            pieces += self._standing(at, theirs_at, end, gap)
            new, gap = self._new(change, end)
            pieces += new
            at, theirs_at = change.end, self._start_of(change.end)
        pieces += self._standing(at, theirs_at, len(self._theirs), gap)
        if any(
            _run_together(pieces[at - 1], *pieces[at : at + 2]) for at in range(2, len(pieces), 2)
        ):
            raise _UnclearError
        return "".join(pieces)

    def _is_lost(self, at: int) -> bool:
        """Whether white space is changed before a token that the file doesn't have."""
        mine = self._in_mine[at]
        if self._in_theirs[at] is not None or mine is None:
            return False
        return self._stands_for[at] is None and self._mine[mine].gap != self._base[at].gap

    def _start_of(self, at: int) -> int:
        """Where in the file's tokens those begin that stand for ``base[at:]``."""
        if at in self._kept:
            return self._kept[at].other_start
        found = self._in_theirs[at]
        if found is None:
            found = next((each.other_start for each in self._mistakes if each.start == at), None)
        if found is None:
            raise _UnclearError
        return found

    def _end_of(self, at: int) -> int:
        """Where in the file's tokens those end that stand for ``base[:at]``."""
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
            raise _UnclearError
        return end

    def _standing(self, at: int, start: int, end: int, gap: str | None) -> list[str]:
        """``[start, end)`` as it stands in the file; ``gap`` before it, where that is known.

        The first token is the counterpart of the one at ``at``, unless the text begins there.
        White space that the agent changed is changed.
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
        """The white space before a token that neither side has touched."""
        standing, base = self._theirs[index].gap, self._base[at].gap
        counterpart = self._in_mine[at]
        if counterpart is None:
            return standing
        mine = self._mine[counterpart].gap
        follows = self._stands_for[at - 1] == index - 1 if at else index == 0
        if mine == base or (mine == standing and (follows or not self._is_both_gaps(at, index))):
            return _with_breaks_there(standing, mine, base, standing)
        if not follows or standing not in (base, self._indents.translated(base)):
            raise _UnclearError
        if not at and _is_on_own_line(mine, base):
            return self._on_own_line(mine, base, standing)
        if not at and mine and "\n" in base and "\n" not in mine:
            return self._first_indentation(mine, base)
        if at == len(self._base) - 1 and "\n" in mine and self._indents.is_ambiguous_in_kind:
            raise _UnclearError  # Nothing follows that would tell how deep its last line is.
        return self._changed(mine, base, standing)

    def _is_both_gaps(self, at: int, index: int) -> bool:
        """Whether the white space before ``base[at]`` is both that before the one sign that was
        forgotten there and that behind it: which of them was changed can't be told."""
        gaps = [each.gap for each in self._theirs[max(0, index - 1) : index + 1]]
        is_one = at > 0 and self._stands_for[at - 1] == index - 2
        return is_one and all(gaps) and "".join(gaps) == self._base[at].gap

    def _gap_of_added(self, at: int, index: int) -> str:
        """The white space before what the file has more, at ``index``, before ``base[at]``.

        Where the agent changed what it took to be the white space between its neighbours, and
        behind what was added it is as it was to become, it is the one before that was meant.
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
        """White space that is ``base`` as sent, ``standing`` in the file, and to become ``mine``.

        What the line before ends with stays, unless that is changed too.
        """
        commented_out = _commented_out(mine, base, standing)
        if commented_out is not None:
            return commented_out
        found = _with_breaks_there(self._translated(mine), mine, base, standing)
        found = _with_markers_there(found, mine, base, standing)
        gaps = (mine, base, standing, found)
        if not all("\n" in each for each in gaps):
            return found
        wanted, sent, kept, _ = (each.partition("\n")[0] for each in gaps)
        if wanted == sent:
            return kept + found[found.index("\n") :]
        return self._without_blanks_sent(found, base, standing)

    def _new(self, change: Hunk, left: int) -> tuple[list[str], str]:
        """The new tokens of ``change``, and the white space behind them.

        ``left`` is where in the file's tokens the part before the change ends.
        """
        right = self._start_of(change.end)
        left_gap, right_gap = self._theirs[left].gap, self._theirs[right].gap
        base_left, base_right = self._base[change.start].gap, self._base[change.end].gap
        new = self._mine[change.other_start : change.other_end]
        behind = self._mine[change.other_end].gap
        if not new:
            if behind == base_right:
                is_other = left_gap.count("\n") != right_gap.count("\n")
                is_other = is_other or ("\n" not in behind + left_gap and left_gap != right_gap)
                if behind == base_left and is_other:
                    raise _UnclearError  # The one before what goes, or the one behind it?
                return [], right_gap
            if behind == base_left:
                return [], left_gap
            if change.start == 0 and base_left and behind and "\n" not in behind:
                return [], self._indentation(behind)  # Of a line below, the first one now.
            return [], self._translated(self._behind_forgotten(change, left, behind))
        inserted = change.start == change.end
        if inserted and not is_told_by_breaks(new[0].gap, behind, base_left, left_gap):
            raise _UnclearError  # On which side of a blank line?
        is_known = new[0].gap == base_left
        is_either = inserted and is_known and behind == base_right
        between, there = _between_ends(base_left), _between_ends(left_gap)
        is_comment = inserted and new[0].text == "/"
        if is_comment and [*map(str.strip, between)] != [*map(str.strip, there)]:
            raise _UnclearError  # It is put into a line of a comment that is another one there.
        if is_either and between != there:
            raise _UnclearError  # On which side of it is the white space of the file?
        if not is_known and new[0].gap == self._before_forgotten(change, left):
            raise _UnclearError  # In the stead of what was forgotten, or behind it?
        if is_known:
            pieces = [left_gap]
        elif change.start == 0 and new[0].gap and "\n" not in new[0].gap:
            pieces = [self._first_indentation(new[0].gap, base_left)]
        else:
            pieces = [self._changed(new[0].gap, base_left, left_gap)]
        pieces.append(new[0].text.translate(self._spelling))
        for left_token, token in pairwise(new):
            pieces += (self._gap_between(left_token, token), token.text.translate(self._spelling))
        if behind == base_right and not (inserted and is_known):
            return pieces, right_gap
        if inserted and [each.text for each in new] == ["/", "/"]:
            commented_out = _commented_out(f"//{behind}", base_right, right_gap)
            if commented_out is not None:
                return pieces, commented_out.removeprefix("//")
        if not change.end and _is_on_own_line(behind, base_right):
            return pieces, self._on_own_line(behind, base_right, right_gap)
        gap = _with_breaks_there(self._translated(behind), behind, base_right, right_gap)
        gap = _with_markers_there(gap, behind, base_right, right_gap, from_end=True)
        return pieces, self._without_blanks_sent(gap, base_right, right_gap)

    def _on_own_line(self, mine: str, base: str, standing: str) -> str:
        """The white space before what the text begins with, which has a line of its own now."""
        above = mine.removesuffix(base)
        above = self._translated(above) if above.strip("\n") else above
        if self._is_first_apart and self._translated(mine) != above + standing:
            raise _UnclearError  # As deep as it is, or as what stands below it?
        return above + standing

    def _gap_between(self, left: Token, token: Token) -> str:
        """The white space before a new token: that of a literal is the agent's own."""
        if is_in_literal(token, self._literals):
            return token.gap
        gap = self._blanks.get((left.text, token.gap, token.text))
        return self._translated(token.gap) if gap is None else gap

    def _before_forgotten(self, change: Hunk, left: int) -> str | None:
        """The white space before what the file has more right before ``change``, where the sent
        text has that behind it as well: only the sign was forgotten, and both its gaps are there.
        """
        kept = self._kept.get(change.start)
        if kept is None:
            return None
        before, behind = self._theirs[kept.other_start].gap, self._theirs[left].gap
        is_both = before and behind and self._base[change.start].gap == before + behind
        return before if is_both else None

    def _behind_forgotten(self, change: Hunk, left: int, gap: str) -> str:
        """Of the white space in the stead of what goes, that which isn't before a forgotten sign,
        since it stands there already."""
        before = self._before_forgotten(change, left)
        if before is None or not gap.startswith(before):
            return gap
        if gap == before and change.end < len(self._base) - 1:
            raise _UnclearError  # Is nothing to be between the sign and what follows?
        return gap[len(before) :]

    def _without_blanks_sent(self, gap: str, base: str, standing: str) -> str:
        """``gap`` without the blanks at the end of the line before it that were sent in ``base``
        and aren't there."""
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
            raise _UnclearError
        return wanted.removesuffix(more) + gap[len(wanted) :]

    def _indentation(self, gap: str) -> str:
        """That of a new text's first line, where it is another one than the sent text's."""
        if self._indents.is_ambiguous or not self._indents.is_certain:
            raise _UnclearError
        gap = f"\n{gap}"
        if self._is_first_apart and self._indents.translated(gap) is None:
            raise _UnclearError  # As deep as the first line, or as what stands below it?
        return self._translated(gap)[1:]

    def _first_indentation(self, gap: str, base: str) -> str:
        """The same, where the sent text begins with ``base``: on the line before, perhaps."""
        indentation = self._indentation(gap)
        if "\n" in base and indentation != gap and gap != base.rpartition("\n")[2]:
            raise _UnclearError  # Which line's is it?
        return indentation

    def _translated(self, gap: str) -> str:
        first, line_break, rest = gap.partition("\n")
        if self._is_other_kind and re.fullmatch(_WIDE, first):
            if not line_break:
                raise _UnclearError  # A tab, or blanks?
            # At the end of a line, or in an empty one, blanks are of that kind as well.
            return self._translated(f"\n{first}")[1:] + self._translated(line_break + rest)
        if self._is_other_kind and re.search(_WIDE_IN_COMMENT, gap):
            raise _UnclearError
        found, below = self._indents.translated(gap), None
        if self._below_first is not None:
            below = self._below_first.translated(gap)
        if found is None:
            found = below
        elif self._is_first_apart and found != below:
            raise _UnclearError  # As deep as the first line, or as what stands below it?
        if found is None:
            raise _UnclearError
        return found.translate(self._spelling)
