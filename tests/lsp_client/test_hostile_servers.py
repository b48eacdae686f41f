"""Servers that crash, hang, lie and litter: no verdict is taken from them, no process is left.

docs/design/roslyn.md §2, supervision. The ``witness`` fixture ends each test by waiting until every
process of the server is gone, those that it forked included.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import hostile_server
import pytest
from language_clients import (
    GENEROUS_S,
    QUICK,
    UNHURRIED,
    MakeValidator,
    hostile_command,
    launch_of,
    validator_of,
)
from verdicts import diagnosed, judged
from witness import Witness

from lsp_client.servers.server_table import custom
from lsp_client.timing import Timing
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.validation.judge import VERDICT_S
from snippet_engine.validation.validator import Verdict

BAD = "Assets/bad.cs"
GOOD = "Assets/good.cs"
TEXT = "class A { void F() { G(1); } }\n"
FINE = ("1", "2")
BROKEN = ("1)", "1")


def names(faults: tuple[object, ...]) -> list[str]:
    return [fault.__name__ for fault in faults]  # type: ignore[attr-defined]


def assert_unavailable(outcome: object) -> SnippetError:
    assert isinstance(outcome, SnippetError), outcome
    assert outcome.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert len(outcome.message) <= 200
    return outcome


def assert_honest(outcome: object) -> None:
    assert isinstance(outcome, Verdict), outcome
    assert [each.id for each in outcome.diagnostics] == ["CS1026"]


@pytest.mark.parametrize("fault", names(hostile_server.FAULTS_OF_ANSWERS))
def test_a_broken_answer_is_no_verdict_and_the_server_comes_back(
    hostile: MakeValidator, fault: str
) -> None:
    validator = hostile(fault, UNHURRIED)
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    assert_unavailable(judged(validator, BAD, TEXT, FINE))
    assert_honest(judged(validator, GOOD, TEXT + "//", BROKEN))


@pytest.mark.parametrize("fault", names(hostile_server.FAULTS_OF_SILENCE))
def test_silence_is_no_verdict_and_the_server_comes_back(
    hostile: MakeValidator, fault: str
) -> None:
    validator = hostile(fault)
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    refused = assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=QUICK.verdict_s))
    assert "did not answer" in refused.message
    assert_honest(judged(validator, GOOD, TEXT + "//", BROKEN))


def test_a_server_that_hangs_for_impatient_callers_is_ended_too(hostile: MakeValidator) -> None:
    validator = hostile("never_answers")
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    reasons = [
        assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=0.15)).message
        for _ in range(6)
    ]
    assert_honest(judged(validator, GOOD, TEXT + "//", BROKEN))
    assert all("did not answer" in reason for reason in reasons[:2])


def test_a_caller_in_a_hurry_costs_nobody_the_server(hostile: MakeValidator) -> None:
    validator = hostile("never_answers", UNHURRIED)
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    assert validator.server_pid is not None
    first = validator.server_pid
    assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=0.1))
    assert_honest(judged(validator, GOOD, TEXT + "//", BROKEN))
    assert validator.server_pid == first


def test_five_seconds_are_the_most_that_anyone_waits(hostile: MakeValidator) -> None:
    validator = hostile("answers_after_30_s", Timing())
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    started = monotonic()
    assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=VERDICT_S))
    # Far from 30 s, whatever else this machine does.
    assert monotonic() - started < 15
    assert VERDICT_S < 5


@pytest.mark.parametrize("fault", names(hostile_server.ODDITIES))
def test_an_oddity_costs_no_verdict(hostile: MakeValidator, fault: str) -> None:
    validator = hostile(fault, UNHURRIED)
    assert_honest(judged(validator, BAD, TEXT, BROKEN))
    fine = judged(validator, BAD, TEXT, FINE)
    assert isinstance(fine, Verdict)
    assert fine.diagnostics == ()
    standing = diagnosed(validator, BAD, "class A {}")
    assert isinstance(standing, Verdict)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("dies_on_start", "no, not today"),
        ("initializes_with_null", "initialize"),
        ("refuses_to_initialize", "there is no compiler"),
        ("counts_in_utf8", "utf-8, which the client did not offer"),
    ],
)
def test_a_server_that_does_not_start_says_why(
    hostile: MakeValidator, fault: str, says: str
) -> None:
    validator = hostile(fault)
    assert says in assert_unavailable(judged(validator, GOOD, TEXT, FINE)).message


def test_a_server_that_dies_when_a_document_is_opened(hostile: MakeValidator) -> None:
    validator = hostile("dies_on_open")
    assert_unavailable(judged(validator, BAD, TEXT, FINE))
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))


def test_a_pause_between_requests_is_no_time_that_a_server_was_waited_for(
    hostile: MakeValidator,
) -> None:
    timing = replace(QUICK, verdict_s=3.0)
    validator = hostile("never_answers", timing)
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    pid = validator.server_pid
    for _ in range(2):
        refused = assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=0.05))
        assert "did not answer within" in refused.message
        sleep(timing.verdict_s)
    assert validator.server_pid == pid


def test_a_server_that_never_initializes_is_given_up(hostile: MakeValidator) -> None:
    validator = hostile("never_initializes", start_s=0.2)
    refused = assert_unavailable(judged(validator, GOOD, TEXT, FINE))
    assert "was not ready within 0.2 s" in refused.message


def test_who_does_not_insist_waits_for_a_slow_start_only_once(hostile: MakeValidator) -> None:
    validator = hostile("never_initializes", start_s=GENEROUS_S)
    assert_unavailable(judged(validator, GOOD, TEXT, FINE, within_s=1.0, patient=False))
    # Now a wait would last as long as it may.
    second = judged(validator, GOOD, TEXT, FINE, within_s=GENEROUS_S * 5, patient=False)
    told = assert_unavailable(second)
    assert 'still starting; "validation": "lsp" waits for it' in str(told.details["reason"])


@pytest.mark.parametrize("fault", ["pushes_wrongly", "pushes_ahead"])
def test_diagnostics_of_another_version_are_not_taken(hostile: MakeValidator, fault: str) -> None:
    validator = hostile(fault)
    fine = judged(validator, GOOD, TEXT, FINE)
    assert isinstance(fine, Verdict)
    assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=QUICK.verdict_s))


def test_semantics_that_do_not_come_cost_neither_the_verdict_nor_the_server(
    hostile: MakeValidator,
) -> None:
    validator = hostile("is_silent_on_semantics", replace(UNHURRIED, semantics_s=0.2))
    pids = set()
    for number in range(3):
        broken = judged(validator, BAD, f"{TEXT}// {number}", BROKEN, patient=False)
        assert_honest(broken)
        assert isinstance(broken, Verdict)
        assert broken.coverage == ("brackets", "syntax")
        assert broken.semantic_not_checked == (
            "hostile did not answer in time; a larger timeout_ms gives it longer."
        )
        pids.add(validator.server_pid)
    assert len(pids) == 1


def test_who_insists_gets_semantics_or_no_verdict(hostile: MakeValidator) -> None:
    validator = hostile("is_silent_on_semantics", replace(UNHURRIED, semantics_s=0.01))
    assert_honest(judged(validator, BAD, TEXT, BROKEN, patient=False))
    pid = validator.server_pid
    refused = assert_unavailable(judged(validator, BAD, TEXT, FINE, within_s=4.0))
    assert "hostile did not judge names" in refused.message
    assert validator.server_pid == pid


def test_a_verdict_without_the_semantics_that_came_late_is_not_kept(
    root: Path, hostile: MakeValidator
) -> None:
    listed = '<Project><ItemGroup><Compile Include="Assets\\bad.cs" /></ItemGroup></Project>'
    (root / "Game.csproj").write_text(listed, encoding="utf-8")
    validator = hostile("is_late_with_semantics", replace(UNHURRIED, semantics_s=2.0))
    late = judged(validator, BAD, TEXT, FINE, within_s=6.0, patient=False)
    assert isinstance(late, Verdict)
    assert late.coverage == ("brackets", "syntax")
    # Names are asked for again at once, and get all of the longer time that is given.
    for patient in (False, True):
        judged_whole = judged(validator, BAD, TEXT, FINE, within_s=2 * GENEROUS_S, patient=patient)
        assert isinstance(judged_whole, Verdict)
        assert judged_whole.coverage == ("brackets", "syntax", "semantics")


def test_a_server_that_never_offers_diagnostics_is_told_and_not_waited_for(
    hostile: MakeValidator,
) -> None:
    validator = hostile("offers_no_diagnostics", QUICK)

    def said(within_s: float) -> str:
        outcome = judged(validator, GOOD, TEXT, FINE, within_s=within_s, patient=True)
        return assert_unavailable(outcome).message

    # Until it is found and started, and was silent for as long as it may be.
    assert any("hostile offers no diagnostics" in said(QUICK.verdict_s) for _ in range(1_000))
    for _ in range(2):
        assert "hostile offers no diagnostics" in said(GENEROUS_S)


def test_answers_under_no_id_are_told_by_name(hostile: MakeValidator) -> None:
    validator = hostile("answers_under_the_id_null", UNHURRIED)
    refused = assert_unavailable(judged(validator, BAD, TEXT, FINE))
    assert "hostile answered under the id null" in refused.message


def test_of_a_failure_in_a_server_its_sentence_is_told_and_again_as_it_starts_anew(
    hostile: MakeValidator,
) -> None:
    timing = replace(UNHURRIED, first_backoff_s=0.0)
    validator = hostile("answers_with_a_stack_trace", timing)
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    for patient in (True, False):
        refused = assert_unavailable(judged(validator, BAD, TEXT, FINE, patient=patient))
        said = str(refused.details["reason"])
        assert said.startswith("hostile refused textDocument/diagnostic: IO.Error: No 'x.dll'.")
        assert "\n" not in said
        assert "at A.B()" not in said
        assert "still starting" not in said


def test_a_server_that_ignores_exit_is_ended(hostile: MakeValidator, witness: Witness) -> None:
    validator = hostile("ignores_exit")
    assert_honest(judged(validator, GOOD, TEXT, BROKEN))
    validator.close()
    assert witness.none_is_left()
    assert_unavailable(judged(validator, GOOD, TEXT + "//", BROKEN))


def test_a_command_that_is_none(root: Path) -> None:
    validator = validator_of(root, [launch_of(custom("nothing"), ["/no/such/program"], root)])
    refused = assert_unavailable(judged(validator, GOOD, TEXT, FINE))
    assert "No such file" in refused.message
    validator.close()


def test_the_next_server_is_tried_where_one_does_not_start(root: Path, witness: Witness) -> None:
    launches = [
        launch_of(custom(name), hostile_command(fault), root, **witness.environment)
        for name, fault in (("first", "dies_on_start"), ("second", "none"))
    ]
    validator = validator_of(root, launches)
    verdict = judged(validator, GOOD, TEXT, BROKEN)
    assert isinstance(verdict, Verdict)
    assert verdict.validator == "second"
    validator.close()
