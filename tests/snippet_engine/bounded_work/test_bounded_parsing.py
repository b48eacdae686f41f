"""What a parser may take, and what is said of a text that takes more.

Bounds are counted in steps, errors, places and characters, never in time.
"""

from __future__ import annotations

from typing import Any

import pytest
from long_code import CODE
from planning import document_of, on_symbol
from unity_project import SCRIPT, UnityProject, replace

from benchmarks.generated_csharp import csharp_of_bytes
from snippet_engine.csharp import document as documents
from snippet_engine.csharp.lexical.scanner import scan
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
from snippet_engine.csharp.tree import cured_tree, grammar_gaps, syntax_tree
from snippet_engine.csharp.tree.syntax_tree import Allowance, TooMuchWorkError
from snippet_engine.csharp.tree.type_arguments import type_arguments
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.validation.validator import NOT_ALL_ERRORS

NONSENSE = b"class C { " + b"x = (A)b<C>(ref d) foo\n" * 5_000 + b"}"


def test_parsing_takes_no_more_steps_than_it_is_allowed() -> None:
    enough, little = Allowance(), Allowance(100)
    assert not syntax_tree.parse(CODE, None, enough).root_node.has_error
    assert 0 < enough.left < syntax_tree.MAX_WORK
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(CODE, None, little)
    assert -syntax_tree.MAX_WORK / 100 < little.left < 0
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(CODE, None, little)


def test_nonsense_is_charged_for_what_it_takes() -> None:
    code, nonsense = Allowance(), Allowance()
    letters = b"class C { // \xc3\xa9\n void M() {" + CODE[10:] + b"}"
    syntax_tree.parse(letters[:-1] + CODE[10:-1] * 2 + b"}", None, code)
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(NONSENSE * 6, None, nonsense)
    assert nonsense.weight > code.weight == 1


def test_counting_steps_changes_no_tree() -> None:
    counted = syntax_tree.parse(CODE)
    parts = [part.text for part in counted.root_node.children[0].children]
    assert b"".join(parts[0:1]) == b"class"
    assert counted.root_node.text == CODE


def test_what_a_tree_may_cost_does_not_depend_on_others() -> None:
    text = "#if A\nint x;\n#endif\n" + NONSENSE.decode()
    alone, after_another = document_of(text), document_of(text)
    after_another.tree(0)
    after_another.tree(1)
    alone.tree(1)
    assert alone.tree(1).root_node.text == after_another.tree(1).root_node.text
    flipped = alone.symbol_sets[1]
    left = [each.under(flipped)._allowance.left for each in (alone, after_another)]
    assert left[0] == left[1]


