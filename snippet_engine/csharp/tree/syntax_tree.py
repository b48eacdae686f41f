"""Trees: parse, parse again after changes, and find the broken nodes.

Part of docs/design/roslyn.md §1.2. Offsets here are bytes of the parsed UTF-8 text.
"""

from __future__ import annotations

import re
from binascii import crc32
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import tree_sitter

from snippet_engine import budget
from snippet_engine.csharp.tree.grammar import load_language

LANGUAGE = load_language()
"""The C# grammar."""

MAX_WORK = 42_000
"""Most work for one tree, in hundreds of the parser's steps: 4 MB of code, 2.5 MB of data, or 50 kB
of nonsense. It takes about 0.75 seconds; a request may need two such trees.
"""

MAX_BROKEN = 400
"""Most broken nodes that are examined; a file with so many isn't C#."""

_SURELY_QUICK = 1_000
"""Shorter texts, in bytes, are parsed without counting."""

_LEAST_WORK = 1_000
_BYTES_PER_STEP = 4
"""The allowance is ``_LEAST_WORK``, plus one for each so many bytes, up to ``MAX_WORK``.

That is two or three times the cost of the most ambiguous code that people write.
"""

_LONG = 4_200_000
_BYTES_PER_LOST_STEP = 300
"""Above ``_LONG`` bytes, the allowance shrinks by a hundred steps for each so many bytes.

Code of that length costs more anyway, and everything besides parsing takes time, too.
"""

_MAX_PATCH = MAX_WORK // 8
"""Most work to reparse an edited tree; beyond it the text is parsed from scratch."""

# A step's time depends on the text: ten microseconds, or five hundred while the parser recovers
# from an error. The parser doesn't report which; its progress shows it.
_STEPS_IN_ERROR = 12
_STEPS_AMONG_ERRORS = 36
_NEAR, _STEPS_IN_PLACE = 4, 16
_FAR, _STEPS_ALMOST_IN_PLACE = 12, 4
"""A step that advances by fewer bytes than the first number counts as the second number of steps.

The parser advances so little when it follows many readings at once.
"""
_CALLS_PER_CHECK = 8
"""Hundreds of steps between two checks of the clock."""

_STEPS_OF_COMMENT = 5
"""Cost of a comment in a long row of them; the parser reports one step."""

_STEPS_OF_CHUNK = 2
_STEPS_OF_CHUNK_AGAIN = 8
"""Cost of each further chunk that the parser reads without a step, in hundreds of steps.

The parser doesn't report text that it skips within one step: blanks, a long token, characters that
aren't C#. The first few chunks are free; a chunk that is read again costs more.
"""
_FREE_CHUNKS = 4
_MOST_PASSED_OVER = 4_000
"""Most chunks that the parser may skip in a broken text; beyond that the tree is given up.

A later parse with a change would skip them twice, and the parser can't be interrupted in a step.
"""

_QUOTES = b'"' * 6
_QUOTES_IN_A_HUNDRED = 6
"""So many rows of six quotes take as long as a hundred steps.

Each may begin or end a raw string, and the parser doesn't report its cost.
"""

_LARGE = 100_000
_BEGINNING = 16_000
_SAMPLE = 2_000
_SAMPLES = 8
_BROKEN_BYTES = 40
"""A sample with one broken node in so many bytes is nonsense.

A sample of code has a tenth as many, wherever it begins.
"""
_SAMPLE_WORK = 500
"""A sample that costs more is ignored: it may begin in the middle of a list, for example."""

_TO_SEMICOLON = bytes.maketrans(b"{}", b";;")
_LONG_STRETCH = 400
_MAX_UNCLOSED = 150
"""Most unclosed angle brackets in a stretch of code without ``;{}``.

Each may begin type arguments or a comparison. The parser follows both, and time and memory grow
with the square of their number, within a single step.
"""
_ANGLE = re.compile(rb"[\w>)\x80-\xff]\s*<(?![<=])")

_MAX_ANCESTORS = 400
"""Most ancestors of a node that are asked for: finding each costs a walk from the root."""

_CHUNK = 1 << 10
"""Bytes that the parser gets at once. Each ``Node.text`` of the tree asks for as many again."""
_buffers: list[bytearray] = []
"""The parser's input buffers, one for each parsing thread. The binding (0.26.1) never releases the
buffers it was given; with a single one, nothing of a text stays in memory.
"""
_BLANK = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))


class Change(NamedTuple):
    """Bytes ``[start, end)`` of the old text became ``length`` bytes of the new one."""

    start: int
    end: int
    length: int


class TooMuchWorkError(Exception):
    """A text costs more to parse than its allowance."""


