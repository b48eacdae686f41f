"""The commands of docs/howto/rename.md, run as printed, with a real compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import bash_blocks

from benchmarks.project_check.compilers import Compiler

WRITE_PROJECT = """
import sys
from pathlib import Path
from benchmarks.project_check.compilers import newest_compiler
from benchmarks.project_check.layout import LaidOutAssembly, LaidOutProject, write_build

root = Path(sys.argv[1])
scripts = ("Assets/Scripts/Enemy.cs", "Assets/Scripts/Player.cs")
write_build(LaidOutProject(root, (LaidOutAssembly("Scripts", scripts, ()),)), newest_compiler())
"""

SCRIPTS = {
    "Assets/Scripts/Player.cs": """\
public class Player
{
    public float speed = 1;

    public void TakeDamage(int amount) => speed -= amount;
}
""",
    "Assets/Scripts/Enemy.cs": """\
/// <summary>
/// Hurts the player.
/// </summary>
public class Enemy
{
    public Player player = new Player();

    public void Attack()
    {
        if (player.speed > 0)
        {
            Player target = player;
            target.TakeDamage(1);
        }
    }
}
""",
}


@pytest.fixture
def project(tmp_path: Path, compiler: Compiler) -> Path:
    root = tmp_path / "project"
    for path, text in SCRIPTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    # A process can host one compiler only.
    subprocess.run([sys.executable, "-c", WRITE_PROJECT, str(root)], check=True)
    return root


@pytest.mark.skipif(os.name != "posix", reason="runs bash")
def test_each_command_does_what_the_page_says(project: Path, compiler: Compiler) -> None:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "UNITY_SNIPPET_ROSLYN_DIR": str(compiler.toolchain.roslyn_dir),
        "UNITY_SNIPPET_DOTNET_ROOT": str(compiler.toolchain.dotnet_root),
    }

    def printed(block: str) -> str:
        bash = ["bash", "-euo", "pipefail", "-c", block]
        done = subprocess.run(
            bash, cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
        assert {path: (project / path).read_text(encoding="utf-8") for path in SCRIPTS} == SCRIPTS
        return done.stdout

    preview, local, applied, references = map(printed, bash_blocks("docs/howto/rename.md"))
    assert "+    public float pace = 1;" in preview
    assert "+        if (player.pace > 0)" in preview
    assert "+            Player victim = player;" in local
    assert "undone " in applied
    assert "target.TakeDamage(1);" in references
