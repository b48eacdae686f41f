"""Translate indentation from the text as it was sent to that of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, takewhile

from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.fixes.search.closest_lines import similarity
from snippet_engine.fixes.search.tokens import hunks

_INDENT = re.compile(r"[ \t]*")
WIDE = re.compile(r" {2,}|\t+")
"""Blanks that a tab may stand for, or tabs."""


class Indents:
    """The rules by which the agent's indentation becomes the file's."""

    def __init__(self, gaps: Iterable[tuple[str, str]]) -> None:
        """Take ``gaps``, pairs of white space: as sent, in the file."""
        known: dict[str, set[str]] = {}
        for sent, standing in gaps:
            if ("\n" in sent) == ("\n" in standing):
                known.setdefault(_last(sent), set()).add(_last(standing))
        self._known: Mapping[str, str] = {
            sent: next(iter(standing)) for sent, standing in known.items() if len(standing) == 1
        }
        self.is_certain = len(self._known) == len(known)
        """Whether each indentation as sent stands for just one in the file."""

    @property
    def is_ambiguous_in_kind(self) -> bool:
        """Whether two indentations as sent, both spaces or both tabs, correspond to one in the
        file.
        """
        by_standing = [(other, *sorted({*one})) for one, other in self._known.items() if one]
        return len({*by_standing}) < len(by_standing)

    def translated(self, gap: str) -> str | None:
        """Return white space of a new text as the file would have it; ``None`` if that is unclear.

        Spaces within a line stay as they are.
        """
        if "\n" not in gap:
            return gap
        first, *lines = gap.split("\n")
        found = [first]
        for at, line in enumerate(lines):
            blanks = _INDENT.match(line)
            assert blanks is not None
            # An empty line in between has white space only if it was sent with some.
            is_empty = not line and at < len(lines) - 1
            indent = "" if is_empty else self._indent(blanks.group())
            if indent is None:
                return None
            found.append(indent + line[blanks.end() :])
        return "\n".join(found)

    def _indent(self, sent: str) -> str | None:
        if sent in self._known:
            return self._known[sent]
        if not self.is_certain:
            return None
        return sent if all(one == other for one, other in self._known.items()) else None


def of_context(
    before: str, after: str, above: Sequence[str], below: Sequence[str]
) -> list[tuple[str, str]]:
    """Pair the white space of the context's lines: as sent, in the file.

    ``above`` and ``below`` are the file's lines near the target. The line where ``before`` begins,
    and the target's own line, are left out: their indentation was not sent.
    """
    begins_line = before.startswith((" ", "\t"))
    sides = (
        (before.split("\n")[0 if begins_line else 1 : -1], above, -1),
        (after.split("\n")[1:], below, 1),
    )
    found: list[tuple[str, str]] = []
    for sent, standing, step in sides:
        # A line right next to the target is identified by its place, even if it is only a brace.
        found += [
            (f"\n{_last(line)}", f"\n{_last(other)}")
            for line, other in takewhile(
                lambda pair: pair[0].strip() == pair[1].strip(),
                zip(sent[::step], standing[::step], strict=False),
            )
            if line.strip()
        ]
        known = {each.strip(): each for each in standing}
        for line in sent:
            other = known.get(line.strip()) if line.strip() else None
            if other is not None and sum(each.strip() == line.strip() for each in standing) == 1:
                found.append((f"\n{_last(line)}", f"\n{_last(other)}"))
    return found


def is_other_kind(pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether any pair (as sent, in the file) has spaces for tabs, or tabs for spaces."""
    ends = ((one.rpartition("\n")[2], other.rpartition("\n")[2]) for one, other in pairs)
    return any(
        "\t" in (one + other) and {*one} != {*other}
        for one, other in ends
        if one.isspace() and other.isspace()
    )


def are_mixed(own: Iterable[tuple[str, str]], beside: Iterable[tuple[str, str]]) -> bool:
    """Whether a line of the target has tabs for spaces, while a neighbouring line is as sent.

    Then both readings are possible. ``own`` are the target's pairs, ``beside`` the neighbours'.
    """
    as_sent = {_last(sent) for sent, standing in beside if _last(sent) == _last(standing)}
    return any(
        _last(sent) in as_sent and set(_last(standing)) - set(_last(sent)) for sent, standing in own
    )


def _last(gap: str) -> str:
    found = _INDENT.match(gap.rpartition("\n")[2])
    assert found is not None
    return found.group()


_OF_KIND = {" ": re.compile(r"^  +\S", re.MULTILINE), "\t": re.compile(r"^\t+\S", re.MULTILINE)}
"""A line of the file that is indented by blanks, or by tabs, alone."""
_MOST_COMPARED = 2_000
"""Most pairs of lines whose similarity is computed."""

Gaps = Sequence[tuple[str, str]]
"""White space that stands for one another: as sent, in the file."""


