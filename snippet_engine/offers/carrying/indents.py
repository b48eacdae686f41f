"""The indentation that a sent text stands for: what an agent's blanks come to in the file.

Part of docs/design/engine.md §8. An agent that sends a target indented otherwise than the file
sends its new text indented in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from math import gcd

_INDENT = re.compile(r"[ \t]*")
WIDE = re.compile(r" {2,}|\t+")
"""Blanks that a tab may stand for, or tabs."""
_WIDEST_TAB = 8
"""In blanks."""


class Indents:
    """What is known of how a sender's indentation becomes the file's."""

    def __init__(self, gaps: Iterable[tuple[str, str]]) -> None:
        """``gaps`` are pairs of white space that stand for one another: as sent, in the file."""
        known: dict[str, set[str]] = {}
        for sent, standing in gaps:
            if ("\n" in sent) == ("\n" in standing):
                known.setdefault(_last(sent), set()).add(_last(standing))
        self._known: Mapping[str, str] = {
            sent: next(iter(standing)) for sent, standing in known.items() if len(standing) == 1
        }
        self.is_certain = len(self._known) == len(known)
        """Whether each indentation of the sender's stands for one of the file's."""

    @property
    def is_ambiguous(self) -> bool:
        """Whether two indentations of the sender's stand for one of the file's."""
        return len(set(self._known.values())) < len(self._known)

    @property
    def is_ambiguous_in_kind(self) -> bool:
        """The same of two that are both blanks, or both tabs."""
        by_standing = [(other, *sorted({*one})) for one, other in self._known.items() if one]
        return len({*by_standing}) < len(by_standing)

    def translated(self, gap: str) -> str | None:
        """White space of a new text as the file would have it; ``None`` where that can't be told.

        Blanks within a line stay as they are.
        """
        if "\n" not in gap:
            return gap
        first, *lines = gap.split("\n")
        found = [first]
        for at, line in enumerate(lines):
            blanks = _INDENT.match(line)
            assert blanks is not None
            # A line in between has blanks only where the sender's has some.
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
        pairs = list(self._known.items())
        if all(one == other for one, other in pairs):
            return sent
        found, shifted = _by_levels(sent, pairs), _shifted(sent, pairs)
        if found is None and shifted is None:
            return _by_width(sent, pairs)
        if found is None or shifted is None or found == shifted:
            return found if found is not None else shifted
        # More blanks, or wider steps? One line doesn't tell.
        return found if len(pairs) > 1 else None


def of_context(
    before: str, after: str, above: Sequence[str], below: Sequence[str]
) -> list[tuple[str, str]]:
    """White space that stands for one another in the lines of a context: as sent, in the file.

    ``above`` and ``below`` are the file's lines near the target. What was sent of the line where
    ``before`` begins, or of the target's own, tells nothing.
    """
    begins_line = before.startswith((" ", "\t"))
    sides = (
        (before.split("\n")[0 if begins_line else 1 : -1], above, -1),
        (after.split("\n")[1:], below, 1),
    )
    found: list[tuple[str, str]] = []
    for sent, standing, step in sides:
        # Right beside the target, a line is known by its place, though it is a brace alone.
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
    """Whether blanks were sent for tabs, or tabs for blanks, in white space that stands for one
    another: as sent, in the file."""
    ends = ((one.rpartition("\n")[2], other.rpartition("\n")[2]) for one, other in pairs)
    return any(
        "\t" in (one + other) and {*one} != {*other}
        for one, other in ends
        if one.isspace() and other.isspace()
    )


def are_mixed(own: Iterable[tuple[str, str]], beside: Iterable[tuple[str, str]]) -> bool:
    """Whether both may be meant: a line of the target, of which ``own`` are the gaps, has tabs for
    the blanks that were sent, or blanks for tabs, and a line ``beside`` it has them as sent."""
    as_sent = {_last(sent) for sent, standing in beside if _last(sent) == _last(standing)}
    return any(
        _last(sent) in as_sent and set(_last(standing)) - set(_last(sent)) for sent, standing in own
    )


def _last(gap: str) -> str:
    found = _INDENT.match(gap.rpartition("\n")[2])
    assert found is not None
    return found.group()


def _by_levels(sent: str, pairs: list[tuple[str, str]]) -> str | None:
    """As many steps more or less as elsewhere, each as wide as the file's."""
    ones, standing = {one for one, _ in pairs} | {sent}, {other for _, other in pairs}
    one_kind, kind = set("".join(ones)), set("".join(standing))
    if len(one_kind) != 1 or len(kind) != 1:
        return None
    one_step, step = _step(ones), _step(standing)
    shifts = {len(other) // step - len(one) // one_step for one, other in pairs}
    level = len(sent) // one_step + min(shifts)
    return kind.pop() * step * level if len(shifts) == 1 and level >= 0 else None


def _step(indents: set[str]) -> int:
    """How many blanks or tabs one step of indentation is likely to have."""
    width = gcd(*map(len, indents))
    if any("\t" in each for each in indents):
        return 1
    return next((step for step in (4, 2) if width % step == 0), width)


def _by_width(sent: str, pairs: list[tuple[str, str]]) -> str | None:
    """As wide as it was sent, where all is, with one width of a tab: some lines were sent with the
    file's blanks, others with tabs in their stead, or the other way round."""
    widths = [
        width
        for width in range(1, _WIDEST_TAB + 1)
        if all(_wide(one, width) == _wide(other, width) for one, other in pairs)
    ]
    kind = set("".join(other for _, other in pairs))
    if len(widths) != 1 or len(kind) != 1:
        return None
    (width,) = widths
    count, rest = divmod(_wide(sent, width), width)
    if "\t" not in kind:
        return " " * (count * width + rest)
    return None if rest else "\t" * count


def _wide(indent: str, width: int) -> int:
    return len(indent.replace("\t", " " * width))


def _shifted(sent: str, pairs: list[tuple[str, str]]) -> str | None:
    """The same blanks more, or fewer, before each line."""
    more = {other.removesuffix(one) for one, other in pairs}
    if len(more) == 1 and all(other.endswith(one) for one, other in pairs):
        prefix = more.pop()
        # Tabs behind blanks are nobody's indentation: it was sent in another kind.
        is_mixed = bool(prefix) and sent != "" and {*prefix} != {*sent}
        return None if is_mixed and len({*sent}) == 1 else prefix + sent
    less = {one.removesuffix(other) for one, other in pairs}
    if len(less) != 1 or not all(one.endswith(other) for one, other in pairs):
        return None
    prefix = less.pop()
    return sent.removeprefix(prefix) if sent.startswith(prefix) else None
