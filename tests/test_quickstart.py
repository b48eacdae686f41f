"""The quickstart, run as printed: the bash blocks by bash, the PowerShell ones line by line.

There is no PowerShell on most of the machines that run this, so its blocks are held to a few forms
(a text put into a file, a command, the exit code), which are done here as PowerShell does them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running_server import run_cli

from mcp_server.plugin.package_manifest import PACKAGE_NAME

ROOT = Path(__file__).resolve().parent.parent
QUICKSTART = (ROOT / "quickstart.md").read_text(encoding="utf-8")
SETUP = ("python3 dev.py setup", ". .venv/bin/activate")
"""The lines that make the environment: the tests run inside it already."""

SCRIPT = "Assets/Scripts/Player.cs"
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def blocks(language: str = "bash") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", QUICKSTART, re.DOTALL | re.MULTILINE)


def environment(home: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "UNITY_CLI_"))}
    return {**kept, "PATH": path, "HOME": str(home)}


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each block printed, in order; every one of them must exit with 0."""
    clone = tmp_path_factory.mktemp("clone")
    (clone / "tests").mkdir()
    shutil.copytree(ROOT / "tests" / "fixtures", clone / "tests" / "fixtures")
    first, *rest = blocks()
    assert all(line in first for line in SETUP)
    for line in SETUP:
        first = first.replace(line + "\n", "")
    mark = "=== next block ==="
    script = "set -euo pipefail\n" + f"echo '{mark}'\n".join([first, *rest])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=clone,
        env=environment(clone),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split(mark + "\n")


@needs_bash
def test_every_step_does_what_the_text_says(transcript: list[str]) -> None:
    _, doctor, symbols, preview, apply, in_words, deletion, log_line, by_symbol, *rest = transcript
    batch, lint, undo, apply_bundles, refused, *sets, check, clients = rest
    assert "✔ Unity project: " in doctor
    assert "✔ embedded validator: " in doctor
    assert "Edits, previews and undo work." in doctor
    assert "\nGame namespace 4-60\n  Player class 6-59\n" in symbols
    assert "\n    TakeDamage(int,string) method 47-51\n" in symbols
    assert preview.startswith("previewed ")
    assert apply.startswith("applied ")
    assert preview.partition("\n")[2] == apply.partition("\n")[2]
    assert in_words.startswith("previewed ")
    assert "+            speed = body.velocity.sqrMagnitude;" in in_words
    assert "-            if (body == null)" in deletion
    assert "-            }\n-\n             speed = " in deletion  # no blank line is left
    assert '+            Debug.Log($"health: {health}");' in log_line
    assert '"why": "the dead take no damage"' in by_symbol
    assert "+            if (!IsAlive) return 0;" in by_symbol
    assert batch.startswith("[1/2] get_symbols (id outline): ok\n")
    assert "[2/2] edit_snippet (id more health): skipped: dry run\n" in batch
    assert "+        [SerializeField] private int health = 120;" in batch
    assert "Edits/cap-speed.snippet.json:4:19: error: stale_file" in lint
    assert lint.endswith("findings, exit code 1\n")
    newest = r"  unity-cli  change [0-9a-f]{12}\n  edited Assets/Scripts/Player\.cs: "
    assert len(re.findall(newest, undo)) == 1
    assert len(re.findall(r"  change [0-9a-f]{12}  \(changed since\)\n", undo)) == 3
    assert undo.count("undone ") == 4
    assert undo.endswith("\nas it was at first\n")
    assert apply_bundles.count("2 bundles: 2 previewed; dry run, nothing was written\n") == 1
    assert apply_bundles.endswith("\n2 bundles: 2 applied\n")
    assert "refused, exit code 1" in refused
    assert_sets_landed(sets)
    assert "no errors" in check
    assert "dry run: " in clients
    assert '"args": [\n        "mcp",' in clients


def assert_sets_landed(said: list[str]) -> None:
    edited, created, callers, moved = said
    assert edited.startswith("applied 1 file\nchangeId ")
    assert "+        private int Clamped(int value)" in edited
    assert "created Assets/Scripts/Core/Armour.cs\n" in created
    assert "edited Assets/Scripts/Player.cs\n" in created
    assert "+            health = Clamped(health - armour.Absorb(amount));" in created
    assert callers.startswith("applied 2 files\n")
    assert "+    public int Absorb(int amount, bool isFire)" in callers
    assert "+            health = Clamped(health - armour.Absorb(amount, false));" in callers
    assert "moved Assets/Scripts/Core/Armour.cs to Assets/Scripts/Armour.cs" in moved
    assert "warning meta_missing" in moved


