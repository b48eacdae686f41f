"""Whose verdict decides, for every way in which a language server can answer.

docs/design/engine.md §4. The server here is a stand-in: what real ones answer is tested with
the language client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from planning import document_of

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import Position, SourceText, decode
from snippet_engine.validation import judge as judge_module
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.judge import ChangesJudge, Judge, Judgement
from snippet_engine.validation.validator import ChangesVerdict, Diagnostic, Verdict

PLAIN = "class A { int x; }\n"
WITH_IF = "class A { int x; }\n#if FOO\nclass B { }\n#endif\n"
FINE = ("x;", "y;")
BROKEN = ("x;", "x")
NEWER = ("class A", "record struct A")


@dataclass
class StandIn:
    """Answers what it is told to, and remembers how it was asked."""

    answer: Verdict | SnippetError
    asked: list[dict[str, Any]] = field(default_factory=list)
    changes: ChangesVerdict | None = None

    def start(self) -> None:
        self.asked.append({"start": True})

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet, **how: Any
    ) -> Verdict | SnippetError:
        self.asked.append(how)
        return self.answer

    def diagnose(self, path: str, document: Document, **how: Any) -> Verdict | SnippetError:
        self.asked.append(how)
        return self.answer

    def judge_changes(
        self, changes: Mapping[str, str | None], **how: Any
    ) -> ChangesVerdict | SnippetError:
        self.asked.append(how)
        return self.changes or SnippetError(ErrorCode.VALIDATOR_UNAVAILABLE, "not asked that")

    def saved(self, path: str, text: str) -> None:
        self.asked.append({"saved": path, "text": text})


def verdict(*ids: str, knows_project: bool = True) -> Verdict:
    found = tuple(Diagnostic(0, Position(0, 0), each, "as told") for each in ids)
    return Verdict(
        "server", ("syntax", "semantics"), "9.0", 2, 1.0, found, knows_project=knows_project
    )


def gone(**details: Any) -> SnippetError:
    return SnippetError(
        ErrorCode.VALIDATOR_UNAVAILABLE, "No verdict.", details={"reason": "it died", **details}
    )


def judged(
    server: StandIn | None,
    edit: tuple[str, str],
    mode: str = "auto",
    text: str = PLAIN,
    timeout_ms: int | None = None,
) -> Verdict | SnippetError:
    start = text.index(edit[0])
    edits = EditSet((TextEdit(start, start + len(edit[0]), edit[1]),))
    before, after = decode(text.encode()), decode(edits.apply(text).encode())
    assert isinstance(before, SourceText)
    assert isinstance(after, SourceText)
    documents = DocumentCache()
    old = documents.get(before)
    judge = Judge(EmbeddedValidator(), server, mode, timeout_ms)
    return judge.validate("Assets/A.cs", old, documents.edited(old, after, edits), edits)


def ids(outcome: Verdict | SnippetError) -> list[str]:
    assert isinstance(outcome, Verdict), outcome
    return [each.id for each in outcome.diagnostics]


@pytest.mark.parametrize("mode", ["auto", "lsp"])
@pytest.mark.parametrize("edit", [FINE, BROKEN, NEWER])
@pytest.mark.parametrize("text", [PLAIN, WITH_IF])
@pytest.mark.parametrize("told", [(), ("CS0103",)])
def test_a_server_that_knows_the_project_decides_both_ways(
    mode: str, edit: tuple[str, str], text: str, told: tuple[str, ...]
) -> None:
    outcome = judged(StandIn(verdict(*told)), edit, mode, text)
    assert ids(outcome) == list(told)
    assert isinstance(outcome, Verdict)
    assert outcome.validator == "server"
    assert outcome.symbol_sets == 2


def test_a_server_that_does_not_know_it_decides_on_what_it_has_looked_at() -> None:
    server = StandIn(verdict(knows_project=False))
    assert ids(judged(server, BROKEN)) == []
    assert ids(judged(server, NEWER)) == ["CS8773"]
    assert ids(judged(server, BROKEN, text=WITH_IF)) == ["ERROR"]
    assert ids(judged(server, FINE, text=WITH_IF)) == []
    both = judged(server, NEWER)
    assert isinstance(both, Verdict)
    assert both.validator == "server, embedded"


@pytest.mark.parametrize("edit", [FINE, BROKEN])
def test_under_auto_the_embedded_verdict_stands_in(edit: tuple[str, str]) -> None:
    outcome = judged(StandIn(gone()), edit)
    alone = judged(None, edit)
    assert ids(outcome) == ids(alone)
    assert isinstance(outcome, Verdict)
    assert isinstance(alone, Verdict)
    assert outcome.validator == "embedded"
    assert outcome.not_checked == (*alone.not_checked, "language server: it died")


def test_a_machine_without_servers_is_told_of_none() -> None:
    outcome = judged(StandIn(gone(found=False)), FINE)
    alone = judged(None, FINE)
    assert isinstance(outcome, Verdict)
    assert isinstance(alone, Verdict)
    assert outcome.not_checked == alone.not_checked


@pytest.mark.parametrize("server", [None, StandIn(gone()), StandIn(gone(found=False))])
@pytest.mark.parametrize("edit", [FINE, BROKEN])
def test_under_lsp_no_other_verdict_will_do(server: StandIn | None, edit: tuple[str, str]) -> None:
    outcome = judged(server, edit, "lsp")
    assert isinstance(outcome, SnippetError)
    assert outcome.code is ErrorCode.VALIDATOR_UNAVAILABLE
    # Who waits for one that is there may get it; nobody gets one that isn't.
    exists = server is not None and server.answer == gone()
    assert server is not None or '"validation": "auto"' in outcome.message
    assert outcome.retryable == exists


def test_under_embedded_no_server_is_asked() -> None:
    server = StandIn(verdict("CS0103"))
    assert ids(judged(server, FINE, "embedded")) == []
    judge = Judge(EmbeddedValidator(), server, "embedded")
    assert ids(judge.diagnose("Assets/A.cs", document_of(PLAIN))) == []
    assert server.asked == []


def test_a_file_as_it_stands_is_judged_alike() -> None:
    source = decode(b"class A { int x }")
    assert isinstance(source, SourceText)
    document = Document(source)

    def diagnosed(server: StandIn | None) -> Verdict | SnippetError:
        return Judge(EmbeddedValidator(), server, "auto").diagnose("Assets/A.cs", document)

    assert ids(diagnosed(None)) == ["ERROR"]
    assert ids(diagnosed(StandIn(verdict()))) == []
    assert ids(diagnosed(StandIn(verdict("CS0103")))) == ["CS0103"]
    assert ids(diagnosed(StandIn(gone()))) == ["ERROR"]


# -- how the server is asked ---------------------------------------------------------------


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, as the judge sees it: the last one of the list."""
    times = [1_000.0]
    monkeypatch.setattr(judge_module, "monotonic", lambda: times[-1])
    return times


