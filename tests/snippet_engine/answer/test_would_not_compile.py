"""What a refusal for the compiler's sake says, at whatever length."""

from __future__ import annotations

import pytest

from snippet_engine.errors import MAX_MESSAGE_LENGTH
from snippet_engine.judging import would_not_compile
from snippet_engine.source_text import Position
from snippet_engine.validation.validator import Diagnostic, Verdict


def verdict(message: str, path: str, count: int) -> Verdict:
    each = Diagnostic(0, Position(6, 2), "CS0535", message, path)
    return Verdict("roslyn", ("syntax", "semantics"), "9.0", 1, 1.0, (each,) * count)


@pytest.mark.parametrize("length", [5, 60, 120, 400])
@pytest.mark.parametrize("path", ["", "Assets/Game/Shop.cs", f"Assets/{'F' * 60}/Shop.cs"])
@pytest.mark.parametrize("count", [1, 120])
def test_that_nothing_was_written_is_never_cut_off(length: int, path: str, count: int) -> None:
    error = would_not_compile(verdict("m" * length + ".", path, count), [None] * count)
    message = error.to_json()["message"]
    assert len(message) <= MAX_MESSAGE_LENGTH
    assert message.endswith(". Nothing was written.")
    assert message.startswith(path or "The edited file")
    assert "line 7: CS0535 mmmmm" in message
    assert error.details["diagnostics"][0]["message"] == "m" * length + "."
