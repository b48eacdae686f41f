"""Which versions an expression of an assembly definition means."""

import pytest

from roslyn_server.projects.definitions.version_conditions import is_in


@pytest.mark.parametrize(
    ("version", "expression", "holds"),
    [
        ("1.0.0", "", True),
        ("1.2.0", "1.1", True),
        ("1.0.9", "1.1", False),
        ("1.1.0", "1.1.0", True),
        ("1.1.0-pre.2", "1.1.0", False),
        ("1.1.0-pre.10", "1.1.0-pre.9", True),
        ("1.1.0", "[1.1.0]", True),
        ("1.1.1", "[1.1.0]", False),
        ("1.9.9", "[1.0,2.0)", True),
        ("2.0.0", "[1.0, 2.0)", False),
        ("2.0.0", "(1.0,2.0]", True),
        ("1.0.0", "(1.0,2.0]", False),
        ("3.0.0", "(1.0,)", True),
        ("0.5.0", "(,1.0)", True),
        ("2022.3.40f1", "2021.2", True),
        ("2022.3.40f1", "2022.3.40f2", False),
        ("1.0.0", "?", None),
        ("main", "1.0", None),
    ],
)
def test_an_expression(version: str, expression: str, holds: bool | None) -> None:
    assert is_in(version, expression) is holds
