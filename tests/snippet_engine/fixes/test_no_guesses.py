"""What isn't clearly meant is no offer: a declaration of another name, a part of a longer word,
an edit that takes back an earlier one."""

from __future__ import annotations

import pytest
from planning import on_symbol
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import ErrorCode
from snippet_engine.source_text import content_hash

PLAYER = """\
class Player
{
    int hp = 10;
    int hpMax = 12;

    void Jump()
    {
        Log($"hp {hp} of {hpMax}");
    }

    void TakeDamage(int amount)
    {
        hp -= amount;
    }

    int Health { get { return hp; } }
}
"""


def test_what_takes_back_an_own_edit_says_so(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(replace("hp = 10;", "hp = 20;"))
    error = project.refused(replace("int hp = 10;", "int hp = 15;"))
    assert all("undoes what a later edit put there: 20" in each.what for each in error.offers)


def test_all_places_of_a_word_are_those_where_it_stands_by_itself(project: UnityProject) -> None:
    project.write(PLAYER)
    error = project.refused(replace("hp", "health"))
    told = [each.what for each in error.offers]
    assert told[0].startswith("line 3,")
    assert told[-1] == (
        "all 4 places where it is a whole word; "
        "not in hpMax (line 4), in a string (line 8), in hpMax (line 8)"
    )
    project.engine.edit_snippet(error.offers[-1].arguments)
    text = project.read().decode()
    assert 'Log($"hp {health} of {hpMax}")' in text
    assert "int health = 10;\n    int hpMax" in text


def test_a_place_within_a_longer_name_says_so(project: UnityProject) -> None:
    project.write("class C\n{\n    int tryStop;\n    void Stop() { }\n}\n")
    error = project.refused(replace("Stop", "Halt"))
    assert [each.what for each in error.offers] == [
        "line 4, in C.Stop()",
        "line 3, in C.tryStop, in tryStop",
    ]


def test_the_place_by_itself_is_found_behind_many_longer_names(project: UnityProject) -> None:
    fields = "".join(f"    int Count{n};\n" for n in range(30))
    project.write(f"class C\n{{\n{fields}    int Count;\n}}\n")
    error = project.refused(replace("Count", "Current"))
    assert error.offers[0].what == "line 33, in C.Count"


def test_what_is_merely_like_an_earlier_text_did_not_stand_there(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(insert("class Player", " // one"))
    for each in project.refused(replace("HP -= amount;", "HP -= 1;")).offers:
        assert "stood there" not in each.basis


def test_what_would_do_nothing_is_not_offered(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(replace("hp = 10;", "hp = 20;"))
    error = project.refused(replace("int hp = 10;", "int hp = 20;"))
    for offer in error.offers:
        for each in offer.arguments["instructions"]:
            assert each["anchor"]["target"] != each["newText"]


def test_a_target_that_fits_twice_is_not_missing(project: UnityProject) -> None:
    project.write(PLAYER)
    error = project.refused(on_symbol("Player.TakeDmage(int)", "delete", target="amount"))
    texts = {each["symbolPath"]: each.get("text") for each in error.details["nearest"]}
    assert texts["Player.TakeDamage(int)"] == "the target fits 2 places in it"


def test_no_other_place_is_offered_than_the_one_that_is_most_like(project: UnityProject) -> None:
    project.write(
        "class C\n{\n    int index;\n    int F(bool b)\n    {\n        if (b) return index;\n"
        "        index = 1;\n        return default;\n    }\n}\n"
    )
    error = project.refused(replace("index default;", "returnZq default;"))
    assert "return default;" in error.message
    for each in error.offers:
        for instruction in each.arguments["instructions"]:
            assert "default" in instruction["newText"]


def test_everywhere_is_a_choice_beside_longer_names(project: UnityProject) -> None:
    project.write(PLAYER)
    error = project.refused(replace("hp", "health") | {"metadata": {"why": "all occurrences"}})
    assert [each.basis for each in error.offers] == ["", "", ""]
    by_itself, everywhere = (each.arguments["instructions"] for each in error.offers[:2])
    assert (len(by_itself), len(everywhere)) == (4, 7)
    project.engine.edit_snippet(error.offers[1].arguments)
    assert project.read().decode() == PLAYER.replace("hp", "health")


def test_metadata_names_a_finalizer(project: UnityProject) -> None:
    text = "class C\n{\n    ~C() { Go(a); }\n\n    void M() { Go(a); }\n}\n"
    project.write(text)
    asked = replace("Go(a)", "Go(b)") | {"metadata": {"why": "only the one in ~C"}}
    error = project.refused(asked)
    assert error.offers[0].basis == "metadata names ~C"
    project.engine.edit_snippet(error.offers[0].arguments)
    assert project.read().decode() == text.replace("~C() { Go(a)", "~C() { Go(b)")


def test_what_is_done_is_not_made_of_a_similar_place(project: UnityProject) -> None:
    """The first loop was changed so already; the second one, deeper in, is another."""
    done = "        {\n            Add(table.Name, count++);"
    alike = "            {\n                Add(entry.Name, count++);"
    project.write(f"class C\n{{\n    void M()\n{done}\n        }}\n{alike}\n            }}\n}}\n")
    error = project.refused(replace(done.replace("table", "entry"), done))
    assert "s it done?" in error.message
    assert all(each.unless for each in error.offers)


BODY = "class C\n{\n    int Get()\n    {\n        return one;\n    }\n}\n"


@pytest.mark.parametrize("part", ["body", "declaration"])
def test_a_stale_edit_that_quotes_nothing_has_no_offer(project: UnityProject, part: str) -> None:
    project.write(BODY)
    old = content_hash(BODY.encode())
    project.write(BODY.replace("one", "two"))
    anchor = {"type": "symbol", "symbolPath": "C.Get", "part": part}
    edit = {"operation": "replace", "anchor": anchor, "newText": "{ return 1; }"}
    error = project.refused(edit, expectedHash=old)
    assert error.code is ErrorCode.STALE_FILE
    assert error.offers == ()


@pytest.mark.parametrize("said", ["everywhere", "all", "renameAll", "all_occurrences"])
def test_a_key_of_metadata_may_say_everywhere(project: UnityProject, said: str) -> None:
    project.write("class C\n{\n    int a = Old();\n    int b = Old();\n}\n")
    error = project.refused(replace("Old()", "New()") | {"metadata": {said: True}})
    assert error.offers[0].basis == "metadata says so"
    not_so = project.refused(replace("Old()", "New()") | {"metadata": {said: False}})
    assert not_so.offers[0].basis == ""


def test_an_offer_says_what_stands_there_otherwise(project: UnityProject) -> None:
    project.write("class C\n{\n    int Sum(int a, int b) => a - b;\n}\n")
    error = project.refused(replace("int Sum(int a, int b) => a + b;", "int Sum() => a + b + 1;"))
    assert [each.what for each in error.offers] == ["line 3, wording differs: - for +"]
