"""What a scan may take, and how many errors of it are kept.

Bounds are counted in steps, errors, places and characters, never in time.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from long_code import CODE
from planning import document_of
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.anchors import text_anchor
from snippet_engine.csharp.document import MAX_SCAN_ERRORS
from snippet_engine.csharp.lexical import report, scanner
from snippet_engine.csharp.lexical.line_scanner import MAX_DEPTH, MAX_PROBLEMS
from snippet_engine.csharp.lexical.problem import Problem
from snippet_engine.csharp.lexical.report import TooManyStepsError
from snippet_engine.csharp.lexical.scanner import MAX_BAD_LINES, scan
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
from snippet_engine.errors import ErrorCode
from snippet_engine.validation.validator import NOT_ALL_ERRORS


@pytest.mark.parametrize("character", ["\0", "'", "\\", "}", ")", "é\u20ac"])
def test_errors_of_a_line_are_so_many(character: str) -> None:
    found = scan(character * 5_000, UNITY_EDITOR_SYMBOLS)
    assert 0 < sum(map(len, found.problems.values())) <= MAX_PROBLEMS + 1


def test_errors_of_a_file_are_so_many(project: UnityProject) -> None:
    text = "class C {\nint first;\n" + '    string s = "abc;\n' * 3_000 + "}\n"
    document = document_of(text)
    assert len(document.scan_errors_under(document.base)) == MAX_SCAN_ERRORS
    project.write(text)
    result = project.done(replace("int first;", "int other;"))
    assert NOT_ALL_ERRORS in result["validation"]["notChecked"]
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
    assert many.scan_errors_under(many.base)


def test_nesting_is_followed_so_deep() -> None:
    found = scan("{" * (MAX_DEPTH * 2), UNITY_EDITOR_SYMBOLS)
    assert found.final.frame.depth == MAX_DEPTH
    assert [each.id for each in found.problems[0]] == ["CS8078"]


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
def test_slow_texts_are_scanned_so_far(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_STEPS", 3_000)
    scan(piece * 100, UNITY_EDITOR_SYMBOLS)
    with pytest.raises(TooManyStepsError):
        scan(piece * 4_000, UNITY_EDITOR_SYMBOLS)


def test_code_takes_hardly_a_step_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_STEPS", report.MAX_STEPS // 10)
    scan(CODE.decode() * 10, UNITY_EDITOR_SYMBOLS)
    scan("class C {\n" + "void M()\n{\n    // a\n\n}\n" * 20_000 + "}\n", UNITY_EDITOR_SYMBOLS)


def test_too_many_steps_to_scan(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_STEPS", 3_000)
    slow = SLOW_TO_SCAN["raw strings"]
    project.write(CODE.replace(b"class C { ", b"class C {\nint first;\n"))
    project.done(replace("int first;", "int other;"))
    before = project.read()
    error = project.refused(replace("int other;", "/* int other;"))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "its edited text" in error.message
    assert project.read() == before
    project.write("class C {\nint first;\nvoid M() {\n" + slow * 4_000 + "} }\n")
    for tool in (project.engine.get_symbols, project.engine.validate_script):
        refused = tool({"path": SCRIPT})
        assert not isinstance(refused, dict)
        assert refused.code is ErrorCode.FILE_TOO_LARGE
    assert project.refused(replace("int first;", "int a;")).code is ErrorCode.FILE_TOO_LARGE


def test_costly_openers_are_left_out_of_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second pass reads lines that the first one knows."""
    text = "class C {\n" + "int[] a = {\n};\n" * 3_000 + "void M() {\n(\n"
    told = list(scan(text, UNITY_EDITOR_SYMBOLS).errors())
    monkeypatch.setattr(report, "MAX_STEPS", 3_000)
    found = scan(text, UNITY_EDITOR_SYMBOLS)
    assert [(at, each.id) for at, each in found.errors()] == [(at, each.id) for at, each in told]
    assert any(each.opener is not None for _, each in told)
    assert all(each.opener is None for _, each in found.errors())


def test_too_many_to_classify(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_anchor, "MAX_CLASSIFIED", 2)
    project.write("// a = 1;\n" * 300 + "class C { int a = 1; }\n")
    error = project.refused(replace("a = 1", "a = 2"))
    assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert "301 places" in error.message
    assert "which of them are comments" in error.message
    monkeypatch.setattr(text_anchor, "MAX_CLASSIFIED", 10)
    project.done(replace("a = 1", "a = 2"))


def test_errors_of_a_long_text_are_placed() -> None:
    text = "class C {\nint a = ';\n" + "int b;\n" * 50_000 + "}\n"
    late = text + "'"
    found = [offset for offset, _ in scan(late, UNITY_EDITOR_SYMBOLS).errors(with_openers=False)]
    assert found == [text.index("'"), len(text)]


def test_openers_only_of_new_errors(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
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
