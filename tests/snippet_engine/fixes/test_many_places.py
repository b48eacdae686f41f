"""More places than ``edit_snippet`` takes, as one change set: docs/design/engine.md §8."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.answer.error_text import MAX_ERROR_LENGTH
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import Offer, SnippetError
from snippet_engine.schemas.schema import EDIT_SNIPPET_INPUT
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_INPUT

RENAMED = replace("health", "hitPoints")
EVERYWHERE = RENAMED | {"metadata": {"why": "rename everywhere"}}


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    return UnityProject(tmp_path / "project")


def close_together(places: int) -> str:
    """A script with so many places of ``health``, two a line."""
    lines = [f"        if (health > {n}) Do{n}(health);\n" for n in range(places // 2)]
    field = "    int health;\n" if places % 2 else ""
    return f"class A\n{{\n{field}    void M()\n    {{\n{''.join(lines)}    }}\n}}\n"


def far_apart(places: int) -> str:
    """A script with so many places of ``health``, in a method each."""
    methods = [
        f"""
    public int Method{n}(int amount, Player other)
    {{
        var before = health;
        if (other.IsAlive && amount > {n})
            other.Notify(before);
        return before;
    }}
"""
        for n in range(places)
    ]
    return f"class A\n{{{''.join(methods)}}}\n"


def sent(project: UnityProject, tool: str, arguments: Any) -> bytes:
    done = getattr(project.engine, tool)(arguments)
    assert not isinstance(done, SnippetError), done
    return project.read(SCRIPT)


def in_text(error: SnippetError, word: str) -> tuple[str, Any]:
    """Name and arguments of the offer, or choice, of all places in the error's text."""
    text = text_form("edit_snippet", error)
    assert len(text) <= MAX_ERROR_LENGTH
    (line,) = [each for each in text.split("\n") if each.startswith(word) and " places" in each]
    head, _, arguments = line.partition("): ")
    return head, json.loads(arguments)


@pytest.mark.parametrize("places", [11, 31, 50])
def test_all_places_are_a_choice(project: UnityProject, places: int) -> None:
    script = close_together(places)
    project.write(script)
    error = project.refused(RENAMED)
    one, *_, every = error.offers
    assert (one.tool, every.tool) == ("", "edit_scripts")
    assert every.what == f"as a change set; all {places} places"
    jsonschema.validate(one.arguments, EDIT_SNIPPET_INPUT)
    jsonschema.validate(every.arguments, EDIT_SCRIPTS_INPUT)
    assert not any(each.basis for each in error.offers)
    assert sent(project, every.tool, every.arguments).decode() == script.replace(
        "health", "hitPoints"
    )


def test_they_are_the_offer_where_all_were_asked_for(project: UnityProject) -> None:
    script = far_apart(11)
    project.write(script)
    error = project.refused(EVERYWHERE)
    head, arguments = in_text(error, "offer 1")
    assert head.startswith("offer 1 (send to edit_scripts: as a change set; all 11 places; ")
    changed = sent(project, "edit_scripts", arguments).decode()
    assert changed == script.replace("health", "hitPoints")


def test_more_than_a_change_set_takes_are_not_offered(project: UnityProject) -> None:
    project.write(close_together(51))
    offers = project.refused(EVERYWHERE).offers
    assert offers
    assert not any(each.tool for each in offers)


def test_what_has_no_room_is_told_in_words(project: UnityProject) -> None:
    project.write(far_apart(18))
    text = text_form("edit_snippet", project.refused(RENAMED))
    assert len(text) <= MAX_ERROR_LENGTH
    first, *_, last = text.split("\n")[1:]
    assert first.startswith("choice 1 (")
    assert last.startswith("(as a change set; all 18 places by edit_scripts: too long")
    asked = json.loads("{" + last.partition("request with ")[2].partition(" in an ")[0] + "}")
    said = text_form("edit_snippet", project.refused(RENAMED | asked))
    assert (
        "\nchoice 1 (send to edit_scripts: 11 of the 18 edits that do it, as not all fit here. "
        in said
    )


def test_parts_are_offered_until_all_is_done(project: UnityProject) -> None:
    script = far_apart(40)
    project.write(script)
    for tool in ("edit_scripts", "edit_scripts", "edit_scripts", "edit_snippet"):
        text = text_form("edit_snippet", project.refused(EVERYWHERE))
        line = text.split("\n")[1]
        assert ("send to edit_scripts: " in line) == (tool == "edit_scripts")
        sent(project, tool, json.loads(line.partition("): ")[2]))
    assert project.read().decode() == script.replace("health", "hitPoints")


def test_a_change_set_is_offered_as_many_places_as_it_takes(project: UnityProject) -> None:
    script = far_apart(14)
    project.write(script)
    change = {"path": SCRIPT, "instructions": [EVERYWHERE]}
    error = project.engine.edit_scripts({"mode": "apply", "changes": [change]})
    assert isinstance(error, SnippetError)
    first: Offer = error.offers[0]
    assert first.what == "all 14 places"
    assert sent(project, "edit_scripts", first.arguments).decode() == script.replace(
        "health", "hitPoints"
    )


def test_other_instructions_go_along(project: UnityProject) -> None:
    script = close_together(20) + "class Other { int rest; }\n"
    project.write(script)
    error = project.refused(replace("int rest", "int left"), EVERYWHERE)
    assert error.offers[0].tool == "edit_scripts"
    changed = sent(project, "edit_scripts", error.offers[0].arguments).decode()
    assert changed == script.replace("health", "hitPoints").replace("rest", "left")