def has_other_indentation(
    texts: tuple[str, str], merged: str, standing: str, around: Gaps, view: str
) -> bool:
    """Whether the new lines of ``merged`` may need another indentation.

    ``texts`` are the target and the new text as sent. ``merged`` is the new text for the text
    ``standing`` in ``view``. An insertion has no target, so all its lines are new.
    """
    sent = texts[1].split("\n")
    lines = merged.split("\n")
    if len(sent) != len(lines):
        return False
    first = indentation_of(sent[0]), indentation_of(lines[0])
    # A target sent from mid-line has no indentation of its own, so a new text's must not change.
    if texts[0] != "" and not texts[0][0].isspace() and first[0] != first[1]:
        return True
    # Nothing quoted shows how deep a first line above the target is.
    if texts[0].startswith("\n") and first[0] != first[1] and {*first[0]} == {*first[1]}:
        return True
    pairs = [
        (_last_line(one), _last_line(other))
        for one, other in around
        if "\n" in one and "\n" in other
    ]
    own = _own(texts[0], standing)
    # The first line may have the file's indentation although all others were sent with another.
    below = [*pairs]
    first = indentation_of(texts[0]), indentation_of(standing)
    if first in below:
        below.remove(first)
    below = list(dict.fromkeys((*below, *own[texts[0][:1].isspace() :])))
    pairs = list(dict.fromkeys((*pairs, *own)))
    indents = (
        (indentation_of(sent[at]), indentation_of(lines[at]))
        for at in _added(texts[0].split("\n") if texts[0] else [], sent)
    )
    return any(
        _is_unclear(one, other, pairs if one != other else below, view) for one, other in indents
    )


def turns_steps(texts: tuple[str, str], merged: str) -> bool:
    """Whether a new line would be merged with another step from the line above it than was sent.

    ``texts`` are the target and the new text as sent. If so, the quoted lines were sent at the
    file's depth and their neighbours weren't, so the depth of new lines is unknown.
    """
    sent, lines = texts[1].split("\n"), merged.split("\n")
    if not texts[0] or len(sent) != len(lines):
        return False
    added = set(_added(texts[0].split("\n"), sent))
    rows = [row for row, line in enumerate(sent) if line.strip()]
    return any(
        step != _step_between(lines[above], lines[below])
        for above, below in pairwise(rows if texts[1][0].isspace() else rows[1:])
        if not added.isdisjoint((above, below))
        and (step := _step_between(sent[above], sent[below]))
    )


def _step_between(above: str, below: str) -> int:
    """Compare two lines' depth: deeper than the one above is 1, less deep is -1, else 0."""
    one, other = indentation_of(above), indentation_of(below)
    if len({*one, *other}) > 1:
        return 0
    return (len(other) > len(one)) - (len(other) < len(one))


def _is_unclear(sent: str, merged: str, pairs: Gaps, view: str) -> bool:
    """Whether an indentation ``sent``, which became ``merged``, may have another meaning."""
    same = sum(one == other for one, other in pairs if one)
    shifts = [(one, other) for one, other in pairs if one != other]
    if sent != merged:
        if {*sent} == {*merged} or not (sent and merged):
            return 0 < same >= len(shifts)
        return _is_of_either_kind(sent, merged, shifts, view)
    if len(shifts) <= same:
        return False
    found = Indents([(f"\n{one}", f"\n{other}") for one, other in shifts]).translated(f"\n{sent}")
    return found is not None and found[1:] != merged


def _is_of_either_kind(sent: str, merged: str, shifts: Gaps, view: str) -> bool:
    """Whether ``view`` has lines indented as sent, although tabs became spaces or the reverse."""
    more = _more(sent, merged)
    if (
        more is not None
        and shifts
        and all(
            {*one} == {*sent} and _more(one, other) == more
            for one, other in shifts
            if one and other
        )
    ):
        return False
    return len({*sent}) > 1 or _OF_KIND[sent[0]].search(view) is not None


def _more(sent: str, standing: str) -> tuple[str, str] | None:
    """Return the extra indentation that was sent, and that the file has."""
    if not (sent.endswith(standing) or standing.endswith(sent)):
        return None
    length = min(len(sent), len(standing))
    return sent[: len(sent) - length], standing[: len(standing) - length]


def _own(target: str, standing: str) -> list[tuple[str, str]]:
    """Pair the indentation of a target's lines: as sent, in the file."""
    lines = target.split("\n"), standing.split("\n")
    if len(lines[0]) != len(lines[1]):
        return []
    return [
        (indentation_of(one), indentation_of(other))
        for one, other in zip(*lines, strict=True)
        if one.strip() and one.strip() == other.strip() and indentation_of(one)
    ]


def _added(target: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return the indexes of new lines whose indentation no line of the target shows."""
    if not target:
        return [at for at, line in enumerate(new) if at and line.strip()]
    found: list[int] = []
    stripped = [each.strip() for each in target], [each.strip() for each in new]
    for each in hunks(*stripped):
        old, rows = stripped[0][each.start : each.end], range(each.other_start, each.other_end)
        known = {indentation_of(one) for one in target[each.start : each.end]}
        written = [row for row in rows if stripped[1][row]]
        found += [row for row in written if indentation_of(new[row]) not in known]
        written = [row for row in written if indentation_of(new[row]) in known]
        more = len(written) - sum(map(bool, old))
        if more <= 0 or len(old) * len(written) > _MOST_COMPARED:
            continue
        likeness = {
            row: max((similarity(stripped[1][row], one) for one in old), default=0.0)
            for row in written
        }
        found += sorted(written, key=lambda row: likeness[row])[:more]
    return sorted(at for at in found if at or target[0][:1].isspace())


def _last_line(gap: str) -> str:
    return indentation_of(gap.rpartition("\n")[2])
