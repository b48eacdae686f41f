"""A server is asked anew for a text that it has judged: its verdict may depend on other files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import knowing_server
import pytest
from language_clients import UNHURRIED, launch_of, validator_of
from verdicts import diagnosed, judged

from lsp_client.servers.server_table import ServerSpec
from lsp_client.validator import LanguageServerValidator
from snippet_engine.errors import SnippetError
from snippet_engine.validation.validator import Verdict

PLAIN = "class A { void F() { G(1); } }\n"
TEXT = "class A { void F() { Helper.Help(); } }\n"
EDIT = "G(1)", "Helper.Help()"


SPECS = (
    ServerSpec("knowing", syntax_identifiers=("syntax",), semantic_identifiers=("semantics",)),
    ServerSpec("unknown"),  # it is not known which of its diagnostics are about names
)


@pytest.fixture(params=SPECS, ids=lambda spec: spec.name)
def validator(root: Path, request: pytest.FixtureRequest) -> Iterator[LanguageServerValidator]:
    """A validator whose server looks names up in a project that lists its one script."""
    (root / "Game.csproj").write_text('<Compile Include="Assets/A.cs" />', encoding="utf-8")
    command = [sys.executable, "-S", str(knowing_server.__file__)]
    validator = validator_of(root, [launch_of(request.param, command, root)], UNHURRIED)
    yield validator
    validator.close()


def ids(verdict: Verdict | SnippetError) -> list[str]:
    assert isinstance(verdict, Verdict), verdict
    assert ("semantics" in verdict.coverage) == (verdict.validator == "knowing")
    return [each.id for each in verdict.diagnostics]


def test_what_other_files_decide_is_asked_anew_for_the_same_text(
    validator: LanguageServerValidator, root: Path
) -> None:
    helper = root / "Assets/Helper.cs"
    for _ in range(2):
        helper.unlink(missing_ok=True)
        assert ids(diagnosed(validator, "Assets/A.cs", TEXT)) == ["CS0103"]
        assert ids(judged(validator, "Assets/A.cs", PLAIN, EDIT)) == ["CS0103"]
        helper.write_text("class Helper { }\n", encoding="utf-8")
        assert ids(diagnosed(validator, "Assets/A.cs", TEXT)) == []
        assert ids(judged(validator, "Assets/A.cs", PLAIN, EDIT)) == []
