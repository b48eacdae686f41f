"""The verdict on a change set: what its files' verdicts have in common, and what a server adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from planning import document_of
from test_judge import Recorder, StandIn, verdict

from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position
from snippet_engine.validation.code_fixes import CodeFix, FixChoice
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.judge import ChangesJudge, Judgement
from snippet_engine.validation.validator import (
    NOT_PARSED,
    NOT_PARSED_IN_SET,
    ChangesVerdict,
    Diagnostic,
    Verdict,
)

TEXTS = {"Assets/A.cs": "class A { }", "Assets/B.cs": None}
ERROR = Diagnostic(0, Position(0, 0), "CS1002", "; expected")
ONE = Verdict("one", ("brackets", "syntax"), "9.0", 1, 1.5, (ERROR,), 2, ("a", NOT_PARSED))
OTHER = Verdict("other", ("syntax", "semantics"), "10.0", 3, 2.0, (), 5, ("b", "a"))


class Fixer(StandIn):
    """A server that knows a fix, whatever it is asked."""

    FIX = CodeFix((FixChoice("using", Position(0, 0), Position(0, 0), "using A;\n"),))

    def code_fixes(
        self, path: str, texts: Mapping[str, str | None], **how: Any
    ) -> tuple[CodeFix, ...]:
        self.asked.append({"path": path, "texts": texts, **how})
        return (self.FIX,)


def together(
    verdicts: Mapping[int, Verdict], server: StandIn | None = None, mode: str = "auto"
) -> Judgement:
    judgement = ChangesJudge(EmbeddedValidator(), server, mode).judge_together(verdicts, TEXTS)
    assert isinstance(judgement, Judgement)
    return judgement


def test_a_set_has_what_its_files_have_in_common() -> None:
    judgement = together({0: ONE, 4: OTHER})
    assert judgement == Judgement(
        Verdict(
            "one, other", ("syntax",), "9.0, 10.0", 3, 3.5, (), 7, ("a", NOT_PARSED_IN_SET, "b")
        ),
        {0: ONE},
    )


def test_equal_names_and_versions_stand_once() -> None:
    found = together({0: ONE, 1: ONE}).verdict
    assert (found.validator, found.language_version) == ("one", "9.0")


def test_one_file_s_verdict_is_the_set_s_without_its_errors() -> None:
    assert together({3: OTHER}).verdict is OTHER
    assert together({3: ONE}) == Judgement(replace(ONE, diagnostics=()), {3: ONE})


def test_of_a_set_without_scripts_nothing_was_checked() -> None:
    assert together({}).verdict == Verdict("none", (), "", 1, 0.0, not_checked=("semantics",))


def test_under_embedded_the_server_of_a_set_is_not_asked() -> None:
    server = StandIn(verdict())
    assert together({0: ONE}, server, "embedded") == together({0: ONE})
    assert server.asked == []


@pytest.mark.parametrize(("mode", "patient"), [("auto", False), ("lsp", True)])
def test_a_server_s_answer_on_a_set(mode: str, patient: bool) -> None:
    elsewhere = (Diagnostic(0, Position(1, 2), "CS0103", "no such name", path="Assets/C.cs"),)
    changes = ChangesVerdict("server", ("syntax",), elsewhere, ("c",), 7.0, is_partial=True)
    server = StandIn(verdict(), changes=changes)
    judgement = together({0: ONE, 1: OTHER}, server, mode)
    assert judgement == Judgement(
        Verdict("server", ("syntax",), "9.0, 10.0", 3, 10.5, (), 7, ("c",), is_partial=True),
        {},
        elsewhere,
    )
    (how,) = server.asked
    assert how["patient"] is patient
    assert 0 < how["within_s"] <= 4.5


def test_without_a_server_s_answer_a_set_has_the_embedded_verdict_and_is_partly_judged() -> None:
    judgement = together({0: ONE}, StandIn(verdict()))
    assert judgement.refused == {0: ONE}
    assert judgement.verdict.is_partial
    assert judgement.verdict.not_checked[:2] == ONE.not_checked
    insisting = ChangesJudge(EmbeddedValidator(), None, "lsp").judge_together({0: ONE}, TEXTS)
    assert isinstance(insisting, SnippetError)


def test_a_set_s_files_are_judged_by_the_embedded_validator() -> None:
    embedded = Recorder()
    server: Any = Recorder()
    before, after = document_of("class A { }"), document_of("class B { }")
    edits = EditSet((TextEdit(6, 7, "B"),))
    ChangesJudge(embedded, server, "lsp").validate("Assets/A.cs", before, after, edits)
    assert (embedded.asked, server.asked) == ([("Assets/A.cs", before, after, edits)], [])


def test_fixes_are_the_server_s_unless_it_is_not_to_be_asked() -> None:
    server = Fixer(verdict())
    judge = ChangesJudge(EmbeddedValidator(), server, "auto")
    assert judge.code_fixes("Assets/A.cs", TEXTS) == (Fixer.FIX,)
    (asked,) = server.asked
    assert (asked["path"], asked["texts"]) == ("Assets/A.cs", TEXTS)
    assert 0 < asked["within_s"] <= 4.5
    embedded = ChangesJudge(EmbeddedValidator(), server, "embedded")
    assert embedded.code_fixes("Assets/A.cs", TEXTS) == ()
    unable = ChangesJudge(EmbeddedValidator(), StandIn(verdict()), "auto")
    assert unable.code_fixes("Assets/A.cs", TEXTS) == ()
