"""Brackets of a place that belong to what is around it.

Part of docs/design/engine.md §8. A bracket is soon found again: the last one of a remembered block
is like that of the method around it, where the file has the block without any.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.offers.places.blocks import Block

_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


def in_balance(
    sent: Sequence[str],
    target: tuple[int, int],
    standing: Sequence[str],
    edges: tuple[int, int],
    blocks: list[Block],
) -> tuple[tuple[int, int], list[Block]]:
    """The ``edges`` of a place without brackets at its ends whose other halves are outside of it,
    and the ``blocks`` without these.

    ``target`` is ``[first, last)`` of the tokens ``sent``, and ``edges`` of those ``standing``.
    Where the target has a half of a pair itself, all stays as it is.
    """
    if any(_halves(sent[slice(*target)])):
        return edges, blocks
    first, last = edges
    while last - first > 1:
        opened, closed = _halves(standing[first:last])
        if last - first - 1 in closed:
            last -= 1
            blocks = _without(blocks, last)
        elif 0 in opened:
            blocks = _without(blocks, first)
            first += 1
        else:
            break
    return (first, last), blocks


def _halves(keys: Sequence[str]) -> tuple[list[int], list[int]]:
    """Which brackets nothing closes, and which close nothing."""
    opened: list[int] = []
    closed: list[int] = []
    for at, key in enumerate(keys):
        if key in _CLOSED_BY:
            opened.append(at)
        elif key in _CLOSED_BY.values():
            if opened and _CLOSED_BY[keys[opened[-1]]] == key:
                opened.pop()
            else:
                closed.append(at)
    return opened, closed


def _without(blocks: list[Block], at: int) -> list[Block]:
    """``blocks`` without the pair of tokens that the standing one at ``at`` is in, if any."""
    found: list[Block] = []
    for start, other, size in blocks:
        cut = at - other
        if not 0 <= cut < size:
            found.append((start, other, size))
            continue
        parts = ((start, other, cut), (start + cut + 1, at + 1, size - cut - 1))
        found += [part for part in parts if part[2]]
    return found
