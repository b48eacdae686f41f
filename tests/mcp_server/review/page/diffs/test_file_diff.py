"""Diffs for people: what they show is what the files hold, whatever is in them."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.review.page.diffs import file_diff as diffs
from mcp_server.review.page.diffs.file_diff import (
    ALL_LINES,
    FileDiff,
    KeptDiffs,
    Row,
    file_diff,
)
from mcp_server.review.page.diffs.marked_text import MAX_COLUMNS
from snippet_engine.source_text import content_hash

BEFORE = b"""using UnityEngine;

public class Player : MonoBehaviour
{
    int speed = 10;

    void Update()
    {
        if (speed > 10) // too fast
        {
            speed = 0;
        }
    }
}
"""


def rows(diff: FileDiff) -> list[Row]:
    return [row for hunk in diff.hunks for row in hunk.rows]


def plain(row: Row) -> str:
    return html.unescape(re.sub(r"</?(?:span|mark)[^>]*>", "", row.html))


def shown(diff: FileDiff) -> list[str]:
    return [row.sign + plain(row) for row in rows(diff)]


MAX_ROWS = 60


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a diff shows at most."""
    monkeypatch.setattr(diffs, "MAX_ROWS", MAX_ROWS)


def test_changed_lines_stand_between_unchanged_ones() -> None:
    diff = file_diff(BEFORE, BEFORE.replace(b"speed = 0", b"speed = 1"), is_csharp=True)
    assert (diff.added, diff.removed, diff.note) == (1, 1, "")
    assert shown(diff) == [
        "     {",
        "         if (speed > 10) // too fast",
        "         {",
        "-            speed = 0;",
        "+            speed = 1;",
        "         }",
        "     }",
        " }",
    ]
    (hunk,) = diff.hunks
    assert hunk.skipped == 7
    assert [(each.old, each.new) for each in hunk.rows[3:5]] == [(11, None), (None, 11)]
    assert hunk.pairs[3] == (hunk.rows[3], hunk.rows[4])


def test_words_are_marked_and_code_is_coloured() -> None:
    diff = file_diff(BEFORE, BEFORE.replace(b"speed > 10", b"speed > 20"), is_csharp=True)
    removed, added = (row.html for row in rows(diff) if row.sign != " ")
    assert '<span class="keyword">if</span> (speed &gt; <mark>' in removed
    assert '<mark><span class="number">20</span></mark>' in added
    assert '<span class="comment">// too fast</span>' in added
    assert "class=" not in "".join(
        row.html for row in rows(file_diff(BEFORE, b"int x;\n", is_csharp=False))
    )


def test_replaced_lines_are_not_marked_word_by_word() -> None:
    diff = file_diff(b"int a = 1;\n", b"string text() { }\n", is_csharp=False)
    assert not any("<mark>" in row.html for row in rows(diff))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, None, ""),
        (BEFORE, BEFORE, "Nothing changed"),
        (BEFORE, BEFORE.replace(b"\n", b"\r\n"), "Only line endings"),
        (BEFORE, b"\xef\xbb\xbf" + BEFORE, "Only line endings or the encoding"),
        (BEFORE, BEFORE + b"\xff", "The text after can't be shown"),
        (BEFORE, BEFORE[:-1], "no longer ends with a line break"),
        (BEFORE[:-1], BEFORE, "now ends with a line break"),
    ],
)
def test_what_no_row_shows_is_said(before: bytes | None, after: bytes | None, words: str) -> None:
    assert words in file_diff(before, after, is_csharp=True).note


def test_a_new_and_a_deleted_file() -> None:
    made = file_diff(None, BEFORE, is_csharp=True)
    gone = file_diff(BEFORE, None, is_csharp=True)
    assert {row.sign for row in rows(made)} == {"+"}
    assert {row.sign for row in rows(gone)} == {"-"}
    assert made.added == gone.removed == BEFORE.count(b"\n")