@pytest.mark.parametrize(
    ("timeout_ms", "bound"),
    [(None, 4.5), (60_000, 48.0), (5_625, 4.5), (5_000, 4.0), (1_000, 0.5), (1, 0.0005)],
)
def test_the_verdicts_of_a_request_have_four_and_a_half_seconds_or_the_calls_own_time(
    now: list[float], timeout_ms: int | None, bound: float
) -> None:
    """Of that, four fifths; and they end half a second before it."""
    server = StandIn(verdict())
    document = document_of(PLAIN)
    judge = Judge(EmbeddedValidator(), server, "lsp", timeout_ms)
    for passed in (0.0, 0.25, 0.5, 0.5):
        now.append(now[-1] + passed * bound)
        judge.validate("Assets/A.cs", document, document, EditSet(()))
        judge.diagnose("Assets/A.cs", document)
    left = [how["within_s"] for how in server.asked]
    shares = [1, 1, 0.75, 0.75, 0.25, 0.25, 0, 0]
    assert left == pytest.approx([share * bound for share in shares], abs=1e-9)
    assert min(left) == 0


class Recorder:
    """A validator, embedded or a server, that notes what it is asked and finds nothing."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def start(self) -> None:
        self.asked.append(("start",))

    def validate(self, *what: Any, **how: Any) -> Verdict:
        self.asked.append((*what, *((how["patient"],) if how else ())))
        return verdict()

    def diagnose(self, *what: Any, **how: Any) -> Verdict:
        self.asked.append((*what, *((how["patient"],) if how else ())))
        return verdict()

    def saved(self, path: str, text: str) -> None:
        self.asked.append((path, text))


@pytest.mark.parametrize(("mode", "patient"), [("auto", False), ("lsp", True)])
def test_both_are_asked_about_the_same_edit(mode: str, patient: bool) -> None:
    embedded, server = Recorder(), Recorder()
    before, after = document_of(PLAIN), document_of(PLAIN.replace("x", "y"))
    edits = EditSet((TextEdit(14, 15, "y"),))
    judge = Judge(embedded, server, mode)
    assert isinstance(judge.validate("Assets/A.cs", before, after, edits), Verdict)
    assert embedded.asked == [("Assets/A.cs", before, after, edits)]
    assert server.asked == [("Assets/A.cs", before, after, edits, patient)]
    judge.diagnose("Assets/A.cs", before)
    assert embedded.asked[1:] == [("Assets/A.cs", before)]
    assert server.asked[1:] == [("Assets/A.cs", before, False)]  # nobody insists


def test_a_server_without_a_reason_is_told_of_in_its_own_words() -> None:
    silent = SnippetError(ErrorCode.VALIDATOR_UNAVAILABLE, "It has gone home.")
    outcome = judged(StandIn(silent), FINE)
    assert isinstance(outcome, Verdict)
    assert outcome.not_checked[-1] == "language server: It has gone home."


def test_diagnostics_of_both_come_in_the_order_of_the_text() -> None:
    told = tuple(Diagnostic(at, Position(0, at), f"S{at}", "as told") for at in (1_000, 0))
    server = StandIn(Verdict("server", ("syntax",), "9.0", 1, 1.0, told, knows_project=False))
    assert ids(judged(server, BROKEN, text=WITH_IF)) == ["S0", "ERROR", "S1000"]


def test_a_file_of_several_symbol_sets_keeps_the_embedded_refusal() -> None:
    server = StandIn(verdict(knows_project=False))
    text = "class A { int x }\n#if FOO\nclass B { }\n#endif\n"
    outcome = Judge(EmbeddedValidator(), server, "auto").diagnose("Assets/A.cs", document_of(text))
    assert ids(outcome) == ["ERROR"]


@pytest.mark.parametrize(("path", "told"), [("", ["S"]), ("Assets/Other.cs", ["ERROR", "S"])])
def test_what_the_server_has_told_is_not_told_twice(path: str, told: list[str]) -> None:
    alone = judged(None, BROKEN, text=WITH_IF)
    assert isinstance(alone, Verdict)
    (refusal,) = alone.diagnostics
    same_place = Diagnostic(refusal.offset, refusal.position, "S", "as told", path=path)
    server = StandIn(
        Verdict("server", ("syntax",), "9.0", 1, 1.0, (same_place,), knows_project=False)
    )
    assert sorted(ids(judged(server, BROKEN, text=WITH_IF))) == told


@pytest.mark.parametrize("mode", ["auto", "lsp"])
@pytest.mark.parametrize(
    ("coverage", "refused", "validator"),
    [(("brackets", "syntax"), [], "server"), (("brackets",), [0], "server, embedded")],
)
def test_a_server_that_knows_the_syntax_of_a_set_decides_about_it_without_names_too(
    mode: str, coverage: tuple[str, ...], refused: list[int], validator: str
) -> None:
    found = ChangesVerdict("server", coverage, (), ("names: no references are known",), 1.0)
    judge = ChangesJudge(EmbeddedValidator(), StandIn(verdict(), changes=found), mode)
    broken = judge.diagnose("Assets/A.cs", document_of("class A { int x }\n"))
    assert isinstance(broken, Verdict)
    judged = judge.judge_together({0: broken}, {"Assets/A.cs": "class A { int x }\n"})
    assert isinstance(judged, Judgement)
    assert list(judged.refused) == refused
    assert judged.verdict.validator == validator
    assert judged.verdict.not_checked == found.not_checked


@pytest.mark.parametrize("mode", ["auto", "lsp"])
def test_of_a_set_that_changes_nothing_no_server_is_asked(mode: str) -> None:
    server = StandIn(verdict())
    judge = ChangesJudge(EmbeddedValidator(), server, mode)
    judged = judge.judge_together({}, {})
    assert isinstance(judged, Judgement)
    assert (judged.elsewhere, server.asked) == ((), [])
    changed = judge.judge_together({}, {"Assets/A.cs": "class A { }"})
    assert isinstance(changed, Judgement) is (mode == "auto")
    assert len(server.asked) == 1
