"""Entries of the history that are damaged: listed, told by name, and never passed over."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from answered import refusal, success

from snippet_engine.answer.text_form import text_form
from snippet_engine.changes.from_history import last_changes
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.storage.paths.project import Project

CONTRACT = Path(__file__).parents[3] / "contracts/tools/get_history.output.json"
A, B = "Assets/A.cs", "Assets/B.cs"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "Assets").mkdir()
    for path in (A, B):
        (tmp_path / path).write_text("class C { int speed = 1; }\n", newline="")
    return tmp_path


@pytest.fixture
def engine(root: Path) -> SnippetEngine:
    return success(SnippetEngine.open(root))


def refused(answer: dict[str, Any] | SnippetError) -> SnippetError:
    assert isinstance(answer, SnippetError), answer
    assert len(answer.message) <= 200
    return answer


def edit(path: str, old: int, new: int) -> dict[str, Any]:
    instruction = {
        "operation": "replace",
        "anchor": {"type": "text", "target": f"speed = {old};"},
        "newText": f"speed = {new};",
    }
    return {"path": path, "instructions": [instruction]}


def single(engine: SnippetEngine, path: str, old: int, new: int) -> str:
    """Edit one script; its hash then."""
    return str(success(engine.edit_snippet({**edit(path, old, new), "mode": "apply"}))["hashAfter"])


def several(engine: SnippetEngine, *changes: dict[str, Any]) -> str:
    """Apply a change set; its id."""
    return str(
        success(engine.edit_scripts({"mode": "apply", "changes": list(changes)}))["changeId"]
    )


def listed(engine: SnippetEngine, **params: Any) -> list[dict[str, Any]]:
    result = success(engine.get_history(params))
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    changes: list[dict[str, Any]] = result["changes"]
    return changes


def header(data: bytes) -> bytes:
    return data.replace(b'"', b"\x02", 1)


def image(data: bytes) -> bytes:
    at = data.rindex(b"int speed")
    return data[:at] + b"I" + data[at + 1 :]


Damage = Callable[[bytes], bytes]


def newest(root: Path) -> Path:
    return max((root / "Library/SnippetEngine/history").iterdir())


def time(told: bytes) -> Damage:
    """The header with another time, and sealed anew: as of somebody who forges it."""

    def forged(data: bytes) -> bytes:
        line = re.sub(rb'"time": ?[^,]+', b'"time":' + told, data.partition(b"\n")[0])
        rest = data.partition(b"\n")[2]
        seal = hashlib.sha256(line).hexdigest().encode()
        return line + b"\n" + rest[: -len(seal) - 1] + seal + rest[-1:]

    return forged


def damage(root: Path, how: Damage) -> str:
    """Damage the newest entry; its name."""
    entry = newest(root)
    entry.write_bytes(how(entry.read_bytes()))
    return entry.name


@pytest.mark.parametrize("told", [b"1e400", b"-1", b"NaN", b"1e12", b"253402300800"])
def test_a_time_that_no_calendar_has(engine: SnippetEngine, root: Path, told: bytes) -> None:
    several(engine, edit(A, 1, 2), edit(B, 1, 4))
    damage(root, time(told))
    (only,) = listed(engine)
    assert only["damaged"].startswith("the entry is damaged: ")


def test_the_last_time_that_a_calendar_has(engine: SnippetEngine, root: Path) -> None:
    several(engine, edit(A, 1, 2), edit(B, 1, 4))
    damage(root, time(b"253402300799"))
    (only,) = listed(engine)
    assert (only["time"], only["undoable"]) == ("9999-12-31T23:59:59Z", True)


@pytest.mark.parametrize("how", [header, image])
def test_a_change_set(engine: SnippetEngine, root: Path, how: Damage) -> None:
    before = single(engine, A, 1, 2)
    change_id = several(engine, edit(A, 2, 3), edit(B, 1, 4))
    name = damage(root, how)
    last, first = listed(engine)
    place = f"Library/SnippetEngine/history/*-{change_id}.set"
    assert last["damaged"] == f"the entry is damaged: {place}"
    assert [path.name for path in root.glob(place)] == [name]
    assert (last["undoable"], last["undo"]) == (False, {"changeId": change_id})
    assert [each["path"] for each in last["files"]] == ([] if how is header else [A, B])
    assert "damaged" not in first
    text = text_form("get_history", success(engine.get_history({})))
    assert place in text
    error = refused(engine.undo_snippet({"changeId": change_id}))
    assert place in error.message
    # What it did to a script isn't said to be somebody else's work.
    error = refused(engine.undo_snippet({"path": A, "hashAfter": before}))
    assert error.code is ErrorCode.STALE_FILE
    if how is header:
        assert place in error.message


@pytest.mark.parametrize("how", [header, image])
def test_a_write_of_one_file(engine: SnippetEngine, root: Path, how: Damage) -> None:
    hash_after = single(engine, A, 1, 2)
    damage(root, how)
    (entry,) = listed(engine)
    assert entry["undoable"] is False
    place = entry["damaged"].rpartition(" ")[2]
    assert [path.parent.name for path in root.glob(place)] == ["history"]
    told = {"hashAfter": hash_after} if how is header else {"path": A, "hashAfter": hash_after}
    assert entry["undo"] == told
    assert len(listed(engine, path=A)) == 1
    assert listed(engine, path=B) == []
    assert place in refused(engine.undo_snippet({"path": A, "hashAfter": hash_after})).message


@pytest.mark.parametrize("how", [header, image])
def test_no_undo_sends_to_one_that_is_refused(
    engine: SnippetEngine, root: Path, how: Damage
) -> None:
    """Whatever is asked for, what is named instead is not the damaged one."""
    first = single(engine, A, 1, 2)
    change_id = several(engine, edit(A, 2, 3), edit(B, 1, 3))
    place = f"Library/SnippetEngine/history/*-{damage(root, how)[-20:]}"
    now = success(engine.get_symbols({"path": A}))["hash"]
    for params in ({"path": A, "hashAfter": now}, {"path": A, "hashAfter": first}):
        error = refused(engine.undo_snippet(params))
        assert place in error.message
        assert change_id not in str([offer.arguments for offer in error.offers])
        assert "changeId" not in error.details
        assert not error.details.get("undoInOrder")
    # Nor is it a step on the way back to an older one.
    newer = several(engine, edit(A, 3, 4), edit(B, 3, 4))
    error = refused(engine.undo_snippet({"path": A, "hashAfter": first}))
    assert change_id not in json.dumps(error.to_json()).replace(place, "")
    success(engine.undo_snippet({"changeId": newer}))


def test_a_damaged_write_is_no_step_either(engine: SnippetEngine, root: Path) -> None:
    change_id = several(engine, edit(A, 1, 2), edit(B, 1, 2))
    hash_after = single(engine, A, 2, 3)
    place = f"Library/SnippetEngine/history/*-{damage(root, image)[-16:]}"
    error = refused(engine.undo_snippet({"changeId": change_id}))
    assert place in error.message
    assert "undoInOrder" not in error.details
    error = refused(engine.undo_snippet({"path": A, "hashAfter": hash_after}))
    assert place in error.message
    error = refused(engine.undo_snippet({"path": A, "hashAfter": "sha256:" + "0" * 64}))
    assert place in error.message


def test_a_damaged_set_may_be_of_any_file(engine: SnippetEngine, root: Path) -> None:
    several(engine, edit(A, 1, 2))
    damage(root, header)
    assert len(listed(engine, path=B)) == 1
    # That makes no path known which nobody has ever heard of.
    assert refused(engine.get_history({"path": "Assets/No.cs"})).code is ErrorCode.FILE_NOT_FOUND


def test_an_older_way_to_the_same_text_is_not_taken(engine: SnippetEngine, root: Path) -> None:
    two = single(engine, A, 1, 2)
    several(engine, edit(A, 2, 3))
    several(engine, edit(A, 3, 2))
    name = damage(root, header)
    text = (root / A).read_text()
    error = refused(engine.undo_snippet({"path": A, "hashAfter": two}))
    assert "a later change is damaged" in error.message
    assert (root / A).read_text() == text
    # Deleted, as the message says, it is passed over.
    (entry,) = root.glob(error.message.split("delete ")[1].split(". ")[0])
    assert entry.name == name
    entry.unlink()
    success(engine.undo_snippet({"path": A, "hashAfter": two}))


def test_a_set_is_undone_whatever_came_later(engine: SnippetEngine, root: Path) -> None:
    change_id = several(engine, edit(A, 1, 2))
    several(engine, edit(B, 1, 2))
    damage(root, header)
    success(engine.undo_snippet({"changeId": change_id}))


def test_a_set_under_a_damaged_one(engine: SnippetEngine, root: Path) -> None:
    change_id = several(engine, edit(A, 1, 2), edit(B, 1, 2))
    several(engine, edit(A, 2, 3))
    damage(root, header)
    error = refused(engine.undo_snippet({"changeId": change_id}))
    assert "or the damaged Library/SnippetEngine/history/*-" in error.message


def test_a_bundle_ends_before_it(engine: SnippetEngine, root: Path) -> None:
    several(engine, edit(A, 1, 2))
    damage(root, image)
    project = success(Project.open(root))
    told = refusal(last_changes(project, 3))
    assert told.message.startswith("The newest change is damaged.")
    several(engine, edit(B, 1, 2))
    told = refusal(last_changes(project, 3))
    assert told.message.endswith("Take 1 at most.")
    assert not isinstance(last_changes(project, 1), SnippetError)


def test_what_is_unfinished_is_listed(engine: SnippetEngine, root: Path, tmp_path: Path) -> None:
    (root / "Assets/New").mkdir()
    (root / "Assets/New/C.cs").write_bytes((root / A).read_bytes())
    change_id = several(engine, edit(A, 1, 2), edit("Assets/New/C.cs", 1, 2))
    entry = newest(root)
    data = entry.read_bytes()
    record = root / f"Library/SnippetEngine/pending/{'0' * 32}-{change_id}.set"
    record.write_bytes(data[:-1] + b" ")  # as if its writer had died before it could mark it
    entry.unlink()
    (root / "Assets/New").rename(tmp_path / "away")
    result = success(engine.get_history({}))
    jsonschema.validate(result, json.loads(CONTRACT.read_bytes()))
    (waiting,) = result["unfinished"]
    assert (waiting["changeId"], waiting["folders"]) == (change_id, ["Assets/New"])
    assert waiting["files"] == ["Assets/New/C.cs"]
    assert waiting["record"] == record.relative_to(root).as_posix()
    assert result["changes"] == []
    assert text_form("get_history", result).startswith(f"Unfinished: Change {change_id} was cut")
    assert "unfinished" in success(engine.get_history({"path": "Assets/New/C.cs"}))
    assert "unfinished" not in success(engine.get_history({"path": B}))
    (tmp_path / "away").rename(root / "Assets/New")
    (pending,) = success(engine.get_history({}))["unfinished"]
    assert "The next apply or undo completes it" in pending["message"]
    engine.recover(again=True)
    result = success(engine.get_history({}))
    assert "unfinished" not in result
    assert result["changes"][0]["undo"] == {"changeId": change_id}
    # Damaged, it may be about any file.
    record.write_bytes(header(data))
    assert "unfinished" in success(engine.get_history({"path": B}))
