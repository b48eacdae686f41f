"""The indentation that a sent text stands for: what an agent's blanks come to in the file.

Part of docs/design/engine.md §8. An agent that sends a target indented otherwise than the file
sends its new text indented in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_INDENT = re.compile(r"[ \t]*")


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
        self._is_certain = len(self._known) == len(known)

    def translated(self, gap: str) -> str | None:
        """White space of a new text as the file would have it; ``None`` where that can't be told.

        Blanks within a line stay as they are.
        """
        if "\n" not in gap:
            return gap
        above, _, line = gap.rpartition("\n")
        indent = _INDENT.match(line)
        assert indent is not None
        found = self._indent(indent.group())
        return None if found is None else f"{above}\n{found}{line[indent.end() :]}"

    def _indent(self, sent: str) -> str | None:
        if sent in self._known:
            return self._known[sent]
        if not self._is_certain:
            return None
        pairs = list(self._known.items())
        if all(one == other for one, other in pairs):
            return sent
        for guess in (_shifted_in, _shifted_out, _scaled):
            found = guess(sent, pairs)
            if found is not None:
                return found
        return None


def _last(gap: str) -> str:
    found = _INDENT.match(gap.rpartition("\n")[2])
    assert found is not None
    return found.group()


def _shifted_in(sent: str, pairs: list[tuple[str, str]]) -> str | None:
    """The file has more: the same blanks before each line."""
    more = {standing.removesuffix(one) for one, standing in pairs if standing.endswith(one)}
    if len(more) != 1 or not all(standing.endswith(one) for one, standing in pairs):
        return None
    return more.pop() + sent


def _shifted_out(sent: str, pairs: list[tuple[str, str]]) -> str | None:
    """The file has less: the same blanks fewer before each line."""
    less = {one.removesuffix(standing) for one, standing in pairs if one.endswith(standing)}
    if len(less) != 1 or not all(one.endswith(standing) for one, standing in pairs):
        return None
    (prefix,) = less
    return sent.removeprefix(prefix) if sent.startswith(prefix) else None


def _scaled(sent: str, pairs: list[tuple[str, str]]) -> str | None:
    """Another unit: blanks for tabs, tabs for blanks, or another number of blanks."""
    kinds = {(frozenset(one), frozenset(standing)) for one, standing in pairs if one and standing}
    if not sent or len(kinds) != 1 or any(bool(one) != bool(standing) for one, standing in pairs):
        return None
    ((from_kind, to_kind),) = kinds
    ratios = {(len(one), len(standing)) for one, standing in pairs if one}
    wide, narrow = next(iter(ratios))
    if len(from_kind) != 1 or len(to_kind) != 1 or frozenset(sent) != from_kind:
        return None
    if any(one * narrow != standing * wide for one, standing in ratios):
        return None
    width, rest = divmod(len(sent) * narrow, wide)
    return None if rest else next(iter(to_kind)) * width
