"""Where another place, or another name, may be meant, what is offered is a choice, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject

from snippet_engine.answer.error_text import is_choice_of
from snippet_engine.errors import SnippetError

NAVIGATION = """\
class Navigation
{
    void OnEnable()
    {
        base.OnEnable();

        ref var synthesizer = ref kinematica.SynthesizerCached.Ref;

        synthesizer.PlayFirstSequence(first);
    }

    void Update()
    {
        var kinematica = GetComponent<Kinematica>();

        ref var synthesizer = ref kinematica.Synthesizer.Ref;

        synthesizer.Tick(locomotion);
    }
}
"""


def lands(project: UnityProject, text: str, sent: dict[str, Any], right: str) -> None:
    project.write(text)
    (offer,) = project.refused(sent).offers
    assert not is_choice_of([offer])
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == right


def is_offered(project: UnityProject, text: str, sent: dict[str, Any]) -> bool:
    """Whether the first request in the answer is an offer, and no choice."""
    project.write(text)
    offers = project.refused(sent).offers
    return bool(offers) and not is_choice_of(offers)


ITEM = """\
class GameItem
{
    GameItem(string id)
    {
        if (string.IsNullOrEmpty(id))
        {
            m_Id = Guid.NewGuid().ToString();
            m_Hash = Tools.StringToHash(m_Id);
        }
        else
        {
            m_Id = id;
        }
    }
}
"""


ASSETS = """\
class Assets
{
    static void Save<T>(T asset, string path = null, Object[] more = null)
    {
        Write(asset, more);
    }

    static void Save(Timeline timeline, string path = null)
    {
        Save<Timeline>(timeline, path);
    }
}
"""
_SAVE = "Assets.Save(Timeline,string,Object[])"


@pytest.mark.parametrize(
    "instruction",
    [
        on_symbol(_SAVE, "delete", target=", Object[] more = null"),
        on_symbol(
            "Assets.Save(Timeline)",
            "insert",
            ", string path = null",
            target="Timeline timeline",
            position="after",
        ),
    ],
)
def test_no_overload_is_taken_for_one_that_has_the_parameters_of_the_edit(
    project: UnityProject, instruction: dict[str, Any]
) -> None:
    text = ASSETS.replace("string path = null, Object[]", "int path = null, Object[]", 1)
    project.write(text)
    assert project.refused(instruction).offers == ()


TESTS = """\
class Tests
{
    IEnumerator Selects()
    {
        yield return new EnterPlayMode();

        Assert.AreEqual(2, Selection.selection.Count());

        yield return new ExitPlayMode();

        AssertCached.AreEqual(2, Selection.selection.Count());

        yield return null;
    }
}
"""


SETUP = """\
class Setup
{
    void Start()
    {
        if (active)
        {
            foreach (var loader in loaders)
            {
                if (loader.first)
                {
                    device = loader.name;
                }
            }
        }

        Go();
    }
}
"""


BADGES = """\
class Badges
{
    Dictionary<Type, Texture2D> icons = new ();
    object GetType() => null;
}
"""


def _documented(name: str, text: str = "") -> str:
    lines = ("/// <summary>", f"/// {text}", "/// </summary>", f"public string {name}{{ get; }}")
    return "".join(f"    {each}\n" for each in lines)


MODEL = "".join(
    (
        "class Model\n{\n",
        _documented("Status"),
        *(_documented(f"More{count}", "Says more.") for count in range(50)),
        *map(_documented, ("Title", "Detail")),
        "}\n",
    )
)
