"""What a text takes is given back with its tree: a server reads files for weeks."""

from __future__ import annotations

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

from snippet_engine.csharp.tree import syntax_tree

_METHODS = "".join(f"    void M{at}() {{ Go({at}); }}\n" for at in range(500))


def _text(number: int) -> bytes:
    return f"class C{number}\n{{\n{_METHODS}}}\n".encode()


def test_of_a_text_that_was_parsed_nothing_stays() -> None:
    for number in range(3):
        syntax_tree.parse(_text(number))
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(10):
            syntax_tree.parse(_text(number))
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < len(_text(0)), f"{left} bytes are left of ten texts of {len(_text(0))}"


def test_trees_of_texts_that_are_read_at_once_are_those_of_each() -> None:
    texts = [_text(number).replace(b"Go(", b"Go%d(" % number) for number in range(6)]
    alone = [str(syntax_tree.parse(text).root_node) for text in texts]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(syntax_tree.parse, texts))
    assert [str(tree.root_node) for tree in together] == alone
    for tree, text in zip(together, texts, strict=True):
        name = tree.root_node.children[0].child_by_field_name("name")
        assert name is not None
        assert name.text == text[6 : text.index(b"\n")]
