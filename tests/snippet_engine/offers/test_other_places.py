"""Where another place, or another name, may be meant, what is offered is a choice, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, delete, insert, replace

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


def test_a_target_is_a_choice_where_its_other_context_stands_beside_what_is_like_it(
    project: UnityProject,
) -> None:
    sent = insert(
        "ref var synthesizer = ref kinematica.Synthesizer.Ref;",
        "kinematica = GetComponent<Kinematica>();\n        ",
        position="before",
        before="        var kinematica = GetComponent<Kinematica>();\n\n        ",
        after="\n\n        synthesizer.PlayFirstSequence(",
    )
    assert not is_offered(project, NAVIGATION, sent)
    assert "line 7 is meant" in project.refused(sent).offers[0].unless
    # Where it stands nowhere, or beside something else, it was merely remembered wrongly.
    for old, new in (
        ("PlayFirstSequence", "PlayLastSequence"),
        ("ref var synthesizer = ref kinematica.SynthesizerCached.Ref;", "Begin();"),
        # Or what stands beside it is that side, with a longer name.
        ("synthesizer.Tick(locomotion)", "synthesizer.PlayFirstSequenceCached(first)"),
    ):
        assert is_offered(project, NAVIGATION.replace(old, new), sent)


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


def test_a_deletion_is_a_choice_where_the_short_line_before_it_stands_once_without_it(
    project: UnityProject,
) -> None:
    sent = delete(
        "m_Hash = Tools.StringToHash(m_Id);", before="\n            m_Id = id;\n            "
    )
    assert not is_offered(project, ITEM, sent)
    assert is_offered(project, ITEM.replace("m_Id = id;", "Take(id);"), sent)


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


def test_an_overload_with_other_parameters_is_offered_by_its_target(project: UnityProject) -> None:
    sent = on_symbol("Assets.Save(Clip,string,Object[])", "delete", target=", Object[] more = null")
    lands(project, ASSETS, sent, ASSETS.replace(", Object[] more = null", "", 1))


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


def test_a_place_is_none_beside_another_one_whose_lines_begin_with_its_own(
    project: UnityProject,
) -> None:
    """The line that both end with, above the other one, doesn't hide that."""
    target = (
        "        yield return new ExitPlayMode();\n\n"
        "        Assert.AreEqual(2, Selection.selection.Count());\n"
    )
    sent = replace(target, target.replace("Selection.s", "selection.s"))
    assert not is_offered(project, TESTS, sent)


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


def test_a_brace_is_a_choice_where_the_next_one_is_indented_as_it_was_sent(
    project: UnityProject,
) -> None:
    sent = insert(
        "}",
        "\n        Log(active);",
        before="                    device = loader.name;\n            }\n        ",
        after="\n",
    )
    assert not is_offered(project, SETUP, sent)


BADGES = """\
class Badges
{
    Dictionary<Type, Texture2D> icons = new ();
    object GetType() => null;
}
"""


def test_a_name_of_the_file_that_was_sent_for_another_one_is_a_choice(
    project: UnityProject,
) -> None:
    sent = replace(
        "Dictionary<GetType, Texture2D> icons = new ()",
        "Dictionary<GetType, string> names = new Dictionary<Type, string>()",
    )
    project.write(BADGES)
    offers = project.refused(sent).offers
    assert is_choice_of(offers)
    texts = [each.arguments["instructions"][0]["newText"] for each in offers]
    assert texts == [
        "Dictionary<Type, string> names = new Dictionary<Type, string>()",
        "Dictionary<GetType, string> names = new Dictionary<Type, string>()",
    ]
    assert [each.what.partition("newText has ")[2] for each in offers] == [
        f"{each[:59]}…" for each in texts
    ]


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


def test_a_comment_s_marker_alone_is_known_by_its_context(project: UnityProject) -> None:
    sent = replace(
        "    /// ",
        "    /// The title.",
        before="    public string More49{ get; }\n    /// <summary>\n",
        after="\n    /// </sumary>",
    )
    sent["anchor"]["in"] = "comment"
    lands(
        project,
        MODEL,
        sent,
        MODEL.replace(
            "    /// \n    /// </summary>\n    public string Title",
            "    /// The title.\n    /// </summary>\n    public string Title",
        ),
    )
    # With a second line that is wrong, another place is as near.
    sent["anchor"]["before"] = "    public string Moore9{ get; }\n    /// <summary>\n"
    assert not is_offered(project, MODEL, sent)
