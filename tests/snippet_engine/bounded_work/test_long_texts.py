"""What very long texts are not asked for, and what is passed over in them many lines at once.

Bounds are counted in steps and code points, never in time.
"""

from __future__ import annotations

from typing import Any

import pytest
import tree_sitter
from script_changes import edit, previewed
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine import source_text
from snippet_engine.answer.warnings import NOT_ALL_NAMES
from snippet_engine.csharp import dangling_names
from snippet_engine.csharp.lexical.rescanner import rescan
from snippet_engine.csharp.lexical.scanner import scan
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
from snippet_engine.csharp.tree import broken_scopes, syntax_tree
from snippet_engine.csharp.tree.syntax_tree import Allowance, TooMuchWorkError
from snippet_engine.csharp.tree.tree_query import QueryTable
from snippet_engine.edit_plan import placement
from snippet_engine.edit_plan.indentation import indentation_of
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode
from snippet_engine.fixes import whole_request as offered
from snippet_engine.single_edit import judging, new_errors
from snippet_engine.source_text import SourceText, decode


def test_no_offers_in_long_texts(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would be tried on all of it."""
    text = "class C {\n    int speed = 10;\n    int other = 1;\n}\n"
    project.write(text)
    sent = replace("int sped = 10;", "int speed = 11;")
    for most, are_sought in ((len(text), True), (len(text) - 1, False)):
        monkeypatch.setattr(offered, "MAX_TEXT", most)
        error = project.refused(sent)
        assert error.details["nearest"]
        assert bool(error.offers) == are_sought
        assert error.details.get("offersSought", True) == are_sought


def test_pasted_number_in_long_texts(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "class C {\n    int speed = 10;\n}\n"
    project.write(text)
    sent = replace("speed = 10;", "2: speed = 11;")

    def told() -> tuple[bool, bool]:
        error = project.refused(sent)
        note = judging.NOT_CLOSED in error.details["validation"]["notChecked"]
        return bool(error.offers), note

    assert told() == (True, False)
    monkeypatch.setattr(new_errors, "MAX_CLOSED", len(text) + 1)
    monkeypatch.setattr(new_errors, "SHORT", 0)
    assert told() == (True, False)
    monkeypatch.setattr(new_errors, "MAX_CLOSED", len(text))
    assert told() == (False, True)
    # Where there is nothing to try, nothing was left out.
    error = project.refused(replace("speed = 10", "speed = = 10"))
    assert judging.NOT_CLOSED not in error.details["validation"]["notChecked"]
    # One is tried in any case in a short text.
    monkeypatch.setattr(new_errors, "SHORT", len(text))
    assert told() == (True, False)


def test_too_many_names_are_told(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class C {\n    int a, b;\n    int F() { return a + b; }\n}\n"
    project.write(text)
    rename = replace("int a, b;", "int c, d;")
    result = project.done(rename, mode="preview")
    assert [each["code"] for each in result["warnings"]] == ["name_still_used"]
    assert NOT_ALL_NAMES not in result["validation"]["notChecked"]
    monkeypatch.setattr(dangling_names, "_MAX_SEARCHED", len(text) - 1)
    project.reopen()
    result = project.done(rename, mode="preview")
    assert not result["warnings"]
    assert NOT_ALL_NAMES in result["validation"]["notChecked"]
    of_set = previewed(project, edit(SCRIPT, rename))
    assert NOT_ALL_NAMES in of_set["validation"]["notChecked"]
    monkeypatch.setattr(dangling_names, "_MAX_SEARCHED", 2 * len(text))
    monkeypatch.setattr(dangling_names, "_MAX_NAMES", 0)
    project.reopen()
    assert NOT_ALL_NAMES in project.done(rename)["validation"]["notChecked"]


def test_the_level_of_a_long_body_costs_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counting(line: str) -> str:
        nonlocal asked
        asked += 1
        return indentation_of(line)

    monkeypatch.setattr(placement, "indentation_of", counting)
    flat = "\n" + "int a;\n" * 50_000
    assert placement._body_indentation(flat, "") == ""
    assert placement._body_indentation(flat + "   int b;\n", "") == "   "
    assert placement._body_indentation(flat.replace("\n", "\n\t", 2), "  ") == "\t"
    assert asked < 2_000


def test_inactive_code_is_not_read(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser passes over blanks several times where it finds an error."""
    lengths: list[int] = []
    parse = syntax_tree.parse

    def counting(text: bytes, *rest: Any) -> Any:
        lengths.append(len(text))
        return parse(text, *rest)

    monkeypatch.setattr(broken_scopes.syntax_tree, "parse", counting)
    project.write("class C {\nint a;\n#if NEVER\n" + "int b;\n" * 5_000 + "#endif\n}\n")
    project.done(replace("int a;", "int c;"), mode="preview")
    lengths.clear()
    monkeypatch.setattr(syntax_tree, "_MAX_PATCH", 0)
    assert project.refused(replace("int a;", "int = ;")).code is ErrorCode.SYNTAX_ERROR
    assert lengths
    assert min(lengths) < 200


def test_less_is_spent_on_a_text_that_is_too_long_to_be_parsed() -> None:
    """The tree of eight megabytes of code is given up: the sooner, the better."""
    code = b"class C {\n" + b"int a = b + f(c);\n" * 460_000 + b"}"
    spent = Allowance()
    with pytest.raises(TooMuchWorkError):
        syntax_tree.parse(code, None, spent)
    assert spent.left > syntax_tree.MAX_WORK // 4
    assert syntax_tree.most_work(len(code)) < syntax_tree.MAX_WORK * 3 // 4
    assert syntax_tree.most_work(4_200_000) == syntax_tree.MAX_WORK
    long_text = Allowance()
    tree = syntax_tree.parse(code[:1000] + b"/*" + b" " * 8_000_000 + b"*/}", None, long_text)
    assert long_text.left > syntax_tree.MAX_WORK // 2
    assert tree.root_node.end_byte > 8_000_000


def test_what_the_parser_passes_over_within_a_step_counts() -> None:
    """Megabytes that are no C# are one step for it, each time that it reads them."""
    code = b"class C { int a = 0; }\n"
    once, again = Allowance(), Allowance()
    assert syntax_tree.parse(code + b"\x1a" * 2_000_000, None, once).root_node.has_error
    assert once.left < syntax_tree.MAX_WORK * 95 // 100
    broken = code.replace(b"0;", b";") + b"\x1a" * 2_000_000
    assert syntax_tree.parse(broken, None, again).root_node.has_error
    assert again.left < once.left
    assert again.left == _left_of(broken)


def test_passed_over_is_parsed_once(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of it would have the parser pass over all of it again, and twice."""
    parsed: list[int] = []
    counted = syntax_tree._counted

    def counting(parser: Any, text: bytes, *rest: Any) -> tree_sitter.Tree:
        parsed.append(len(text))
        return counted(parser, text, *rest)

    monkeypatch.setattr(syntax_tree, "_counted", counting)
    monkeypatch.setattr(syntax_tree, "_MOST_PASSED_OVER", 100)
    text = "class C { int a = 0; }\n" + "\x7f" * 200_000
    project.write(text)
    result = project.done(replace("a = 0;", "a = 1;"))
    assert any(note.startswith("syntax beyond") for note in result["validation"]["notChecked"])
    assert [each for each in parsed if each == len(text)] == [len(text)]
    # What is passed over and right is parsed as ever.
    comment = "class C { int a = 0; }\n/*" + "\x7f" * 200_000 + "*/"
    project.write(comment)
    result = project.done(replace("a = 0;", "a = 1;"))
    assert result["validation"]["notChecked"] == ["semantics"]
    assert project.refused(replace("a = 1;", "a = ;")).code is ErrorCode.SYNTAX_ERROR


def _left_of(text: bytes) -> int:
    """The same text costs the same each time; what its nodes are asked for costs nothing."""
    allowed = Allowance()
    tree = syntax_tree.parse(text, None, allowed)
    left = allowed.left
    assert tree.root_node.children[0].text
    assert allowed.left == left
    return left


def test_costly_offers_are_not_made(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("class C {\n    int speed = 10;\n    int other = 1;\n}\n")
    sent = replace("int sped = 10;", "int speed = 11;")
    assert project.refused(sent).offers
    monkeypatch.setattr(offered, "MAX_SEARCHED_IN_SHORT", 5)
    error = project.refused(sent)
    assert error.details["nearest"]
    assert not error.offers
    assert error.details["offersSought"] is False


def test_a_text_of_bad_lines_is_scanned_again_so_far() -> None:
    text = "class C {\n" + "int a = ';\n" * 60 + "int b = 1;\n}\n"
    before = scan(text, UNITY_EDITOR_SYMBOLS, 50)
    edits = EditSet((TextEdit(10, 10, "{"),))
    view = edits.apply(text)
    after = rescan(before, view, edits, UNITY_EDITOR_SYMBOLS)
    assert len(before.problems) == len(after.problems) == 50
    assert len(after.states) == len(before.states) == text.count("\n") + 2
    again = scan(view, UNITY_EDITOR_SYMBOLS, 50)
    assert list(again.errors()) == list(after.errors())
    # Those above an edit count as well: what is behind them is passed over.
    last = EditSet((TextEdit(text.index("1"), text.index("1"), "("),))
    rest = rescan(before, last.apply(text), last, UNITY_EDITOR_SYMBOLS)
    assert list(rest.problems) == list(before.problems)
    assert len(rest.states) == len(before.states)


def test_blanks_without_end_are_passed_over_for_one_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    before = b"class C { int a; }" + b" " * 200_000
    broken = before.replace(b"a; ", b"=; ")
    tree = syntax_tree.parse(before)
    parsed: list[bytes] = []
    parse = syntax_tree.parse

    def counting(text: bytes, *rest: Any) -> Any:
        parsed.append(text)
        return parse(text, *rest)

    monkeypatch.setattr(syntax_tree, "parse", counting)
    changes = [syntax_tree.Change(before.index(b"a;"), before.index(b"a;") + 1, 1)]
    found = syntax_tree.reparse(tree, before, broken, changes)
    assert found.root_node.has_error
    assert parsed == [broken]
    found = syntax_tree.reparse(tree, before, before.replace(b"a; ", b"b; "), changes)
    assert str(found.root_node) == str(tree.root_node)


@pytest.mark.parametrize("sign", ["{", "\u00e9", "\U0001f600"])
def test_positions_on_one_long_line(sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    utf16_length = source_text.utf16_length

    def counting(text: str) -> int:
        lengths.append(len(text))
        return utf16_length(text)

    monkeypatch.setattr(source_text, "utf16_length", counting)
    line = f"ab{sign}c" * 5_000
    source = decode(f"a\n{sign}\n{line}\n{line}".encode())
    assert isinstance(source, SourceText)
    places = range(0, len(source.view) + 1, 7)
    found = [source.position(place) for place in places]
    assert sum(lengths) < 2_000_000
    for place, position in zip(places, found, strict=True):
        head = source.view[:place].split("\n")
        assert position == (len(head) - 1, utf16_length(head[-1]))


def test_a_name_that_is_longer_than_all_that_are_asked_for_is_not_read() -> None:
    offsets: list[int] = []
    text = b"class C { int " + b"a" * 50_000 + b"; int later; }"

    def read(offset: int, _: object) -> bytes:
        offsets.append(offset)
        return text[offset : offset + 1_000]

    tree = tree_sitter.Parser(syntax_tree.LANGUAGE).parse(read)
    table = QueryTable(["(identifier) @at"], {0: {b"later", b"b"}})
    offsets.clear()
    [(number, node)] = table.matches(tree, 0, len(text))
    assert (number, node.start_byte) == (0, text.index(b"later"))
    assert len(offsets) < 10
