from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.answer import unified_diff as module
from snippet_engine.answer.unified_diff import MAX_DIFF_LENGTH, lines_of, unified_diff
from snippet_engine.edits import EditSet, TextEdit

NO_FINAL_BREAK = "\\ No newline at end of file"


def patched(before: str, diff: str) -> str:
    """``before`` with ``diff`` applied, every context and removed line checked."""
    old = before.removesuffix("\n").split("\n")
    result: list[str] = []
    done = 0
    no_break_in_new = False
    lines = diff.split("\n")
    index = 0
    while index < len(lines):
        header = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", lines[index])
        assert header, lines[index]
        start, removed, new_start, added = map(int, header.groups())
        start = start - 1 if removed else start
        result += old[done:start]
        assert len(result) == (new_start - 1 if added else new_start)
        done = start
        index += 1
        while index < len(lines) and not lines[index].startswith("@@"):
            mark, text = lines[index][:1], lines[index][1:]
            if lines[index] == NO_FINAL_BREAK:
                if lines[index - 1][:1] in " +":
                    no_break_in_new = True
            elif mark == "+":
                result.append(text)
            else:
                assert old[done] == text
                done += 1
                if mark == " ":
                    result.append(text)
            index += 1
    rest = old[done:]
    if rest:
        no_break_in_new = not before.endswith("\n")
    return "\n".join(result + rest) + ("" if no_break_in_new else "\n")


@given(
    st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=14),
    st.sampled_from(["", "\n"]),
    st.data(),
)
def test_the_diff_makes_the_new_text(lines: list[str], final: str, data: st.DataObject) -> None:
    view = "\n".join(lines) + final
    drawn = data.draw(
        st.lists(
            st.tuples(
                st.integers(0, len(view)),
                st.integers(0, 4),
                st.sampled_from(["", "x", "\n", "x\ny", "y\n"]),
            ),
            min_size=1,
            max_size=3,
        )
    )
    edits = EditSet.of(TextEdit(a, min(a + n, len(view)), text) for a, n, text in drawn)
    if not isinstance(edits, EditSet):
        return
    after = edits.apply(view)
    diff = unified_diff(view, after, edits).shown()
    if view == after:
        assert diff == ""
    elif view and after:
        assert patched(view, diff) == after


def test_three_lines_of_context_stand_around_a_change() -> None:
    view = "".join(f"{n}\n" for n in range(1, 21))
    start = view.index("10\n")
    edits = EditSet.of([TextEdit(start, start + 2, "ten")])
    assert isinstance(edits, EditSet)
    assert unified_diff(view, edits.apply(view), edits).shown() == (
        "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13"
    )


def test_changes_far_apart_have_hunks_of_their_own() -> None:
    view = "".join(f"{n}\n" for n in range(1, 31))
    edits = EditSet.of([TextEdit(0, 1, "one"), TextEdit(len(view) - 3, len(view) - 1, "last")])
    assert isinstance(edits, EditSet)
    assert unified_diff(view, edits.apply(view), edits).shown().count("@@ -") == 2


def test_a_long_diff_is_cut_and_says_how_much() -> None:
    view = "".join(f"{'x' * 200}{n}\n" for n in range(60))
    edits = EditSet.of([TextEdit(n * 2000, n * 2000, "y") for n in range(6)])
    assert isinstance(edits, EditSet)
    diff = unified_diff(view, edits.apply(view), edits).shown()
    assert len(diff) <= MAX_DIFF_LENGTH
    assert re.search(r"\n… \(\d+ more lines cut\)$", diff)


def test_an_edit_that_spans_much_for_little_shows_little() -> None:
    view = "}\n" * 3000 + "a\n" + "}\n" * 3000
    edits = EditSet.of([TextEdit(0, len(view), view.replace("a", "b"))])
    assert isinstance(edits, EditSet)
    assert unified_diff(view, edits.apply(view), edits).shown() == (
        "@@ -2998,7 +2998,7 @@\n }\n }\n }\n-a\n+b\n }\n }\n }"
    )


@pytest.mark.parametrize("limit", [160, 400, 3_999, MAX_DIFF_LENGTH])
@pytest.mark.parametrize("size", [3, 50, 130, 131, 132, 133, 134, 135, 136, 5_000])
def test_a_long_diff_tells_how_many_lines_were_cut(size: int, limit: int) -> None:
    after = "".join(f"line {number:05} and more of it\n" for number in range(size))
    diff = unified_diff("", after, EditSet((TextEdit(0, 0, after),)))
    text = diff.shown(limit)
    assert len(text) <= limit
    *lines, last = text.split("\n")
    cut = re.fullmatch(r"… \((\d+) more lines cut\)", last)
    whole = [f"@@ -0,0 +1,{size} @@", *(f"+{line}" for line in after.splitlines())]
    if cut is None:
        assert [*lines, last] == whole
    else:
        assert lines == whole[: len(lines)]
        assert len(lines) + int(cut[1]) == len(whole)
        assert len("\n".join(whole)) > limit


def test_only_the_lines_around_the_edits_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview of a long script would else take most of its time for that."""
    before = "int line;\n" * 10_000
    edits = EditSet((TextEdit(50, 53, "a"), TextEdit(50_000, 50_003, "b")))
    read: list[str] = []

    def noted(view: str) -> list[str]:
        read.append(view)
        return lines_of(view)

    monkeypatch.setattr(module, "lines_of", noted)
    diff = unified_diff(before, edits.apply(before), edits).shown()
    assert patched(before, diff) == edits.apply(before)
    assert max(map(len, read)) <= 7 * len("int line;\n")
