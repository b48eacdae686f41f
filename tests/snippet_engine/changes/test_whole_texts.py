"""``put_texts`` writes exactly what it is given over exactly what it expects, or nothing."""

from __future__ import annotations

import os
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from answered import refusal, success
from bound_by_rights import needs_rights

from snippet_engine.call_context import asking_for_unsaved
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash

A, B, SCENE = "Assets/A.cs", "Assets/B.cs", "Assets/Main.unity"
FIRST = {
    A: b"class A { }\r\n",
    f"{A}.meta": b"guid: a\n",
    B: b"class B { }\n",
    SCENE: b"%YAML 1.1\n",
}
NEW = b"class New { }\n"


class Scripts:
    """A project and its engine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for path, data in FIRST.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        engine = success(SnippetEngine.open(root))
        self.engine = engine

    def files(self) -> dict[str, bytes]:
        found = sorted((self.root / "Assets").rglob("*"))
        return {
            each.relative_to(self.root).as_posix(): each.read_bytes()
            for each in found
            if each.is_file()
        }

    def put(self, *files: dict[str, Any], mode: str = "apply", **more: Any) -> Any:
        return self.engine.put_texts({"mode": mode, "files": list(files), **more})

    def refused(self, *files: dict[str, Any], mode: str = "apply", **more: Any) -> SnippetError:
        """The refusal, which has changed nothing."""
        before = self.files()
        found = refusal(self.put(*files, mode=mode, **more))
        assert self.files() == before
        return found


def file(
    path: str, now: bytes | None, then: bytes | None, to: str | None = None, **more: Any
) -> dict[str, Any]:
    found: dict[str, Any] = {"path": path, **more}
    found |= {} if now is None else {"expectedHash": content_hash(now)}
    found |= {} if then is None else {"content": b64encode(then).decode()}
    return found | ({} if to is None else {"moveTo": to})


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    return Scripts(tmp_path)


def test_a_set_of_all_kinds(scripts: Scripts) -> None:
    files = (
        file(A, FIRST[A], NEW, "Assets/Deep/A.cs"),
        file(B, FIRST[B], None),
        file("Assets/C.cs", None, b"\xef\xbb\xbfclass C { }\r\n"),
        file(SCENE, FIRST[SCENE], b"%YAML 1.1\nmore: 1\n"),
    )
    preview = scripts.put(*files, mode="preview")
    assert (preview["status"], preview["applied"]) == ("previewed", False)
    assert scripts.files() == FIRST
    done = scripts.put(*files, about="why")
    assert [each["status"] for each in done["files"]] == ["moved", "deleted", "created", "edited"]
    assert (done["status"], done["about"]) == ("applied", "why")
    assert scripts.files() == {
        "Assets/Deep/A.cs": NEW,
        "Assets/Deep/A.cs.meta": FIRST[f"{A}.meta"],
        "Assets/C.cs": b"\xef\xbb\xbfclass C { }\r\n",
        SCENE: b"%YAML 1.1\nmore: 1\n",
    }
    success(scripts.engine.undo_snippet({"changeId": done["changeId"]}))
    assert scripts.files() == FIRST


def test_what_the_editor_would_overwrite_is_not_written_and_not_undone(scripts: Scripts) -> None:
    scene = file(SCENE, FIRST[SCENE], b"%YAML 1.1\nmore: 1\n")
    script = file(B, FIRST[B], NEW)
    with asking_for_unsaved(lambda: [SCENE]):
        refused = scripts.refused(scene, script)
        assert refused.code is ErrorCode.BUSY
        assert (refused.retryable, refused.details["unsaved"]) == (False, [SCENE])
        assert SCENE in refused.message
        assert scripts.put(script)["status"] == "applied"
    done = scripts.put(scene)
    undo = {"changeId": done["changeId"]}
    with asking_for_unsaved(lambda: [SCENE]):
        before = scripts.files()
        kept = refusal(scripts.engine.undo_snippet(undo))
        assert (kept.code, kept.details["unsaved"]) == (ErrorCode.BUSY, [SCENE])
        assert scripts.files() == before
    with asking_for_unsaved(lambda: None):
        undone = success(scripts.engine.undo_snippet(undo))
    assert [each["code"] for each in undone["warnings"]] == ["unsaved_unknown"]
    assert (scripts.root / SCENE).read_bytes() == FIRST[SCENE]


def test_nobody_is_asked_about_scripts(scripts: Scripts) -> None:
    def ask() -> list[str]:
        raise AssertionError

    with asking_for_unsaved(ask):
        done = scripts.put(file(B, FIRST[B], NEW))
        success(scripts.engine.undo_snippet({"changeId": done["changeId"]}))


@pytest.mark.parametrize(
    "stale",
    [
        file(A, b"another", NEW),
        file(A, b"another", None),
        file(A, b"another", NEW, "Assets/C.cs"),
        file(A, None, NEW),
        file("Assets/None.cs", NEW, NEW),
        file(A, FIRST[A], NEW, B),
        file(SCENE, b"another", NEW),
        file("Assets/None.asset", NEW, NEW),
    ],
)
def test_what_is_not_as_expected_is_named(scripts: Scripts, stale: dict[str, Any]) -> None:
    refused = scripts.refused(file(B, FIRST[B], NEW), stale)
    assert refused.code is ErrorCode.STALE_FILE or stale.get("moveTo") == B
    assert (stale["path"] if stale.get("moveTo") != B else B) in refused.message


def test_new_errors_refuse_it_unless_nothing_is_judged(scripts: Scripts) -> None:
    broken = file(A, FIRST[A], b"class A { \n")
    refused = scripts.refused(file(SCENE, FIRST[SCENE], b"more"), broken)
    assert refused.details["diagnostics"][0]["path"] == A
    done = scripts.put(broken, validation="none")
    assert done["validation"]["validator"] == "none"
    assert done["validation"]["notChecked"]
    # An error that was there before is no new one.
    assert scripts.put(file(A, b"class A { \n", b"class A2 { \n"))["status"] == "applied"


def test_what_is_no_csharp_text_is_put_and_named(scripts: Scripts) -> None:
    done = scripts.put(file(A, FIRST[A], b"\xff\xfe\xfd"))
    assert any(A in each for each in done["validation"]["notChecked"])
    assert scripts.files()[A] == b"\xff\xfe\xfd"
    assert scripts.put(file(A, b"\xff\xfe\xfd", FIRST[A]))["status"] == "applied"


def test_nothing_to_change_is_no_change(scripts: Scripts) -> None:
    done = scripts.put(file(A, FIRST[A], FIRST[A]))
    assert (done["status"], done["applied"]) == ("unchanged", False)
    history = success(scripts.engine.get_history({}))
    assert history["changes"] == []


@pytest.mark.parametrize(
    "bad",
    [
        file("../A.cs", None, NEW),
        file("Library/A.cs", None, NEW),
        file("Assets/New.asset", None, NEW),
        file("/etc/passwd", NEW, NEW),
        {**file(A, FIRST[A], NEW), "content": "not Base64!"},
        {"path": A, "other": 1},
    ],
)
def test_what_can_not_be_written(scripts: Scripts, bad: dict[str, Any]) -> None:
    scripts.refused(file(B, FIRST[B], NEW), bad)


def test_a_file_is_named_once(scripts: Scripts) -> None:
    refused = scripts.refused(file(A, FIRST[A], None), file(B, FIRST[B], NEW, A))
    assert A in refused.message


@needs_rights
def test_read_only(scripts: Scripts) -> None:
    (scripts.root / A).chmod(0o444)
    assert scripts.refused(file(A, FIRST[A], NEW)).code is ErrorCode.READ_ONLY


def test_a_link_out_of_the_project(scripts: Scripts, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "X.cs").write_bytes(NEW)
    os.symlink(outside, scripts.root / "Assets/Link")  # noqa: PTH211
    scripts.refused(file("Assets/Link/X.cs", NEW, b"gone"))
    scripts.refused(file("Assets/Link/Y.cs", None, NEW))
    assert {each.name for each in outside.iterdir()} == {"X.cs"}


def test_a_script_that_was_there_before_its_record_leaves_no_folder(scripts: Scripts) -> None:
    """Only a folder that a recorded change made for a script goes with it."""
    (scripts.root / "Assets/Own").mkdir()
    (scripts.root / "Assets/Own/X.cs").write_bytes(NEW)
    assert scripts.put(file("Assets/Own/X.cs", NEW, None))["status"] == "applied"
    assert (scripts.root / "Assets/Own").is_dir()
    made = scripts.put(file("Assets/Made/Deep/X.cs", None, NEW))
    assert made["status"] == "applied"
    assert scripts.put(file("Assets/Made/Deep/X.cs", NEW, None))["status"] == "applied"
    assert not (scripts.root / "Assets/Made").exists()


def test_a_meta_that_was_there_before_its_script_stays(scripts: Scripts) -> None:
    (scripts.root / "Assets/C.cs.meta").write_bytes(b"guid: c\n")
    assert scripts.put(file("Assets/C.cs", None, NEW))["status"] == "applied"
    assert scripts.put(file("Assets/C.cs", NEW, None))["status"] == "applied"
    assert scripts.files()["Assets/C.cs.meta"] == b"guid: c\n"


def test_a_meta_of_a_file_that_comes_back(scripts: Scripts) -> None:
    assert scripts.put(file(A, FIRST[A], None))["status"] == "applied"
    assert f"{A}.meta" not in scripts.files()
    # With another text than that with which it went.
    assert scripts.put(file(A, None, NEW, removedHash=content_hash(FIRST[A])))["applied"]
    assert scripts.files()[f"{A}.meta"] == b"guid: a\n"
    # The history knows nothing of this one, but the caller does.
    (scripts.root / B).unlink()
    meta = b64encode(b"guid: b\n").decode()
    asked = file(B, None, FIRST[B], removedHash=content_hash(FIRST[B]), meta=meta)
    assert scripts.put(asked)["applied"]
    assert scripts.files()[f"{B}.meta"] == b"guid: b\n"


def test_a_meta_that_is_there_stays(scripts: Scripts) -> None:
    assert scripts.put(file(A, FIRST[A], None))["applied"]
    (scripts.root / f"{A}.meta").write_bytes(b"guid: new\n")
    assert scripts.put(file(A, None, NEW, removedHash=content_hash(FIRST[A])))["applied"]
    assert scripts.files()[f"{A}.meta"] == b"guid: new\n"
