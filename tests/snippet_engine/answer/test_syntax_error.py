"""What a refusal for the compiler's sake says, at whatever length."""

from __future__ import annotations

import pytest

from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import MAX_MESSAGE_LENGTH
from snippet_engine.single_edit.judging import would_not_compile
from snippet_engine.source_text import Position
from snippet_engine.validation.validator import MOST_DIAGNOSTICS, Diagnostic, Verdict


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


def test_what_many_places_have_in_common_is_said_once_and_all_of_them_are_named() -> None:
    gone = "'Player' does not contain a definition for 'TakeDamage' " + "and nothing else " * 7
    found = [
        Diagnostic(0, Position(line, 3), "CS1061", gone, f"Assets/Scripts/Caller{number}.cs")
        for number in range(7)
        for line in (9, 19)
    ]
    judged = Verdict("roslyn", ("syntax", "semantics"), "9.0", 1, 1.0, tuple(found))
    error = would_not_compile(judged, [None] * len(found))
    text = text_form("edit_snippet", error)
    assert "(and 13 more)" in text
    assert text.count("nothing else and") <= 14
    assert all(f"Caller{number}.cs:10:4, 20:4: " in text for number in range(7))
    assert not text.endswith("…")


def test_of_as_many_as_are_listed_it_says_that_there_may_be_more() -> None:
    error = would_not_compile(verdict("m", "", MOST_DIAGNOSTICS), [None] * MOST_DIAGNOSTICS)
    assert f"(and at least {MOST_DIAGNOSTICS - 1} more)" in error.message


@pytest.mark.parametrize(("folders", "is_said"), [(1, True), (9, False)])
def test_what_to_send_is_said_where_it_has_room(folders: int, is_said: bool) -> None:
    path = f"Assets/{'Folder/' * folders}Shop.cs"
    error = would_not_compile(verdict("m" * 300, path, 3), [None] * 3, " Send all of it together.")
    assert error.message.endswith(" Nothing was written." + " Send all of it together." * is_said)
    assert len(error.message) <= MAX_MESSAGE_LENGTH
