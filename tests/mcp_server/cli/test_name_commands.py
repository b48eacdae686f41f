"""``unity-cli references`` and ``unity-cli rename``, with a server that finds words."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import project_server
import pytest
from running_server import SCRIPT, run_cli

TEXT = "class Player\n{\n    void Fire() { Fire(); }\n}\n"


@pytest.fixture
def lsp() -> tuple[str, str]:
    command = shlex.join([sys.executable, "-S", str(Path(project_server.__file__))])
    return "--lsp", command


def test_without_a_server_the_command_says_so(project: Path) -> None:
    (project / SCRIPT).write_text(TEXT)
    found = run_cli("references", SCRIPT, "Player.Fire", "--lsp", "off", cwd=project)
    assert found.returncode == 1
    assert "validator_unavailable" in found.stderr + found.stdout
    assert (project / SCRIPT).read_text() == TEXT


def test_what_is_no_call(project: Path) -> None:
    (project / SCRIPT).write_text(TEXT)
    wrong = run_cli("rename", SCRIPT, "Player.Fire", "1x", "--apply", "--lsp", "off", cwd=project)
    assert wrong.returncode == 2
    assert (
        '$.newName must be a C# identifier; of a namespace, its last part (got "1x")'
        in wrong.stderr + wrong.stdout
    )
    assert (project / SCRIPT).read_text() == TEXT


def test_a_dry_run_holds_it_back(project: Path) -> None:
    (project / SCRIPT).write_text(TEXT)
    arguments = ("rename", SCRIPT, "Fire()", "Shoot", "--line", "3", "--apply", "--lsp", "off")
    held = run_cli("--dry-run", "--output", "json", *arguments, cwd=project)
    document = json.loads(held.stdout)
    assert document["executed"] is False
    assert document["params"]["text"] == "Fire()"
    assert (project / SCRIPT).read_text() == TEXT


def test_a_rename_and_its_undo(project: Path, lsp: tuple[str, str]) -> None:
    script = project / SCRIPT
    script.write_text(TEXT)
    found = run_cli("references", SCRIPT, "Player.Fire", *lsp, cwd=project)
    assert found.returncode == 0, found.stderr
    assert f"{SCRIPT}\n  3 declaration: void Fire() {{ Fire(); }}\n  3 call:" in found.stdout
    arguments = ("rename", SCRIPT, "Player.Fire", "Shoot", *lsp)
    preview = run_cli(*arguments, cwd=project)
    assert preview.returncode == 0, preview.stderr
    assert preview.stderr.endswith("Nothing was written. To write it, add --apply.\n")
    assert script.read_text() == TEXT
    applied = run_cli(*arguments, "--apply", cwd=project)
    assert applied.returncode == 0, applied.stderr
    assert script.read_text() == TEXT.replace("Fire", "Shoot")
    assert run_cli("undo", cwd=project).returncode == 0
    assert script.read_text() == TEXT


def test_a_refusal_that_can_be_overruled_names_the_option(
    project: Path, lsp: tuple[str, str]
) -> None:
    script = project / SCRIPT
    script.write_text(TEXT)
    (project / "Assets/Half.cs").write_text("// incomplete\n")
    arguments = ("rename", SCRIPT, "Player.Fire", "Shoot", *lsp, "--apply")
    refused = run_cli(*arguments, cwd=project)
    assert refused.returncode == 1
    assert refused.stderr.endswith("To rename it all the same, add --force.\n")
    assert script.read_text() == TEXT
    assert run_cli(*arguments, "--force", cwd=project).returncode == 0
    assert script.read_text() == TEXT.replace("Fire", "Shoot")
