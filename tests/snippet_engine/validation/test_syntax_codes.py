"""Which of the compiler's codes are about the form of a text."""

from __future__ import annotations

import pytest

from snippet_engine.validation.syntax_codes import is_syntax


@pytest.mark.parametrize(
    "code", ["CS1002", "CS1513", "CS1525", "CS1026", "CS0116", "CS8997", "ERROR", "MISSING"]
)
def test_form(code: str) -> None:
    assert is_syntax(code)


@pytest.mark.parametrize(
    "code", ["CS0117", "CS1061", "CS7036", "CS0103", "CS0246", "CS0128", "CS1501", "CS1503"]
)
def test_names_and_types(code: str) -> None:
    assert not is_syntax(code)
