"""Trees: parsing, parsing again after changes, and finding what is broken in a tree.

Part of docs/design/roslyn.md §1.2. Offsets here are bytes of the UTF-8 text that was parsed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import tree_sitter
import tree_sitter_c_sharp

LANGUAGE = tree_sitter.Language(tree_sitter_c_sharp.language())
"""The C# grammar."""

MAX_WORK = 200_000
"""Hundreds of parser's steps for one text: some five megabytes of code, or 0.7 of nonsense."""

MAX_BROKEN = 400
"""Broken nodes that are looked at; a file with so many is no C#, or another language's."""

_SURELY_QUICK = 16_000
"""Shorter texts, in bytes, are parsed without counting."""

_STEPS_IN_ERROR = 8
"""Where the parser looks for a way out of an error, its steps take so much longer."""

_LARGE = 300_000
_SAMPLE = 16_000
_SAMPLES = 8
_BROKEN_IN_SAMPLE = 40
"""Of a text of ``_LARGE`` bytes, so many samples of so many bytes are parsed before the whole.

Two with so many broken nodes make it a broken one: its steps take longer than they seem.
"""

_CHUNK = 1 << 14
_BLANK = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))


class Change(NamedTuple):
    """Bytes ``[start, end)`` of the old text became ``length`` bytes of the new one."""

    start: int
    end: int
    length: int


class TooMuchWorkError(Exception):
    """A text costs more to parse than it is allowed to."""


class Allowance:
    """The work that may still be spent on parsing one text, in hundreds of the parser's steps."""

    def __init__(self, left: int = MAX_WORK) -> None:
        self.left = left
        self.is_broken = False
        """The text is known to be full of errors: every step counts as one in an error."""


def parse(
    text: bytes, old: tree_sitter.Tree | None = None, allowance: Allowance | None = None
) -> tree_sitter.Tree:
    """Parse ``text``; ``old`` is a tree edited to fit it, whose unchanged parts are reused.

    What it costs is taken off ``allowance``; without one, that is :data:`MAX_WORK`. Raises
    :class:`TooMuchWorkError` where that isn't enough. The bound is one of steps: a text gets the
    same answer on every machine.
    """
    # Each call has a parser of its own: threads can't share one, and making one costs nothing.
    parser = tree_sitter.Parser(LANGUAGE)
    if len(text) < _SURELY_QUICK:
        return parser.parse(text) if old is None else parser.parse(text, old)
    allowed = allowance if allowance is not None else Allowance()

    def read(offset: int, _: object) -> bytes:
        return text[offset : offset + _CHUNK]

    if old is None and len(text) > _LARGE and not allowed.is_broken:
        allowed.is_broken = _looks_broken(text)

    def is_too_much(_: int, has_error: bool) -> bool:
        allowed.left -= _STEPS_IN_ERROR if has_error or allowed.is_broken else 1
        return allowed.left < 0

    try:
        if allowed.left < 0:
            raise TooMuchWorkError
        if old is None:
            return parser.parse(read, progress_callback=is_too_much)
        return parser.parse(read, old, progress_callback=is_too_much)
    except ValueError:
        raise TooMuchWorkError from None


def _looks_broken(text: bytes) -> bool:
    """Whether samples of a long text are full of errors, wherever in the code they begin."""
    broken = 0
    for part in range(_SAMPLES):
        start = part * (len(text) - _SAMPLE) // (_SAMPLES - 1)
        sample = text[start : start + _SAMPLE - 1]
        broken += len(broken_nodes(parse(sample))) >= _BROKEN_IN_SAMPLE
    return broken > 1


def blanked(text: bytes, ranges: Iterable[tuple[int, int]]) -> bytes:
    """``text`` with spaces in the ``ranges``, byte for byte as long; line ends stay."""
    result = bytearray(text)
    for start, end in ranges:
        result[start:end] = text[start:end].translate(_BLANK)
    return bytes(result)


def reparse(
    tree: tree_sitter.Tree,
    before: bytes,
    after: bytes,
    changes: Iterable[Change],
    allowance: Allowance | None = None,
) -> tree_sitter.Tree:
    """The tree of ``after``, made from that of ``before`` and the disjoint, sorted changes.

    A broken tree is parsed from scratch: what error recovery makes of a text depends on the
    way there, and the same text must always get the same verdict.
    """
    edits: list[tuple[int, int, int, tuple[int, int], tuple[int, int], tuple[int, int]]] = []
    row = counted = shift = 0
    for start, end, length in changes:
        row += before.count(b"\n", counted, start)
        first = (row, start - before.rfind(b"\n", 0, start) - 1)
        row += before.count(b"\n", start, end)
        counted = end
        last = (row, end - before.rfind(b"\n", 0, end) - 1)
        inserted = after[start + shift : start + shift + length]
        lines = inserted.count(b"\n")
        column = length - inserted.rfind(b"\n") - 1 if lines else first[1] + length
        edits.append((start, end, start + length, first, last, (first[0] + lines, column)))
        shift += length - (end - start)
    edited = tree.copy()
    for edit in reversed(edits):  # the last first, so that the places of the others still hold
        edited.edit(*edit)
    result = parse(after, edited, allowance)
    return parse(after, None, allowance) if result.root_node.has_error else result


def broken_nodes(tree: tree_sitter.Tree) -> list[tree_sitter.Node]:
    """The ``ERROR`` and ``MISSING`` nodes in text order; only broken branches are entered.

    A missing token that the grammar hides, as that of an identifier, is told by its parent. The
    first :data:`MAX_BROKEN` of them.
    """
    found: list[tree_sitter.Node] = []
    open_nodes = [tree.root_node] if tree.root_node.has_error else []
    while open_nodes and len(found) < MAX_BROKEN:
        node = open_nodes.pop()
        broken = [child for child in node.children if child.has_error]
        if node.is_error or not broken:
            found.append(node)
        open_nodes.extend(reversed(broken))
    return found


def code_in(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The named children that are no comments."""
    return [child for child in node.named_children if child.type != "comment"]


def code_before(node: tree_sitter.Node, *, named: bool = False) -> tree_sitter.Node | None:
    """The sibling before that is no comment; the nearest ``named`` one, or any."""
    sibling = node.prev_named_sibling if named else node.prev_sibling
    while sibling is not None and sibling.type == "comment":
        sibling = sibling.prev_named_sibling if named else sibling.prev_sibling
    return sibling


def code_after(node: tree_sitter.Node, *, named: bool = False) -> tree_sitter.Node | None:
    """The sibling behind that is no comment; the nearest ``named`` one, or any."""
    sibling = node.next_named_sibling if named else node.next_sibling
    while sibling is not None and sibling.type == "comment":
        sibling = sibling.next_named_sibling if named else sibling.next_sibling
    return sibling
