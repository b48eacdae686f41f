"""``unity-cli contracts export|check`` as a real process."""

from __future__ import annotations

import json
from pathlib import Path

from running_server import run_cli

from mcp_server.contract.contract_files import contract_documents

FILES = sorted(contract_documents())


def test_export_then_check(tmp_path: Path) -> None:
    dry = run_cli("contracts", "export", "--dry-run", cwd=tmp_path)
    assert (dry.returncode, len(dry.stdout.splitlines())) == (0, len(FILES))
    assert list(tmp_path.iterdir()) == []
    done = run_cli("contracts", "export", "--output", "json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(json.loads(done.stdout)["files"]) == FILES
    found = sorted(
        p.relative_to(tmp_path / "contracts").as_posix() for p in tmp_path.rglob("*.json")
    )
    assert found == FILES
    same = run_cli("contracts", "check", cwd=tmp_path)
    assert (same.returncode, same.stdout) == (0, "contracts is up to date\n")


def test_check_of_what_differs(tmp_path: Path) -> None:
    assert run_cli("contracts", "export", "--dir", "c", cwd=tmp_path).returncode == 0
    (tmp_path / "c" / "errors.json").unlink()
    done = run_cli("contracts", "check", "--dir", "c", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "errors.json: is missing\n", "")
    done = run_cli("contracts", "check", "--dir", "c", "--output=json", cwd=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"ok": False, "differences": ["errors.json: is missing"]}


def test_check_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = run_cli("contracts", "check", "--dir", "none", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no folder none" in done.stderr
    (tmp_path / "none").mkdir()
    done = run_cli("contracts", "check", "--dir", "none", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.count(": is missing\n") == len(FILES)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run_cli("contracts", "export", "--dir", "file/below", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_unity_project_gets_no_folder_that_nobody_named(project: Path) -> None:
    before = sorted(project.iterdir())
    done = run_cli("contracts", "export", cwd=project)
    assert done.returncode == 2
    assert "--dir" in done.stderr
    assert sorted(project.iterdir()) == before
    assert run_cli("contracts", "export", "--dir", "contracts", cwd=project).returncode == 0
