"""``get_history``, and ``undo_snippet`` of whole change sets: docs/design/engine.md §5 "Undo"."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from this_system import needs_posix

from snippet_engine import call_context
from snippet_engine.answer.text_form import MAX_HISTORY_LENGTH, text_form
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.records.undo_order import MAX_STEPS
from snippet_engine.storage.system import folder

CONTRACTS = Path(__file__).parents[3] / "contracts/tools"
A, B = "Assets/A.cs", "Assets/B.cs"
TEXT = b"class A\n{\n    int speed = 10;\n}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "Assets").mkdir()
    for path in (A, B):
        (tmp_path / path).write_bytes(TEXT.replace(b"A", path[7:8].encode()))
    return tmp_path


@pytest.fixture
def engine(root: Path) -> SnippetEngine:
    opened = SnippetEngine.open(root)
    assert isinstance(opened, SnippetEngine)
    return opened


def edit(path: str, speed: int, **more: Any) -> dict[str, Any]:
    anchor = {"type": "text", "target": "speed = ", "position": "after"}
    return {
        "path": path,
        "instructions": [{"operation": "insert", "anchor": anchor, "newText": str(speed)}],
        **more,
    }


def change(*changes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"mode": "apply", "changes": list(changes), **more}


def ok(answer: dict[str, Any] | SnippetError) -> dict[str, Any]:
    assert not isinstance(answer, SnippetError), answer
    return answer


def listed(engine: SnippetEngine, **params: Any) -> list[dict[str, Any]]:
    """The history, held against the contract."""
    result = ok(engine.get_history(params))
    jsonschema.validate(result, json.loads((CONTRACTS / "get_history.output.json").read_bytes()))
    found: list[dict[str, Any]] = result["changes"]
    return found


def applied(request: dict[str, Any]) -> dict[str, Any]:
    return {**request, "mode": "apply"}


def undone(engine: SnippetEngine, params: dict[str, Any]) -> dict[str, Any]:
    result = ok(engine.undo_snippet(params))
    jsonschema.validate(result, json.loads((CONTRACTS / "undo_snippet.output.json").read_bytes()))
    return result


def test_nothing_is_listed_where_nothing_was_done(engine: SnippetEngine, root: Path) -> None:
    assert listed(engine) == []
    assert sorted(path.name for path in root.iterdir()) == ["Assets"]


def test_single_edits_and_sets_newest_first(engine: SnippetEngine) -> None:
    with call_context.as_client("some agent"):
        first = ok(engine.edit_snippet({**edit(A, 1), "mode": "apply"}))
    both = ok(
        engine.edit_scripts(change(edit(A, 2), edit(B, 3), {"path": "Assets/C.cs", "create": ""}))
    )
    newest, oldest = listed(engine)
    assert newest["undo"] == {"changeId": both["changeId"]}
    assert "client" not in newest
    assert [(each["path"], each["status"]) for each in newest["files"]] == [
        (A, "edited"),
        (B, "edited"),
        ("Assets/C.cs", "created"),
    ]
    assert newest["files"][0]["firstLine"] == "-    int speed = 110;\n+    int speed = 2110;"
    assert "hashBefore" not in newest["files"][2]
    assert oldest["client"] == "some agent"
    assert oldest["undo"] == {"path": A, "hashAfter": first["hashAfter"]}
    assert oldest["time"] <= newest["time"]
    assert [newest["undoable"], oldest["undoable"]] == [True, False]
    shown = text_form("get_history", ok(engine.get_history({})))
    assert shown.startswith(
        '2 changes, newest first; "not now": one of its files was changed since'
    )
    assert "by some agent" in shown
    assert f'undo: {{"changeId": "{both["changeId"]}"}}' in shown


def test_a_listing_reads_once(engine: SnippetEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts, their .meta aside, and entries: of a set that can be undone, and of one write."""
    made = {"path": "Assets/C.cs", "create": "class C { }\n"}
    ok(engine.edit_scripts(change(edit(A, 2), {"path": B, "moveTo": "Assets/D.cs"}, made)))
    ok(engine.edit_snippet(applied(edit(A, 5))))
    read: list[str] = []
    really = folder.Folder.read

    def noted(self: folder.Folder, name: str, limit: int) -> tuple[bytes, os.stat_result]:
        read.append(name)
        return really(self, name, limit)

    monkeypatch.setattr(folder.Folder, "read", noted)
    write, change_set = listed(engine)
    assert (write["undoable"], change_set["undoable"]) == (True, False)
    assert sorted(name for name in read if name.endswith(".cs")) == ["A.cs"]
    assert len([name for name in read if not name.endswith(".cs")]) == 2
    undone(engine, write["undo"])
    read.clear()
    (change_set,) = listed(engine)
    assert change_set["undoable"]
    assert sorted(name for name in read if name.endswith(".cs")) == ["A.cs", "C.cs", "D.cs"]
    assert len([name for name in read if name.endswith(".set")]) == 1


