"""Servers that don't say which text their diagnostics are about, by a double."""

from __future__ import annotations

import sys
from pathlib import Path

import versionless_server
from language_clients import UNHURRIED, launch_of, validator_of
from verdicts import judged

from lsp_client.servers.server_table import ServerSpec
from snippet_engine.validation.validator import Verdict

TEXT = "class A { void F() { G(1); } }"


def test_diagnostics_are_taken_only_for_the_text_that_they_are_about(root: Path) -> None:
    spec = ServerSpec("versionless", versionless_push=True)
    launch = launch_of(spec, [sys.executable, "-S", str(versionless_server.__file__)], root)
    validator = validator_of(root, [launch], UNHURRIED)
    for number in range(4):
        text = f"{TEXT} // {number}"
        fine = judged(validator, "Assets/A.cs", text, ("G(1)", "G(2)"))
        broken = judged(validator, "Assets/A.cs", text, ("G(1)", "G((1)"))
        assert isinstance(fine, Verdict)
        assert isinstance(broken, Verdict)
        assert fine.diagnostics == ()
        assert [each.id for each in broken.diagnostics] == ["CS1026"]
    validator.close()
