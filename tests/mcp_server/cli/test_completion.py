"""Shell completion, by a real bash; the scripts for the other shells are click's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from running_server import TIMEOUT_S, UNITY_CLI, environment

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def completed(*words: str, cwd: Path) -> list[str]:
    """What bash offers for the last of the words after ``unity-cli``."""
    script = (
        'eval "$(_UNITY_CLI_COMPLETE=bash_source unity-cli)"\n'
        'COMP_WORDS=(unity-cli "$@") COMP_CWORD=$#\n'
        '_unity_cli_completion unity-cli "${!#}"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    path = f"{Path(UNITY_CLI).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
        env=environment(PATH=path),
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["do"], ["doctor"]),
        (["edit", "Player.cs", "--r"], ["--replace"]),
        (["tool", "schema", "edit"], ["edit_snippet"]),
        (["client", "install", "c"], ["claude-code", "claude-desktop", "codex", "cursor"]),
        (["--output", "j"], ["json"]),
    ],
)
def test_what_is_offered(no_project: Path, words: list[str], offered: list[str]) -> None:
    found = completed(*words, cwd=no_project)
    assert found[: len(offered)] == offered
    assert all(each.startswith(words[-1]) for each in found)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_for_each_shell(no_project: Path, shell: str) -> None:
    done = subprocess.run(
        [UNITY_CLI],
        cwd=no_project,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
        env=environment(_UNITY_CLI_COMPLETE=f"{shell}_source"),
    )
    assert "_UNITY_CLI_COMPLETE" in done.stdout