def test_each_entry_can_be_undone_from_the_newest_on(engine: SnippetEngine, root: Path) -> None:
    before = {path: (root / path).read_bytes() for path in (A, B)}
    ok(engine.edit_snippet({**edit(A, 1), "mode": "apply"}))
    ok(engine.edit_scripts(change(edit(A, 2), edit(B, 3))))
    ok(engine.edit_snippet({**edit(B, 4), "mode": "apply"}))
    ok(engine.edit_scripts(change({"path": A, "moveTo": "Assets/Deep/A.cs"}, edit(B, 5))))
    while entries := listed(engine):
        assert entries[0]["undoable"]
        undone(engine, entries[0]["undo"])
    assert {path: (root / path).read_bytes() for path in (A, B)} == before
    assert not (root / "Assets/Deep").exists()


@pytest.mark.parametrize("oldest", ["write", "set"])
def test_a_refused_undo_tells_the_order(engine: SnippetEngine, root: Path, oldest: str) -> None:
    before = {path: (root / path).read_bytes() for path in (A, B)}
    if oldest == "write":
        wanted = {"path": A, "hashAfter": ok(engine.edit_snippet(applied(edit(A, 1))))["hashAfter"]}
    else:
        set_of_one = ok(engine.edit_scripts(change(edit(A, 1))))
        wanted = {"changeId": set_of_one["changeId"]}
    ok(engine.edit_scripts(change(edit(A, 2), edit(B, 3))))
    ok(engine.edit_snippet(applied(edit(B, 4))))  # of a file of the set that comes between
    ok(engine.edit_snippet(applied(edit(A, 5))))
    error = engine.undo_snippet(wanted)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.STALE_FILE
    steps = error.details["undoInOrder"]
    assert len(steps) == 4
    assert steps[-1] == wanted
    text = text_form("undo_snippet", error)
    places = [text.index(json.dumps(step)) for step in steps]
    assert places == sorted(places)
    for step in steps:
        undone(engine, step)
    assert {path: (root / path).read_bytes() for path in (A, B)} == before


def test_no_order_is_told_over_what_something_else_wrote(engine: SnippetEngine, root: Path) -> None:
    first = ok(engine.edit_snippet(applied(edit(A, 1))))
    ok(engine.edit_scripts(change(edit(A, 2), edit(B, 3))))
    (root / A).write_bytes((root / A).read_bytes() + b"\n// by hand\n")
    error = engine.undo_snippet({"path": A, "hashAfter": first["hashAfter"]})
    assert isinstance(error, SnippetError)
    assert "undoInOrder" not in error.details
    assert "something else than an apply changed it since" in error.message


def test_what_was_put_back_by_hand_leads_on(engine: SnippetEngine, root: Path) -> None:
    first = ok(engine.edit_snippet(applied(edit(A, 1))))
    once = (root / A).read_bytes()
    second = ok(engine.edit_snippet(applied(edit(A, 2))))
    (root / A).write_bytes(once)
    error = engine.undo_snippet({"path": A, "hashAfter": second["hashAfter"]})
    assert isinstance(error, SnippetError)
    assert error.message.endswith("The change that led to its present text can be undone:")
    assert error.details["undoable"] == [first["hashAfter"]]
    undone(engine, {"path": A, "hashAfter": first["hashAfter"]})
    assert (root / A).read_bytes() == TEXT


@pytest.mark.parametrize("asked", ["the text before", "the text it has"])
def test_no_undo_is_offered_in_vain(engine: SnippetEngine, root: Path, asked: str) -> None:
    made = {"path": "Assets/New.cs", "create": "class New { }\n"}
    changed = ok(engine.edit_scripts(change(edit(A, 1), made)))
    of_set = (root / A).read_bytes()
    later = ok(engine.edit_snippet(applied(edit(A, 2))))["hashAfter"]
    (root / A).write_bytes(of_set)
    wanted = later if asked == "the text before" else content_hash(of_set)
    offered = engine.undo_snippet({"path": A, "hashAfter": wanted})
    assert isinstance(offered, SnippetError)
    assert [each.arguments for each in offered.offers] == [{"changeId": changed["changeId"]}]
    (root / "Assets/New.cs").unlink()
    refused = engine.undo_snippet({"path": A, "hashAfter": wanted})
    assert isinstance(refused, SnippetError)
    assert refused.code is ErrorCode.STALE_FILE
    assert refused.offers == ()
    assert f"Change {changed['changeId']} led to this text. Deleted since" in refused.message
    assert [each["path"] for each in refused.details["changed"]] == ["Assets/New.cs"]