class PowerShell:
    """The forms of PowerShell that the quickstart uses, as Windows PowerShell 5.1 does them."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._environment = environment(home)
        self._exit_code = 0

    def type(self, block: str) -> str:
        """Run a block; what it printed."""
        return "".join(self._lines(block))

    def _lines(self, block: str) -> Iterator[str]:
        lines = iter(block.splitlines())
        for line in lines:
            if line == "@'":
                text, written = [], ""
                for written in lines:
                    if written.startswith("'@"):
                        break
                    text.append(written)
                put = re.fullmatch(r"'@ \| Set-Content -Encoding utf8 (\S+)", written)
                assert put is not None, written
                # It writes a byte order mark, and Windows' line endings.
                (self.folder / put[1]).write_bytes(
                    b"\xef\xbb\xbf" + "".join(f"{each}\r\n" for each in text).encode()
                )
            elif line.startswith("unity-cli "):
                assert not re.search(r"[\"'<>|&$`]", line), f"not plain: {line}"
                _, *words = shlex.split(line)
                done = run_cli(*words, cwd=self.folder, env=self._environment)
                self._exit_code = done.returncode
                yield done.stdout
            else:
                said = re.fullmatch(r'"([^"]*)"', line)
                assert said is not None, f"not one of the forms: {line}"
                yield said[1].replace("$LASTEXITCODE", str(self._exit_code)) + "\n"


def test_each_block_for_bash_has_one_for_powershell_right_behind_it() -> None:
    languages = re.findall(r"^```(bash|powershell)$", QUICKSTART, re.MULTILINE)
    assert languages == ["bash", "powershell"] * (len(languages) // 2)


def test_the_blocks_for_powershell_do_the_same(tmp_path: Path) -> None:
    project = tmp_path / "quickstart"
    shutil.copytree(ROOT / "tests" / "fixtures" / "unity-project", project)
    original = (project / SCRIPT).read_bytes()
    shell = PowerShell(project, tmp_path)
    setup, *rest = blocks("powershell")
    assert setup.startswith("py dev.py setup\n. .venv\\Scripts\\Activate.ps1\n")
    (undo,) = [block for block in rest if block.startswith("do {")]
    before, after = rest[: rest.index(undo)], rest[rest.index(undo) + 1 :]
    said = []
    for block in before:
        said.append(shell.type(block))
        if "Debug.Log(" in block:
            assert_skipped_if_sent_again(shell, block)
    assert said[2].startswith("previewed ")
    words = [each.split()[0] for each in said[3:7]]
    assert words == ["applied", "previewed", "applied", "applied"]
    assert "skipped: dry run" in said[-2]
    assert said[-1].endswith("findings, exit code 1\n")
    # What the loop does, with the command that it uses.
    assert undo.startswith("do {\n  unity-cli undo\n} while ($LASTEXITCODE -eq 0)\n")
    taken_back = 0
    while True:
        shell.type("unity-cli undo")
        if shell.type('"$LASTEXITCODE"') != "0\n":
            break
        taken_back += 1
    assert taken_back == 4
    assert (project / SCRIPT).read_bytes() == original
    applied, refused, *sets, check, clients = [shell.type(block) for block in after]
    assert applied.endswith("\n2 bundles: 2 applied\n")
    assert refused == "refused, exit code 1\n"
    assert_sets_landed(sets)
    assert "no errors" in check
    assert "dry run: " in clients


def assert_skipped_if_sent_again(shell: PowerShell, block: str) -> None:
    written = (shell.folder / SCRIPT).read_bytes()
    again = shell.type(block)
    assert shell.type('"$LASTEXITCODE"') == "0\n"
    assert "skipped" in again
    assert "duplicate_insert" in again
    assert (shell.folder / SCRIPT).read_bytes() == written


def editor_blocks(language: str) -> list[str]:
    """The blocks of the section on the Editor's tools, with Unity."""
    begin = QUICKSTART.index("## The Editor's tools, with Unity")
    part = QUICKSTART[begin : QUICKSTART.index("## The Editor's tools, without Unity")]
    return re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)


@needs_bash
def test_the_editors_tools_are_asked_of_the_server_of_the_project_that_was_served(
    tmp_path: Path,
) -> None:
    """Both terminals stand in the quickstart's own project, which is another one."""
    here, tower = tmp_path / "quickstart", tmp_path / "Games" / "Tower"
    for each in (here, tower):
        shutil.copytree(ROOT / "tests" / "fixtures" / "unity-project", each)
    serving, calls, _ = editor_blocks("sh")
    (to_there, first_call, *_) = calls.splitlines()
    given = environment(tmp_path)
    with subprocess.Popen(
        ["bash", "-ec", serving.replace("unity-cli serve", "exec unity-cli serve --lsp off")],
        cwd=here,
        env=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            assert any(line.startswith("http://127.0.0.1:") for line in server.stdout)
            asked = subprocess.run(
                ["bash", "-ec", f"{to_there}\n{first_call}"],
                cwd=here,
                env=given,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        finally:
            server.kill()
    assert asked.returncode == 0, asked.stderr
    assert (tower / "Packages" / PACKAGE_NAME).is_dir()


def test_the_editors_calls_in_powershell_are_those_in_bash() -> None:
    _, in_bash, _ = editor_blocks("sh")
    (in_powershell,) = editor_blocks("pwsh")
    assert re.findall(r"\{.*\}", in_powershell) == re.findall(r"\{.*\}", in_bash)
    assert in_powershell.startswith("cd ~/Games/Tower\nunity-cli tool call get_editor_state\n")
    called = r"tool call (\w+)"
    assert re.findall(called, in_powershell) == re.findall(called, in_bash)