def most_work(length: int) -> int:
    """Return the allowance for a text of ``length`` bytes, in hundreds of steps; 0: not counted."""
    if length < _SURELY_QUICK:
        return 0
    lost = max(0, length - _LONG) // _BYTES_PER_LOST_STEP
    return min(MAX_WORK, _LEAST_WORK + length // _BYTES_PER_STEP) - lost


class Allowance:
    """The work that is left for parsing a text, in hundreds of the parser's steps."""

    def __init__(self, left: int = MAX_WORK, *, is_shared: bool = False) -> None:
        """``is_shared`` says that the text would get more if it were alone in its request."""
        self.left = left
        self.is_shared = is_shared
        self.weight = 1
        """The weight of a step in this text: steps take longer in nonsense."""

    def note_many_errors(self) -> None:
        """Note that the text is full of errors."""
        self.weight = _STEPS_AMONG_ERRORS


def parse(
    text: bytes, old: tree_sitter.Tree | None = None, allowance: Allowance | None = None
) -> tree_sitter.Tree:
    """Parse ``text``; ``old`` is a tree edited to fit it, whose unchanged parts are reused.

    The cost is taken off ``allowance``; without one, the limit is :data:`MAX_WORK`. Raises
    :class:`TooMuchWorkError` if that isn't enough. The limit counts steps, so a text gets the same
    answer on every machine. Raises :class:`.StoppedError` once the request has ended.
    """
    budget.check()
    if _is_maze(text):
        raise TooMuchWorkError
    # Each call makes a parser: threads can't share one, and making one costs nothing.
    parser = tree_sitter.Parser(LANGUAGE)
    if len(text) < _SURELY_QUICK:
        return parser.parse(text) if old is None else parser.parse(text, old)
    allowed = allowance if allowance is not None else Allowance()
    if old is None and len(text) > _LARGE and allowed.weight == 1:
        allowed.weight += (_STEPS_AMONG_ERRORS - 1) * _nonsense(text) // 100
        comments = text.count(b"//") + text.count(b"/*")
        allowed.left -= _STEPS_OF_COMMENT * comments // 100
        allowed.left -= text.count(_QUOTES) // _QUOTES_IN_A_HUNDRED
    return _counted(parser, text, old, allowed)


def _counted(
    parser: tree_sitter.Parser, text: bytes, old: tree_sitter.Tree | None, allowed: Allowance
) -> tree_sitter.Tree:
    """Return the tree, within the allowance. If the work is stopped, nothing is taken off."""
    given = allowed.left
    limit = given - min(given, most_work(len(text)))
    weight = allowed.weight
    is_large = len(text) > _LARGE
    in_error = max(weight, _STEPS_IN_ERROR)
    in_place = max(weight, _STEPS_IN_PLACE)
    almost_in_place = max(weight, _STEPS_ALMOST_IN_PLACE)
    end = len(text) - 1 if old is None else 0
    furthest = calls = furthest_read = calls_at_read = idle = passed_over = 0
    is_parsing = True
    stopped: budget.StoppedError | None = None
    buffer = _buffers.pop() if _buffers else bytearray()

    # Also asked by each ``Node.text`` of the tree, later on.
    def read(offset: int, _: object) -> bytes | bytearray:
        nonlocal furthest_read, calls_at_read, idle, passed_over
        idle = idle + 1 if calls == calls_at_read else 0
        if is_parsing and idle > _FREE_CHUNKS:
            again = offset < furthest_read
            allowed.left -= _STEPS_OF_CHUNK_AGAIN if again else _STEPS_OF_CHUNK
            passed_over += 1
        furthest_read = max(furthest_read, offset)
        calls_at_read = calls
        if not is_parsing:
            return text[offset : offset + _CHUNK]
        buffer[:] = text[offset : offset + _CHUNK]
        return buffer

    # Called for each hundred steps, some forty thousand times for a large text.
    def is_to_end(offset: int, has_error: bool) -> bool:
        nonlocal furthest, calls, stopped
        if has_error and is_large:
            steps = in_error
        elif offset < end and offset - furthest < _FAR:
            steps = in_place if offset - furthest < _NEAR else almost_in_place
        else:
            steps = weight
        furthest = max(furthest, offset)
        allowed.left -= steps
        calls += 1
        if calls % _CALLS_PER_CHECK == 1:
            try:
                budget.check()
            except budget.StoppedError as error:
                stopped = error
        return allowed.left < limit or stopped is not None

    try:
        if allowed.left < 0:
            raise TooMuchWorkError
        if old is None:
            tree = parser.parse(read, progress_callback=is_to_end)
        else:
            tree = parser.parse(read, old, progress_callback=is_to_end)
    except ValueError:
        if stopped is not None:
            allowed.left = given
            raise stopped from None
        raise TooMuchWorkError from None
    finally:
        is_parsing = False
        _buffers.append(buffer)
    if passed_over > _MOST_PASSED_OVER and tree.root_node.has_error:
        raise TooMuchWorkError
    return tree


def _is_maze(text: bytes) -> bool:
    """Return whether a stretch of ``text`` is ambiguous in more ways than can be followed."""
    if text.count(b"<") <= _MAX_UNCLOSED:
        return False
    for stretch in text.translate(_TO_SEMICOLON).split(b";"):
        if len(stretch) < _LONG_STRETCH:
            continue
        closed = stretch.count(b">") - stretch.count(b"=>") - stretch.count(b"->")
        if stretch.count(b"<") - closed > _MAX_UNCLOSED < len(_ANGLE.findall(stretch)) - closed:
            return True
    return False


def _nonsense(text: bytes) -> int:
    """Estimate from samples how much of a long text is nonsense, in percent.

    Its beginning is read as it is. Later samples begin anywhere, so that correct code looks broken
    at their start; only nonsense stays broken after that.
    """
    if _is_broken(text[: min(_BEGINNING, len(text) // 16)]):
        return 100
    count = min(_SAMPLES, len(text) // (_LARGE // 2))
    shift = crc32(text) % _SAMPLE
    broken = 0
    for part in range(count):
        start = shift + part * (len(text) - 2 * _SAMPLE) // count
        start = max(text.find(b"\n", start, start + _SAMPLE) + 1, start)
        sample = text[start : start + _SAMPLE]
        broken += _is_broken(sample) and not (
            b"case " in sample and not _is_broken(b"class C{void M(){switch(a){" + sample)
        )
    return 100 * broken // count


def _is_broken(sample: bytes) -> bool:
    if _is_maze(sample):
        return True
    allowed = Allowance(_SAMPLE_WORK * max(1, len(sample) // _SAMPLE))
    try:
        tree = _counted(tree_sitter.Parser(LANGUAGE), sample, None, allowed)
    except TooMuchWorkError:
        return False
    return len(broken_nodes(tree)) > min(len(sample) // _BROKEN_BYTES, MAX_BROKEN - 1)


def blanked(text: bytes, ranges: Iterable[tuple[int, int]]) -> bytes:
    """Return ``text`` with spaces in the ``ranges``, at equal length; line ends stay."""
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
    """Return the tree of ``after``, made from that of ``before`` and the disjoint, sorted changes.

    If the new tree is broken, the text is parsed from scratch: error recovery depends on the
    earlier tree, but the same text must always get the same verdict. Two other texts are parsed
    from scratch: one that was broken before, and a long one that ends in little but blanks, as
    after an unclosed comment. After an error the parser would skip the blanks several times.
    """
    is_blank = len(after) > _LARGE and 4 * len(after.rstrip()) < len(after)
    if tree.root_node.has_error or is_blank:
        return parse(after, None, allowance)
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
    try:
        most = _MAX_PATCH if allowance is None else min(_MAX_PATCH, allowance.left)
        result = parse(after, edited, Allowance(most))
    except TooMuchWorkError:
        return parse(after, None, allowance)
    return parse(after, None, allowance) if result.root_node.has_error else result


def broken_nodes(tree: tree_sitter.Tree) -> list[tree_sitter.Node]:
    """Return the first :data:`MAX_BROKEN` ``ERROR`` and ``MISSING`` nodes, in text order.

    Only broken branches are entered. A missing token that the grammar hides, such as that of an
    identifier, is reported as its parent.
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


def with_ancestors(
    node: tree_sitter.Node, root: tree_sitter.Node, most: int
) -> list[tree_sitter.Node]:
    """Return ``node``, below ``root``, and its ancestors, innermost first, at most ``most``.

    ``Node.parent`` walks from the root for each ancestor; this walks once for all.
    """
    found: deque[tree_sitter.Node] = deque((root,), maxlen=most)
    here: tree_sitter.Node | None = root
    while here is not None and here != node:
        here = here.child_with_descendant(node)
        if here is not None:
            found.appendleft(here)
    return list(found)


def ancestors(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the nodes around a node, innermost first, up to :data:`_MAX_ANCESTORS`."""
    for _ in range(_MAX_ANCESTORS):
        parent = node.parent
        if parent is None:
            return
        yield parent
        node = parent


def around(root: tree_sitter.Node, start: int, end: int) -> Iterator[tree_sitter.Node]:
    """Yield the smallest node that has a byte range, and those around it."""
    node = root.descendant_for_byte_range(start, end)
    if node is not None:
        yield node
        yield from ancestors(node)


def owner_of(node: tree_sitter.Node | None, levels: int) -> tree_sitter.Node | None:
    """Return the ancestor ``levels`` above ``node``, if there is one."""
    for _ in range(levels):
        node = node.parent if node is not None else None
    return node


def code_in(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the named children except comments."""
    return [child for child in node.named_children if child.type != "comment"]


def code_before(node: tree_sitter.Node, *, named: bool = False) -> tree_sitter.Node | None:
    """Return the nearest earlier sibling except comments: a ``named`` one, or any."""
    sibling = node.prev_named_sibling if named else node.prev_sibling
    while sibling is not None and sibling.type == "comment":
        sibling = sibling.prev_named_sibling if named else sibling.prev_sibling
    return sibling


def code_after(node: tree_sitter.Node, *, named: bool = False) -> tree_sitter.Node | None:
    """Return the nearest later sibling except comments: a ``named`` one, or any."""
    sibling = node.next_named_sibling if named else node.next_sibling
    while sibling is not None and sibling.type == "comment":
        sibling = sibling.next_named_sibling if named else sibling.next_sibling
    return sibling
