"""An anchor that fitted another place before an edit since is told, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from answered import success
from unity_project import SCRIPT as PATH
from unity_project import UnityProject, insert, replace

from snippet_engine.csharp import analysis
from snippet_engine.fixes.history import track_position as followed

SCRIPT = """\
class Player
{
    void Walk()
    {
        speed = limit;
        Apply(speed);
    }

    void Run()
    {
        pace = limit;
        Apply(pace);
    }
}
"""
RENAMED = [
    replace("speed = limit;", "speedNow = limit;"),
    replace("pace = limit;", "speed = limit;"),
]


def warnings_of(result: dict[str, Any]) -> list[tuple[int, int]]:
    found = [each for each in result["warnings"] if each["code"] == "fits_elsewhere"]
    return [(each["index"], each["line"]) for each in found]


def test_a_place_that_was_elsewhere_before_an_own_edit_is_told(project: UnityProject) -> None:
    project.write(SCRIPT)
    project.done(*RENAMED)
    stale = replace("speed = limit;", "speed = 2 * limit;")
    for mode in ("preview", "apply"):
        result = project.done(stale, mode=mode)
        assert warnings_of(result) == [(0, 11)]
        (warning,) = (each for each in result["warnings"] if each["code"] == "fits_elsewhere")
        assert "now line 5" in warning["message"]


def test_it_is_told_where_no_version_between_had_one_place(project: UnityProject) -> None:
    project.write(SCRIPT)
    project.done(replace("pace = limit;", "speed = limit;"))
    project.done(replace("speed = limit;", "speedNow = limit;", after="\n        Apply(speed)"))
    assert warnings_of(project.done(replace("speed = limit;", "speed = 0;"))) == [(0, 11)]


def test_what_was_read_since_is_meant(project: UnityProject) -> None:
    project.write(SCRIPT)
    project.done(*RENAMED)
    project.done(insert("Apply(pace);", "\n        Stop();"))
    assert not warnings_of(project.done(replace("speed = limit;", "speed = 0;")))


@pytest.mark.parametrize(
    ("before", "instruction"),
    [
        # It stands where it stood.
        ([replace("Apply(pace);", "Apply(pace, 1);")], replace("speed = limit;", "speed = 1;")),
        # It was written by the edit before, and stood nowhere.
        ([replace("Apply(pace);", "Halt(pace);")], replace("Halt(pace);", "Halt(pace, 1);")),
        # Of several places one was left.
        ([replace("= limit;", "= 1;", before="speed ")], replace("= limit;", "= 2;")),
        # Lines above it have come, and the place with them.
        ([insert("void Walk()", "\n    // walks", position="line_before")], RENAMED[0]),
        # What is quoted has been edited at the same place.
        (
            [replace("        speed = limit;\n", "        // sets it\n        speed = limit;\n")],
            replace("        speed = limit;\n        Apply(speed);", "        Apply(limit);"),
        ),
    ],
)
def test_what_stands_where_it_stood_is_not(
    project: UnityProject, before: list[dict[str, Any]], instruction: dict[str, Any]
) -> None:
    project.write(SCRIPT)
    project.done(*before)
    assert not warnings_of(project.done(instruction))


def test_moved_lines_are_meant_where_they_are(project: UnityProject) -> None:
    project.write(SCRIPT)
    project.done(
        {
            "operation": "delete",
            "anchor": {"type": "text", "target": "        speed = limit;\n        Apply(speed);\n"},
        },
        replace("        Apply(pace);\n", "        Apply(pace);\n        speed = limit;\n"),
    )
    assert not warnings_of(project.done(replace("speed = limit;", "speed = 0;")))


def test_without_history_nothing_is_told(project: UnityProject) -> None:
    project.write(SCRIPT)
    assert not warnings_of(project.done(RENAMED[0]))
    project.write(SCRIPT.replace("limit", "most"))
    assert not warnings_of(project.done(replace("pace = most;", "pace = 0;")))


def test_a_change_set_tells_it_as_well(project: UnityProject) -> None:
    project.write(SCRIPT)
    project.done(*RENAMED)
    change = {"path": PATH, "instructions": [replace("speed = limit;", "speed = 2;")]}
    result = success(project.engine.edit_scripts({"mode": "preview", "changes": [change]}))
    (warning,) = (each for each in result["warnings"] if each["code"] == "fits_elsewhere")
    assert (warning["file"], warning["index"], warning["line"]) == (0, 0, 11)


@pytest.mark.parametrize(
    "edit",
    [
        replace("Apply(pace);", "Apply(pace, 1);"),
        insert("Apply(pace);", "Stop();", position="line_after"),
        insert("Apply(pace);", "Stop();", position="line_before"),
    ],
)
def test_what_stands_where_it_stood_takes_no_look_at_all_of_the_texts(
    project: UnityProject, edit: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("nothing has moved")

    project.write(SCRIPT)
    project.done(edit)
    monkeypatch.setattr(followed, "Passage", never)
    monkeypatch.setattr(analysis, "scan", never)
    assert not warnings_of(project.done(RENAMED[1], RENAMED[0], mode="preview"))
