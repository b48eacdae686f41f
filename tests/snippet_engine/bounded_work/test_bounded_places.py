"""Among how many places a target is looked for, and what explains one that isn't found.

Bounds are counted in steps, errors, places and characters, never in time.
"""

from __future__ import annotations

from typing import Any

import pytest
from planning import document_of, on_symbol
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.anchors import text_anchor
from snippet_engine.anchors.context import Context
from snippet_engine.csharp import dangling_names
from snippet_engine.csharp.document import Document, SpanKind
from snippet_engine.csharp.lexical import line_scanner, spans
from snippet_engine.csharp.lexical.scanner import Lines, scan
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS
from snippet_engine.edit_plan import plan
from snippet_engine.errors import ErrorCode
from snippet_engine.fixes.explain import near_misses, plan_or_explain
from snippet_engine.fixes.merge.three_way_merge import merged_text
from snippet_engine.fixes.search import candidate_search
from snippet_engine.fixes.search.tokens import Token, hunks
from snippet_engine.request import Anchor
from snippet_engine.source_text import SourceText, TextEncoding, TextRange


def test_one_endless_line(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = 0
    plain = text_anchor.is_of_kind

    def counting(*arguments: object, **named: object) -> bool:
        nonlocal looked_up
        looked_up += 1
        return plain(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(text_anchor, "is_of_kind", counting)
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
def test_similar_places_are_searched_so_far(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    compared: list[int] = []
    plain = candidate_search.tokens_of

    def counting(text: str) -> list[Token]:
        compared.append(len(text))
        return plain(text)

    monkeypatch.setattr(candidate_search, "tokens_of", counting)
    document = document_of("class C {\n" + "int abc = foo(bar, baz);\n" * 50_000 + "}\n")
    whole = [TextRange(0, len(document.source.view))]
    candidate_search.find_candidates(document.source, Anchor(target), whole)
    assert len(compared) <= 100
    assert sum(compared) < 500_000


def test_texts_of_any_length_are_compared() -> None:
    one, other = ["a", "b"] * 50_000, ["b", "a"] * 50_001
    found = hunks(one, other)
    assert len(found) == 1
    assert merged_text("a b " * 20_000, "b a " * 20_000, "a a b " * 20_000) is None


def test_too_many_places_to_take_one(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only one that fits so far may not be the only one that fits."""
    monkeypatch.setattr(text_anchor, "MAX_OCCURRENCES", 2)
    project.write("class C\n{\n    int a = 0; // one\n    int b = 0;\n    int c = 0; // one\n}\n")
    before = "class C\n{\n    int a"
    refused = project.refused(replace(" = 0", " = 1", before=before))
    assert refused.code is ErrorCode.AMBIGUOUS_ANCHOR
    assert "not all were examined" in refused.message


def test_a_run_of_letters_is_looked_up_once_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_few_missing_are_explained(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("class C {\nint first;\nint second;\n}\n")
    sent = [replace(f"int {name}s;", "int a;") for name in ("first", "second")]
    errors = [project.refused(*sent).details]
    monkeypatch.setattr(plan_or_explain, "MAX_EXPLAINED", 10)
    errors.append(project.refused(*sent).details)
    assert all(each["nearest"] for each in errors)
    every, few = (each["otherErrors"][0] for each in errors)
    assert every["details"]["nearest"]
    assert not few["details"]["nearest"]
    assert few["code"] == ErrorCode.ANCHOR_NOT_FOUND.value
    assert "was not searched" in few["message"]


def test_few_ambiguous_are_explained(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("class C {\nint a = 1;\nint b = 1;\nint c = 2;\nint d = 2;\n}\n")
    sent = [replace(f"= {number};", "= 3;") for number in (1, 2)]
    assert project.refused(*sent).details["otherErrors"][0]["details"]["candidates"]
    monkeypatch.setattr(plan_or_explain, "MAX_EXPLAINED", 10)
    error = project.refused(*sent)
    assert len(error.details["candidates"]) == 2
    few = error.details["otherErrors"][0]
    assert few["code"] == ErrorCode.AMBIGUOUS_ANCHOR.value
    assert few["details"] == {"matches": 2, "candidates": []}
    assert "are not listed" in few["message"]


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


def test_anchors_share_their_steps(project: UnityProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them takes isn't taken from the others."""
    project.write("class C {\n" + "int a;\nint b;\n" * 2_000 + "int last;\n}\n")
    places = tried(monkeypatch)
    sent = [replace("int a;", "int c;", before="int a;") for _ in range(9)]
    monkeypatch.setattr(plan, "MAX_SEARCHED_IN_SHORT", 5_000)
    error = project.refused(*sent, replace("int last;", "int c;"))
    told = [error.to_json(), *error.details["otherErrors"]]
    assert all("not all were examined" in each["message"] for each in told)
    assert 9 not in [each.get("instruction") for each in told]
    assert len(places) <= 5_000


@pytest.mark.parametrize(
    ("sent", "steps", "code", "told"),
    [
        (replace("int zzz;", "int b;"), 12, ErrorCode.ANCHOR_NOT_FOUND, "was not searched"),
        (replace("int a;", "int b;"), 12, ErrorCode.AMBIGUOUS_ANCHOR, "fits 2 places"),
        (replace("only here", "b"), 5, ErrorCode.ANCHOR_IN_COMMENT, "only in comments, at 1"),
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


def test_a_long_line_is_read_once_for_its_comments(monkeypatch: pytest.MonkeyPatch) -> None:
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
    whole = near_misses.not_found

    def counting(document: Document, instruction: Any, scopes: Any) -> Any:
        explained.append(instruction.anchor.symbol_path)
        return whole(document, instruction, scopes)

    monkeypatch.setattr(near_misses, "not_found", counting)
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
