"""Scripts that no bundle has because of their names: docs/design/command-line.md ``bundle``."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.bundles.git_program import why_not_named
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
