"""True edits: one-hunk changes between adjacent versions of real scripts.

A change of a file is taken apart into its hunks, each of which is one edit of the old version: the
others become what an agent may have done before. Kept are hunks that are of a size for
``edit_snippet``, that change more than white space, and that leave brackets and directives in
balance, as an edit that is good only together with another one has no right bytes by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from benchmarks.agreement.tokens import Tokens
from benchmarks.landing.packages import Change

SMALL = 80
"""The most code points that one small edit removes or inserts."""

LARGE = 300
"""The same for those that are weighed apart."""

_MAX_LINES = 6_000
_MAX_HUNKS = 60
_AT_MOST_ALIKE = 3
"""How often the very same change of a package is kept: mass renames are one habit, not many."""

_NESTING = re.compile(r"^[ \t]*#[ \t]*\w+|/\*|\*/", re.MULTILINE)
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Splice:
    """``text[start:end]`` becomes ``new``; offsets are code points of text with ``\\n`` only."""

    start: int
    end: int
    new: str

    def trimmed(self, text: str) -> Splice:
        """Return it without what stays the same at both ends."""
        old, new = text[self.start : self.end], self.new
        head = common_prefix(old, new)
        tail = common_prefix(old[head:][::-1], new[head:][::-1])
        return Splice(self.start + head, self.end - tail, new[head : len(new) - tail])


def applied(text: str, splices: Iterable[Splice]) -> str:
    """Return ``text`` after disjoint splices."""
    for splice in sorted(splices, key=lambda each: (-each.start, -each.end)):
        text = text[: splice.start] + splice.new + text[splice.end :]
    return text


def common_prefix(one: str, other: str) -> int:
    """Return how many code points two texts have in common at their start."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


@dataclass(frozen=True, slots=True)
class Script:
    """One version of a script: its text with ``\\n``, and how that is written in bytes."""

    package: str
    path: str
    text: str
    newline: str
    byte_order_mark: bool

    def to_bytes(self, text: str) -> bytes:
        """Return the bytes of ``text`` in this file."""
        mark = b"\xef\xbb\xbf" if self.byte_order_mark else b""
        return mark + text.replace("\n", self.newline).encode()


@dataclass(frozen=True, slots=True)
class TrueEdit:
    """One hunk of a real change: whole lines of ``script`` that became others.

    ``siblings`` are the other hunks of the same change.
    """

    script: Script
    hunk: Splice
    siblings: tuple[Splice, ...]

    @property
    def size(self) -> int:
        """Return how many code points are removed or inserted, whichever are more."""
        least = self.hunk.trimmed(self.script.text)
        return max(least.end - least.start, len(least.new))


def true_edits(changes: Iterable[Change]) -> Iterator[TrueEdit]:
    """Yield every usable edit of at most :data:`LARGE` code points, in the order of the changes."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for change in changes:
        script, other = _script(change, change.old), _script(change, change.new)
        if script is None or other is None:
            continue
        hunks = hunks_of(script.text, other.text)
        if len(hunks) > _MAX_HUNKS:
            continue
        for hunk in hunks:
            edit = TrueEdit(script, hunk, tuple(each for each in hunks if each is not hunk))
            old = script.text[hunk.start : hunk.end]
            key = change.package, old, hunk.new
            if edit.size <= LARGE and _stands_alone(old, hunk.new) and seen[key] < _AT_MOST_ALIKE:
                seen[key] += 1
                yield edit


def hunks_of(old: str, new: str) -> list[Splice]:
    """Return the blocks of whole lines in which two texts differ, as splices of ``old``."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if max(len(before), len(after)) > _MAX_LINES or not old or not new:
        return []
    top = 0
    while top < min(len(before), len(after)) and before[top] == after[top]:
        top += 1
    bottom = 0
    while bottom < min(len(before), len(after)) - top and before[~bottom] == after[~bottom]:
        bottom += 1
    middle, other = before[top : len(before) - bottom], after[top : len(after) - bottom]
    offsets = [0]
    for line in before:
        offsets.append(offsets[-1] + len(line))
    return [
        Splice(offsets[top + a], offsets[top + b], "".join(other[c:d]))
        for tag, a, b, c, d in SequenceMatcher(None, middle, other, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _script(change: Change, data: bytes) -> Script | None:
    """Return the script; ``None`` if it isn't UTF-8, or has several kinds of line endings."""
    mark = data.startswith(b"\xef\xbb\xbf")
    try:
        text = data[3 * mark :].decode()
    except UnicodeDecodeError:
        return None
    returns, feeds = text.count("\r\n"), text.count("\n")
    if text.count("\r") != returns or returns not in (0, feeds) or "\x00" in text:
        return None
    if any(mark in text for mark in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"):
        return None  # lines to some, not to others
    newline = "\r\n" if returns else "\n"
    return Script(change.package, change.path, text.replace("\r\n", "\n"), newline, mark)


def _stands_alone(old: str, new: str) -> bool:
    """Return whether the edit changes more than white space and needs no other change."""
    if "".join(old.split()) == "".join(new.split()):
        return False
    return _skeleton(old) == _skeleton(new)


def _skeleton(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the brackets and directives that are left open, or closed too often."""
    left: list[str] = []
    for token in Tokens(text).all:
        if token.kind == "bracket":
            if left and left[-1] == _PAIRS.get(token.text):
                left.pop()
            else:
                left.append(token.text)
    return "".join(left), tuple(match[0].strip() for match in _NESTING.finditer(text))
