"""What git tells of scripts: names that no bundle has, and by GUIDs which became which."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.bundles.git_program import moved_by_guids, why_not_named
from snippet_engine.changes.between import NotMade, ScriptChange
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError

UNSAID = [
    ("Assets/back\\sl.cs", "backslash"),
    ("Assets/back\\slash/A.cs", "backslash"),
    ("Assets/a\tb.cs", "control characters"),
    ("Assets/a\nb.cs", "control characters"),
    ("Assets/\udcff.cs", "not valid Unicode"),
]
UNMADE = [
    ('Assets/A"b.cs', 'has " in a name'),
    ("Assets/Con.cs", "a device (Con)"),
    ("Assets/x:y.cs", "has : in a name"),
    ("Assets/Old./A.cs", "ends in a dot"),
    (f"Assets/{'a' * 250}.cs", "over 250 bytes"),
]
PLAIN = "Assets/Plain.cs"


def refused(script: ScriptChange) -> NotMade:
    why = why_not_named(script)
    assert why is not None
    return why


@pytest.mark.parametrize(("path", "why"), [*UNSAID, *UNMADE])
def test_a_script_is_neither_made_nor_put_where_a_request_could_not(path: str, why: str) -> None:
    made = refused(ScriptChange(path, None, b"class A { }"))
    assert made.path == path
    assert why in made.reason
    moved = ScriptChange(PLAIN, b"class A { }", b"class A { }", path)
    assert refused(moved) == made


@pytest.mark.parametrize(("path", "why"), UNSAID)
@pytest.mark.parametrize("new", [b"class B { }", None])
def test_what_no_request_says_is_neither_edited_nor_deleted_nor_moved(
    path: str, why: str, new: bytes | None
) -> None:
    told = refused(ScriptChange(path, b"class A { }", new))
    assert told.path == path
    assert why in told.reason
    assert refused(ScriptChange(path, b"class A { }", b"class A { }", PLAIN)) == told


@pytest.mark.parametrize("path", [path for path, _ in UNMADE[:-1]])
def test_a_script_that_is_there_keeps_its_name(path: str) -> None:
    assert why_not_named(ScriptChange(path, b"class A { }", b"class B { }")) is None
    assert why_not_named(ScriptChange(path, b"class A { }", b"class A { }", PLAIN)) is None


@pytest.mark.parametrize("path", [path for path, _ in (*UNSAID[2:], *UNMADE)])
def test_the_engine_makes_none_of_them_either(tmp_path: Path, path: str) -> None:
    (tmp_path / "Assets").mkdir()
    engine = SnippetEngine.open(tmp_path)
    assert isinstance(engine, SnippetEngine)
    change = {"path": path, "create": "class A { }\n"}
    answer = engine.edit_scripts({"mode": "preview", "changes": [change]})
    assert isinstance(answer, SnippetError)
    assert answer.code in (ErrorCode.PATH_NOT_ALLOWED, ErrorCode.INVALID_REQUEST)


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
