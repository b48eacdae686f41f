"""An apply of what was just previewed: judged once, and answered as if it had been judged anew."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, replace

from snippet_engine.single_edit import judging
from snippet_engine.validation.embedded import embedded_validator

SOURCE = "class Player\n{\n    int speed = 10;\n    int more = 1;\n}\n"


@pytest.fixture
def found_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was found out, in order: plans and verdicts."""
    found: list[str] = []

    def noting(module: Any, name: str) -> None:
        made = getattr(module, name)

        def note(*arguments: Any) -> Any:
            found.append(name)
            return made(*arguments)

        monkeypatch.setattr(module, name, note)

    noting(judging, "plan_or_explain")
    noting(embedded_validator, "_judgements")
    return found


def without_time(result: dict[str, Any]) -> dict[str, Any]:
    return {
        **result,
        "validation": {**result["validation"], "durationMs": 0},
        "status": "",
        "applied": None,
        "results": [{**each, "status": ""} for each in result["results"]],
    }


def test_preview_and_apply_are_judged_once(project: UnityProject, found_out: list[str]) -> None:
    project.write(SOURCE)
    edit = replace("speed = 10", "speed = 20")
    preview = project.done(edit, mode="preview", validation="embedded")
    applied = project.done(edit, validation="embedded")
    assert found_out == ["plan_or_explain", "_judgements"]
    assert without_time(preview) == without_time(applied)
    assert applied["applied"] is True
    assert b"speed = 20" in project.read()


def test_another_edit_or_text_is_judged_anew(project: UnityProject, found_out: list[str]) -> None:
    project.write(SOURCE)
    edit = replace("speed = 10", "speed = 20")
    project.done(edit, mode="preview")
    project.done(replace("speed = 10", "speed = 30"), mode="preview")
    project.write(SOURCE.replace("more = 1", "more = 2"))
    project.done(edit, mode="preview")
    assert found_out == ["plan_or_explain", "_judgements"] * 3


def test_metadata_is_repeated_as_this_request_has_it(project: UnityProject) -> None:
    project.write(SOURCE)
    edit = replace("speed = 10", "speed = 20")
    told = [
        project.done({**edit, "metadata": {"step": value}}, mode="preview")["results"][0]
        for value in (1, True)
    ]
    assert [each["metadata"]["step"] for each in told] == [1, True]
    assert told[1]["metadata"]["step"] is True
