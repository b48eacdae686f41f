"""Questions about whole projects: what comes of an answer, and of none; in real processes."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import project_server
import pytest
from language_clients import GENEROUS_S, hostile_command, launch_of, validator_of
from witness import Witness

from lsp_client.outcomes import Unavailable
from lsp_client.protocol.connection import Connection
from lsp_client.running.supervisor import Supervisor
from lsp_client.servers.server_table import CSHARP_LS, ServerSpec
from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator
from snippet_engine.errors import SnippetError
from snippet_engine.validation.validator import ChangesVerdict

KNOWING = ServerSpec("project-server", knows_projects=True)
PATIENT = Timing(hang_s=GENEROUS_S, first_backoff_s=0.01, longest_backoff_s=0.02)
WATCHFUL = Timing(hang_s=6.0, first_backoff_s=0.01, longest_backoff_s=0.02)

Make = Callable[..., LanguageServerValidator]


@pytest.fixture
def asking(root: Path, tmp_path: Path, witness: Witness) -> Iterator[Make]:
    """Clients of a server that knows projects, with that fault."""
    made: list[LanguageServerValidator] = []

    def make(
        fault: str = "none", timing: Timing = PATIENT, spec: ServerSpec = KNOWING
    ) -> LanguageServerValidator:
        command = (sys.executable, "-S", str(Path(project_server.__file__)), fault)
        environment = {**witness.environment, "UNITY_SNIPPET_ONCE": str(tmp_path)}
        made.append(validator_of(root, [launch_of(spec, command, root, **environment)], timing))
        return made[-1]

    yield make
    for validator in made:
        validator.close()


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_what_a_server_says_of_a_project(root: Path, asking: Make) -> None:
    write(root, "Assets/Game/A.cs", "class A { }\n#error no\n")
    write(root, "Assets/Tests/B.cs", "class B { }\n")
    told: list[tuple[str, int | None]] = []
    found = asking().check_project(
        warnings=True, within_s=GENEROUS_S, on_progress=lambda *each: told.append(each)
    )
    assert not isinstance(found, SnippetError)
    assert (found.status, found.assemblies, found.files) == ("errors", 2, 2)
    (error,) = found.errors
    assert (error.path, error.line, error.column) == ("Assets/Game/A.cs", 2, 1)
    assert (error.code, error.assembly) == ("CS1029", "Game")
    assert len(found.warnings) == 1
    assert ("Game", 40) in told


def test_a_correction_of_an_earlier_answer_is_a_warning_once(root: Path, asking: Make) -> None:
    write(root, "Assets/A/A.cs", "class A { }\n")
    validator, told = asking("corrects_late"), []
    for _ in range(project_server.ANSWERS_UNTIL_PROOF + 2):
        found = validator.check_project(within_s=GENEROUS_S)
        assert not isinstance(found, SnippetError)
        told.append([(each.code, each.message) for each in found.warnings])
    why = "An earlier answer was wrong, and is corrected: A: an error was missing"
    assert told == [[]] * project_server.ANSWERS_UNTIL_PROOF + [[("corrected", why)], []]


def test_it_is_asked_for_parts(root: Path, asking: Make) -> None:
    write(root, "Assets/Game/A.cs", "#error no\n")
    write(root, "Assets/Game/Sub/C.cs", "class C { }\n")
    write(root, "Assets/Tests/B.cs", "#error no\n")
    validator = asking()
    one = validator.check_project(["Tests"], within_s=GENEROUS_S)
    assert not isinstance(one, SnippetError)
    assert [each.path for each in one.errors] == ["Assets/Tests/B.cs"]
    part = validator.check_project(None, ["Assets/Game/Sub"], within_s=GENEROUS_S)
    assert not isinstance(part, SnippetError)
    assert (part.status, part.files) == ("clean", 1)
    none = validator.check_project(["Gane"], within_s=GENEROUS_S)
    assert not isinstance(none, SnippetError)
    assert none.status == "unknown"
    assert none.not_checked[0].reason == "There is no such assembly."


def test_changes_are_judged_together(root: Path, asking: Make) -> None:
    write(root, "Assets/Game/A.cs", "#error was there\n")
    changes = {
        "Assets/Game/A.cs": "#error was there\n#error is new\n",
        "Assets/Game/New.cs": "class New { }\n",
        "Assets/Game/Gone.cs": None,
    }
    verdict = asking().judge_changes(changes, within_s=GENEROUS_S, patient=True)
    assert isinstance(verdict, ChangesVerdict)
    (error,) = verdict.errors
    assert (error.path, error.position.line, error.id) == ("Assets/Game/A.cs", 1, "CS1029")
    assert verdict.coverage == ("brackets", "syntax", "semantics")
    assert verdict.not_checked == ("Tests: It waits",)


def test_a_server_that_knows_no_projects_is_told_by_name_and_lives_on(asking: Make) -> None:
    validator = asking("knows_no_projects")
    refused = validator.check_project(within_s=GENEROUS_S)
    assert isinstance(refused, SnippetError)
    assert "can't check a project" in refused.message
    process = validator.server_pid
    again = validator.judge_changes({"A.cs": ""}, within_s=GENEROUS_S, patient=True)
    assert isinstance(again, SnippetError)
    assert "can't judge changes together" in again.message
    assert validator.server_pid == process


def test_a_foreign_server_is_not_even_asked(asking: Make) -> None:
    refused = asking("hangs", spec=CSHARP_LS).check_project(within_s=GENEROUS_S)
    assert isinstance(refused, SnippetError)
    assert "csharp-ls can't check a project" in refused.message


@pytest.mark.parametrize(
    "fault",
    [
        "answers_nothing",
        "says_clean_with_errors",
        "says_errors_without_any",
        "says_no_count",
        "refuses",
        "dies",
    ],
)
def test_no_answer_is_no_verdict(fault: str, root: Path, asking: Make) -> None:
    write(root, "Assets/Game/A.cs", "class A { }\n")
    refused = asking(fault).check_project(within_s=GENEROUS_S)
    assert isinstance(refused, SnippetError)
    assert refused.code == "validator_unavailable"


@pytest.mark.parametrize("fault", ["dies_once", "hangs_once"])
def test_a_server_that_goes_is_replaced_within_the_call(
    fault: str, root: Path, asking: Make
) -> None:
    write(root, "Assets/Game/A.cs", "class A { }\n")
    timing = WATCHFUL if fault == "hangs_once" else PATIENT
    found = asking(fault, timing).check_project(within_s=GENEROUS_S)
    assert not isinstance(found, SnippetError)
    assert found.status == "clean"


def test_work_that_takes_long_is_no_hang(root: Path, asking: Make) -> None:
    """The server answers other requests meanwhile, so it is left to its work, and lives on."""
    validator = asking("never_ends", WATCHFUL)
    validator.wait_until_ready(GENEROUS_S)
    refused = validator.check_project(within_s=4 * WATCHFUL.hang_s)
    assert isinstance(refused, SnippetError)
    assert "did not check a project in time" in refused.message
    assert validator.server_pid is not None


def test_a_server_that_hangs_is_ended_after_the_call(root: Path, asking: Make) -> None:
    validator = asking("hangs_once", WATCHFUL)
    validator.wait_until_ready(GENEROUS_S)
    first = validator.server_pid
    refused = validator.check_project(within_s=WATCHFUL.hang_s / 2)
    assert isinstance(refused, SnippetError)
    found = validator.check_project(within_s=GENEROUS_S)
    assert not isinstance(found, SnippetError)
    assert validator.server_pid != first


ENDED = "the C# language server is being ended"


def test_what_a_server_says_as_it_is_ended_is_not_its_answer(asking: Make) -> None:
    validator, begun = asking("never_ends_once"), threading.Event()
    with ThreadPoolExecutor() as threads:
        check = threads.submit(
            validator.check_project,
            within_s=GENEROUS_S,
            on_progress=lambda *_: begun.set(),
        )
        assert begun.wait(GENEROUS_S)
        validator.close()
        found = check.result(GENEROUS_S)
    assert isinstance(found, SnippetError)
    assert found.details["reason"] == ENDED


def test_a_server_that_is_ended_while_it_starts_was_started(root: Path, witness: Witness) -> None:
    launch = launch_of(KNOWING, hostile_command("never_initializes"), root, **witness.environment)

    async def job(_: Connection) -> None:
        raise AssertionError("it is never ready")

    async def scenario() -> Unavailable | None:
        supervisor = Supervisor([launch], PATIENT)
        asked = asyncio.create_task(supervisor.ask(job, within_s=GENEROUS_S, patient=True))
        await asyncio.sleep(0)  # it waits
        await supervisor.close()
        return await asked

    assert asyncio.run(scenario()) == Unavailable(ENDED)
