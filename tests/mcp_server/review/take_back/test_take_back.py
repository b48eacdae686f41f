"""Take events back, with the real engine and real files, compared byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from reviewed_project import ReviewedProject

from mcp_server.contract.errors import ToolError
from mcp_server.contract.outcome import ToolResult
from mcp_server.review.asking import CLIENT
from mcp_server.review.record.events import FileTexts, Outcome
from mcp_server.review.take_back.plans import Conflict

A, B, C = "Assets/A.cs", "Assets/B.cs", "Assets/Deep/C.cs"
TEXT_A = b"class A\r\n{\r\n    int one = 1;\r\n    int two = 2;\r\n    int three = 3;\r\n}\r\n"
TEXT_B = '\ufeffclass B\n{\n    string s = "ü";\n}\n'.encode("utf-16-le")
FIRST = {
    A: TEXT_A,
    f"{A}.meta": b"guid: a\n",
    B: TEXT_B,
    f"{B}.meta": b"guid: b\n",
    "Assets/Main.unity": b"%YAML 1.1\r\n  one: 1\r\n",
}


@pytest.fixture
def project(tmp_path: Path) -> ReviewedProject:
    return ReviewedProject(tmp_path, FIRST)


def test_an_edit(project: ReviewedProject) -> None:
    number = project.edit(A, "one = 1", "one = 10")
    edited = project.files()
    plan = project.plan(number)
    (file,) = plan.files
    assert (file.path, file.now, file.then) == (A, edited[A], TEXT_A)
    assert project.files() == edited  # a plan writes nothing
    back = project.taken_back(plan)
    assert project.files() == FIRST
    event = project.event(back)
    assert (event.outcome, event.client, event.tool) == (Outcome.APPLIED, CLIENT, "put_texts")
    assert event.line == f"took back entry {number}"
    # Taking back the taking back.
    project.taken_back(project.plan(back))
    assert project.files() == edited
    # It is in the engine's history, too, and can be undone there.
    third = project.taken_back(project.plan(number))
    assert project.files() == FIRST
    project.undo(third)
    assert project.files() == edited


def test_a_set_with_a_script_that_came_one_that_went_and_one_that_moved(
    project: ReviewedProject,
) -> None:
    number = project.change(
        {"path": A, "delete": True},
        {"path": B, "moveTo": C},
        {"path": "Assets/New/D.cs", "create": "class D\n{\n}\n"},
    )
    project.save("Assets/New/D.cs.meta", b"guid: d\n")  # as Unity does
    project.save("Assets/New.meta", b"guid: n\n")
    changed = project.files()
    assert A not in changed
    assert changed[C] == TEXT_B
    back = project.taken_back(project.plan(number))
    assert project.files() == FIRST
    project.taken_back(project.plan(back))
    without = {name: data for name, data in changed.items() if name != "Assets/New.meta"}
    assert project.files() == without  # Unity makes a folder's .meta


def test_a_script_that_was_deleted_brought_back_and_deleted_again(
    project: ReviewedProject,
) -> None:
    """An undo leaves no entry in the engine's history of the deletion that it undid."""
    project.save(f"{A}.meta", b"guid: a\n")
    first = project.files()
    project.undo(project.change({"path": A, "delete": True}))
    project.change({"path": A, "delete": True})
    assert f"{A}.meta" not in project.files()
    project.taken_back(project.since(0))
    assert project.files() == first


def test_a_hunk(project: ReviewedProject) -> None:
    number = project.change(
        {
            "path": A,
            "instructions": [
                {
                    "operation": "replace",
                    "anchor": {"type": "text", "target": old},
                    "newText": new,
                }
                for old, new in (("one = 1", "one = 10"), ("three = 3", "three = 30"))
            ],
        }
    )
    project.taken_back(project.plan(number, {A: [1]}))
    assert project.files()[A] == TEXT_A.replace(b"one = 1", b"one = 10")
    project.taken_back(project.plan(number, {A: [0]}))
    assert project.files() == FIRST


def test_an_older_edit_keeps_the_later_ones(project: ReviewedProject) -> None:
    older = project.edit(A, "one = 1", "one = 10")
    project.edit(A, "three = 3", "three = 30")
    project.taken_back(project.plan(older))
    assert project.files() == {**FIRST, A: TEXT_A.replace(b"three = 3", b"three = 30")}


def test_what_stands_against_an_older_one(project: ReviewedProject) -> None:
    older = project.edit(A, "one = 1", "one = 10")
    project.edit(A, "three = 3", "three = 30")
    against = project.edit(A, "one = 10", "one = 100")
    plan = project.plan(older)
    assert not plan.is_possible
    assert plan.conflicts == (Conflict(A, "these lines have changed since", (against,), (3, 3)),)
    before = project.files()
    assert isinstance(project.do(plan), ToolError)
    assert project.files() == before


def test_everything_since(project: ReviewedProject) -> None:
    mark = project.edit(A, "one = 1", "one = 10")
    at_mark = project.files()
    project.edit(A, "one = 10", "one = 100")
    project.change({"path": A, "moveTo": C}, {"path": B, "delete": True})
    project.edit(C, "two = 2", "two = 20")
    project.outside(FileTexts(C, project.files()[C], b"class C { }\n"))
    last = project.edit(C, "class C", "class D")
    plan = project.since(mark)
    assert plan.numbers == tuple(range(last, mark, -1))
    back = project.taken_back(plan)
    assert project.files() == at_mark
    project.taken_back(project.since(0))
    assert project.files() == FIRST
    assert project.event(back).line == f"took back 5 entries since entry {mark}"


def test_a_file_that_changes_between_plan_and_write_is_named(project: ReviewedProject) -> None:
    number = project.change(
        {"path": A, "delete": True}, {"path": "Assets/New.cs", "create": "class New { }\n"}
    )
    for path in (A, "Assets/New.cs"):
        plan = project.plan(number)
        kept = project.files()
        project.save(path, b"// somebody else\n")
        refused = project.do(plan)
        assert isinstance(refused, ToolError)
        assert refused.details["code"] == "stale_file"
        assert path in refused.message
        assert project.files() == {**kept, path: b"// somebody else\n"}
        if path in kept:
            project.save(path, kept[path])
        else:
            (project.root / path).unlink()


def test_new_errors_refuse_it_unless_the_person_wants_it_all_the_same(
    project: ReviewedProject,
) -> None:
    broken = b"class A {\n"
    project.outside(FileTexts(A, TEXT_A, broken))
    number = project.outside(FileTexts(A, broken, TEXT_A))
    plan = project.plan(number)
    refused = project.do(plan)
    assert isinstance(refused, ToolError)
    assert refused.details["details"]["diagnostics"][0]["path"] == A
    assert project.files() == FIRST
    done = project.do(plan, all_the_same=True)
    assert isinstance(done, ToolResult)
    assert done.structured["validation"]["validator"] == "none"
    assert project.files() == {**FIRST, A: broken}
