"""The table of the three systems' rules names modules and tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "design" / "systems.md"

_NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def rows() -> list[list[str]]:
    """The cells of each rule's row."""
    _, _, table = PAGE.read_text(encoding="utf-8").partition("|---|---|---|---|\n")
    lines = table.partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_rule_is_somewhere_and_is_tested(row: list[str]) -> None:
    rule, where, test, hosted = row
    assert re.match(r"(Windows|macOS|Linux|Linux, macOS|Windows, macOS|all): ", rule)
    modules = _NAMED.findall(where)
    assert modules
    assert [path for path, _ in modules if not (ROOT / path).is_file()] == []
    tests = _NAMED.findall(test) + _NAMED.findall(hosted)
    assert tests or (test == "-" and hosted not in ("", "-"))
    assert [f"{path}::{name}" for path, name in tests if name not in names_in(path)] == []


def test_the_table_is_read() -> None:
    assert len(rows()) >= 15
    assert "test_a_rule_is_somewhere_and_is_tested" in names_in("tests/test_systems_table.py")
    assert "test_of_nothing" not in names_in("tests/test_systems_table.py")


def names_in(path: str) -> set[str]:
    """The names of the tests in a file; none if it isn't there."""
    if not (ROOT / path).is_file():
        return set()
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {each.name for each in ast.walk(tree) if isinstance(each, kinds)}
