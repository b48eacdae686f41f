"""``dev.py`` by the interpreter alone, before it has made any environment."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("command", "does"),
    [("demo", "Preview, apply, verify and undo"), ("setup", "Make the virtual environment")],
)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_each_command_says_what_it_does(command: str, does: str, option: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", command, option],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"usage: dev.py {command}" in done.stdout
    assert does in done.stdout


def test_no_command_at_all_is_told_with_those_that_there_are() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "say which command (--help tells what each does): demo, " in done.stderr


def test_what_a_command_does_not_take_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", "demo", "more"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "demo takes no arguments" in done.stderr


def test_an_old_python_gets_as_far_as_the_sentence_that_it_is_too_old() -> None:
    """Python 3.6 has no such import from the future, and evaluates annotations."""
    tree = ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 7))
    kinds = [type(each) for each in tree.body]
    guard = kinds.index(ast.If)
    assert "MINIMUM_PYTHON" in ast.unparse(tree.body[guard])
    assert set(kinds[:guard]) <= {ast.Expr, ast.Import, ast.ImportFrom, ast.Assign}
    imported = [each.module for each in tree.body if isinstance(each, ast.ImportFrom)]
    assert "__future__" not in imported


@pytest.mark.parametrize("name", ["dev.py", "dev_environment.py"])
def test_nothing_but_the_standard_library_is_imported(name: str) -> None:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    imported = {
        each.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for each in node.names
    } | {
        str(node.module).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert imported <= {*sys.stdlib_module_names, "dev_environment"}
