"""A verdict on an edit and the check of the project with that edit in it name the same errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_project import Check
from test_lowering import SCRIPT, TEXT

from benchmarks.verdict import STARTING_S
from lsp_client.validator import LanguageServerValidator
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.validator import ChangesVerdict, Verdict

pytestmark = pytest.mark.shares_server

BASE = TEXT.replace("First() +=", "all[0] +=").replace(
    "public int Of() => 1;",
    """\
public int Of() => 1;
        public int Sum(int[] of)
        {
            var sum = 0;
            foreach (var each in of) sum += each;
            return sum;
        }

        public static IEnumerable<int> Count(int to)
        {
            for (var at = 0; at < to; at++) yield return at;
        }

        public async Task<int> Later()
        {
            await Task.Yield();
            return 1;
        }""",
)

EDITS = [
    # Of parsing, of declarations, and of bodies.
    ("return sum;", "return sum"),
    ("public int Of() => 1;", "public int Of() => 1; public int Of() => 2;"),
    ("public int Of()", "public Nothing Of()"),
    ("return sum;", "return smu;"),
    ("return sum;", "int none; return none;"),
    ("return sum;", ""),
    ("sum += each", 'sum += each; sum = ""'),
    ("return sum;", "return sum; const int a = 1 / 0;"),
    # What is found only as code is made of bodies.
    ("all[0] +=", "First() +="),
    ("return 1;", "First() += await Task.FromResult(1); return 1;"),
    ("return 1;", "Span<int> of = all; Use(of, await Task.FromResult(1)); return 1;"),
    ("yield return at;", "{ Span<int> of = all; yield return of[0]; }"),
    ("void SetException", "void SetAnother"),
    ("void SetResult()", "void SetResult(int a)"),
    # And what isn't wrong.
    ("return 1;", "var a = all[^1]; return a + await Task.FromResult(1);"),
    ("await Task.Yield();", "await Task.Delay(1);"),
]


@pytest.mark.parametrize(("old", "new"), EDITS)
def test_they_name_the_same_errors(
    game: Path,
    check: Check,
    server: Callable[[Path], LanguageServerValidator],
    old: str,
    new: str,
) -> None:
    base = BASE.replace(
        "private static int[] all",
        "private static void Use(Span<int> of, int a) { }\n        private static int[] all",
    )
    (game / SCRIPT).write_text(base, "utf-8")
    assert check().status == "clean"
    at = base.index(old)
    edits = EditSet((TextEdit(at, at + len(old), new),))
    documents = DocumentCache()
    before = documents.get(_source(base))
    text = edits.apply(base)
    after = documents.edited(before, _source(text), edits)
    verdict = server(game).validate(SCRIPT, before, after, edits, within_s=STARTING_S, patient=True)
    assert isinstance(verdict, Verdict), verdict
    together = server(game).judge_changes({SCRIPT: text}, within_s=STARTING_S, patient=True)
    assert isinstance(together, ChangesVerdict), together

    (game / SCRIPT).write_text(text, "utf-8")
    found = check()
    while not found.confirmed:
        found = check()
    told = {(each.line, each.code) for each in found.errors}
    assert {(each.position.line + 1, each.id) for each in verdict.diagnostics} >= told
    assert {(each.position.line + 1, each.id) for each in together.errors} >= told
    # The compiler stops after a stage that has errors; verdicts go on.
    assert bool(told) == bool(verdict.diagnostics) == bool(together.errors)


def _source(text: str) -> SourceText:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return source
