"""All of ten places in one error's text, however long what tells them apart is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from unity_project import UnityProject, replace

from snippet_engine.answer.error_text import MAX_ERROR_LENGTH
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import SnippetError


def test_what_is_short_is_told_in_whole_lines(project: UnityProject) -> None:
    project.write("class C\n{\n    int a = 1;\n    int b = 1;\n}\n")
    error = project.refused(replace(" = 1;", " = 2;") | {"metadata": {"why": "everywhere"}})
    first = error.offers[0].arguments["instructions"][0]
    assert (first["anchor"]["target"], first["newText"]) == (" = 1;", " = 2;")


def _offered(project: UnityProject, text: str, target: str, new_text: str) -> str:
    """The text of the offer of all places, which writes what it says."""
    project.write(text)
    error = project.refused(replace(target, new_text) | {"metadata": {"why": "everywhere"}})
    told = text_form("edit_snippet", error)
    assert len(told) <= MAX_ERROR_LENGTH
    (line,) = [each for each in told.split("\n") if each.startswith("offer 1 (all")]
    project.engine.edit_snippet(json.loads(line[line.index("{") :]))
    assert project.read().decode() == text.replace(target, new_text)
    return line


def test_a_blank_at_the_end_takes_no_sign_along(project: UnityProject) -> None:
    lines = "".join(
        f'        Debug.LogWarning($"{{nameof(RewardItemView)}} - {name} is not there, {at}");\n'
        for at, name in enumerate(("Reward", "Item", "Title", "Description of it", "Payout"))
    )
    text = f"class View\n{{\n    void Check()\n    {{\n{lines}    }}\n}}\n"
    _offered(project, text, 'Debug.LogWarning($"{nameof(RewardItemView)} - ', 'Logger.Warn($"')


GROUPS = "".join(
    f"""
        {{
            var found = await source.Group(x => x.Key{number}).ToArrayAsync(cancellationToken);
            var others = Range(1, 100).Where(x => x.Value).Select(x => x.Key).ToArray();
            found.OrderBy(x => x.Key).First().Should().Be(others.OrderBy(x => x.Key).First());
            found.OrderBy(x => x.Key).Where(x => x.Value).Should().BeEquivalentTo(others.OrderBy());
            Is(found.OrderBy(x => x.Key).Where(x => x.Value), others.OrderBy(x => x.Key).First());
            Check(found.OrderBy(x => x.Value).Where(x => x.Key), others.OrderBy(x => x.Value));
        }}
