"""Which script became which, by GUIDs: docs/design/command-line.md ``bundle``."""

from __future__ import annotations

from mcp_server.bundles.git_program import moved_by_guids
from snippet_engine.changes.between import ScriptChange

A, B, C = (f"Assets/{name}.cs" for name in "ABC")


def guids(**by_name: str) -> dict[str, str | None]:
    return {f"Assets/{name}.cs.meta": guid for name, guid in by_name.items()}


def test_a_guid_that_another_script_has_afterwards_is_that_script() -> None:
    told = moved_by_guids(
        [ScriptChange(A, b"a", None), ScriptChange(B, None, b"b")], guids(A="1"), guids(B="1")
    )
    assert told == [ScriptChange(A, b"a", b"b", B)]


def test_where_one_side_has_no_guid_it_is_as_git_says() -> None:
    moved = [ScriptChange(A, b"a", b"a", B)]
    assert moved_by_guids(moved, {}, {}) == moved
    assert moved_by_guids(moved, guids(A="1"), {}) == moved
    assert moved_by_guids(moved, {}, guids(B="2")) == moved


def test_where_the_guids_differ_nothing_moved() -> None:
    told = moved_by_guids([ScriptChange(A, b"a", b"a", B)], guids(A="1"), guids(B="2"))
    assert told == [ScriptChange(A, b"a", None), ScriptChange(B, None, b"a")]


def test_a_script_that_is_given_another_guid_is_still_edited() -> None:
    edited = [ScriptChange(A, b"a", b"b")]
    assert moved_by_guids(edited, guids(A="1"), guids(A="2")) == edited


def test_scripts_that_swapped_their_guids_swapped_places() -> None:
    edited = [ScriptChange(A, b"a", b"b"), ScriptChange(B, b"b", b"a")]
    told = moved_by_guids(edited, guids(A="1", B="2"), guids(A="2", B="1"))
    assert told == [ScriptChange(B, b"b", b"b", A), ScriptChange(A, b"a", b"a", B)]


def test_a_copy_with_the_same_guid_takes_nothing_from_the_script() -> None:
    changes = [ScriptChange(C, None, b"a"), ScriptChange(A, b"a", b"b")]
    assert moved_by_guids(changes, guids(A="1"), guids(A="1", C="1")) == changes


def test_a_script_whose_place_another_one_takes_goes() -> None:
    changes = [ScriptChange(A, b"a", None), ScriptChange(B, b"b", b"a")]
    told = moved_by_guids(changes, guids(A="1", B="2"), guids(B="1"))
    assert told == [ScriptChange(B, b"b", None), ScriptChange(A, b"a", b"a", B)]
