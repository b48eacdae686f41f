"""The embedded validator: what it refuses, and what it leaves alone."""

from __future__ import annotations

import pytest
from validating import source_of

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, BuildSymbols
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Verdict

PLAYER = r'''using System;

namespace Game
{
    // about braces: { and (
    public class Player
    {
        char slash = '\\', quote = '\'';
        string root = "C:\\", dir = @"C:\", text = $@"{root}\ ""{dir}""";
        string Name => $"{(alive ? "alive" : $"dead {Since:0.0}")} {{{id}}}";

#if UNITY_EDITOR
        void Update() {
            Draw();
#elif MOBILE && TOUCH
        void Update(int touches) {
            Touch(touches);
#else
        void Update(int frame) {
            Step(frame);
#endif
            if (speed > 10)
            {
                Move();
            }
        }

#if false
        it's not C# at all {
#endif
        void Stop() { }
    }
}
'''


def judge(text: str, *replacements: tuple[str, str], encoding: str = "utf-8") -> Verdict:
    """The verdict on replacements at the first places where they fit."""
    before = decode(text.encode(encoding))
    assert isinstance(before, SourceText)
    edits = EditSet.of(
        TextEdit(start, start + len(old), new)
        for old, new in replacements
        for start in [before.view.index(old)]
    )
    assert isinstance(edits, EditSet)
    data = edits.apply_to_bytes(before)
    assert isinstance(data, bytes)
    after = decode(data)
    assert isinstance(after, SourceText)
    cache = DocumentCache()
    document = cache.get(before)
    verdict = EmbeddedValidator().validate(
        "Assets/A.cs", document, cache.edited(document, after, edits), edits
    )
    assert list(verdict.diagnostics) == sorted(verdict.diagnostics, key=lambda d: d.offset)
    return verdict


def new_ids(text: str, *replacements: tuple[str, str]) -> list[str]:
    return [diagnostic.id for diagnostic in judge(text, *replacements).diagnostics]


@pytest.mark.parametrize(
    "replacements",
    [
        [("speed > 10", "speed > 20")],
        [("Draw();", "Draw(); Draw();")],
        [("Touch(touches);", "Touch(touches + 1);")],
        [("Step(frame);", "Step(frame, 1);")],
        [(r"'\\'", r"'\''")],
        [(r'"C:\\"', r'"D:\\"')],
        [(r'@"C:\"', '@"C:\\""x"""')],
        [("{{{id}}}", "{{id}}")],
        [("// about braces", "/* about */ // braces }")],
        [("it's not", "it isn't")],
        [("Draw();", ""), ("Move();", "Stop();"), ("Stop() { }", "Stop() { return; }")],
        [("MOBILE && TOUCH", "MOBILE || !TOUCH")],
        [("#if false", "#if FALSE_FRIEND && false")],
    ],
)
def test_good_edits_are_accepted(replacements: list[tuple[str, str]]) -> None:
    verdict = judge(PLAYER, *replacements)
    assert verdict.diagnostics == ()
    assert verdict.preexisting_errors == 0


@pytest.mark.parametrize(
    ("old", "new", "id_"),
    [
        ("Draw();", "Draw(;", "CS1026"),
        ("Touch(touches);", "Touch(touches;", "CS1026"),
        ("Step(frame);", "Step(frame));", "CS1022"),
        ("Touch(touches);", "Touch(touches) }", "CS1022"),
        ("Update() {", "Update() ", "CS1022"),
        ("Update(int touches) {", "Update(int touches) ", "CS1022"),
        ("Move();\n            }", "Move();", "CS1513"),
        ("Stop() { }", "Stop() { } }", "CS1022"),
        ("speed > 10", "speed > ", "CS1001"),
        ("Move();", "Move()", "ERROR"),
        (r"'\\'", r"'\'", "CS1012"),
        (r'"C:\\"', r'"C:\"', "CS1056"),
        ("// about", "/* about", "CS1035"),
        ("{{{id}}}", "{{{id}}", "CS8086"),
        (":0.0}", ":0.0", "CS8076"),
        ("10", "10 ` 1", "CS1056"),
        ("10", "10 “1”", "CS1056"),
        ("10", "10 \0", "CS1056"),
        ("10", "10 \\ 1", "CS1056"),
        ("10", "10 $ 1", "CS1056"),
        ("Draw();", "#endif", "CS1028"),
        ("#elif MOBILE", "#elsif MOBILE", "CS1024"),
        ("MOBILE && TOUCH", "MOBILE TOUCH", "CS1025"),
        ("        it's", "#endif", "CS1028"),
        ("#if false", "#if true", "CS1010"),
    ],
)
def test_broken_edits_are_refused(old: str, new: str, id_: str) -> None:
    assert id_ in new_ids(PLAYER, (old, new))


