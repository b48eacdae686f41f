"""Microsoft's server, by its double: see ``microsoft_server`` for what that is held to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import microsoft_server
import pytest
from language_clients import UNHURRIED, validator_of
from verdicts import judged
from witness import Witness

from lsp_client.servers.selection import select
from lsp_client.servers.server_table import ROSLYN_LANGUAGE_SERVER, Launch
from lsp_client.validator import LanguageServerValidator
from snippet_engine.errors import SnippetError
from snippet_engine.validation.validator import Verdict

SCRIPT = "Assets/A.cs"
TEXT = "class A\n{\n    void F() { G(1); }\n}\n"


@pytest.fixture(params=["Game.sln", "Game.csproj"])
def validator(
    request: pytest.FixtureRequest, root: Path, witness: Witness
) -> Iterator[LanguageServerValidator]:
    """The double, started as the real server would be, for a solution or for its projects."""
    listed = '<Project><ItemGroup><Compile Include="Assets\\A.cs" /></ItemGroup></Project>'
    (root / "Game.csproj").write_text(listed, encoding="utf-8")
    file = root / request.param
    file.touch()
    option = f"{sys.executable} -S {microsoft_server.__file__} --stdio --logLevel Warning"
    launch = Launch(
        ROSLYN_LANGUAGE_SERVER,
        select(option, root, lambda _: None).launches[0].command,
        root,
        opens=(file,),
        env=witness.environment,
    )
    made = validator_of(root, [launch], UNHURRIED)
    yield made
    made.close()


def ids(outcome: object) -> list[str]:
    assert isinstance(outcome, Verdict), outcome
    return [each.id for each in outcome.diagnostics]


def test_its_verdicts(validator: LanguageServerValidator) -> None:
    broken = judged(validator, SCRIPT, TEXT, ("G(1)", "G((1)"))
    assert ids(broken) == ["CS1026"]
    undefined = judged(validator, SCRIPT, TEXT, ("1", microsoft_server.UNDEFINED))
    assert ids(undefined) == ["CS0103"]
    assert isinstance(undefined, Verdict)
    assert undefined.diagnostics[0].position == (2, 17)
    fine = judged(validator, SCRIPT, TEXT, ("1", "2"))
    assert ids(fine) == []
    assert isinstance(fine, Verdict)
    assert fine.validator == "roslyn-language-server"
    assert fine.coverage == ("brackets", "syntax", "semantics")
    assert fine.knows_project is False


def test_names_are_not_said_to_be_judged_in_a_script_that_no_project_lists(
    validator: LanguageServerValidator,
) -> None:
    verdict = judged(validator, "Assets/B.cs", TEXT, ("1", "2"))
    assert isinstance(verdict, Verdict)
    assert verdict.coverage == ("brackets", "syntax")
    assert "No .csproj file lists this script" in verdict.semantic_not_checked


def test_what_changed_meanwhile_is_asked_once_more(validator: LanguageServerValidator) -> None:
    assert ids(judged(validator, SCRIPT, TEXT, ("1", "1) /* reload */ + (2"))) == []
    assert ids(judged(validator, SCRIPT, TEXT, ("1", "(1 /* reload */"))) == ["CS1026"]


def test_only_new_errors_count(validator: LanguageServerValidator) -> None:
    broken = TEXT.replace("G(1)", "G((1)")
    elsewhere = judged(validator, SCRIPT, broken, ("class A", "class AB"))
    assert ids(elsewhere) == []
    assert isinstance(elsewhere, Verdict)
    assert elsewhere.preexisting_errors == 1


def test_it_is_not_used_for_a_project_that_it_could_not_open(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / f"roslyn-language-server{'.exe' if os.name == 'nt' else ''}"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    chosen = select("auto", root, lambda _: "not here", home=tmp_path)
    assert chosen.launches == ()
    reasons = {each.name: each.reason for each in chosen.candidates}
    assert "no .sln or .csproj" in reasons["roslyn-language-server"]


def test_without_a_readiness_notification_it_is_given_up(root: Path, witness: Witness) -> None:
    spec = replace(ROSLYN_LANGUAGE_SERVER, start_s=0.3)
    command = (sys.executable, "-S", str(microsoft_server.__file__), "--stdio")
    launch = Launch(spec, command, root, env=witness.environment)
    made = validator_of(root, [launch], UNHURRIED)
    outcome = judged(made, SCRIPT, TEXT, ("1", "2"))
    assert isinstance(outcome, SnippetError)
    assert "was not ready within 0.3 s" in outcome.message
    made.close()