def test_a_set_that_waits_for_others_tells_the_order(engine: SnippetEngine, root: Path) -> None:
    changed = ok(engine.edit_scripts(change(edit(A, 1), edit(B, 2))))
    hash_a = content_hash((root / A).read_bytes())
    later = ok(engine.edit_snippet(applied(edit(B, 3))))["hashAfter"]
    error = engine.undo_snippet({"path": A, "hashAfter": hash_a})
    assert isinstance(error, SnippetError)
    steps = error.details["undoInOrder"]
    assert steps == [{"path": B, "hashAfter": later}, {"changeId": changed["changeId"]}]
    for step in steps:
        undone(engine, step)
    assert (root / A).read_bytes() == TEXT


def test_a_long_order_is_told_with_its_end(engine: SnippetEngine) -> None:
    first = ok(engine.edit_scripts(change(edit(A, 1))))
    for speed in range(2, MAX_STEPS + 3):
        ok(engine.edit_snippet(applied(edit(A, speed))))
    error = engine.undo_snippet({"changeId": first["changeId"]})
    assert isinstance(error, SnippetError)
    assert len(error.details["undoInOrder"]) == MAX_STEPS
    assert error.details["undoInOrder"][-1] == {"changeId": first["changeId"]}
    assert "(2 more, listed by get_history, before the last)" in error.message
    assert len(error.message) <= 200


def test_the_text_has_whole_entries_and_says_how_many_more(engine: SnippetEngine) -> None:
    ok(engine.edit_snippet(applied(edit(A, 1))))
    (entry,) = listed(engine)
    shown = text_form("get_history", {"changes": [entry] * 40})
    assert len(shown) <= MAX_HISTORY_LENGTH
    *entries, last = shown.splitlines()[1:]
    assert len(entries) % 3 == 0
    assert all(line.startswith("  edited Assets/A.cs: -") for line in entries[1::3])
    assert all(line.startswith("    +") for line in entries[2::3])
    assert all(line.endswith("}") for line in entries[::3])
    more = 40 - len(entries) // 3
    assert last == f"… {more} more changes don't fit here: send path to list those of one file"


def test_of_one_path_and_so_many(engine: SnippetEngine) -> None:
    for speed in range(3):
        ok(engine.edit_snippet({**edit(A, speed), "mode": "apply"}))
    ok(engine.edit_scripts(change({"path": B, "moveTo": "Assets/Deep/B.cs"}, edit(A, 3))))
    ok(engine.edit_snippet({**edit("Assets/Deep/B.cs", 4), "mode": "apply"}))
    assert len(listed(engine, path=A)) == 4
    # What has moved away is found where it was and where it is.
    assert len(listed(engine, path=B)) == 1
    assert len(listed(engine, path="Assets/Deep/B.cs")) == 2
    never = engine.get_history({"path": "Assets/Never.cs"})
    assert isinstance(never, SnippetError)
    assert (never.code, never.details["nearest"]) == (ErrorCode.FILE_NOT_FOUND, [])
    result = ok(engine.get_history({"limit": 2}))
    assert (len(result["changes"]), result["truncated"]) == (2, True)
    assert "truncated" not in ok(engine.get_history({"limit": 5}))
    assert "There are more" in text_form("get_history", result)


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"path": "../x.cs"}, "path_not_allowed"),
        ({"limit": 0}, "$.limit"),
        ({"limit": 101}, "$.limit"),
        ({"what": 1}, "$.what"),
    ],
)
def test_what_get_history_refuses(
    engine: SnippetEngine, params: dict[str, Any], problem: str
) -> None:
    error = engine.get_history(params)
    assert isinstance(error, SnippetError)
    assert problem in f"{error.code} {error.message}"


def test_a_file_name_alone_suggests_the_script(engine: SnippetEngine, root: Path) -> None:
    ok(engine.edit_snippet(applied(edit(A, 1))))
    for gone in (False, True):
        if gone:
            (root / A).unlink()
        error = engine.get_history({"path": "A.cs"})
        assert isinstance(error, SnippetError)
        assert (error.code, error.details) == (ErrorCode.PATH_NOT_ALLOWED, {"suggestion": A})
        assert error.message == f"A.cs is not below Assets/ or Packages/. Send {A} instead."
    never = engine.get_history({"path": "Never.cs"})
    assert isinstance(never, SnippetError)
    assert never.details == {}


