"""Notes to agents: whose they are, given once, bounded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mcp_server.review.hold.notes import (
    MAX_ABOUT,
    MAX_AGE_S,
    MAX_IN_ANSWER,
    MAX_KEPT,
    MAX_SESSIONS,
    MAX_TEXT,
    MAX_WAITING,
    QUIET_S,
    KnownSessions,
    Note,
    Notes,
    Reader,
    in_words,
)

NOTE = Note(0, "Keep the old name.", 100.0, 12, "the edit of A.cs", "s1", "codex-mcp-client")
NOW_S = 200.0


def with_notes(*notes: Note) -> Notes:
    all_notes = Notes()
    for each in notes:
        written = all_notes.written(each)
        assert written is not None
        all_notes = written
    return all_notes


@pytest.mark.parametrize(
    ("note", "reader", "gets"),
    [
        ({}, Reader("s1", "codex-mcp-client"), True),
        ({}, Reader("s1", None), True),
        ({}, Reader("s2", "codex-mcp-client"), False),
        ({}, Reader("s2", "codex-mcp-client", may_follow="s1".__eq__), True),
        ({}, Reader("127.0.0.1:9", "codex-mcp-client", has_session=False), True),
        ({}, Reader("s2", "other", may_follow="s1".__eq__), False),
        ({}, Reader("s2", None, may_follow="s1".__eq__), False),
        ({"session": None}, Reader("s2", "codex-mcp-client"), True),
        ({"session": None}, Reader("s2", "codex"), True),
        ({"session": None, "client": "codex"}, Reader("s2", "codex-mcp-client"), True),
        ({"session": None, "client": "claude-code"}, Reader("s2", "Claude-Code"), True),
        ({"session": None, "client": None}, Reader("s2", "codex"), False),
        ({"session": None, "client": None}, Reader("s2", None), False),
    ],
)
def test_whose_a_note_is(note: dict[str, Any], reader: Reader, gets: bool) -> None:
    notes = with_notes(replace(NOTE, **note))
    assert bool(notes.for_reader(reader, NOW_S)) is gets


def test_a_note_is_given_once() -> None:
    notes, reader = with_notes(NOTE), Reader("s1", None)
    found = notes.for_reader(reader, NOW_S)
    after = notes.given(found, "edit_snippet", NOW_S)
    assert after.for_reader(reader, NOW_S) == []
    (kept,) = after.about(12)
    assert (kept.given_s, kept.given_with) == (NOW_S, "edit_snippet")


def test_an_answer_has_few_and_the_next_has_the_others() -> None:
    notes, reader = with_notes(*[NOTE] * (MAX_IN_ANSWER + 2)), Reader("s1", None)
    first = notes.for_reader(reader, NOW_S)
    assert [each.number for each in first] == [1, 2, 3]
    second = notes.given(first, "", NOW_S).for_reader(reader, NOW_S)
    assert [each.number for each in second] == [4, 5]


def test_an_old_note_is_not_given_any_more() -> None:
    notes = with_notes(NOTE)
    assert notes.waiting(NOTE.written_s + MAX_AGE_S - 1)
    assert not notes.for_reader(Reader("s1", None), NOTE.written_s + MAX_AGE_S)


def test_text_is_bounded() -> None:
    notes = with_notes(replace(NOTE, text="\x1b x" * MAX_TEXT, about="a\nb " * MAX_ABOUT))
    (note,) = notes.kept
    assert len(note.text) == MAX_TEXT
    assert note.text[0] == "x"
    assert len(note.about) <= MAX_ABOUT
    assert "\n" not in note.about


def test_the_number_of_notes_is_bounded() -> None:
    notes = with_notes(*[NOTE] * MAX_WAITING)
    assert notes.written(NOTE) is None
    for _ in range(MAX_KEPT):
        written = notes.given(notes.kept[-1:], "x", NOW_S).written(NOTE)
        assert written is not None
        notes = written
    assert len(notes.kept) == MAX_KEPT
    assert len(notes.waiting(NOW_S)) == MAX_WAITING
    assert notes.kept[0].number == 1, "what waits is not dropped"


def test_they_are_stored_and_read_again() -> None:
    notes = with_notes(NOTE, replace(NOTE, file="Assets/A.cs", line=3))
    stored = json.loads(json.dumps(notes.to_json()))
    assert Notes.from_json(stored) == notes


@pytest.mark.parametrize(
    "stored",
    [{}, {"kept": [{}], "last_number": 1}, {"kept": [[]], "last_number": 1}, {"kept": []}],
)
def test_what_is_no_list_of_notes(stored: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Notes.from_json(stored)


def test_in_words() -> None:
    note = replace(NOTE, file="Assets/A.cs", line=3, text="Keep\n  it.")
    assert in_words([note.to_answer(), NOTE.to_answer()]) == [
        "note from the user, about the edit of A.cs, Assets/A.cs:3: Keep it.",
        "note from the user, about the edit of A.cs: Keep the old name.",
    ]


def test_an_agent_that_is_there_has_no_follower() -> None:
    heard = KnownSessions()
    heard.record_call("old", 100.0)
    heard.record_call("new", 110.0)
    assert not heard.may_follow("new", "old", 110.0)
    assert heard.may_follow("new", "old", 100.0 + QUIET_S)
    heard.record_call("old", 111.0)
    assert not heard.may_follow("new", "old", 10_000.0), "they were there at a time"
    assert not heard.may_follow("old", "new", 10_000.0)


def test_a_session_of_an_earlier_server_may_be_anybodys() -> None:
    heard = KnownSessions()
    heard.record_call("new", 100.0)
    assert heard.may_follow("new", "old", 100.0)


def test_they_are_bounded() -> None:
    heard = KnownSessions()
    for number in range(MAX_SESSIONS + 1):
        heard.record_call(str(number), float(number))
    assert heard.may_follow("5", "0", 1.0), "it is forgotten"
    assert not heard.may_follow("5", "1", 1.0)
