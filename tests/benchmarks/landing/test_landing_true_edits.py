"""True edits are what really changed, hunk by hunk, and are said so that they stand once."""

from __future__ import annotations

from random import Random

import pytest
from landing_fixtures import HUNKS, NEW, OLD, edits, intents

from benchmarks.landing.packages import Change
from benchmarks.landing.phrasing import word
from benchmarks.landing.plain import plain
from benchmarks.landing.true_edits import Splice, applied, hunks_of, true_edits
from benchmarks.landing.wording import Form, squeezed


def test_all_hunks_together_are_the_new_version() -> None:
    assert applied(OLD, hunks_of(OLD, NEW)) == NEW
    assert len(hunks_of(OLD, NEW)) == HUNKS


def test_each_edit_is_one_hunk_and_knows_the_others() -> None:
    found = edits()
    assert len(found) == HUNKS
    for edit in found:
        assert applied(OLD, [edit.hunk, *edit.siblings]) == NEW
        assert len(edit.siblings) == HUNKS - 1


def test_bytes_keep_their_line_endings() -> None:
    (edit, *_) = edits(newline="\r\n")
    assert edit.script.text == OLD
    assert edit.script.to_bytes(OLD) == OLD.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a();\n", "  a( );\n"),  # white space only
        ("a();\n", "if (a) {\n"),  # brackets that something else closes
        ("a();\n", "#if A\na();\n"),
        ("a();\n", "b" * 400 + "();\n"),  # too large even to be weighed apart
    ],
)
def test_an_edit_that_is_none_by_itself_is_left_out(old: str, new: str) -> None:
    change = Change("p", "A.cs", b"x();\n" + old.encode(), b"x();\n" + new.encode())
    assert not list(true_edits([change]))


@pytest.mark.parametrize("data", [b"a\r\nb\n", b"\xff\xfe", b"a\x00b"])
def test_files_of_mixed_line_endings_or_no_utf8_are_left_out(data: bytes) -> None:
    assert not list(true_edits([Change("p", "A.cs", b"a\n" + data, b"c\n" + data)]))


def test_mass_changes_are_kept_three_times() -> None:
    old = "".join(f"a{at};\nsame();\n" for at in range(10))
    found = list(true_edits([Change("p", "A.cs", old.encode(), old.replace("same", "b").encode())]))
    assert len(found) == 3


def test_every_wording_stands_once_and_makes_the_hunk() -> None:
    for intent in intents():
        wording = intent.wording
        assert intent.text[wording.start : wording.end] == wording.quoted
        assert applied(intent.text, [wording.splice]) == intent.right
        if wording.symbol is None:
            assert squeezed(intent.text).count(squeezed(wording.quoted)) == 1


def test_edits_are_said_in_several_ways() -> None:
    said = [intent.wording for intent in intents()]
    assert any(each.symbol for each in said)
    assert any(each.before or each.after for each in said)
    assert any(not each.symbol and not each.before + each.after for each in said)


@pytest.mark.parametrize(
    ("new", "forms"),
    [
        (
            OLD.replace("health = Clamp(health, 10);\n            }", "}").replace(
                "speed - 1, 10);\n                }", "speed - 1, 10);\n            }"
            ),
            {Form.DELETE, Form.REPLACE},
        ),
        (
            OLD.replace("10f;\n\n", "10f;\n        private int lives = 3;\n\n"),
            {Form.INSERT_AFTER, Form.INSERT_LINE_AFTER, Form.REPLACE},
        ),
    ],
)
def test_lines_come_and_go_by_their_own_operations(new: str, forms: set[Form]) -> None:
    (edit,) = edits(OLD, new)
    said = [word(edit, Random(seed)) for seed in range(60)]
    assert {each.form for each in said if each} == forms
    for wording in filter(None, said):
        assert applied(OLD, [wording.splice]) == new
        other = plain(wording, wording, OLD)
        assert OLD.count(other.old) == 1
        assert OLD.replace(other.old, other.new) == new


def test_lines_by_number_are_those_that_change() -> None:
    for intent in intents():
        other = plain(intent.wording, intent.seen, intent.text)
        lines = intent.text.split("\n")
        assert tuple(lines[other.line : other.line + len(other.lines)]) == other.lines
        lines[other.line : other.line + len(other.lines)] = other.becomes
        assert "\n".join(lines) == intent.right


def test_a_splice_is_trimmed_to_what_changes() -> None:
    assert Splice(0, 5, "a-ba ").trimmed("a+ba ") == Splice(1, 2, "-")
