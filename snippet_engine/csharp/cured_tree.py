"""The least broken reading of a text: as it stands, or with the grammar's gaps cured.

Part of spec 04-roslyn §1.2. Cures are tried only where the tree is broken, and taken only where
they leave less of it broken.
"""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp import grammar_gaps, syntax_tree


class Reading(NamedTuple):
    """A tree, and its broken nodes in text order.

    The texts of its nodes can differ from the source's; their offsets don't.
    """

    tree: tree_sitter.Tree
    broken: list[tree_sitter.Node]


def least_broken(text: bytes, tree: tree_sitter.Tree) -> Reading:
    """The best reading of ``text``, whose own tree is ``tree``."""
    best = Reading(tree, syntax_tree.broken_nodes(tree))
    if best.broken:
        cured = grammar_gaps.cure(text)
        best = _better(best, text, cured)
        if best.broken:
            ranges = [(node.start_byte, node.end_byte) for node in best.broken]
            best = _better(best, cured, grammar_gaps.cure_names(cured, ranges))
    return best


def _better(best: Reading, text: bytes, cured: bytes) -> Reading:
    """``best``, or the reading of ``cured`` where that differs from ``text`` and is less broken."""
    if cured == text:
        return best
    tree = syntax_tree.parse(cured)
    broken = syntax_tree.broken_nodes(tree)
    return Reading(tree, broken) if len(broken) < len(best.broken) else best
