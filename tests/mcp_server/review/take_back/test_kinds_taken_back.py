"""Each kind of change is taken back byte for byte: encodings, assets, .meta files, outside ones."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from reviewed_project import ReviewedProject

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import ToolResult
from mcp_server.review.hold.held_calls import HoldSetting
from mcp_server.review.record.event_files import MAX_TEXT_BYTES
from mcp_server.review.record.events import FileTexts
from mcp_server.review.take_back.plans import Conflict, Obstacle
from snippet_engine.source_text import content_hash

A, B, SCENE = "Assets/A.cs", "Assets/B.cs", "Assets/Main.unity"
LINES = "class A\n{\n    int one;\n    int two;\n    // größer ソース\n    int four;\n}\n"


def encoded(codec: str, ending: str, bom: str = "") -> bytes:
    return (bom + LINES.replace("\n", ending)).encode(codec, errors="replace")


ENCODINGS = {
    "LF": encoded("utf-8", "\n"),
    "CRLF": encoded("utf-8", "\r\n"),
    "CR": encoded("utf-8", "\r"),
    "BOM": encoded("utf-8", "\r\n", "\ufeff"),
    "UTF-16-LE": encoded("utf-16-le", "\r\n", "\ufeff"),
    "UTF-16-BE": encoded("utf-16-be", "\n", "\ufeff"),
    "Shift-JIS": encoded("shift-jis", "\r\n"),
    "mixed": encoded("utf-8", "\r\n").replace(b"two;\r\n", b"two;\n"),
    "no end": encoded("utf-8", "\r\n").removesuffix(b"\r\n"),
}


def scripts(tmp_path: Path, **files: bytes) -> ReviewedProject:
    return ReviewedProject(tmp_path, {f"Assets/{name}.cs": data for name, data in files.items()})


@pytest.mark.parametrize("name", ENCODINGS)
def test_an_older_change_of_a_file_in_any_encoding(tmp_path: Path, name: str) -> None:
    data = ENCODINGS[name]
    codec = name.lower() if name.startswith("UTF-16") else "latin-1"

    def changed(text: bytes, old: str, new: str) -> bytes:
        found, wanted = old.encode(codec), new.encode(codec)
        assert text.count(found) == 1
        return text.replace(found, wanted)

    project = scripts(tmp_path, A=data)
    first = changed(data, "int one", "int eins")
    older = project.outside(FileTexts(A, data, first))
    second = changed(first, "int four", "int vier")
    project.outside(FileTexts(A, first, second))
    back = project.taken_back(project.plan(older))
    assert project.files() == {A: changed(data, "int four", "int vier")}
    project.taken_back(project.since(0))
    assert project.files() == {A: data}
    project.taken_back(project.plan(back + 1))
    assert project.files() == {A: changed(data, "int four", "int vier")}


def test_a_script_that_is_no_text_for_csharp_is_named_as_not_judged(tmp_path: Path) -> None:
    data = ENCODINGS["Shift-JIS"]
    project = scripts(tmp_path, A=data)
    number = project.outside(FileTexts(A, data, b"class A { }\n"))
    done = project.do(project.plan(number))
    assert isinstance(done, ToolResult)
    assert any(A in each for each in done.structured["validation"]["notChecked"])
    assert project.files() == {A: data}


def test_a_change_of_the_encoding_alone(tmp_path: Path) -> None:
    project = scripts(tmp_path, A=ENCODINGS["BOM"])
    number = project.outside(FileTexts(A, ENCODINGS["BOM"], ENCODINGS["UTF-16-LE"]))
    later = ENCODINGS["UTF-16-LE"].replace("one".encode("utf-16-le"), "1ne".encode("utf-16-le"))
    last = project.outside(FileTexts(A, ENCODINGS["UTF-16-LE"], later))
    plan = project.plan(number)
    assert [(each.path, each.by) for each in plan.conflicts] == [(A, (last,))]
    project.taken_back(project.plan(last), all_the_same=True)
    project.taken_back(project.plan(number))
    assert project.files() == {A: ENCODINGS["BOM"]}


def file(path: str, now: bytes | None, then: bytes | None, to: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"path": path}
    found |= {} if now is None else {"expectedHash": content_hash(now)}
    found |= {} if then is None else {"content": b64encode(then).decode()}
    return found | ({} if to is None else {"moveTo": to})


def test_a_rename_with_its_file_and_assets(tmp_path: Path) -> None:
    scene, old = b"%YAML 1.1\r\n  speed: 5\r\n", b"class A { int speed; }\n"
    first = {A: old, f"{A}.meta": b"guid: a\n", SCENE: scene}
    project = ReviewedProject(tmp_path, first)
    number = project.put(
        file(A, old, old.replace(b"class A", b"class B"), B),
        file(SCENE, scene, scene.replace(b"speed", b"pace")),
    )
    renamed = project.files()
    assert renamed[f"{B}.meta"] == b"guid: a\n"
    # Later changes of other lines and files stay.
    project.outside(FileTexts(SCENE, renamed[SCENE], renamed[SCENE] + b"  more: 1\r\n"))
    plan = project.plan(number)
    assert not plan.is_possible
    assert {each.path for each in plan.conflicts} == {SCENE}
    project.taken_back(project.plan(project.last()))
    project.taken_back(project.plan(number))
    assert project.files() == first


def test_an_asset_too_large_to_be_kept_comes_back_from_the_history(tmp_path: Path) -> None:
    scene = b"%YAML 1.1\n" + b"  speed: 5\n" * (MAX_TEXT_BYTES // 10)
    project = ReviewedProject(tmp_path, {A: b"class A { }\n", SCENE: scene})
    number = project.put(
        file(A, b"class A { }\n", b"class A2 { }\n"),
        file(SCENE, scene, scene.replace(b"speed", b"pace", 1)),
    )
    plan = project.plan(number)
    assert plan.undo == project.event(number).undo
    assert [each.path for each in plan.files if each.is_unseen] == [SCENE]
    since = project.since(0)
    assert [each.path for each in since.obstacles] == [SCENE]
    assert isinstance(project.do(since), ToolError)
    project.taken_back(plan)
    assert project.files() == {A: b"class A { }\n", SCENE: scene}
    again = project.plan(number)
    assert not again.is_possible


def test_a_change_without_an_event_stays_where_it_does_not_overlap(tmp_path: Path) -> None:
    data = ENCODINGS["CRLF"]
    project = scripts(tmp_path, A=data)
    number = project.edit(A, "int one", "int eins")
    edited = project.files()[A]
    project.save(A, edited.replace(b"four", b"vier"))
    plan = project.plan(number)
    assert plan.kept_outside == (A,)
    project.taken_back(plan)
    assert project.files() == {A: data.replace(b"four", b"vier")}


def test_a_change_without_an_event_that_overlaps_is_told_as_that(tmp_path: Path) -> None:
    project = scripts(tmp_path, A=ENCODINGS["LF"])
    number = project.edit(A, "int one", "int eins")
    project.save(A, project.files()[A].replace(b"eins", b"uno"))
    assert project.plan(number).conflicts == (
        Conflict(A, "these lines have changed since", (), (3, 3)),
    )
    assert project.since(0).conflicts == project.plan(number).conflicts


def test_what_came_later_stands_against_deleting_and_restoring(tmp_path: Path) -> None:
    project = scripts(tmp_path, B=b"class B { }\n")
    created = project.change({"path": A, "create": "class A\n{\n}\n"})
    changed = project.edit(A, "class A", "class A2")
    assert [each.by for each in project.plan(created).conflicts] == [(changed,)]
    deleted = project.change({"path": B, "delete": True})
    again = project.change({"path": B, "create": "class B2\n{\n}\n"})
    assert [each.by for each in project.plan(deleted).conflicts] == [(again,)]
    moved = project.change({"path": A, "moveTo": "Assets/C.cs"})
    assert [each.by for each in project.plan(created).conflicts] == [(moved,)]
    project.taken_back(project.plan(moved))
    gone = project.change({"path": A, "delete": True})
    assert [each.by for each in project.plan(changed).conflicts] == [(gone,)]


def test_a_later_move_is_followed(tmp_path: Path) -> None:
    data = ENCODINGS["LF"]
    project = scripts(tmp_path, A=data)
    edited = project.edit(A, "int one", "int eins")
    moved = project.change({"path": A, "moveTo": B})
    moved_on = project.change({"path": B, "moveTo": "Assets/C.cs"})
    assert [each.by for each in project.plan(moved).conflicts] == [(moved_on,)]
    project.taken_back(project.plan(edited))
    assert project.files() == {"Assets/C.cs": data}


def test_an_undo_is_taken_back_with_the_meta_that_it_removed(tmp_path: Path) -> None:
    project = scripts(tmp_path, B=b"class B { }\n")
    number = project.change({"path": A, "create": "class A\n{\n}\n"})
    project.save(f"{A}.meta", b"guid: a\n")
    created = project.files()
    undone = project.undo(number)
    assert project.files() == {B: b"class B { }\n"}
    project.taken_back(project.plan(undone))
    assert project.files() == created


def test_a_script_written_anew_is_the_old_one_again_with_its_meta(tmp_path: Path) -> None:
    first = {A: b"class A { }\n", f"{A}.meta": b"guid: old\n"}
    project = ReviewedProject(tmp_path, first)
    project.change({"path": A, "delete": True})
    project.change({"path": A, "create": "class A\n{\n    int more;\n}\n"})
    project.save(f"{A}.meta", b"guid: new\n")
    anew = project.files()
    back = project.taken_back(project.since(0))
    assert project.files() == first
    project.taken_back(project.plan(back))
    assert project.files() == anew


def test_a_text_that_nobody_saw_is_an_obstacle_unless_others_tell_it(tmp_path: Path) -> None:
    data = ENCODINGS["LF"]
    project = scripts(tmp_path, A=data)
    other = data.replace(b"one", b"eins")
    unseen = project.outside(FileTexts(A, data, other), known=False)
    assert [each.path for each in project.plan(unseen).obstacles] == [A]
    edited = project.edit(A, "int two", "int zwei")
    assert [each.path for each in project.plan(unseen).obstacles] == [A]
    third = project.outside(FileTexts(A, project.files()[A], data), known=False)
    back = project.plan(third)
    assert back.unseen == (A,)
    project.taken_back(back)
    assert project.files()[A] == other.replace(b"two", b"zwei")
    project.taken_back(project.plan(edited))
    assert project.files()[A] == other


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    project = scripts(tmp_path, A=ENCODINGS["LF"])
    number = project.edit(A, "int one", "int eins")
    assert project.plan(99).obstacles == (Obstacle("", "entry 99 is no longer kept"),)
    assert project.plan(number, {B: [0]}).obstacles == (Obstacle(B, "the event didn't change it"),)
    assert [each.path for each in project.plan(number, {A: [1]}).obstacles] == [A]
    project.taken_back(project.plan(number))
    plan = project.plan(number)
    assert (plan.files, plan.is_possible) == ((), False)
    assert isinstance(project.do(plan), ToolError)


def test_the_person_needs_no_approval_of_his_own(tmp_path: Path) -> None:
    data = ENCODINGS["LF"]
    project = scripts(tmp_path, A=data)
    number = project.edit(A, "int one", "int eins")
    asyncio.run(project.review.held.set(HoldSetting(is_on=True)))
    project.taken_back(project.plan(number))
    assert project.files() == {A: data}


@pytest.mark.parametrize("hunks", [[0], [1], [2], [0, 2], [0, 1, 2]])
def test_hunks_of_a_file_without_an_end(tmp_path: Path, hunks: list[int]) -> None:
    old = "\ufeffa\r\nb\r\nc\r\nd\r\ne\r\nf\r\n".encode()
    new = "\ufeffA\r\nb\r\nC\r\nd\r\ne".encode()
    project = scripts(tmp_path, A=old)
    number = project.outside(FileTexts(A, old, new))
    parts = [["A", "a"], ["C", "c"], [None, "f"]]
    chosen = [parts[each][each_in] for each, each_in in ((n, int(n in hunks)) for n in range(3))]
    lines = [chosen[0], "b", chosen[1], "d", "e", chosen[2]]
    wanted = "\ufeff" + "\r\n".join(each for each in lines if each)
    wanted += "\r\n" if 2 in hunks else ""
    project.taken_back(project.plan(number, {A: hunks}), all_the_same=True)
    assert project.files()[A] == wanted.encode()
