"""Choose the least broken reading of a text: as it is, or with the grammar's gaps worked around.

Part of docs/design/roslyn.md §1.2. Cures are tried only if the tree is broken, and used only if
they leave fewer broken nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.csharp.tree.syntax_tree import Allowance, Change, TooMuchWorkError
from snippet_engine.csharp.tree.type_arguments import type_arguments

_MAX_CURED = 500_000
"""Longer texts, in bytes, are not rewritten."""


class Reading(NamedTuple):
    """A parsed text, its tree, and the tree's broken nodes in text order.

    The text can differ from the source; its offsets don't.
    """

    text: bytes
    tree: tree_sitter.Tree
    broken: list[tree_sitter.Node]
    is_sure: bool = True
    """Whether everything was tried; otherwise a broken node may be only a gap of the grammar."""
    has_run_out: bool = False
    """Whether steps ran out, rather than the text being too long or too broken."""


def least_broken(
    text: bytes, tree: tree_sitter.Tree, allowance: Allowance | None = None
) -> Reading:
    """Return the best reading of ``text``, whose own tree is ``tree``.

    A very long text is not rewritten. It isn't :attr:`~Reading.is_sure` then, and neither is a
    reading that keeps very many broken nodes.
    """
    # Fewest broken nodes, not none: a file with a real error can have gaps of the grammar, too. A
    # rewrite can break code that it misjudges; then the count doesn't fall, and the text stays.
    best = Reading(text, tree, syntax_tree.broken_nodes(tree))
    if best.broken and len(text) > _MAX_CURED:
        best = best._replace(is_sure=False)
    elif best.broken:
        # Its many patterns take longer to compile than most files to parse.
        from snippet_engine.csharp.tree import grammar_gaps  # noqa: PLC0415

        cured = grammar_gaps.cure(text)
        best = _better(best, text, cured, allowance)
        if len(best.broken) >= syntax_tree.MAX_BROKEN:  # There may be more.
            best = best._replace(is_sure=False)
        elif best.broken:
            # Apply it after the first cure even if that alone was no better: one statement can need
            # both. All rewrites keep the length, so all readings have the same offsets.
            ranges = [(node.start_byte, node.end_byte) for node in best.broken]
            second = grammar_gaps.cure_statements(cured, ranges)
            best = _better(best, cured, second, allowance)
    return best


def _better(best: Reading, text: bytes, cured: bytes, allowance: Allowance | None) -> Reading:
    """Return ``best``, or the reading of ``cured`` if that is less broken."""
    if cured == text:
        return best
    try:
        tree = syntax_tree.parse(cured, None, allowance)
    except TooMuchWorkError:
        return best._replace(is_sure=False, has_run_out=True)
    broken = syntax_tree.broken_nodes(tree)
    return Reading(cured, tree, broken) if len(broken) < len(best.broken) else best


class WithoutTypeArguments(NamedTuple):
    """Another reading of a text, and the ranges of the type arguments it omits."""

    tree: tree_sitter.Tree
    lacking: list[tuple[int, int]]


def without_misread_calls(
    reading: Reading, ranges: Sequence[tuple[int, int]]
) -> WithoutTypeArguments | None:
    """Blank the type arguments in sorted, disjoint ``ranges``, which may be misread as comparisons.

    Return ``None`` without any, if parsing costs too much, or if more is broken then: the ranges
    were something else.
    """
    lacking = [each for start, end in ranges for each in type_arguments(reading.text, start, end)]
    if not lacking:
        return None
    text = syntax_tree.blanked(reading.text, lacking)
    # Blanks of the same length, so that both trees have the same offsets.
    changes = [Change(start, end, end - start) for start, end in lacking]
    try:
        tree = syntax_tree.reparse(reading.tree, reading.text, text, changes)
    except TooMuchWorkError:
        return None
    if len(syntax_tree.broken_nodes(tree)) > len(reading.broken):
        return None
    return WithoutTypeArguments(tree, lacking)