@pytest.mark.parametrize(
    "piece",
    ["a<", "a is b<", "a<b>.c<", "? - ", "? try ; ", "& ? ", ": ~ ", "(A)", "a < b > (c), "],
)
def test_what_reads_in_many_ways_is_given_up(piece: str) -> None:
    """Time, and for some memory, would grow with the square or the cube of their number."""
    text = b"class C { void M() { " + piece.encode() * (90_000 // len(piece)) + b"; }}"
    # A fourth of the text, and of what it may take.
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(text * 2, None, Allowance(syntax_tree.MAX_WORK // 4))
    few = b"class C { void M() { " + piece.encode() * 8 + b"; }}"
    syntax_tree.parse(few)


@pytest.mark.parametrize(
    ("piece", "megabytes"),
    [
        (b'"some text",\n', 2.5),
        (b"1234567, ", 2.5),
        (b"new Vector3(1f, 2f, 3f),\n", 1),
        (b"{ 0x1F, 'a', null },\n", 1),
        (b"Add(1, 2, new Item(3));\n", 0.5),
    ],
)
def test_megabytes_of_data_are_parsed(piece: bytes, megabytes: float) -> None:
    head, tail = b"class C { static object[] a = {\n", b"}; }"
    if piece.endswith(b";\n"):
        head, tail = b"class C { void M() {\n", b"} }"
    # A tenth of it, since the machine may be busy: steps are what counts, and they grow evenly.
    text = head + piece * int(megabytes * 100_000 / len(piece)) + tail
    allowed = Allowance()
    assert not syntax_tree.parse(text, None, allowed).root_node.has_error
    assert allowed.weight == 1
    assert (syntax_tree.MAX_WORK - allowed.left) * 10 <= syntax_tree.MAX_WORK


def test_megabytes_of_code_are_parsed() -> None:
    allowed = Allowance()
    assert not syntax_tree.parse(
        csharp_of_bytes(400_000).encode(), None, allowed
    ).root_node.has_error
    assert (syntax_tree.MAX_WORK - allowed.left) * 10 <= syntax_tree.MAX_WORK


def test_rows_of_quotes_are_charged_for_what_they_take() -> None:
    """Each is one step for the parser, which looks at every quote of it again and again."""
    row = b'"' * 200
    text = b"class C { " + (b"string s = " + row + b"a" + row + b";\n") * 7_000 + b"}"
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(text)
    short = Allowance()
    syntax_tree.parse(text.replace(row, b'"""'), None, short)
    assert short.left > syntax_tree.MAX_WORK // 2


def test_rows_of_comments_are_charged_for_what_they_take() -> None:
    code, comments = Allowance(), Allowance()
    syntax_tree.parse(b"class C {\n" + b"int a; // b\n" * 20_000 + b"}", None, code)
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(b"class C {\n" + b"// b\n" * 1_200_000 + b"}", None, comments)
    assert code.left > syntax_tree.MAX_WORK * 3 // 4
    assert comments.left < 0


@pytest.fixture
def unparsed(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> UnityProject:
    monkeypatch.setattr(documents, "Allowance", lambda *_, **__: Allowance(100))
    project.write(CODE.replace(b"class C { ", b"class C { int first;\n"))
    return project


def test_what_could_not_be_parsed_is_edited_and_said(unparsed: UnityProject) -> None:
    result = unparsed.done(replace("int first;", "int other;"))
    assert result["validation"]["coverage"] == ["brackets"]
    assert any("too large" in note for note in result["validation"]["notChecked"])
    error = unparsed.refused(replace("int other;", "int other; }"))
    assert error.code is ErrorCode.SYNTAX_ERROR


def test_symbols_of_what_could_not_be_parsed(unparsed: UnityProject) -> None:
    error = unparsed.refused(on_symbol("C", "delete"))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert "too large" in error.message
    outline = unparsed.engine.get_symbols({"path": SCRIPT})
    assert not isinstance(outline, dict)
    assert outline.code is ErrorCode.FILE_TOO_LARGE


def test_a_comment_without_end_is_looked_at_once() -> None:
    document = document_of("class C { }\n" + "/* a " * 20_000)
    active = document.active_utf8()
    assert active.count(b"/*") == 0
    assert not document.tree().root_node.has_error
    assert document.scan_errors_under(document.base)


def test_statements_are_cured_without_copies_of_the_text() -> None:
    copied = 0

    class Counting(bytes):
        def __getitem__(self, key: object) -> bytes:  # type: ignore[override]
            nonlocal copied
            part = bytes.__getitem__(self, key)  # type: ignore[call-overload]
            copied += len(part)
            return part

    text = Counting(b"x = (A)b<C>(ref async) foo;\n" * 2_000)
    ranges = [(28 * number, 28 * number + 27) for number in range(2_000)]
    cured = grammar_gaps.cure_statements(text, ranges)
    assert len(cured) == len(text)
    assert b"asyn_" in cured
    assert copied <= len(text)


def test_type_arguments_in_one_another_end_somewhere() -> None:
    text = b"a<" * 100_000 + b"b" + b">" * 100_000 + b"(c)"
    assert all(last - first < 500 for first, last in type_arguments(text, 0, 300))


def test_broken_nodes_are_counted_so_far() -> None:
    tree = syntax_tree.parse(b"class C { " + b"int = ;\n" * 2_000 + b"}")
    assert len(syntax_tree.broken_nodes(tree)) <= syntax_tree.MAX_BROKEN


def test_a_chain_of_conditions_is_kept_so_far() -> None:
    text = "#if A\n" + "".join(f"#elif S{n}\nint a;\n" for n in range(500)) + "#endif\n"
    found = scan(text, UNITY_EDITOR_SYMBOLS)
    assert max(len(state.branch.conditions) for state in found.states) <= 100
    assert found.is_clean


def test_no_tree_is_tried_twice(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "Allowance", lambda *_, **__: Allowance(100))
    project.write(CODE.replace(b"class C { ", b"class C { int first;\n"))
    made: list[int] = []
    whole = syntax_tree._counted

    def counting(parser: Any, text: bytes, old: Any, allowed: Any) -> Any:
        made.append(len(text))
        return whole(parser, text, old, allowed)

    monkeypatch.setattr(syntax_tree, "_counted", counting)
    project.done(replace("int first;", "int = ;"), mode="preview")
    assert len(made) == 1


def test_very_many_broken_nodes(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax_tree, "MAX_BROKEN", 20)
    members = "".join(f"int a{n} = {n};\nint = ;\n" for n in range(100))
    project.write("class C {\n" + members + "int x = ;\nint last = 1;\nint y = ;\n}\n")
    result = project.done(replace("int y = ;", "int y = 1;"))
    assert result["validation"]["coverage"] == ["brackets"]
    assert any("broken before" in note for note in result["validation"]["notChecked"])


LACKING = "    void M() { F(1) = 2; }\n"
"""C# that the grammar can't read."""


def test_too_long_to_be_cured(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("class C\n{\n" + LACKING + "    int a;\n}\n")
    whole = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(whole, dict)
    assert whole["valid"]
    monkeypatch.setattr(cured_tree, "_MAX_CURED", 20)
    project.write("class C\n{\n" + LACKING + "    int b;\n}\n")
    told = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(told, dict)
    assert not told["valid"]
    assert any("parser can't read" in note for note in told["validation"]["notChecked"])
    assert not any("parser can't read" in note for note in whole["validation"]["notChecked"])


POINTED_AT = """    public static unsafe ref Id As{}(this ref Point address)
    {{
        fixed (byte* at = address.data)
        {{
            return ref *(Id*)at;
        }}
    }}
"""
"""Likewise, and it leaves a broken node or two."""


@pytest.mark.parametrize("is_cured", [True, False])
def test_a_file_with_very_many_gaps_of_the_grammar(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, is_cured: bool
) -> None:
    """Ten more of them, and there are more than are counted: cured, where it isn't too long."""
    before = "".join(map(POINTED_AT.format, range(795)))
    more = "".join(map(POINTED_AT.format, range(1_000, 1_010)))
    tree = syntax_tree.parse(f"static class C\n{{\n{before}{more}}}\n".encode())
    assert len(syntax_tree.broken_nodes(tree)) == syntax_tree.MAX_BROKEN
    assert len(before) > 100_000
    if not is_cured:
        monkeypatch.setattr(cured_tree, "_MAX_CURED", 20)
    project.write(f"static class C\n{{\n{before}{more}}}\n")
    told = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(told, dict)
    assert told["valid"] == is_cured
    is_told = any("parser can't read" in note for note in told["validation"]["notChecked"])
    assert is_told != is_cured
    listed = project.engine.get_symbols({"path": SCRIPT})
    assert isinstance(listed, dict)
    assert ("incomplete" in listed) != is_cured
    if not is_cured:
        anchor = {"type": "symbol", "symbolPath": "C.Missing"}
        edit = {"operation": "delete", "anchor": anchor}
        missing = project.engine.edit_snippet(
            {"path": SCRIPT, "mode": "preview", "instructions": [edit]}
        )
        assert isinstance(missing, SnippetError)
        assert "could not be read" in missing.message
        return
    assert len(listed["symbols"]) == 806
    project.write(f"static class C\n{{\n{before}}}\n")
    anchor = {"type": "symbol", "symbolPath": "C", "position": "body_end"}
    added = {"operation": "insert", "anchor": anchor, "newText": more.rstrip("\n")}
    change = {"path": SCRIPT, "instructions": [{**added, "indent": "asGiven"}]}
    result = project.engine.edit_scripts({"mode": "preview", "changes": [change]})
    assert isinstance(result, dict), result
    assert result["validation"]["coverage"] == ["brackets", "syntax"]


def test_errors_beyond_the_first_thousand_are_admitted(project: UnityProject) -> None:
    project.write("class C {\n" + '    string s = "abc;\n' * 3_000 + "}\n")
    told = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(told, dict)
    assert NOT_ALL_ERRORS in told["validation"]["notChecked"]
