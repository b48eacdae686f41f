"""Translate the agent's indentation to the file's indentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_INDENT = re.compile(r"[ \t]*")
WIDE = re.compile(r" {2,}|\t+")
"""Two or more spaces, which a tab may stand for, or tabs."""


class Indents:
    """Maps each indentation that the agent sent to the file's indentation."""

    def __init__(self, gaps: Iterable[tuple[str, str]]) -> None:
        """Learn from ``gaps``, pairs of white space: as sent, in the file."""
        known: dict[str, set[str]] = {}
        for sent, standing in gaps:
            if ("\n" in sent) == ("\n" in standing):
                known.setdefault(_last(sent), set()).add(_last(standing))
        self._known: Mapping[str, str] = {
            sent: next(iter(standing)) for sent, standing in known.items() if len(standing) == 1
        }
        self._is_certain = len(self._known) == len(known)
        """Whether each sent indentation corresponds to only one in the file."""

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
            # An empty line in between has white space only if the agent sent some.
            is_empty = not line and at < len(lines) - 1
            indent = "" if is_empty else self._indent(blanks.group())
            if indent is None:
                return None
            found.append(indent + line[blanks.end() :])
        return "\n".join(found)

    def _indent(self, sent: str) -> str | None:
        if sent in self._known:
            return self._known[sent]
        if not self._is_certain:
            return None
        if all(one == other for one, other in self._known.items()):
            return sent
        return self._by_unit(sent)

    def _by_unit(self, sent: str) -> str | None:
        """Return an indentation with the tabs as blanks, or the blanks as tabs.

        ``None`` unless a tab stands for as many blanks in each pair.
        """
        pairs = [each for each in self._known.items() if any(each)]
        is_to_blanks = all({*one} <= {"\t"} for one, _ in pairs)
        if not is_to_blanks:
            pairs = [(other, one) for one, other in pairs]
        if not all({*tabs} == {"\t"} and {*blanks} == {" "} for tabs, blanks in pairs):
            return None
        units = {len(blanks) / len(tabs) for tabs, blanks in pairs}
        unit = int(max(units))
        if units != {unit}:
            return None
        if is_to_blanks:
            return " " * (unit * len(sent)) if {*sent} <= {"\t"} else None
        is_whole = {*sent} <= {" "} and len(sent) % unit == 0
        return "\t" * (len(sent) // unit) if is_whole else None


def is_other_kind(pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether a pair (as sent, in the file) has spaces in place of tabs, or tabs for spaces."""
    ends = ((one.rpartition("\n")[2], other.rpartition("\n")[2]) for one, other in pairs)
    return any(
        "\t" in (one + other) and {*one} != {*other}
        for one, other in ends
        if one.isspace() and other.isspace()
    )


def are_mixed(own: Iterable[tuple[str, str]], beside: Iterable[tuple[str, str]]) -> bool:
    """Whether a target line has tabs in place of spaces, while a neighbouring line is as sent.

    If so, both indentations are possible. ``own`` are the target's pairs (as sent, in the file),
    ``beside`` those of the neighbouring lines.
    """
    as_sent = {_last(sent) for sent, standing in beside if _last(sent) == _last(standing)}
    return any(
        _last(sent) in as_sent and set(_last(standing)) - set(_last(sent)) for sent, standing in own
    )


def _last(gap: str) -> str:
    found = _INDENT.match(gap.rpartition("\n")[2])
    assert found is not None
    return found.group()