def test_a_very_large_difference_is_cut_and_says_so(few_rows: None) -> None:
    many = b"".join(b"line %d;\n" % each for each in range(MAX_ROWS * 2))
    diff = file_diff(b"", many, is_csharp=True)
    assert len(rows(diff)) <= MAX_ROWS
    assert len(rows(diff)) + diff.left_out == diff.added == MAX_ROWS * 2
    every_second = re.sub(rb"line (\d*[02468]);", rb"LINE \1;", many)
    diff = file_diff(many, every_second, is_csharp=True)
    assert len(rows(diff)) <= MAX_ROWS
    shown_changes = sum(row.sign != " " for row in rows(diff))
    assert shown_changes + diff.left_out == diff.added + diff.removed


def test_a_long_file_is_not_shown_whole(few_rows: None) -> None:
    many = b"".join(b"line %d;\n" % each for each in range(MAX_ROWS * 2))
    diff = file_diff(many, many + b"one more;\n", is_csharp=True, context=ALL_LINES)
    assert len(rows(diff)) < 10
    assert "too long to be shown whole" in diff.note


def test_a_very_long_line_is_cut_and_says_so() -> None:
    diff = file_diff(b"", b"x" * (MAX_COLUMNS + 7), is_csharp=True)
    assert "7 more characters" in rows(diff)[0].html


def test_nothing_in_a_file_becomes_an_element() -> None:
    hostile = "\"<script>alert(1)</script>\" & '<img src=x onerror=alert(1)>' // </td>\x1b[31m\n"
    diff = file_diff(BEFORE, BEFORE + hostile.encode(), is_csharp=True)
    text = "".join(row.html for row in rows(diff))
    assert set(re.findall(r"<(/?\w+)", text)) <= {"span", "/span", "mark", "/mark"}
    assert "\x1b" not in text


lines = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0\ufeff"), max_size=12)
    | st.sampled_from(["int a = 1;", "}", "", "// <b>", 'var s = "é";']),
    max_size=12,
)


@given(lines, lines)
def test_the_rows_are_both_texts(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in each) for each in (old, new))
    diff = file_diff(before.encode(), after.encode(), is_csharp=True, context=ALL_LINES)
    if before == after:
        return
    controls = {code: 0x2400 + code for code in range(32) if code != 9} | {127: 0x2421}
    told = {
        sign: [plain(row) for row in rows(diff) if row.sign in (" ", sign)] for sign in ("-", "+")
    }
    assert told["-"] == [line.translate(controls) for line in old]
    assert told["+"] == [line.translate(controls) for line in new]
    pairs = [pair for hunk in diff.hunks for pair in hunk.pairs]
    left, right = ([each for each in side if each is not None] for side in zip(*pairs, strict=True))
    assert [plain(row) for row in left] == told["-"]
    assert [plain(row) for row in right] == told["+"]


@given(lines, lines, st.integers(0, 4))
def test_changes_are_numbered_through(old: list[str], new: list[str], context: int) -> None:
    before, after = ("\n".join(each) for each in (old, new))
    diff = file_diff(before.encode(), after.encode(), is_csharp=False, context=context)
    numbers = [number for hunk in diff.hunks for number in hunk.changes]
    assert numbers == list(range(len(numbers)))
    for hunk in diff.hunks:
        changed = [row.sign != " " for row in hunk.rows]
        runs = sum(now and not then for now, then in zip(changed, [False, *changed], strict=False))
        assert runs == len(hunk.changes)


class TestKept:
    def test_a_diff_is_made_once(self) -> None:
        texts = {content_hash(each): each for each in (BEFORE, BEFORE + b"\n")}
        asked: list[str] = []

        def text_of(key: str) -> bytes | None:
            asked.append(key)
            return texts.get(key)

        kept = KeptDiffs(text_of)
        old, new = texts
        assert kept.diff("a.cs", old, new) is kept.diff("b.cs", old, new)
        assert asked == [old, new]

    def test_a_text_that_has_gone_is_said(self) -> None:
        assert "text before is not kept" in KeptDiffs(lambda _: None).diff("a.cs", "x", None).note
