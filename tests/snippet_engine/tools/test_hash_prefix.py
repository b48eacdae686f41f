"""Hashes of which a request gives the first digits: docs/design/engine.md §5."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.tools.hash_prefix import is_whole, whole_hash

PATH = "Assets/A.cs"
TEXT = b"class A\n{\n    int speed = 10;\n}\n"
FIRST = "sha256:" + "ab12" * 16
SECOND = "sha256:" + "ab12" * 4 + "cd34" * 12


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "Assets").mkdir()
    (tmp_path / PATH).write_bytes(TEXT)
    return tmp_path


@pytest.fixture
def engine(root: Path) -> SnippetEngine:
    opened = SnippetEngine.open(root)
    assert isinstance(opened, SnippetEngine)
    return opened


def edit(digit: str, **more: Any) -> dict[str, Any]:
    anchor = {"type": "text", "target": "speed = ", "position": "after"}
    instruction = {"operation": "insert", "anchor": anchor, "newText": digit}
    return {"path": PATH, "mode": "apply", "instructions": [instruction], **more}


def ok(answer: dict[str, Any] | SnippetError) -> dict[str, Any]:
    assert not isinstance(answer, SnippetError), answer
    return answer


def refused(answer: dict[str, Any] | SnippetError, code: ErrorCode) -> SnippetError:
    assert isinstance(answer, SnippetError), answer
    assert answer.code is code
    return answer


def test_digits_of_one_version_stand_for_it() -> None:
    assert is_whole(FIRST)
    assert whole_hash(PATH, "expectedHash", "ab12" * 4 + "cd", [FIRST, SECOND]) == SECOND
    assert whole_hash(PATH, "expectedHash", FIRST.removeprefix("sha256:"), []) == FIRST
    assert whole_hash(PATH, "expectedHash", "0" * 8, [FIRST]) == "sha256:" + "0" * 8


def test_digits_of_two_versions_are_refused() -> None:
    found = whole_hash(PATH, "hashAfter", "ab12ab12", [FIRST, SECOND, FIRST])
    assert isinstance(found, SnippetError)
    assert found.code is ErrorCode.INVALID_REQUEST
    assert found.message.startswith(f"2 versions of {PATH} have a hash that begins with")
    assert found.details["versions"] == [FIRST, SECOND]


def upper_case(given: str) -> str:
    """As PowerShell's ``Get-FileHash`` prints it."""
    return given.upper().replace("SHA256:", "sha256:")


@pytest.mark.parametrize("written", [str.lower, upper_case])
def test_an_edit_expects_and_an_undo_names_a_version_by_its_digits(
    engine: SnippetEngine, root: Path, written: Callable[[str], str]
) -> None:
    before = written(content_hash(TEXT)[7:15])
    done = ok(engine.edit_snippet(edit("1", expectedHash=before)))
    stale = refused(engine.edit_snippet(edit("2", expectedHash=before)), ErrorCode.STALE_FILE)
    assert stale.details["currentHash"] == done["hashAfter"]
    wrong = {"path": PATH, "hashAfter": "0123456789"}
    refused(engine.undo_snippet(wrong), ErrorCode.STALE_FILE)
    ok(engine.undo_snippet({"path": PATH, "hashAfter": written(done["hashAfter"][7:15])}))
    assert (root / PATH).read_bytes() == TEXT
    change = {"path": PATH, "delete": True, "expectedHash": written(content_hash(TEXT))}
    deleted = ok(engine.edit_scripts({"mode": "apply", "changes": [change]}))
    ok(engine.undo_snippet({"changeId": written(deleted["changeId"])}))
    assert (root / PATH).read_bytes() == TEXT


def test_a_deletion_expects_a_version_by_its_digits(engine: SnippetEngine, root: Path) -> None:
    change = {"path": PATH, "delete": True, "expectedHash": "0123456789"}
    request = {"mode": "apply", "changes": [change]}
    refused(engine.edit_scripts(request), ErrorCode.STALE_FILE)
    change["expectedHash"] = content_hash(TEXT)[7:20]
    ok(engine.edit_scripts(request))
    assert not (root / PATH).exists()


def test_a_call_that_is_sent_again_is_answered_as_before(engine: SnippetEngine) -> None:
    request = edit("1", expectedHash=content_hash(TEXT)[7:15], client_request_id="once")
    done = ok(engine.edit_snippet(request))
    assert ok(engine.edit_snippet(request)) == {**done, "replayed": True}
