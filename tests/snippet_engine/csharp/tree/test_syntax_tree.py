"""Trees: parsed again after changes, and what is broken in them."""

from __future__ import annotations

import pytest

from snippet_engine.csharp.tree.syntax_tree import (
    Change,
    broken_nodes,
    parse,
    reparse,
    with_ancestors,
)

METHODS = b"".join(b'    void M%d() { F(%d, "\xc3\xa9"); }\n' % (i, i) for i in range(20))
TEXT = b"class A\n{\n" + METHODS + b"}\n"


def apply(text: bytes, *replacements: tuple[bytes, bytes]) -> tuple[bytes, list[Change]]:
    """Each first occurrence replaced, in text order, and the changes that this makes."""
    changes: list[Change] = []
    pieces: list[bytes] = []
    done = 0
    for old, new in replacements:
        start = text.index(old, done)
        pieces += text[done:start], new
        done = start + len(old)
        changes.append(Change(start, done, len(new)))
    return b"".join((*pieces, text[done:])), changes


@pytest.mark.parametrize(
    "replacements",
    [
        [(b"F(3", b"G(3")],
        [(b"F(3", b"LongerName(3")],
        [(b'    void M4() { F(4, "\xc3\xa9"); }\n', b"")],
        [(b"M1()", b"M1(\n  int a,\n  int b)"), (b"F(2", b""), (b"M5", b"N"), (b"}\n}", b"}\n\n}")],
        [(b"class A", b"// c\nclass A"), (b"void M19", b"int x;\nvoid M19")],
    ],
)
def test_a_reparsed_tree_is_the_new_texts(replacements: list[tuple[bytes, bytes]]) -> None:
    after, changes = apply(TEXT, *replacements)
    again, fresh = reparse(parse(TEXT), TEXT, after, changes).root_node, parse(after).root_node
    assert str(again) == str(fresh)
    nodes = [(again, fresh)]
    while nodes:
        left, right = nodes.pop()
        assert (left.type, left.byte_range, left.range) == (
            right.type,
            right.byte_range,
            right.range,
        )
        nodes += zip(left.children, right.children, strict=True)


def test_the_old_tree_stays_as_it_was() -> None:
    tree = parse(TEXT)
    before = str(tree.root_node), tree.root_node.byte_range
    after, changes = apply(TEXT, (b"F(3", b"(("))
    reparse(tree, TEXT, after, changes)
    assert (str(tree.root_node), tree.root_node.byte_range) == before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"class A { int b; }", []),
        (b"class A { void M() { return 1 } }", [(";", False)]),
        (b"class A { void M() { x = ; } }", [("identifier", False)]),
        (b"class A { void M() { x.(); } }", [("identifier", False)]),
        (b"class A { void M() { F(b * ); } }", [("identifier", False)]),
        (b"class A { ] }", [("ERROR", True)]),
    ],
)
def test_broken_nodes(text: bytes, expected: list[tuple[str, bool]]) -> None:
    assert [(node.type, node.is_error) for node in broken_nodes(parse(text))] == expected


@pytest.mark.parametrize(
    "text", [b"class A { void M() { if (a) { b(c); } } }", b"class A { void M() { if (a { ; b("]
)
def test_the_ancestors_of_a_node_are_its_parents(text: bytes) -> None:
    root = parse(text).root_node
    for place in range(len(text) + 1):
        leaf = root.descendant_for_byte_range(place, place)
        assert leaf is not None
        parents = [leaf]
        while (above := parents[-1].parent) is not None:
            parents.append(above)
        assert with_ancestors(leaf, root, 100) == parents
        assert with_ancestors(leaf, root, 2) == parents[:2]
