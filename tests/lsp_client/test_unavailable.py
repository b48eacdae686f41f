"""What is said when no language server gives a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from language_clients import UNHURRIED, hostile_command, launch_of
from verdicts import diagnosed
from witness import Witness

from lsp_client.running.background_server import unavailable
from lsp_client.servers.selection import Candidate, Selection
from lsp_client.servers.server_table import ServerSpec
from lsp_client.validator import LanguageServerValidator
from mcp_server.calls import language_server
from mcp_server.contract.errors import ToolErrorCode, from_engine, tool_error
from roslyn_server.toolchains.candidates import INSTALL_HINT
from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION
from snippet_engine.errors import MAX_MESSAGE_LENGTH, ErrorCode, SnippetError

INSTALL = INSTALL_HINT.split("`")[1]
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


def test_an_install_command_is_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"/home/{'a-long-name/' * 40}unity-cli"
    monkeypatch.setattr("mcp_server.this_installation.program", lambda: program)
    lacking = "roslyn_server.toolchains.pythonnet_cache.find_pythonnet"
    monkeypatch.setattr(lacking, lambda: False)
    reason = language_server.why_no_roslyn_server(Path())
    assert reason is not None
    assert f"`{program} roslyn install" in reason
    error = unavailable(reason, found=False)
    assert "is missing): run …" in error.message
    assert "roslyn install" not in error.message
    assert len(error.message) <= MAX_MESSAGE_LENGTH
    assert f"reason: {reason}" in from_engine("edit_snippet", error).text


@pytest.mark.parametrize("length", range(60, 260, 7))
def test_a_command_in_a_message_is_whole_or_left_out(length: int) -> None:
    reason = f"{'No usable Roslyn was found. ' * 9}"[:length] + f". {INSTALL_HINT}"
    for error in (
        unavailable(reason),
        SnippetError(ErrorCode.VALIDATOR_UNAVAILABLE, f"No: {reason}"),
    ):
        assert (INSTALL in error.message) or ("`" not in error.message)
    assert INSTALL in from_engine("validate_script", unavailable(reason)).text


def test_a_tool_error_keeps_the_command_that_it_tells_to_type() -> None:
    command = f"unity-cli serve --project '/home/{'Games/' * 60}Tower'"
    error = tool_error(
        ToolErrorCode.UNITY_DISCONNECTED, f"No server answers. Start it: `{command}`"
    )
    assert command in error.message
    assert command in error.text
    error = tool_error(ToolErrorCode.UNITY_DISCONNECTED, f"No server: `{command * 9}`. Start it")
    assert error.message == "No server: …"


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
        assert missing.details == {"reason": "not installed", "found": False}
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
