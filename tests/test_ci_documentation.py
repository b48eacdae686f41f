"""The CI recipes of docs/ci.md and the pre-commit hook, run as they stand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PATH": path, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def blocks() -> list[Any]:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return [
        yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.S | re.M)
    ]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A Git repository with the example project, all of it added."""
    project = tmp_path / "game"
    shutil.copytree(ROOT / "tests" / "fixtures" / "unity-project", project)
    assert run("git", "init", "-q", ".", cwd=project).returncode == 0
    assert run("git", "add", "-A", cwd=project).returncode == 0
    return project


def spoil(project: Path) -> None:
    """Change the script behind the bundles' back."""
    script = project / "Assets" / "Scripts" / "Player.cs"
    script.write_text(script.read_text().replace("speed > 10", "speed > 11"))


@pytest.mark.parametrize("spoiled", [False, True])
def test_the_commands_of_the_workflows(repository: Path, spoiled: bool) -> None:
    if spoiled:
        spoil(repository)
    workflows = [block for block in blocks() if "jobs" in block]
    assert len(workflows) == 2
    for workflow in workflows:
        job = workflow["jobs"]["lint"]
        (command,) = [
            step["run"] for step in job["steps"] if step.get("run", "").startswith("unity-cli")
        ]
        parts = job.get("strategy", {}).get("matrix", {}).get("part", [None])
        codes = [
            run(
                "bash",
                "-c",
                command.replace("${{ matrix.part }}", str(part)),
                cwd=repository,
            ).returncode
            for part in parts
        ]
        assert max(codes) == (1 if spoiled else 0)
        assert len(parts) == 1 or command.endswith(f"/{len(parts)}")
    sarif = json.loads((repository / "lint.sarif").read_text())
    found = [result["ruleId"] for result in sarif["runs"][0]["results"]]
    assert sorted(found) == (["anchor_not_found", "stale_file"] if spoiled else [])


def test_the_hooks_manifest_is_valid() -> None:
    done = run(BIN / "pre-commit", "validate-manifest", ".pre-commit-hooks.yaml", cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("whole_folder", [False, True])
def test_the_hook_under_pre_commit(repository: Path, tmp_path: Path, whole_folder: bool) -> None:
    """All of the hook but its installation, which takes a minute: that is the environment here."""
    (manifest,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    first, more = [b for b in blocks() if not (isinstance(b, dict) and "jobs" in b)]
    (reference,) = first["repos"][0]["hooks"]
    assert reference == {"id": manifest["id"]}
    hook = {**manifest, "language": "system", **(more if whole_folder else {})}
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    command = (BIN / "pre-commit", "run", "--all-files", "--verbose")
    run("git", "add", "-A", cwd=repository)
    clean = run(*command, cwd=repository, PRE_COMMIT_HOME=str(tmp_path / "home"))
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "2 bundles, 3 requests: no errors" in clean.stdout
    spoil(repository)
    run("git", "add", "-A", cwd=repository)
    spoiled = run(*command, cwd=repository, PRE_COMMIT_HOME=str(tmp_path / "home"))
    assert spoiled.returncode == 1
    assert "Edits/cap-speed.snippet.json:4:19: error: stale_file" in spoiled.stdout


def test_the_commands_for_any_other_place(repository: Path) -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    commands = re.findall(r"^```bash\n(.*?)^```$", text, re.S | re.M)
    assert len(commands) == 3
    identity = ("-c", "user.name=Tester", "-c", "user.email=tester@localhost")
    run("git", "add", "--all", cwd=repository)
    run("git", *identity, "commit", "--quiet", "-m", "first", cwd=repository)
    applied, made, linted = (run("bash", "-ec", each, cwd=repository) for each in commands)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert applied.stdout.count("2 bundles: 2 previewed; dry run, nothing was written\n") == 1
    assert applied.stdout.endswith("\n2 bundles: 2 applied\n")
    script = repository / "Assets" / "Scripts" / "Player.cs"
    assert "speed > maxSpeed" in script.read_text(encoding="utf-8")
    assert made.returncode == 0, made.stdout + made.stderr
    again = {json.dumps(each) for each in _made(repository, "wip", "today")}
    assert len(again) == 1  # git and the history tell the same
    (first,) = _made(repository, "last-commit")
    assert [each["path"] for each in first["changes"]] == ["Assets/Scripts/Player.cs"]
    assert linted.returncode == 1  # they have been applied, so they don't fit any more
    assert json.loads((repository / "lint.json").read_text())["errors"] > 0


def _made(repository: Path, *names: str) -> list[Any]:
    files = (repository / "Edits" / f"{name}.snippet.json" for name in names)
    return [json.loads(each.read_text(encoding="utf-8")) for each in files]