"""
    for number in range(8)
)
LONG = f"class Joins\n{{\n    void Groups()\n    {{{GROUPS}    }}\n}}\n"
SHOULD = "().BeEquivalentTo(others."


def test_of_what_is_too_long_as_many_places_as_fit_are_a_choice(project: UnityProject) -> None:
    project.write(LONG)
    asked = replace(SHOULD, "().Equal(others.") | {"metadata": {"why": "everywhere"}}
    while SHOULD in project.read().decode():
        outcome = project.edit(asked)
        if not isinstance(outcome, SnippetError):
            break  # The last one is the only one.
        text = text_form("edit_snippet", outcome)
        assert len(text) <= MAX_ERROR_LENGTH
        line, *others = [each for each in text.split("\n") if each.startswith(("choice", "offer"))]
        assert line.startswith("offer") or not others
        request = json.loads(line[line.index("{") :])
        count = len(request["instructions"])
        left = project.read().decode().count(SHOULD)
        said = "all" if count == left else f"{count} of the {left} places"
        assert f" 1 ({said}" in line
        assert line.startswith("offer" if count == left else "choice")
        project.engine.edit_snippet(request)
        assert project.read().decode().count(SHOULD) == left - count
    assert project.read().decode() == LONG.replace(SHOULD, "().Equal(others.")


COMMENTED = "class C\n{\n    // sets hp, never ahp\n    int hp = 1;\n    int Get() => hp;\n}\n"
EVERYWHERE = replace("hp", "health") | {"metadata": {"why": "rename everywhere"}}


def test_whether_comments_are_a_part_of_everywhere_is_a_choice(project: UnityProject) -> None:
    project.write(COMMENTED)
    error = project.refused(EVERYWHERE)
    code, every, *_ = error.offers
    assert code.what == 'all 2 places; those in comments (line 3) take "in": "comment"'
    assert every.what == "all 3 places, in comments (line 3) too"
    assert not code.basis
    assert "\noffer" not in text_form("edit_snippet", error)
    for offer, right in ((code, "never ahp"), (every, "sets health")):
        project.write(COMMENTED)
        project.engine.edit_snippet(offer.arguments)
        changed = project.read().decode()
        assert right in changed
        assert changed.count("health") == len(offer.arguments["instructions"])


def test_a_named_place_and_all_of_them_are_a_choice(project: UnityProject) -> None:
    project.write(COMMENTED)
    asked = EVERYWHERE | {"metadata": {"why": "rename everywhere", "line": 4}}
    error = project.refused(asked)
    assert not error.offers[0].basis
    assert "\noffer" not in text_form("edit_snippet", error)


def test_without_comments_all_places_are_the_offer(project: UnityProject) -> None:
    project.write(COMMENTED.replace("    // sets hp, never ahp\n", ""))
    assert project.refused(EVERYWHERE).offers[0].what == "all 2 places"
    assert project.refused(EVERYWHERE).offers[0].basis


def test_all_places_are_no_offer_where_some_are_done(project: UnityProject) -> None:
    text = (
        "class C\n{\n    Box<Anchor> one;\n    Box<Result<Anchor>> two;\n"
        "    Bag<Anchor> three;\n}\n"
    )
    project.write(text)
    error = project.refused(
        {**replace("<Anchor>", "<Result<Anchor>>"), "metadata": {"why": "all occurrences"}}
    )
    (every,) = [each for each in error.offers if len(each.arguments["instructions"]) > 1]
    assert every.what == "all 2 places; not 1 that has the newText already"
    assert every.unless == "places that already have the newText are meant, too"
    assert not error.offers[0].basis
    text = text_form("edit_snippet", error)
    assert "\nchoice 1 (" in text
    assert "\noffer " not in text


def test_what_is_done_everywhere_is_not_offered_once_more(project: UnityProject) -> None:
    project.write("class C\n{\n    int StopX;\n    int Get() => StopX;\n}\n")
    asked = {**replace("Stop", "StopX"), "metadata": {"why": "everywhere"}}
    error = project.refused(asked)
    assert error.details["haveNewText"] == error.details["matches"] == 2
    assert not error.offers


def test_blanks_that_stand_anywhere_are_not_done(project: UnityProject) -> None:
    project.write("class C\n{\n    void M()\n    {\n        A();\n        A();\n    }\n}\n")
    asked = {**replace("A();", "A();\n"), "metadata": {"why": "everywhere"}}
    assert "haveNewText" not in project.refused(asked).details


COMMENTED_OUT = "class C\n{\n    void M(Menu menu)\n    {\n        /* menu.Drop(1); */\n    }\n}\n"


def test_joined_places_are_no_offer_where_one_is_done(project: UnityProject) -> None:
    """What is joined is one longer replacement, in which nobody sees that a place has it."""
    calls = ["        Go(pace);\n"] * 6
    lines = [*calls, "        Go(abs(pace));\n", *calls]
    project.write("class C\n{\n    void M()\n    {\n" + "".join(lines) + "    }\n}\n")
    asked = {"metadata": {"why": "all occurrences"}}
    error = project.refused({**replace("pace", "abs(pace)"), **asked})
    (every,) = [each for each in error.offers if "all 12 places" in each.what]
    assert (every.tool, every.basis) == ("edit_scripts", "")
    assert "; not 1 that has the newText already" in every.what
    assert every.unless
    assert "\noffer " not in text_form("edit_snippet", error)


@pytest.mark.parametrize(
    ("asked", "standing"),
    [
        (
            replace("menu", "item", before="Menu ") | {"metadata": {"why": "everywhere"}},
            COMMENTED_OUT,
        ),
        (replace("menu", "item"), COMMENTED_OUT),
        (
            replace("menu", "item") | {"metadata": {"why": "everywhere"}},
            COMMENTED_OUT.replace("menu.Drop", "menus.Drop"),
        ),
    ],
)
def test_comments_are_no_question_where_all_were_not_asked_for_or_none_has_the_word(
    project: UnityProject, asked: dict[str, Any], standing: str
) -> None:
    project.write(standing)
    outcome = project.edit(asked)
    assert not isinstance(outcome, SnippetError)
    assert project.read().decode() == standing.replace("Menu menu", "Menu item")


def test_letters_that_are_nowhere_a_word_are_meant_everywhere(project: UnityProject) -> None:
    asked = replace("Test", "Case") | {"metadata": {"why": "all occurrences"}}
    written = project.written_by_offers("namespace Game.Tests.TestPool { }\n", asked)
    assert written[0] == "namespace Game.Cases.CasePool { }\n"
    assert project.refused(asked).offers[0].basis == "metadata says so"
