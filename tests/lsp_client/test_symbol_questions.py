"""Questions about names: what comes of an answer, and of none; in real processes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import project_server
import pytest
from language_clients import GENEROUS_S, launch_of, validator_of
from witness import Witness

from lsp_client.servers.server_table import ServerSpec
from lsp_client.timing import Timing
from lsp_client.validator import LanguageServerValidator
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.renames.symbol_server import SymbolServer
from snippet_engine.source_text import Position
from snippet_engine.validation.code_fixes import CodeFixer

KNOWING = ServerSpec("project-server", knows_projects=True)
PATIENT = Timing(hang_s=GENEROUS_S, first_backoff_s=0.01, longest_backoff_s=0.02)
A, B = "Assets/Game/A.cs", "Assets/Game/B.cs"
FIRE = Position(0, 15)

Make = Callable[..., LanguageServerValidator]


@pytest.fixture
def asking(root: Path, witness: Witness) -> Iterator[Make]:
    """Clients of a server that knows names, with that fault."""
    made: list[LanguageServerValidator] = []
    for path, text in ((A, "class A { void Fire() { Fire(); } }\n"), (B, "// Fire\n")):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")

    def make(fault: str = "none") -> LanguageServerValidator:
        command = (sys.executable, "-S", str(Path(project_server.__file__)), fault)
        launch = launch_of(KNOWING, command, root, **witness.environment)
        made.append(validator_of(root, [launch], PATIENT))
        return made[-1]

    yield make
    for validator in made:
        validator.close()


def test_a_validator_is_what_the_engine_asks_for(asking: Make) -> None:
    assert isinstance(asking(), SymbolServer)


def test_references(asking: Make) -> None:
    found = asking().find_references(A, FIRE, within_s=GENEROUS_S)
    assert not isinstance(found, SnippetError)
    assert [(each.path, each.start, each.kind) for each in found.references] == [
        (A, Position(0, 15), "declaration"),
        (A, Position(0, 24), "call"),
        (B, Position(0, 3), "declaration"),
    ]
    assert (found.symbol["display"], found.complete, found.reasons) == ("Demo.Fire", True, ())


def test_a_rename(asking: Make) -> None:
    found = asking().rename(A, FIRE, "Shoot", attributes=True, force=False, within_s=GENEROUS_S)
    assert not isinstance(found, SnippetError)
    assert {path: len(edits) for path, edits in found.edits.items()} == {A: 2, B: 1}
    assert found.edits[A][0].new_text == "Shoot"
    assert (found.assemblies, found.files, found.moves) == (("Game",), 2, {})


def test_a_place_without_a_symbol(asking: Make) -> None:
    found = asking().find_references(A, Position(0, 8), within_s=GENEROUS_S)
    assert isinstance(found, SnippetError)
    assert found.code is ErrorCode.SYMBOL_NOT_FOUND
    assert "no symbol is there" in found.message


def test_the_reason_of_a_refusal_is_whole_and_said_once(asking: Make) -> None:
    error = asking("refuses").find_references(A, FIRE, within_s=GENEROUS_S)
    assert isinstance(error, SnippetError)
    assert error.message == "The compiler can't tell: no toolchain."
    assert "reason" not in error.details
    assert error.details["needsAction"] is True
    assert not error.retryable


@pytest.mark.parametrize("fault", ["knows_no_projects", "dies", "answers_nothing", "refuses"])
def test_a_server_without_an_answer(asking: Make, fault: str) -> None:
    validator = asking(fault)
    found = validator.find_references(A, FIRE, within_s=GENEROUS_S)
    assert isinstance(found, SnippetError)
    assert found.code is ErrorCode.VALIDATOR_UNAVAILABLE
    renamed = validator.rename(A, FIRE, "Shoot", attributes=True, force=False, within_s=GENEROUS_S)
    assert isinstance(renamed, SnippetError)
    assert renamed.code is ErrorCode.VALIDATOR_UNAVAILABLE


@pytest.mark.parametrize("fault", ["none", "knows_no_projects", "answers_nothing"])
def test_a_server_without_fixes(asking: Make, fault: str) -> None:
    validator = asking(fault)
    assert isinstance(validator, CodeFixer)
    assert validator.code_fixes(A, {A: "class A { }\n"}, within_s=GENEROUS_S) == ()
