"""Every entry of ``equivalent.toml`` names a function that exists, and lines that stand in it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mutation_table import Change, known_equivalents

ROOT = Path(__file__).parents[2]
ENTRIES = (Path(__file__).parent / "equivalent.toml").read_text(encoding="utf-8")


def text_of(function: str) -> str:
    """The lines of a function on one, by its dotted name with its module's."""
    parts = function.split(".")
    ends = [
        n for n in range(1, len(parts)) if ROOT.joinpath(*parts[:n]).with_suffix(".py").is_file()
    ]
    assert ends, "no such module"
    source = ROOT.joinpath(*parts[: ends[-1]]).with_suffix(".py").read_text(encoding="utf-8")
    node: ast.AST = ast.parse(source)
    for name in parts[ends[-1] :]:
        named = [each for each in ast.iter_child_nodes(node) if getattr(each, "name", None) == name]
        assert named, f"no {name}"
        node = named[-1]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return " ".join(each.strip() for each in source.splitlines()[node.lineno - 1 : node.end_lineno])


@pytest.mark.parametrize("change", sorted(known_equivalents(ENTRIES), key=str), ids=str)
def test_an_entry_names_lines_that_exist(change: Change) -> None:
    assert change.before in text_of(change.function)
    assert change.before != change.after


@pytest.mark.parametrize(
    "function", ["snippet_engine.nowhere.f", "snippet_engine.edits.EditSet.nothing"]
)
def test_a_function_that_does_not_exist_is_reported(function: str) -> None:
    with pytest.raises(AssertionError, match="no "):
        text_of(function)
