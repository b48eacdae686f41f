"""``undo_snippet`` of line endings and byte order mark alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.tools.undo_tool import MIXED, NOTHING, with_format_of

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("earlier", "data", "restored"),
    [
        (b"a\r\nb\r\n", b"a\nc\r\n", b"a\r\nc\r\n"),
        (b"a\nb\n", b"a\r\nc\r\n", b"a\nc\n"),
        (b"a\rb", b"a\nc\n", b"a\rc\r"),
        (BOM + b"a\n", b"b\n", BOM + b"b\n"),
        (b"a\n", BOM + b"b\n", b"b\n"),
        (b"one line", BOM + b"a\nb\r\n", b"a\nb\n"),
        ("\ufeffa\r\n".encode("utf-16-le"), b"b\n", "\ufeffb\r\n".encode("utf-16-le")),
    ],
)
def test_the_text_stays(earlier: bytes, data: bytes, restored: bytes) -> None:
    assert with_format_of(earlier, data) == restored


@pytest.mark.parametrize(
    ("earlier", "data", "message"), [(b"a\nb\r\n", b"a\nc\n", MIXED), (b"a\r\n", b"b\r\n", NOTHING)]
)
def test_nothing_to_restore(earlier: bytes, data: bytes, message: str) -> None:
    refused = with_format_of(earlier, data)
    assert isinstance(refused, SnippetError)
    assert (refused.code, refused.message) == (ErrorCode.INVALID_REQUEST, message)


@pytest.mark.parametrize("broken", [(b"\xff\xfe\xfd", b"a\n"), (b"a\n", b"\xff\xfe\xfd")])
def test_what_is_no_text(broken: tuple[bytes, bytes]) -> None:
    refused = with_format_of(*broken)
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.UNSUPPORTED_ENCODING


PATH = "Assets/Player.cs"
OLD = b"class Player\r\n{\r\n    int a;\r\n}\r\n"
NEW = OLD.replace(b"int a", b"int b").replace(b"{\r\n", b"{\n")


@pytest.fixture
def engine(tmp_path: Path) -> SnippetEngine:
    (tmp_path / "Assets").mkdir()
    (tmp_path / PATH).write_bytes(OLD)
    opened = SnippetEngine.open(tmp_path)
    assert isinstance(opened, SnippetEngine)
    script = opened._project.locate(PATH)
    assert not isinstance(script, SnippetError)
    assert opened._store.apply(script, OLD, NEW) is None
    return opened


def undo(engine: SnippetEngine, after: bytes, **more: Any) -> dict[str, Any] | SnippetError:
    return engine.undo_snippet({"path": PATH, "hashAfter": content_hash(after), **more})


def test_the_format_alone_is_undone(engine: SnippetEngine, tmp_path: Path) -> None:
    repaired = NEW.replace(b"{\n", b"{\r\n")
    result = undo(engine, NEW, part="format", client_request_id="once")
    assert isinstance(result, dict)
    assert result["hashAfter"] == content_hash(repaired)
    assert (tmp_path / PATH).read_bytes() == repaired
    assert undo(engine, NEW, part="format", client_request_id="once") == {
        **result,
        "replayed": True,
    }
    assert isinstance(undo(engine, repaired), dict)
    assert (tmp_path / PATH).read_bytes() == NEW
    assert isinstance(undo(engine, NEW), dict)
    assert (tmp_path / PATH).read_bytes() == OLD


def test_a_file_that_changed_since_stays(engine: SnippetEngine, tmp_path: Path) -> None:
    (tmp_path / PATH).write_bytes(NEW + b"// more\n")
    refused = undo(engine, NEW, part="format")
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.STALE_FILE
    assert (tmp_path / PATH).read_bytes() == NEW + b"// more\n"


def test_a_change_set_has_no_part(engine: SnippetEngine) -> None:
    refused = engine.undo_snippet({"changeId": "0" * 32, "part": "format"})
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.INVALID_REQUEST
