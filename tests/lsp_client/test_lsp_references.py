"""References asked of a C# server that isn't ours, by LSP's own request, in a real process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import lsp_words_server
import pytest
from language_clients import GENEROUS_S, launch_of, validator_of
from test_symbol_questions import PATIENT

from lsp_client.servers.server_table import CSHARP_LS, ServerSpec, custom
from lsp_client.validator import LanguageServerValidator
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.renames.symbol_server import FoundReferences
from snippet_engine.source_text import Position

A, B = "Assets/Game/A.cs", "Assets/Game/B # \U0001f600.cs"
FIRE = Position(0, 15)
TEXTS = {
    A: "class A { void Fire() { Fire(); } }\n",
    B: "\ufeffclass B\r\n{\r\n    /* \U0001f600 */ void Hit(A a) { a.Fire(); }\r\n}\r\n",
}

Make = Callable[..., LanguageServerValidator]


@pytest.fixture
def asking(root: Path) -> Iterator[Make]:
    """Clients of such a server, with that fault."""
    made: list[LanguageServerValidator] = []
    for path, text in TEXTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())

    def make(fault: str = "none", spec: ServerSpec = CSHARP_LS) -> LanguageServerValidator:
        command = (sys.executable, str(Path(lsp_words_server.__file__)), fault)
        made.append(validator_of(root, [launch_of(spec, command, root)], PATIENT))
        return made[-1]

    yield make
    for validator in made:
        validator.close()


def found(validator: LanguageServerValidator, path: str, at: Position) -> FoundReferences:
    answer = validator.find_references(path, at, within_s=GENEROUS_S)
    assert isinstance(answer, FoundReferences), answer
    return answer


@pytest.mark.parametrize("spec", [CSHARP_LS, custom("theirs")])
def test_references_and_what_is_not_known_of_them(asking: Make, spec: ServerSpec) -> None:
    validator = asking(spec=spec)
    answer = found(validator, A, FIRE)
    assert [(each.path, each.start, each.kind) for each in answer.references] == [
        (A, Position(0, 15), "declaration"),
        (A, Position(0, 24), "reference"),
        (B, Position(2, 31), "reference"),
    ]
    assert answer.references[2].line_text == "/* \U0001f600 */ void Hit(A a) { a.Fire(); }"
    assert answer.symbol["name"] == "Fire"
    assert not answer.complete
    name = lsp_words_server.NAME if spec.names_itself else spec.name
    assert answer.reasons == (
        f"{name} found these by LSP's textDocument/references, which doesn't say what it left out.",
    )
    assert found(validator, B, Position(2, 31)).references == answer.references


def test_places_outside_the_project_are_counted(asking: Make) -> None:
    answer = found(asking("outside"), A, FIRE)
    assert len(answer.references) == 3
    assert answer.reasons[1:] == ("2 more outside the project are left out.",)


def test_a_server_that_knows_no_symbol_has_not_found_none(asking: Make) -> None:
    error = asking("loading").find_references(A, FIRE, within_s=GENEROUS_S)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert error.message == (
        "No answer of a C# language server: csharp-ls knows no symbol there, perhaps because it "
        "is still loading. Send this again."
    )
    assert error.retryable


def test_a_server_without_references(asking: Make) -> None:
    error = asking("no_references").find_references(A, FIRE, within_s=GENEROUS_S)
    assert isinstance(error, SnippetError)
    assert error.message.startswith("The compiler can't tell: csharp-ls doesn't offer")
    assert not error.retryable


def test_a_rename_that_nobody_proves_is_refused(asking: Make, root: Path) -> None:
    engine = SnippetEngine.open(root, asking())
    assert isinstance(engine, SnippetEngine)
    asked = {"path": A, "symbolPath": "A.Fire", "timeout_ms": int(GENEROUS_S * 1000)}
    result = engine.find_references(asked)
    assert not isinstance(result, SnippetError), result
    assert (result["total"], result["complete"]) == (3, False)
    assert result["notSearched"][0]["path"] == "Assets"
    before = (root / A).read_bytes()
    error = engine.rename_symbol({**asked, "newName": "Shoot", "mode": "apply"})
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.VALIDATOR_UNAVAILABLE
    assert "csharp-ls can't prove a rename" in error.message
    assert not error.retryable
    assert (root / A).read_bytes() == before
