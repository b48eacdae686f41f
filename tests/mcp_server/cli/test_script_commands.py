"""``unity-cli symbols``, ``edit``, ``references``, ``rename``: tools in words that people type."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import project_server
import pytest
from running_server import SCRIPT, run_cli

REPLACE = ("--replace", "speed > 10", "--with", "speed > 20")


@pytest.mark.parametrize("where", ["project", "folder", "elsewhere"])
def test_a_script_is_named_from_the_working_folder(
    project: Path, no_project: Path, where: str
) -> None:
    script = project / SCRIPT
    folders = {"project": project, "folder": script.parent, "elsewhere": no_project}
    named = {"project": SCRIPT, "folder": script.name, "elsewhere": str(script)}[where]
    symbols = run_cli("symbols", named, "--filter", "speed", cwd=folders[where])
    assert symbols.returncode == 0, symbols.stderr
    assert symbols.stdout.startswith("1 symbol in " + SCRIPT)
    before = script.read_text()
    preview = run_cli("edit", named, *REPLACE, cwd=folders[where])
    assert preview.stdout.startswith(f"previewed {SCRIPT}\n")
    assert preview.stderr == "Nothing was written. To write it, add --apply.\n"
    assert script.read_text() == before
    same = ("--replace", "speed > 10", "--with", "speed > 10")
    unchanged = run_cli("edit", named, *same, cwd=folders[where])
    assert (unchanged.returncode, unchanged.stderr) == (0, "")
    applied = run_cli("edit", named, *REPLACE, "--apply", cwd=folders[where])
    assert (applied.returncode, applied.stderr) == (0, "")
    assert script.read_text() == before.replace("speed > 10", "speed > 20")
    assert run_cli("undo", cwd=project).returncode == 0
    assert script.read_text() == before


def test_what_is_large_is_an_edit_too(project: Path) -> None:
    script = project / SCRIPT
    before = script.read_text()
    new = "speed > 10 && " + " && ".join(f"speed != {number}" for number in range(20, 30))
    arguments = ("edit", SCRIPT, "--replace", "speed > 10", "--with", new, "--apply")
    dry = run_cli("--dry-run", *arguments, cwd=project)
    assert (dry.returncode, script.read_text()) == (0, before)
    assert run_cli(*arguments, cwd=project).returncode == 0
    assert script.read_text() == before.replace("speed > 10", new)


def test_nothing_for_it_deletes_it(project: Path) -> None:
    script = project / SCRIPT
    script.write_text("class A\n{\n    int a;\n    int b;\n}\n")
    done = run_cli("edit", SCRIPT, "--replace", "int b;", "--with", "", "--apply", cwd=project)
    assert done.returncode == 0, done.stderr
    assert script.read_text() == "class A\n{\n    int a;\n}\n"


def test_an_edit_that_is_refused(project: Path) -> None:
    broken = ("edit", SCRIPT, "--replace", "speed > 10)", "--with", "speed > 10")
    text, document = (run_cli(*broken, *more, cwd=project) for more in ((), ("--output", "json")))
    assert (text.returncode, text.stdout) == (1, "")
    assert text.stderr.startswith("syntax_error")
    assert "--apply" not in text.stderr
    assert json.loads(document.stdout)["error"]["code"] == "ERR_SNIPPET"


def test_what_fits_several_places_is_told_in_the_commands_words(project: Path) -> None:
    found = run_cli("edit", SCRIPT, "--replace", "speed", "--with", "pace", cwd=project)
    assert found.stderr.startswith("ambiguous_anchor")
    *_, last = found.stderr.splitlines()
    assert last.startswith("With edit, give more of the text around it")
    assert ("tool call edit_snippet --json" in last) == ("\nchoice 1" in found.stderr)


@pytest.mark.parametrize("command", [("edit", SCRIPT, *REPLACE), ("symbols", SCRIPT)])
def test_hashes_are_for_who_asks(project: Path, command: tuple[str, ...]) -> None:
    assert "sha256:" not in run_cli(*command, cwd=project).stdout
    assert "sha256:" in run_cli(*command, "-v", cwd=project).stdout
    assert "sha256:" in run_cli(*command, "--output", "json", cwd=project).stdout


# -- references and rename, with a server that finds words -----------------------------------------

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
