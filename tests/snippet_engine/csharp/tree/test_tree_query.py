from __future__ import annotations

from pathlib import Path

import pytest
import tree_sitter

from snippet_engine.csharp.tree.syntax_tree import LANGUAGE
from snippet_engine.csharp.tree.tree_query import QueryTable, parse_query
from snippet_engine.validation.embedded.checks.newer_syntax import FEATURES
from snippet_engine.validation.embedded.checks.structural_checks import CHECKS

CODE = b"""
namespace N;
[A] public const class C<T> : B { int f = 1; static partial void M(ref int a, out b) { } }
class D : B where B : new() { const int x; int[3] y; void M() { int a = b[1]; const int z; } }
struct S(int a);
record struct R { } record Q : B { public Q() => throw new E(); }
class E { void M() { x = () => 1; Foo(a, [B] (int c = 1) => c); await () => { };
  a = b ? throw c : d;  static void L() { } new Foo; f(out int v, int w); foreach (x in y) { }
  switch (a) { case 1..2: } } }
class Broken { void M( { if (x } """

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "unity-project"


def queries() -> list[str]:
    """Every query that a validator asks."""
    return [each.query for each in (*CHECKS, *FEATURES)]


Captured = tuple[int, str, int, int]


def by_tree_sitter(query: str, tree: tree_sitter.Tree) -> set[Captured]:
    cursor = tree_sitter.QueryCursor(tree_sitter.Query(LANGUAGE, query))
    return {
        (0, node.type, node.start_byte, node.end_byte)
        for _, captures in cursor.matches(tree.root_node)
        for node in captures["at"]
    }


@pytest.mark.parametrize("query", sorted(set(queries())))
def test_it_finds_what_tree_sitter_finds(query: str) -> None:
    table = QueryTable([query])
    for code in (CODE, *(file.read_bytes() for file in FIXTURES.rglob("*.cs"))):
        tree = tree_sitter.Parser(LANGUAGE).parse(code)
        found = {
            (number, node.type, node.start_byte, node.end_byte)
            for number, node in table.matches(tree, 0, len(code))
        }
        assert found == by_tree_sitter(query, tree)


@pytest.mark.parametrize(
    "query",
    [
        "(class_declaration name: (identifier) @at)",
        "(class_declaration !type_parameters) @at",
        '(class_declaration "class" @at)',
        "(declaration_list . (field_declaration) @at)",
        "(_ (identifier)) @at",
        "([(field_declaration) (method_declaration)]) @at",
    ],
)
def test_each_part_of_the_language(query: str) -> None:
    tree = tree_sitter.Parser(LANGUAGE).parse(b"class A : B { int f; void M(ref int a) { } }")
    if query.startswith("(_ "):
        with pytest.raises(ValueError, match="name the kind"):
            QueryTable([query])
        return
    if " . " in query:
        # tree-sitter lets tokens stand between siblings; here adjacent means next to it.
        query = query.replace("(declaration_list .", '(declaration_list "{" .')
    found = {
        (number, node.type, node.start_byte, node.end_byte)
        for number, node in QueryTable([query]).matches(tree, 0, 100)
    }
    assert found == by_tree_sitter(query, tree) != set()


def test_only_nodes_in_the_range_are_tried() -> None:
    code = b"class A { int f; }\nclass B { int g; }\nclass C { int h; }\n"
    tree = tree_sitter.Parser(LANGUAGE).parse(code)
    table = QueryTable(["(variable_declarator) @at"])
    start = code.index(b"class B") + 1
    found = [node.text for _, node in table.matches(tree, start, start + 16)]
    assert found == [b"g"]


@pytest.mark.parametrize("query", ["(a", "(a) (b)", "(a)?", "(#eq? @at)", ")", "(a @other)"])
def test_other_queries_are_refused(query: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        parse_query(query)


@pytest.mark.parametrize(
    "query", ["(no_such_node)", '(class_declaration "nosuch")', '"class_declaration"']
)
def test_a_kind_that_the_grammar_lacks_is_an_error(query: str) -> None:
    with pytest.raises(ValueError, match="the grammar has no"):
        parse_query(query)
