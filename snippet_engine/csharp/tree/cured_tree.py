"""The least broken reading of a text: as it stands, or with the grammar's gaps cured.

Part of docs/design/roslyn.md §1.2. Cures are tried only where the tree is broken, and taken only
where they leave less of it broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.csharp.tree.syntax_tree import Allowance, Change, TooMuchWorkError
from snippet_engine.csharp.tree.type_arguments import type_arguments

_MAX_CURED = 500_000
"""Longer texts, in bytes, are not rewritten to be read better."""


class Reading(NamedTuple):
    """A text as it was parsed, its tree, and the tree's broken nodes in text order.

    The text can differ from the source's; its offsets don't.
    """

    text: bytes
    tree: tree_sitter.Tree
    broken: list[tree_sitter.Node]
    is_sure: bool = True
    """Whether all was tried: else what is broken may be but a gap of the grammar."""
    has_run_out: bool = False
    """Whether that wasn't tried for want of steps, not for the text's own length or breaks."""


def least_broken(
    text: bytes, tree: tree_sitter.Tree, allowance: Allowance | None = None
) -> Reading:
    """Return the best reading of ``text``, whose own tree is ``tree``.

    A very long text is taken as it is. It isn't :attr:`~Reading.is_sure` then, nor is one that
    keeps very many broken nodes.
    """
    # Fewest broken nodes, not none: in a file with a real error, gaps of the grammar are still to
    # be told apart from it. A cure is never trusted by itself, since a rewrite can break what it
    # misjudges; then the count doesn't fall, and the text stands as it is.
    best = Reading(text, tree, syntax_tree.broken_nodes(tree))
    if best.broken and len(text) > _MAX_CURED:
        best = best._replace(is_sure=False)
    elif best.broken:
        # Its many patterns take longer to compile than most files to parse.
        from snippet_engine.csharp.tree import grammar_gaps  # noqa: PLC0415

        cured = grammar_gaps.cure(text)
        best = _better(best, text, cured, allowance)
        if _is_much(best.broken):
            best = best._replace(is_sure=False)
        elif best.broken:
            # On top of the first cure even where that alone was no better: one statement can need
            # both. All rewrites keep the length, so that places found in one reading hold in every
            # other.
            ranges = [(node.start_byte, node.end_byte) for node in best.broken]
            second = grammar_gaps.cure_statements(cured, ranges)
            best = _better(best, cured, second, allowance)
    return best


def _is_much(broken: Sequence[tree_sitter.Node]) -> bool:
    """Return whether some of it may be missing from the list."""
    return len(broken) >= syntax_tree.MAX_BROKEN


def _better(best: Reading, text: bytes, cured: bytes, allowance: Allowance | None) -> Reading:
    """``best``, or the reading of ``cured`` where that differs from ``text`` and is less broken."""
    if cured == text:
        return best
    try:
        tree = syntax_tree.parse(cured, None, allowance)
    except TooMuchWorkError:
        return best._replace(is_sure=False, has_run_out=True)
    broken = syntax_tree.broken_nodes(tree)
    return Reading(cured, tree, broken) if len(broken) < len(best.broken) else best


class WithoutTypeArguments(NamedTuple):
    """Another reading of a text, and the ranges of the type arguments left out."""

    tree: tree_sitter.Tree
    lacking: list[tuple[int, int]]


def without_misread_calls(
    reading: Reading, ranges: Sequence[tuple[int, int]]
) -> WithoutTypeArguments | None:
    """``reading`` without the type arguments in sorted, disjoint ``ranges``; ``None`` if no better.

    What is no comparison can't be misread as one then. It is no better where there are none, or
    where more of it is broken, so that what looked like type arguments was something else.
    """
    lacking = [each for start, end in ranges for each in type_arguments(reading.text, start, end)]
    if not lacking:
        return None
    text = syntax_tree.blanked(reading.text, lacking)
    # Blanks of the same length: what is found in one tree can be looked for in the other.
    changes = [Change(start, end, end - start) for start, end in lacking]
    try:
        tree = syntax_tree.reparse(reading.tree, reading.text, text, changes)
    except TooMuchWorkError:
        return None
    if len(syntax_tree.broken_nodes(tree)) > len(reading.broken):
        return None
    return WithoutTypeArguments(tree, lacking)
