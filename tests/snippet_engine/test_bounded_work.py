"""Work has a bound, whatever the file and the request, and what is given up is said.

Bounds are counted in steps, errors, places and characters, never in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from planning import on_symbol
from script_changes import create, edit, previewed, refused
from unity_project import SCRIPT, UnityProject, replace

from benchmarks.generated_csharp import csharp_of_bytes
from snippet_engine import work
from snippet_engine.anchors import candidates, not_found, text_anchor
from snippet_engine.anchors.context import Context
from snippet_engine.answer import attribution
from snippet_engine.changes import planning
from snippet_engine.csharp import dangling_names, document_cache
from snippet_engine.csharp import document as documents
from snippet_engine.csharp.declarations import declaration_reader
from snippet_engine.csharp.declarations.symbols import enclosing_path
from snippet_engine.csharp.document import MAX_SCAN_ERRORS, Document, SpanKind
from snippet_engine.csharp.lexical import line_scanner, report, scanner, spans
from snippet_engine.csharp.lexical.line_scanner import MAX_DEPTH, MAX_PROBLEMS
from snippet_engine.csharp.lexical.problem import Problem
from snippet_engine.csharp.lexical.report import TooManyStepsError
from snippet_engine.csharp.lexical.scanner import MAX_BAD_LINES, Lines, scan
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
from snippet_engine.csharp.tree import cured_tree, grammar_gaps, syntax_tree
from snippet_engine.csharp.tree.syntax_tree import Allowance, TooMuchWorkError
from snippet_engine.csharp.tree.type_arguments import type_arguments
from snippet_engine.edit_plan import plan
from snippet_engine.errors import ErrorCode
from snippet_engine.offers.carrying.carried import carried
from snippet_engine.offers.places import likeness
from snippet_engine.offers.places.tokens import Token, hunks
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextEncoding, TextRange, decode
from snippet_engine.validation.embedded import dirty_files
from snippet_engine.work import Steps

CODE = b"class C { " + b"int a = b + f(c);\n" * 5_000 + b"}"
NONSENSE = b"class C { " + b"x = (A)b<C>(ref d) foo\n" * 5_000 + b"}"


def document_of(text: str) -> Document:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return Document(source)


def test_parsing_takes_no_more_steps_than_it_is_allowed() -> None:
    enough, little = Allowance(), Allowance(100)
    assert not syntax_tree.parse(CODE, None, enough).root_node.has_error
    assert 0 < enough.left < syntax_tree.MAX_WORK
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(CODE, None, little)
    assert -syntax_tree.MAX_WORK / 100 < little.left < 0
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(CODE, None, little)


@pytest.mark.parametrize("text", [CODE, b"class C { // \xc3\xa9\n void M() {" + CODE[10:] + b"}"])
def test_nonsense_is_charged_for_what_it_takes(text: bytes) -> None:
    code, nonsense = Allowance(), Allowance()
    syntax_tree.parse(text[:-1] + text[10:-1] * 4 + b"}", None, code)
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
    allowed = Allowance()
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(text * 8, None, allowed)
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


@pytest.mark.parametrize("character", ["\0", "'", "\\", "}", ")", "é\u20ac"])
def test_errors_of_a_line_are_so_many(character: str) -> None:
    found = scan(character * 5_000, UNITY_EDITOR_SYMBOLS)
    assert 0 < sum(map(len, found.problems.values())) <= MAX_PROBLEMS + 1


def test_errors_of_a_file_are_so_many(project: UnityProject) -> None:
    text = "class C {\nint first;\n" + '    string s = "abc;\n' * 3_000 + "}\n"
    assert len(document_of(text).scan_errors()) == MAX_SCAN_ERRORS
    project.write(text)
    result = project.done(replace("int first;", "int other;"))
    assert any("behind the first errors" in note for note in result["validation"]["notChecked"])
    error = project.refused(replace("int other;", 'int other = "a;'))
    assert error.code is ErrorCode.SYNTAX_ERROR


def test_an_error_less_among_very_many_brings_up_no_new_one(project: UnityProject) -> None:
    project.write("class C {\nint a = ';\n" + '    string s = "abc;\n' * 3_000 + "}\n")
    project.done(replace("int a = ';", "int a = 1;"))


def test_a_text_of_bad_lines_is_scanned_so_far() -> None:
    found = scan('"\n' * (MAX_BAD_LINES + 500), UNITY_EDITOR_SYMBOLS)
    assert len(found.problems) == MAX_BAD_LINES
    assert len(found.states) == MAX_BAD_LINES + 502


def test_a_text_of_open_brackets_is_charged_for_what_it_takes() -> None:
    """The parser looks for a way out behind each of them, to the end of the text."""
    code = "class C {\n" + "int b;\n" * 20_000 + "void M() { var q = "
    some, many = (document_of(code + "x is [" * count) for count in (150, 300))
    assert some.is_parsed
    assert not many.is_parsed
    assert many.scan_errors()


def test_nesting_is_followed_so_deep() -> None:
    found = scan("{" * (MAX_DEPTH * 2), UNITY_EDITOR_SYMBOLS)
    assert found.final.frame.depth == MAX_DEPTH
    assert [each.id for each in found.problems[0]] == ["CS8078"]


def test_a_comment_without_end_is_looked_at_once() -> None:
    document = document_of("class C { }\n" + "/* a " * 20_000)
    active = document.active_utf8()
    assert active.count(b"/*") == 0
    assert not document.tree().root_node.has_error
    assert document.scan_errors()


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


def test_places_of_a_target_on_one_endless_line(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = 0
    plain = candidates.stands_in

    def counting(*arguments: object, **named: object) -> bool:
        nonlocal looked_up
        looked_up += 1
        return plain(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(candidates, "stands_in", counting)
    project.write("// " + "ab " * 400_000 + "\nclass C { }\n")
    error = project.refused(replace("ab", "cd"))
    assert error.code in (ErrorCode.AMBIGUOUS_ANCHOR, ErrorCode.ANCHOR_IN_COMMENT)
    assert looked_up < 500


def test_deep_code_is_edited_without_asking_what_is_around(project: UnityProject) -> None:
    project.write("class C { void M() { " + "{ " * 3_000 + "Go();" + " }" * 3_000 + " } }\n")
    result = project.done(replace("Go();", "Went();"))
    assert any("too deep" in note for note in result["validation"]["notChecked"])


@pytest.mark.parametrize(
    "target",
    [
        "int abcd = foo(bar, baz);",
        "int  abc = foo(bar, baz);",
        "int abcd = foo(bar, baz);\n" * 5_000,
    ],
)
def test_places_like_a_target_are_looked_for_among_so_many(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    compared: list[int] = []
    plain = likeness.tokens_of

    def counting(text: str) -> list[Token]:
        compared.append(len(text))
        return plain(text)

    monkeypatch.setattr(likeness, "tokens_of", counting)
    document = document_of("class C {\n" + "int abc = foo(bar, baz);\n" * 50_000 + "}\n")
    whole = [TextRange(0, len(document.source.view))]
    likeness.likely_places(document.source, Anchor(target), whole)
    assert len(compared) <= 100
    assert sum(compared) < 500_000


def test_texts_of_any_length_are_compared() -> None:
    one, other = ["a", "b"] * 50_000, ["b", "a"] * 50_001
    found = hunks(one, other)
    assert len(found) == 1
    assert carried("a b " * 20_000, "b a " * 20_000, "a a b " * 20_000) is None


def test_of_more_places_than_are_looked_at_none_is_taken(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only one that fits so far may not be the only one that fits."""
    monkeypatch.setattr(text_anchor, "MAX_OCCURRENCES", 2)
    project.write("class C\n{\n    int a = 0; // one\n    int b = 0;\n    int c = 0; // one\n}\n")
    before = "class C\n{\n    int a"
    refused = project.refused(replace(" = 0", " = 1", before=before))
    assert refused.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert "not all are looked at" in refused.message