def test_a_file_of_a_set_is_not_undone_alone(engine: SnippetEngine, root: Path) -> None:
    result = ok(engine.edit_scripts(change(edit(A, 2), edit(B, 3))))
    before = (root / A).read_bytes()
    error = engine.undo_snippet({"path": A, "hashAfter": result["files"][0]["hashAfter"]})
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.INVALID_REQUEST
    assert (root / A).read_bytes() == before
    (offer,) = error.offers
    assert offer.arguments == {"changeId": result["changeId"]}
    assert result["changeId"] in text_form("undo_snippet", error)
    assert ok(engine.undo_snippet(offer.arguments))["status"] == "undone"
    assert (root / A).read_bytes() == TEXT
    assert (root / B).read_bytes() == TEXT.replace(b"A", b"B")


def test_the_answer_names_what_became_of_each_file(engine: SnippetEngine) -> None:
    result = ok(
        engine.edit_scripts(
            change(
                {"path": A, "moveTo": "Assets/Deep/A.cs"},
                {"path": "Assets/C.cs", "create": "class C { }\n"},
                {"path": B, "delete": True, "expectedHash": content_hash(TEXT.replace(b"A", b"B"))},
            )
        )
    )
    answer = undone(engine, {"changeId": result["changeId"]})
    assert [(each["path"], each["status"]) for each in answer["files"]] == [
        ("Assets/Deep/A.cs", "moved"),
        ("Assets/C.cs", "deleted"),
        (B, "created"),
    ]
    assert answer["files"][0]["movedTo"] == A
    shown = text_form("undo_snippet", answer)
    assert shown.startswith(f"undone change {result['changeId']}")
    assert "created Assets/B.cs" in shown


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"path": A},
        {"changeId": "0123456789abcdef", "path": A},
        {"changeId": "0123456789abcdef", "hashAfter": "sha256:" + "0" * 64},
        {"changeId": "../../etc"},
    ],
)
def test_what_undo_refuses(engine: SnippetEngine, params: dict[str, Any]) -> None:
    error = engine.undo_snippet(params)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.INVALID_REQUEST


def test_a_repeated_undo_of_a_set_is_answered_again(engine: SnippetEngine, root: Path) -> None:
    result = ok(engine.edit_scripts(change(edit(A, 2), edit(B, 3))))
    request = {"changeId": result["changeId"], "client_request_id": "once"}
    first = ok(engine.undo_snippet(request))
    again = ok(engine.undo_snippet(request))
    assert again == {**first, "replayed": True}
    assert (root / A).read_bytes() == TEXT


def test_what_the_next_engine_finds_of_a_dead_one_is_told(root: Path) -> None:
    engine = SnippetEngine.open(root)
    assert isinstance(engine, SnippetEngine)
    result = ok(engine.edit_scripts(change(edit(A, 2), edit(B, 3))))
    state = root / "Library/SnippetEngine"
    (entry,) = (state / "history").iterdir()
    # As if its writer had died right after the last name was changed.
    data = bytearray(entry.read_bytes())
    data[-1:] = b" "
    (state / "pending" / f"{'0' * 32}-{result['changeId']}.set").write_bytes(data)
    entry.unlink()
    fresh = SnippetEngine.open(root)
    assert isinstance(fresh, SnippetEngine)
    assert fresh.recover() == [f"change {result['changeId']} was completed"]
    assert ok(fresh.undo_snippet({"changeId": result["changeId"]}))["status"] == "undone"


@needs_posix  # Windows exchanges no names
@pytest.mark.parametrize("tool", ["edit_scripts", "undo_snippet"])
def test_what_could_be_ended_neither_way_is_asked_about_by_the_next_request(
    engine: SnippetEngine, root: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    """The disk goes in the middle of the names and comes back: one line was added, not two."""
    request = change(edit(A, 2), edit(B, 3))
    if tool == "undo_snippet":
        request = {"changeId": ok(engine.edit_scripts(request))["changeId"]}
    request["client_request_id"] = "once"
    exchange, calls = folder.exchange_names, 0

    def gone_after_one(*names: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return exchange(*names)

    with monkeypatch.context() as patch:
        patch.setattr(folder, "exchange_names", gone_after_one)
        error = getattr(engine, tool)(request)
    assert isinstance(error, SnippetError)
    assert error.is_unfinished
    answer = ok(getattr(engine, tool)(request))
    # Told once: the second call has ended nothing of before.
    assert [each["code"] for each in answer.pop("warnings")] == ["completed_first"]
    again = ok(getattr(engine, tool)(request))
    assert not again.pop("warnings", [])
    assert again == {**answer, "replayed": True}
    speed = b"speed = 10;" if tool == "undo_snippet" else b"speed = 210;"
    assert speed in (root / A).read_bytes()
