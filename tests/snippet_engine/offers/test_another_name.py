"""What declares another name is another declaration: it isn't edited for one that is gone."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, insert, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.offers.history.declared import declares_another

FIELDS = """\
namespace Game
{
    class Scenes : System
    {
        Query m_LoadScenes;
        Query m_LoadedScenes;

        void Load(int count)
        {
            var handles = Make(count);
            Log(handles, count);
            Done();
        }
    }
}
"""
_ABOVE = "    class Scenes : System\n    {\n        "
_IN_LOAD = "        void Load(int count)\n        {\n            "


@pytest.mark.parametrize(
    "instruction",
    [
        delete("Query m_LiveDependency;", before=_ABOVE),
        delete("Query m_LoadScenesCached;", before=_ABOVE),
        delete("Query m_Load;", before=_ABOVE),
        delete("Query m_LoadScene;", before=_ABOVE, after="\n        Query m_LoadedScenes;"),
        delete("var buffers = Make(count);", before=_IN_LOAD, after="\n            Log(handles"),
        delete("Log(buffers, count);", after="\n            Done();"),
        replace("Query m_LiveDependency;", "Query m_Dependency;", before=_ABOVE),
        replace("Query m_LiveDependency;", "EntityQuery m_LiveDependency;", before=_ABOVE),
        replace("var buffers = Make(count);", "var buffers = Make(count, 2);", before=_IN_LOAD),
    ],
)
def test_another_declaration_is_said_and_not_offered(
    project: UnityProject, instruction: dict[str, Any]
) -> None:
    project.write(FIELDS)
    error = project.refused(instruction)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert error.offers == ()
    assert error.details["nearest"]


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        (delete("Query m_LaodScenes;", before=_ABOVE), "        Query m_LoadScenes;\n", ""),
        (delete("Query m_loadScenes;", before=_ABOVE), "        Query m_LoadScenes;\n", ""),
        (
            replace("Query m_LaodScenes;", "EntityQuery m_LaodScenes;", before=_ABOVE),
            "Query m_LoadScenes",
            "EntityQuery m_LoadScenes",
        ),
        (
            replace("var handle = Make(count);", "var handle = Make(2);", before=_IN_LOAD),
            "Make(count)",
            "Make(2)",
        ),
    ],
)
def test_a_misspelled_name_is_the_same(
    project: UnityProject, instruction: dict[str, Any], old: str, new: str
) -> None:
    project.write(FIELDS)
    (offer,) = project.refused(instruction).offers
    assert not isinstance(project.engine.edit_snippet(offer.arguments), SnippetError)
    assert project.read().decode() == FIELDS.replace(old, new, 1)


def test_a_renamed_declaration_is_known_by_history(project: UnityProject) -> None:
    project.write(FIELDS)
    project.done(replace("Query m_LoadScenes;", "Query m_Waiting;"))
    (offer,) = project.refused(delete("Query m_LoadScenes;", before=_ABOVE)).offers
    assert "before an edit since" in offer.basis
    assert not isinstance(project.engine.edit_snippet(offer.arguments), SnippetError)
    assert project.read().decode() == FIELDS.replace("        Query m_LoadScenes;\n", "", 1)


def test_what_an_arrow_leads_to_is_not_declared() -> None:
    assert not declares_another("int Hp => life;", "int Hp => health;")
    assert declares_another("int Hp => life;", "int Shield => life;")


ASSEMBLIES = """\
class Codebase
{
    static bool IsUserAssembly(Name assembly)
    {
        var name = assembly.Name;

        return name == "A";
    }

    void OnDisable()
    {
        Hub.changed -= OnChanged;
        Hub.done -= OnDone;
        Check(first != null);
    }
}
"""
_EDITOR = "    static bool IsEditorAssembly(Name assembly)\n    {"


@pytest.mark.parametrize(
    "instruction",
    [
        replace(
            f"{_EDITOR}\n        var name = assembly.Name;\n",
            _EDITOR,
        ),
        replace("        Hub.changed += OnChanged;", "        Bus.changed += OnChanged;"),
        delete("Hub.changed += OnChanged;"),
        insert("Hub.changed += OnChanged;", "Hub.more += OnMore;", position="line_after"),
        replace("Check(first == null);", "Check(first == null, 1);"),
    ],
)
def test_what_says_the_opposite_is_not_offered(
    project: UnityProject, instruction: dict[str, Any]
) -> None:
    project.write(ASSEMBLIES)
    assert project.refused(instruction).offers == ()


CHECKS = """\
class Tests
{
    void First()
    {
        manager.Get(found);
        Assert.That(found, Is.Empty);
        Assert.That(gone, Is.SameAs(thing));
        Assert.That(manager.IsRegistered(thing), Is.False);
    }

    void Second()
    {
        manager.Get(found);
        Assert.That(found, Is.Empty);
        Assert.That(manager.IsRegisteredCached(thing), Is.False);
    }
}
"""


CAST = replace(
    "Assert.That(manager.IsRegistered(thing), Is.False);",
    "Assert.That(manager.IsRegistered((IThing)thing), Is.False);",
    before="        Assert.That(found, Is.Empty);\n        ",
    after="\n    }\n",
)


def test_a_longer_name_in_the_context_and_the_target_elsewhere_are_a_choice(
    project: UnityProject,
) -> None:
    project.write(CHECKS)
    error = project.refused(CAST)
    assert [each.basis for each in error.offers] in ([], ["", ""])
    written = set()
    for offer in error.offers:
        project.write(CHECKS)
        assert not isinstance(project.engine.edit_snippet(offer.arguments), SnippetError)
        written.add(project.read().decode())
    assert written == {
        CHECKS.replace("IsRegistered(thing)", "IsRegistered((IThing)thing)"),
        CHECKS.replace("Cached(thing)", "Cached((IThing)thing)"),
    }


def test_nor_is_the_only_place_of_a_target_offered_alone_where_two_are_renamed(
    project: UnityProject,
) -> None:
    third = CHECKS[CHECKS.index("    void Second") :].replace("Second", "Third")
    project.write(CHECKS[: CHECKS.rindex("}")] + "\n" + third)
    error = project.refused(CAST)
    assert len(error.offers) != 1