def test_a_file_of_very_many_declarations(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declaration_reader, "MAX_DECLARATIONS", 50)
    project.write("class C {\n" + "".join(f"int a{n};\n" for n in range(100)) + "}\n")
    outline = project.engine.get_symbols({"path": SCRIPT})
    assert not isinstance(outline, dict)
    assert outline.code is ErrorCode.FILE_TOO_LARGE
    error = project.refused(on_symbol("C.a7", "delete"))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert "too large" in error.message
    project.done(replace("int a7;", "int b7;"))


@pytest.mark.parametrize("members", [5, 2_000])
def test_of_a_large_type_only_what_is_at_a_place_is_read(
    members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "class C {\n" + "/// <summary>a</summary>\nvoid M() { }\n" * members + "}\n"
    document = document_of(text)
    taken = 0
    whole = Steps.take

    def counting(self: Steps, count: int = 1) -> bool:
        nonlocal taken
        taken += count
        return whole(self, count)

    monkeypatch.setattr(Steps, "take", counting)
    for place in ("/// <summary>", "void M", "{ }"):
        assert enclosing_path(document, text.rindex(place) + 1) == "C.M()"
    assert taken < 60


def test_a_file_of_very_many_conditions(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MAX_CONDITIONS", 20)
    few, many = ("".join(f"#if A{n}\nint a;\n#endif\n" for n in range(count)) for count in (20, 21))
    project.write(f"class C {{\nint first;\n{few}}}\n")
    project.done(replace("int first;", "int other;"))
    error = project.refused(replace("int other;", "int other;\n#if B\n#endif"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    project.write(f"class C {{\nint first;\n{many}}}\n")
    for tool in (project.engine.get_symbols, project.engine.validate_script):
        refused = tool({"path": SCRIPT})
        assert not isinstance(refused, dict)
        assert refused.code is ErrorCode.FILE_TOO_LARGE
    assert project.refused(replace("int first;", "int a;")).code is ErrorCode.FILE_TOO_LARGE


def test_a_file_of_very_long_conditions(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few may name as many symbols as there is room for."""
    monkeypatch.setattr(documents, "MAX_OF_CONDITIONS", 200)
    monkeypatch.setattr(documents, "_LEAST_OF_CONDITIONS", 100)
    condition = "#if " + " || ".join(f"A{number:02}" for number in range(27))
    assert 180 < len(condition) < 200
    project.write(f"class C {{\nint first;\n{condition}\n#endif\n}}\n")
    project.done(replace("int first;", "int other;"))
    error = project.refused(replace("int other;", "int other;\n#if B && B && B && B\n#endif"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "more than 200 characters of them" in error.message
    assert len(error.message) <= 200


def test_a_long_run_of_letters_is_looked_up_by_its_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_up: list[str] = []
    whole = line_scanner._kind

    def counting(char: str) -> str:
        looked_up.append(char)
        return whole(char)

    monkeypatch.setattr(line_scanner, "_kind", counting)
    found = scan("int " + "é" * 100_000 + "\u0301ж;\n", UNITY_EDITOR_SYMBOLS)
    assert found.is_clean
    assert sorted(looked_up) == ["é", "\u0301", "ж"]


@pytest.mark.parametrize(
    ("run", "in_name", "misfit"),
    [
        ("é\u0301", False, None),
        ("\u0301é", False, 0),
        ("\u0301é", True, None),
        ("é\u3000\u0301", False, 2),
        ("\ufeff\u0301", True, None),
        ("\ufeff\u0301", False, 1),
        ("é😀", True, 1),
        ("\u2160\u0660", False, None),
        ("€", True, 0),
    ],
)
def test_what_no_name_is_made_of(run: str, in_name: bool, misfit: int | None) -> None:
    assert line_scanner._misfit(run, in_name) == misfit


def test_much_new_text_is_searched_by_its_nodes(project: UnityProject) -> None:
    project.write("class C { void M() {\n" + "Go(a, b);\n" * 20_000 + "} }\n")
    result = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(result, dict)
    assert result["valid"]
    assert any("structure" in note for note in result["validation"]["notChecked"])


def test_of_a_text_that_has_no_tree_none_is_made_after_edits(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
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


SLOW_TO_SCAN = {
    "raw strings": 's = """a{b}""";\n',
    "holes": 's = $"{$"{a}"}";\n',
    "holes over many lines": 's = $"{a\n',
    "brackets in brackets": "((((a))))",
    "names": "int é;\n",
    "regions": "#region a\n",
    "pragmas": "#pragma warning disable\n",
    "definitions": "#define A\n",
    "comments": "/*\na\n*/\n",
}


@pytest.mark.parametrize("piece", SLOW_TO_SCAN.values(), ids=SLOW_TO_SCAN)
def test_what_is_slow_to_scan_is_scanned_so_far(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MAX_STEPS", 3_000)
    scan(piece * 100, UNITY_EDITOR_SYMBOLS)
    with pytest.raises(TooManyStepsError):
        scan(piece * 4_000, UNITY_EDITOR_SYMBOLS)


def test_code_takes_hardly_a_step_a_line() -> None:
    scan(CODE.decode() * 100, UNITY_EDITOR_SYMBOLS)
    scan("class C {\n" + "void M()\n{\n    // a\n\n}\n" * 200_000 + "}\n", UNITY_EDITOR_SYMBOLS)


def test_a_file_that_takes_too_many_steps_to_scan(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MAX_STEPS", 3_000)
    slow = SLOW_TO_SCAN["raw strings"]
    project.write(CODE.replace(b"class C { ", b"class C {\nint first;\n"))
    project.done(replace("int first;", "int other;"))
    before = project.read()
    error = project.refused(replace("int other;", "/* int other;"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "what it would become" in error.message
    assert project.read() == before
    project.write("class C {\nint first;\nvoid M() {\n" + slow * 4_000 + "} }\n")
    for tool in (project.engine.get_symbols, project.engine.validate_script):
        refused = tool({"path": SCRIPT})
        assert not isinstance(refused, dict)
        assert refused.code is ErrorCode.FILE_TOO_LARGE
    assert project.refused(replace("int first;", "int a;")).code is ErrorCode.FILE_TOO_LARGE


def test_errors_whose_openers_take_too_many_steps_are_told_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second pass reads lines that the first one knows."""
    text = "class C {\n" + "int[] a = {\n};\n" * 3_000 + "void M() {\n(\n"
    told = list(scan(text, UNITY_EDITOR_SYMBOLS).errors())
    monkeypatch.setattr(report, "MAX_STEPS", 3_000)
    found = scan(text, UNITY_EDITOR_SYMBOLS)
    assert [(at, each.id) for at, each in found.errors()] == [(at, each.id) for at, each in told]
    assert any(each.opener is not None for _, each in told)
    assert all(each.opener is None for _, each in found.errors())


def test_places_too_many_to_tell_comments_from_code(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MAX_CLASSIFIED", 2)
    project.write("// a = 1;\n" * 300 + "class C { int a = 1; }\n")
    error = project.refused(replace("a = 1", "a = 2"))
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert "301 places" in error.message
    assert "which of them are comments" in error.message
    monkeypatch.setattr(candidates, "MAX_CLASSIFIED", 10)
    project.done(replace("a = 1", "a = 2"))


def test_of_more_broken_nodes_than_are_looked_at_none_is_said_to_be_new(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syntax_tree, "MAX_BROKEN", 20)
    members = "".join(f"int a{n} = {n};\nint = ;\n" for n in range(100))
    project.write("class C {\n" + members + "int x = ;\nint last = 1;\nint y = ;\n}\n")
    result = project.done(replace("int y = ;", "int y = 1;"))
    assert result["validation"]["coverage"] == ["brackets"]
    assert any("broken before" in note for note in result["validation"]["notChecked"])


LACKING = "    void M() { F(1) = 2; }\n"
"""C# that the grammar can't read."""


def test_broken_nodes_of_what_is_too_long_to_be_cured(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    before = "".join(map(POINTED_AT.format, range(395)))
    more = "".join(map(POINTED_AT.format, range(1_000, 1_010)))
    tree = syntax_tree.parse(f"static class C\n{{\n{before}{more}}}\n".encode())
    assert len(syntax_tree.broken_nodes(tree)) == syntax_tree.MAX_BROKEN
    if not is_cured:
        monkeypatch.setattr(cured_tree, "_MAX_CURED_OF_MANY", 20)
    project.write(f"static class C\n{{\n{before}{more}}}\n")
    told = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(told, dict)
    assert told["valid"] == is_cured
    is_told = any("parser can't read" in note for note in told["validation"]["notChecked"])
    assert is_told != is_cured
    if not is_cured:
        return
    project.write(f"static class C\n{{\n{before}}}\n")
    anchor = {"type": "symbol", "symbolPath": "C", "position": "body_end"}
    added = {"operation": "insert", "anchor": anchor, "newText": more.rstrip("\n")}
    change = {"path": SCRIPT, "instructions": [{**added, "indent": "asGiven"}]}
    result = project.engine.edit_scripts({"mode": "preview", "changes": [change]})
    assert isinstance(result, dict), result
    assert result["validation"]["coverage"] == ["brackets", "syntax"]


def test_errors_of_a_file_beyond_the_first_thousand_are_not_said_to_be_none(
    project: UnityProject,
) -> None:
    project.write("class C {\n" + '    string s = "abc;\n' * 3_000 + "}\n")
    told = project.engine.validate_script({"path": SCRIPT})
    assert isinstance(told, dict)
    assert any("behind the first errors" in note for note in told["validation"]["notChecked"])


def test_branches_that_are_too_many_are_told(project: UnityProject) -> None:
    def of(count: int) -> str:
        branches = (f"#if A{n} && !B{n}\nint a{n};\n#endif\n" for n in range(count))
        return "class C {\nint first;\n" + "".join(branches) + "#if X\nint x;\n#endif\n}\n"

    edit = replace("#if X", "#if Y")
    for count, is_told in ((3, False), (30, True)):
        project.write(of(count))
        result = project.done(edit, mode="preview")
        notes = result["validation"]["notChecked"]
        assert any("further #if branches" in note for note in notes) == is_told
        plain = project.done(replace("int first;", "int other;"), mode="preview")
        assert not any("further #if" in note for note in plain["validation"]["notChecked"])
        told = project.engine.validate_script({"path": SCRIPT})
        assert isinstance(told, dict)
        told_notes = told["validation"]["notChecked"]
        assert any("further #if branches" in note for note in told_notes) == is_told


@pytest.mark.parametrize("wrong", ["first", "last"])
def test_long_contexts_are_compared_many_lines_at_once(wrong: str) -> None:
    looked_up = 0

    class Counting(str):
        def startswith(self, *arguments: Any) -> bool:
            nonlocal looked_up
            looked_up += 1
            return str.startswith(self, *arguments)

        def endswith(self, *arguments: Any) -> bool:
            nonlocal looked_up
            looked_up += 1
            return str.endswith(self, *arguments)

        def find(self, *arguments: Any) -> int:
            nonlocal looked_up
            looked_up += 1
            return str.find(self, *arguments)

        def rfind(self, *arguments: Any) -> int:
            nonlocal looked_up
            looked_up += 1
            return str.rfind(self, *arguments)

    lines = "".join(f"int value{n};\n" for n in range(1_000))
    view = Counting(lines + "target\n" + lines)
    place = TextRange(len(lines), len(lines) + len("target"))
    assert Context(lines, lines).fits(view, place)
    looked_up = 0
    before, after = (lines, lines + "?") if wrong == "last" else ("?" + lines, lines)
    assert not Context(before, after).fits(view, place)
    assert 0 < looked_up < 60


def test_of_a_large_file_not_every_missing_anchor_is_explained(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("class C {\nint first;\nint second;\n}\n")
    sent = [replace(f"int {name}s;", "int a;") for name in ("first", "second")]
    errors = [project.refused(*sent).details]
    monkeypatch.setattr(plan, "MAX_EXPLAINED", 10)
    errors.append(project.refused(*sent).details)
    assert all(each["nearest"] for each in errors)
    every, few = (each["otherErrors"][0] for each in errors)
    assert every["details"]["nearest"]
    assert not few["details"]["nearest"]
    assert few["code"] == ErrorCode.ANCHOR_NOT_FOUND.value
    assert "was not looked for" in few["message"]


def test_of_a_large_file_not_every_ambiguous_anchor_is_explained(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("class C {\nint a = 1;\nint b = 1;\nint c = 2;\nint d = 2;\n}\n")
    sent = [replace(f"= {number};", "= 3;") for number in (1, 2)]
    assert project.refused(*sent).details["otherErrors"][0]["details"]["candidates"]
    monkeypatch.setattr(plan, "MAX_EXPLAINED", 10)
    error = project.refused(*sent)
    assert len(error.details["candidates"]) == 2
    few = error.details["otherErrors"][0]
    assert few["code"] == ErrorCode.AMBIGUOUS_ANCHOR.value
    assert few["details"] == {"matches": 2, "candidates": []}
    assert "is not shown" in few["message"]


@pytest.mark.parametrize("target", ["aa", "a;"])
def test_of_too_many_places_no_context_is_tried(
    target: str, project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[TextRange] = []
    fits = Context.fits

    def counting(self: Context, view: str, place: TextRange) -> bool:
        tried.append(place)
        return fits(self, view, place)

    monkeypatch.setattr(Context, "fits", counting)
    monkeypatch.setattr(text_anchor, "MAX_OCCURRENCES", 3)
    project.write("class C {\nint aaaaa;\nint baa;\nint ca;\nint da;\n}\n")
    error = project.refused(replace(target, "b", before="int "))
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert not tried


def tried(monkeypatch: pytest.MonkeyPatch) -> list[TextRange]:
    """The places at which a context is tried from now on."""
    found: list[TextRange] = []
    fits = Context.fits

    def counting(self: Context, view: str, place: TextRange) -> bool:
        found.append(place)
        return fits(self, view, place)

    monkeypatch.setattr(Context, "fits", counting)
    return found


def test_a_context_is_tried_where_its_rarest_line_stands(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "int a;\nint b;\n" * 5_000
    project.write(f"class C {{\n{lines}// here\nint a;\nint b;\n{lines}}}\n")
    places = tried(monkeypatch)
    sent = [
        replace("int a;", "int c;", before="// here"),
        replace("int b;", "int d;", before="// here\nint a;"),
    ]
    project.done(*sent)
    assert len(places) < 10


def test_all_anchors_of_a_request_share_their_steps(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one of them takes isn't taken from the others."""
    project.write("class C {\n" + "int a;\nint b;\n" * 2_000 + "int last;\n}\n")
    places = tried(monkeypatch)
    sent = [replace("int a;", "int c;", before="int a;") for _ in range(9)]
    monkeypatch.setattr(plan, "MAX_SEARCHED_IN_SHORT", 5_000)
    error = project.refused(*sent, replace("int last;", "int c;"))
    told = [error.to_json(), *error.details["otherErrors"]]
    assert all("not all are looked at" in each["message"] for each in told)
    assert 9 not in [each.get("instruction") for each in told]
    assert len(places) <= 5_000


@pytest.mark.parametrize(
    ("sent", "steps", "code", "told"),
    [
        (replace("int zzz;", "int b;"), 12, ErrorCode.ANCHOR_NOT_FOUND, "was not looked for"),
        (replace("int a;", "int b;"), 12, ErrorCode.AMBIGUOUS_ANCHOR, "fits 2 places"),
        (replace("only here", "b"), 6, ErrorCode.ANCHOR_IN_COMMENT, "only in comments, at 1"),
    ],
)
def test_what_takes_too_many_steps_to_explain_is_refused_without(
    project: UnityProject,
    monkeypatch: pytest.MonkeyPatch,
    sent: dict[str, Any],
    steps: int,
    code: ErrorCode,
    told: str,
) -> None:
    project.write("class C {\n    int a;\n    void M() { }\n    int a; // only here\n}\n")
    whole = project.refused(sent)
    assert whole.code is code
    assert whole.details.get("nearest") or whole.details.get("candidates")
    monkeypatch.setattr(plan, "MAX_SEARCHED_IN_SHORT", steps)
    error = project.refused(sent)
    assert error.code is code
    assert told in error.message
    assert "too many steps" in error.message
    assert not error.details.get("nearest")
    assert not error.details.get("candidates")
    assert not error.offers


def test_a_long_line_is_read_once_to_tell_its_comments_from_its_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = document_of("class C { /* a */ " + 'M("a");' * 5_000 + " }\n")
    read: list[int] = []
    whole = spans._read

    def counting(*arguments: Any) -> Any:
        read.append(1)
        return whole(*arguments)

    monkeypatch.setattr(spans, "_read", counting)
    view = document.source.view
    kinds = [document.span_kind(at, at + 1) for at in range(len(view) - 1)]
    assert len(read) == 1
    assert kinds.count(SpanKind.STRING) == 5_000
    assert kinds.count(SpanKind.COMMENT) == len("/* a */")


def test_a_symbol_that_thousands_of_types_have_is_looked_up_in_each_but_once(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("".join(f"class T{n} {{ void M() {{ int a{n}; }} }}\n" for n in range(400)))
    explained: list[str] = []
    whole = not_found.not_found

    def counting(document: Document, instruction: Any, scopes: Any) -> Any:
        explained.append(instruction.anchor.symbol_path)
        return whole(document, instruction, scopes)

    monkeypatch.setattr(not_found, "not_found", counting)
    sent = on_symbol("M", "replace", "int c;", target="int a399;")
    error = project.refused(sent)
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert [each["symbol"] for each in error.details["candidates"]] == ["T399.M()"]
    assert len(explained) <= 10


def test_the_numbers_of_many_lines_are_not_counted_from_the_beginning() -> None:
    passed: list[int] = []

    class Counting(str):
        def count(self, sign: str, start: int = 0, end: int | None = None) -> int:
            passed.append(len(self[start:end]))
            return str.count(self, sign, start, end)

    text = Counting("a\n" * 100_000)
    source = SourceText(text.encode(), TextEncoding("utf-8", b""), text)
    lines = range(0, 100_000, 100)
    for number in (Lines(text).number, source.line_number):
        passed.clear()
        assert [number(2 * line) for line in lines] == list(lines)
        assert 0 < sum(passed) <= 100 * len(text)
        assert [number(2 * line + 1) for line in lines] == list(lines)
        assert number(len(text)) == 100_000


def test_the_files_of_a_change_set_are_no_larger_together_than_one_may_be(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many trees as there are files would be made else, each as large as one may be."""
    project.write("class A { int a; }\n")
    small = edit(SCRIPT, replace("int a;", "int b;"))
    most = len(project.read()) + 10
    monkeypatch.setattr(planning, "MAX_SET_BYTES", most)
    previewed(project, small, create("Assets/B.cs", "class B{}\n"))
    error = refused(project, small, create("Assets/B.cs", "class B { }\n"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert error.file == 1
    assert error.details["limit"] == most
    assert "together" in error.message
    monkeypatch.setattr(planning, "MAX_SET_BYTES", 5)
    previewed(project, small)


def test_causes_are_not_tried_one_by_one_in_what_is_too_long(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten edits of eight megabytes would be ten verdicts else, and fifty in a change set."""
    project.write("class A { int a; int b; int c; }\n")
    edits = [replace("int a;", "int a"), replace("int b;", "int z;"), replace("int c;", "int c")]
    told = project.refused(*edits)
    assert {each["instruction"] for each in told.details["diagnostics"]} == {0, 2}
    assert attribution.NOT_ATTRIBUTED not in told.details["validation"]["notChecked"]
    monkeypatch.setattr(attribution, "MAX_JUDGED", 3 * len(project.read()) - 1)
    error = project.refused(*edits)
    assert [each["line"] for each in error.details["diagnostics"]] == [1, 1]
    assert not any("instruction" in each for each in error.details["diagnostics"])
    assert attribution.NOT_ATTRIBUTED in error.details["validation"]["notChecked"]
    # Who causes all of them isn't in doubt where there is but one edit.
    assert project.refused(edits[0]).details["diagnostics"][0]["instruction"] == 0


def test_the_files_of_a_set_share_what_one_may_take() -> None:
    sizes = [400_000, 10, 0, 3_000_000]
    parts = planning.parts_of(sizes)
    assert sum(parts) == pytest.approx(1)
    assert sorted(parts) == [parts[2], parts[1], parts[0], parts[3]]
    assert parts[2] == pytest.approx(1 / 8)
    assert planning.parts_of(sizes[::-1]) == parts[::-1]
    assert planning.parts_of([7]) == [1]
    assert planning.parts_of([0, 0]) == [1 / 2, 1 / 2]


def test_offers_are_looked_for_as_long_as_for_one_file() -> None:
    large, small = 3 * plan.SHORT, plan.SHORT // 4
    assert planning.part_for_offers([small], 0, 1) == 1
    assert planning.part_for_offers([small, small], 1, 2) == 1 / 2
    assert planning.part_for_offers([large], 0, 1) == 1
    assert planning.part_for_offers([large, plan.SHORT], 1, 1) == 1 / 4


def test_trees_of_a_set_cost_no_more_together_than_one_may(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each alone the tree is made. In any order, and asked before or not, the answer is one."""
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 4_000)
    text = CODE.decode()[:30_000].rsplit("\n", 1)[0] + "\n}\n"
    paths = [f"Assets/N{number}.cs" for number in range(20)]
    for number, path in enumerate(paths):
        (project.root / path).write_text(f"// {number}\n{text}", "utf-8")
    one = replace("class C {", "class D {")
    several = [edit(path, one) for path in paths]
    answers = []
    for changes in (several, several[::-1], several[:1], several, several[:2]):
        told = previewed(project, *changes)["validation"]
        answers.append((sorted(told["notChecked"]), told["coverage"]))
    assert answers[0] == answers[1] == answers[3]
    assert dirty_files.NOT_PARSED_IN_SET in answers[0][0]
    assert answers[0][1] == ["brackets"]
    for alone in (answers[2], answers[4]):
        assert alone == (["semantics"], ["brackets", "syntax"])


@pytest.mark.parametrize("is_new", [True, False])
def test_what_the_parser_misreads_is_no_error_of_a_set_without_steps_to_read_it_again(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """``*((T*)p) = x;`` breaks the tree, and is whole where it is read a second time."""
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 4_000)
    lines = "".join(f"        *((Report*)e->state) = {number};\n" for number in range(30))
    methods = "".join(f"    void M{number}(E* e)\n    {{\n{lines}    }}\n" for number in range(40))
    text = f"unsafe class A\n{{\n{methods}}}\n"
    paths = [f"Assets/N{number}.cs" for number in range(3)]
    changes = [create(path, text) for path in paths]
    if not is_new:
        for path in paths:
            (project.root / path).write_text(text.replace("*((", "Set(("), "utf-8")
        anchor = {"type": "symbol", "symbolPath": "A.M0", "part": "body"}
        one = {"operation": "replace", "anchor": anchor, "newText": lines}
        changes = [edit(path, one) for path in paths]
    alone = previewed(project, changes[0])["validation"]
    assert (alone["notChecked"], alone["coverage"]) == (["semantics"], ["brackets", "syntax"])
    together = previewed(project, *changes)["validation"]
    assert together["notChecked"] == ["semantics", dirty_files.NOT_PARSED_IN_SET]
    assert together["coverage"] == ["brackets"]


@pytest.mark.parametrize("behind", ["", "}"])
def test_a_part_takes_over_what_it_would_make_itself(behind: str) -> None:
    source = decode((csharp_of_bytes(40_000) + behind).encode())
    assert isinstance(source, SourceText)
    alone, known = document_cache.DocumentCache(), document_cache.DocumentCache()
    whole = known.get(source)
    assert whole.is_parsed
    with work.in_part(1 / 5):
        made, taken = alone.get(source), known.get(source)
    # Only what is whole: how much of the rest is read depends on what it may cost.
    assert (taken.tree() is whole.tree()) == (not behind)
    assert taken is not whole
    assert str(taken.tree().root_node) == str(made.tree().root_node)
    assert taken.scan_errors() == made.scan_errors()
    base = made.symbol_sets[0]
    left = made.under(base)._allowance.left
    assert taken.under(base)._allowance.left == left < made.most_work


def test_a_part_makes_no_tree_that_costs_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 2_000)
    cache = document_cache.DocumentCache()
    source = document_of(CODE.decode()[:30_000]).source
    assert cache.get(source).is_parsed
    with work.in_part(1 / 20):
        assert not cache.get(source).is_parsed


def test_a_text_has_one_answer_in_a_part_and_another_in_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (documents, document_cache):
        monkeypatch.setattr(module, "MAX_WORK", 2_000)
    source = document_of(CODE.decode()[:30_000]).source
    cache = document_cache.DocumentCache()
    whole = cache.get(source)
    assert whole.is_parsed
    with work.in_part(1 / 20):
        part = cache.get(source)
        assert not part.is_parsed
        assert part.most_errors == 100
        assert cache.get(source) is part
    assert cache.get(source) is whole
    small = decode(b"class C { }")
    assert isinstance(small, SourceText)
    with work.in_part(1 / 20):
        # What it may cost by itself is less than that part.
        assert cache.get(small) is cache.get(small)
        kept = cache.get(small)
    assert cache.get(small) is kept


def test_steps_of_a_part_are_that_part_of_them() -> None:
    with work.in_part(1 / 4), work.in_part(1 / 2), work.sharing(800):
        work.spend(100)
        with pytest.raises(work.OutOfStepsError):
            work.spend()
    with work.in_part(1 / 4), work.sharing(800):
        with work.at_most(400), pytest.raises(work.OutOfStepsError):
            work.spend(101)
        work.spend(200)
    with work.sharing(800):
        work.spend(800)


def test_around_an_edit_no_longer_words_are_read_than_names_are() -> None:
    read = 0

    class Counting(str):
        def __getitem__(self, key: Any) -> str:
            nonlocal read
            read += 1
            return str.__getitem__(self, key)

    text = Counting("a" * 100_000)
    start, end = dangling_names._whole_words(text, 50_000, 50_001)
    assert 0 < read <= 4_000
    assert (start, end) != (50_000, 50_001)
    name = Counting(" " + "b" * 500 + " ")
    assert dangling_names._whole_words(name, 250, 250) == (1, 501)


def test_the_first_errors_of_a_text_are_placed_without_its_other_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[int] = []
    starts_of = scanner.starts_of

    def counting(lines: list[str]) -> list[int]:
        counted.append(len(lines))
        return starts_of(lines)

    monkeypatch.setattr(scanner, "starts_of", counting)
    text = "class C {\nint a = ';\n" + "int b;\n" * 50_000 + "}\n"
    errors = [offset for offset, _ in scan(text, UNITY_EDITOR_SYMBOLS).errors(with_openers=False)]
    assert errors == [text.index("'")]
    assert 0 < sum(counted) < 10_000
    late = text + "'"
    found = [offset for offset, _ in scan(late, UNITY_EDITOR_SYMBOLS).errors(with_openers=False)]
    assert found == [text.index("'"), len(text)]


def test_openers_are_looked_for_where_an_error_may_be_new(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file that was broken before, finding what isn't closed takes a second pass."""
    asked: list[bool] = []
    errors = scanner.Scan.errors

    def counted(self: scanner.Scan, *, with_openers: bool = True) -> Iterator[tuple[int, Problem]]:
        asked.append(with_openers)
        return errors(self, with_openers=with_openers)

    monkeypatch.setattr(scanner.Scan, "errors", counted)
    project.write("class A { void M() { (\nint a;\n}\n")
    warnings = project.done(replace("int a;", "int b;"))["warnings"]
    assert [each["code"] for each in warnings] == ["preexisting_errors"]
    assert asked
    assert not any(asked)
    error = project.refused(replace("int b;", "int b[;"))
    assert [each["id"] for each in error.details["diagnostics"]] == ["CS1003"]
    assert any(asked)