def test_a_branch_that_only_a_special_set_compiles_is_judged_under_one() -> None:
    late = "#if !MOBILE || !LATE\nLate();\n#endif"
    text = PLAYER.replace("Touch(touches);", f"Touch(touches);\n{late}")
    assert judge(PLAYER, ("Draw();", "Drew();")).symbol_sets == 2
    good = judge(text, ("Late();", "Later();"))
    assert (good.diagnostics, good.symbol_sets) == ((), 3)
    assert new_ids(text, ("Late();", "Late(;")) == ["CS1026"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_line_endings_and_encodings_change_nothing(encoding: str) -> None:
    text = PLAYER.replace("\n", "\r\n")
    assert judge(text, ("speed > 10", "speed >\n 20"), encoding=encoding).diagnostics == ()
    (found,) = judge(text, ("Draw();", "Draw(;"), encoding=encoding).diagnostics
    (plain,) = judge(PLAYER, ("Draw();", "Draw(;")).diagnostics
    assert found == plain


MISSING_BRACE = PLAYER.replace("Move();\n            }", "Move();")


def test_a_broken_file_can_be_edited_elsewhere() -> None:
    verdict = judge(MISSING_BRACE, ("using System;", "using System.IO;"), ("Draw();", "Drew();"))
    assert verdict.diagnostics == ()
    assert verdict.preexisting_errors > 0


def test_a_broken_file_can_be_repaired() -> None:
    verdict = judge(MISSING_BRACE, ("Move();", "Move();\n            }"))
    assert verdict.diagnostics == ()
    assert verdict.preexisting_errors == 0


def test_one_of_two_errors_can_be_repaired() -> None:
    text = MISSING_BRACE.replace("Stop() { }", "Stop() { ")
    verdict = judge(text, ("Stop() { ", "Stop() { }"))
    assert verdict.diagnostics == ()
    assert verdict.preexisting_errors > 0


@pytest.mark.parametrize(
    ("old", "new", "id_"),
    [
        ("Stop() { }", "Stop() { ", "CS1513"),
        ("Draw();", "Draw(;", "CS1026"),
        ("using System;", 'using System; string s = "', "CS1010"),
        ("#if false", "#if", "CS1517"),
    ],
)
def test_a_broken_file_can_not_be_broken_further(old: str, new: str, id_: str) -> None:
    assert id_ in new_ids(MISSING_BRACE, (old, new))


def test_a_string_left_open_can_be_edited_and_closed() -> None:
    text = PLAYER.replace('"alive"', '"alive')
    assert judge(text, ("Move();", "Move(1);")).diagnostics == ()
    repaired = judge(text, ('"alive', '"alive"'))
    assert (repaired.diagnostics, repaired.preexisting_errors) == ((), 0)


def test_an_error_directive_that_stands_there_already_is_no_obstacle() -> None:
    text = "#error not for this platform\n" + PLAYER
    assert judge(text, ("Move();", "Move(1);")).diagnostics == ()
    assert new_ids(PLAYER, ("using System;", "using System;\n#error no")) == ["CS1029"]


_GUARD = "#if {}\n#error Needs more\n#endif\n"


@pytest.mark.parametrize(
    ("text", "symbols", "expected"),
    [
        (_GUARD.format("!UNITY_2021_3_OR_NEWER"), None, []),
        # What a newer Editor defines isn't known without a build.
        (_GUARD.format("!UNITY_2022_3_OR_NEWER"), None, []),
        (_GUARD.format("UNITY_EDITOR"), None, []),
        (_GUARD.format("!UNITY_2022_3_OR_NEWER"), {"UNITY_2022_3_OR_NEWER"}, []),
        (_GUARD.format("!UNITY_2022_3_OR_NEWER"), {"UNITY_2021_3"}, ["CS1029"]),
        ("#if A\n#else\n#error Needs A\n#endif\n", {"B"}, ["CS1029"]),
        ("#if B\n#else\n#error Needs B\n#endif\n", {"B"}, []),
        ("#if true\n#error Always\n#endif\n", None, ["CS1029"]),
        ("#region r\n#error Always\n#endregion\n", None, ["CS1029"]),
    ],
)
def test_where_error_directives_count(
    text: str, symbols: set[str] | None, expected: list[str]
) -> None:
    built = BuildSymbols(symbols) if symbols is not None else UNITY_EDITOR_SYMBOLS
    before, after = source_of(PLAYER), source_of(text + PLAYER)
    documents, edits = DocumentCache(), EditSet((TextEdit(0, 0, text),))
    old, validator = documents.get(before, built), EmbeddedValidator()
    told = validator.validate("Assets/A.cs", old, documents.edited(old, after, edits), edits)
    assert [each.id for each in told.diagnostics] == expected
    whole = validator.diagnose("Assets/A.cs", Document(after, symbols=built))
    assert [each.id for each in whole.diagnostics] == expected


def test_what_the_grammar_lacks_is_no_error() -> None:
    unsafe = PLAYER.replace("Move();", "*(int*)p = *(q + 1); Ref(a) = 2;")
    verdict = judge(unsafe, ("speed > 10", "speed > 20"))
    assert (verdict.diagnostics, verdict.preexisting_errors) == ((), 0)
    assert judge(PLAYER, ("Move();", "*(int*)p = 1;")).diagnostics == ()


def test_scanner_errors_come_without_their_echoes_in_the_tree() -> None:
    assert new_ids(PLAYER, ("Move();\n            }", "Move();")) == ["CS1513"]


def test_diagnostics_are_few() -> None:
    verdict = judge(PLAYER, ("Move();", "` " * 200))
    assert 0 < len(verdict.diagnostics) <= 20


def test_a_message_leads_to_the_cause() -> None:
    (missing,) = judge(PLAYER, ("Move();\n            }", "Move();")).diagnostics
    line = PLAYER[: PLAYER.index("{\n                Move")].count("\n") + 1
    assert f"the {{ at line {line}, column 13" in missing.message
    (unclosed,) = judge(PLAYER, ("Draw();", "Draw(;")).diagnostics
    line = PLAYER[: PLAYER.index("Draw(")].count("\n") + 1
    assert f"the ( at line {line}, column 17 isn't closed" in unclosed.message


def test_the_verdict_says_what_it_is_worth() -> None:
    verdict = judge(PLAYER, ("Move();", "Move(1);"))
    assert verdict.validator == "embedded"
    assert verdict.coverage == ("brackets", "syntax")
    assert verdict.language_version == "9.0"
    assert "semantics" in verdict.not_checked
    assert verdict.duration_ms > 0


def test_diagnose_tells_all_errors_of_a_file() -> None:
    validator = EmbeddedValidator()
    for text, ids in (
        (PLAYER, []),
        (PLAYER.replace("Step(frame);", "Step(frame;"), ["CS1026"]),
        (PLAYER.replace("speed > 10", "speed > "), ["CS1001"]),
        (PLAYER.replace("Touch(touches);", "Touch(touches;"), ["CS1026"]),
        ("", []),
    ):
        source = decode(text.encode())
        assert isinstance(source, SourceText)
        verdict = validator.diagnose("Assets/A.cs", DocumentCache().get(source))
        assert [diagnostic.id for diagnostic in verdict.diagnostics] == ids


def test_diagnose_does_not_blame_a_file_for_platforms_that_do_not_exist() -> None:
    text = "#if DEBUG\nclass A {\n#elif X\nclass A : B {\n#elif Y\nclass A : C {{\n#endif\n}\n"
    source = decode(text.replace("{{", "{").encode())
    assert isinstance(source, SourceText)
    verdict = EmbeddedValidator().diagnose("Assets/A.cs", DocumentCache().get(source))
    assert verdict.diagnostics == ()
