"""What is said when no language server gives a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from language_clients import UNHURRIED, hostile_command, launch_of
from verdicts import diagnosed
from witness import Witness

from lsp_client.background_server import unavailable
from lsp_client.selection import Candidate, Selection
from lsp_client.server_table import ServerSpec
from lsp_client.validator import LanguageServerValidator
from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION
from snippet_engine.errors import MAX_MESSAGE_LENGTH, SnippetError

SCRIPT = "Assets/C.cs"
TEXT = "class C\n{\n}\n"
NONE_THERE = Selection("test", (Candidate("roslyn", False, "not installed"),))


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (True, '. Try again, or send "validation": "auto".'),
        (False, '. Send "validation": "auto".'),
    ],
)
@pytest.mark.parametrize("reason", ["it is off", "No usable Roslyn was found.", "long " * 80])
def test_the_advice_is_whole_however_long_the_reason(reason: str, found: bool, advice: str) -> None:
    error = unavailable(reason, found=found)
    assert error.message.endswith(advice)
    assert ".." not in error.message
    assert len(error.message) <= MAX_MESSAGE_LENGTH
    assert error.details == {"reason": reason, "found": found}


def test_a_server_that_is_installed_meanwhile_is_taken(root: Path, witness: Witness) -> None:
    spec = ServerSpec(
        "hostile", syntax_identifiers=("syntax",), semantic_identifiers=("semantics",)
    )
    launch = launch_of(spec, hostile_command("none"), root, **witness.environment)
    found = [NONE_THERE]
    validator = LanguageServerValidator(
        root,
        lambda: found[-1],
        lambda _: UNITY_LANGUAGE_VERSION,
        replace(UNHURRIED, look_again_s=0),
    )
    try:
        missing = diagnosed(validator, SCRIPT, TEXT)
        assert isinstance(missing, SnippetError)
        assert missing.details == {"reason": "roslyn: not installed", "found": False}
        found.append(Selection("test", launches=(launch,)))
        verdict = diagnosed(validator, SCRIPT, TEXT)
        assert not isinstance(verdict, SnippetError), verdict
    finally:
        validator.close()


def test_what_was_not_found_is_not_looked_for_at_every_call(root: Path) -> None:
    looks: list[int] = []

    def select() -> Selection:
        looks.append(1)
        return NONE_THERE

    timing = replace(UNHURRIED, look_again_s=float("inf"))
    validator = LanguageServerValidator(root, select, lambda _: UNITY_LANGUAGE_VERSION, timing)
    for _ in range(3):
        missing = diagnosed(validator, SCRIPT, TEXT)
        assert isinstance(missing, SnippetError)
    validator.close()
    assert len(looks) == 1
