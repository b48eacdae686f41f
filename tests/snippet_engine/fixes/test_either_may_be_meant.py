"""Where two places, or two readings, may be meant, both are a choice; where history or a line's
beginning tells which, that one is offered."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, replace

from snippet_engine.errors import ErrorCode

OVERLOADS = """\
class Client
{
    Reply Send(string method, byte[] body)
    {
        return Sent(method, body);
    }

    Reply SendCached(string method, List<Section> body, int seconds)
    {
        return Sent(method, body);
    }

    Reply Post(string method, List<Section> body, int seconds)
    {
        return Sent(method, body);
    }
}
"""


def test_of_another_name_nothing_tells_that_it_was_renamed(project: UnityProject) -> None:
    asked = on_symbol("Client.Posts(string,int)", "replace", "Posted(", target="Sent(")
    project.write(OVERLOADS)
    error = project.refused(asked)
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert all("SendCached" not in str(offer.arguments) for offer in error.offers)


PAIRS = """\
class Pairs
{
    string[,] all =
    {
        { "Scale", "Scaling" },
        { "Turn", "Rotation" }
    };
}
"""


def test_a_line_whose_first_sign_was_forgotten_indents_nothing(project: UnityProject) -> None:
    line = '        "Turn", "Rotation" }'
    asked = replace(
        line,
        f'{line},\n        {{ "Angles", "Euler" }}',
        before='        { "Scale", "Scale" },\n',
    )
    assert project.written_by_offers(PAIRS, asked) == []


EMITTER = """\
class Emitter
{
    void Emit()
    {
        var text = new Text();

        if (!isFirst)
            text.AppendDelimiter(Writes.Delimiter, 1);

        Finish();
    }
}
"""


TOKENS = """\
namespace Models
{
    /// <summary>
    /// The value of a token.
    /// <param name="kind">Its kind.</param>
    /// </summary>
    class Token
    {
        /// <summary>
        /// The value of a token.
        /// </summary>
        /// <param name="kind">Its kind.</param>
        public Token(string kind) { }
    }
}
"""


TWINS = """\
class Suite
{
    void Texts()
    {
        Check(1, made.Count);

        {
            // first
            var one = made[0];
            Check("Fixed", one.Kind);
        }
    }

    void Objects()
    {
        Check(1, made.Count);

        {
            // first
            var one = made[0];
            Check("object", one.Kind);
        }
    }
}
"""


SURFACE = """\
class Surface
{
    void Build()
    {
        // no scale here
        var sourcesBounds = new Bounds(center, Abs(size));
        if (collected == Collected.All)
        {
            sourcesBounds = World(sources);
        }
        var surfaceBounds = sourcesBounds;
    }

    void BuildLater()
    {
        // no scale here
        var sourcesBounds = new Bounds(center, Abs(size));
        if (collected == Collected.All)
            surfaceBounds = World(sources);
    }
}
"""


def test_one_mistake_or_another_one(project: UnityProject) -> None:
    """A brace more, or another name: nothing tells which of the two methods was quoted."""
    line = "        var sourcesBounds = new Bounds(center, Abs(size));\n"
    rest = "        if (collected == Collected.All)\n            sourcesBounds = World(sources);"
    sent = f"        // no scale here\n{line}{rest}"
    written = project.written_by_offers(
        SURFACE, replace(sent, sent.replace("var sourcesB", "var sourceB"))
    )
    assert len(written) != 1


LOADOUT = """\
class Loadout
{
    void Fill()
    {
        Init();
        AddItem("sword", 1);
        AddItem("shield", 1);
        AddItem("bow", 1);
        Done();
    }

    void Write()
    {
        Lock(root);
        Save(root, true);
        Save(leaf, true);
        Unlock(root);
        Wait(5);
        Step();
        Wait(6);
        Step();
        Wait(7);
    }

    int Get() { return 1; }
    int GetX() { return 1; }
}
"""
_NEXT = "\n        "


@pytest.mark.parametrize(
    "asked",
    [
        replace(f"Save(root, true);{_NEXT}Unlock(root);", "Unlock(leaf);"),
        replace(f'AddItem("shield", 1);{_NEXT}Done();', "Done(1);"),
    ],
)
def test_a_line_between_that_was_forgotten_is_no_other_line(
    project: UnityProject, asked: dict[str, Any]
) -> None:
    assert project.written_by_offers(LOADOUT, asked) == []


@pytest.mark.parametrize("name", ["Get3", "GetY()"])
def test_of_names_that_are_as_near_none_is_offered(project: UnityProject, name: str) -> None:
    asked = on_symbol(f"Loadout.{name}", "delete", target="return 1;")
    assert project.written_by_offers(LOADOUT, asked) == []


COUNTS = """\
class Counts
{
    void OnEnable()
    {
        Register(this);
        hits++;
    }

    void OnDestroy()
    {
        hits++;
        Touch();
    }

    bool Is(int a) { return a > 1; }
    bool Is(int a, int b) { return a > 1; }
}
"""


@pytest.mark.parametrize(
    ("gone", "target"), [("Counts.OnEnable()", "hits++;"), ("Counts.Is(int)", "return a > 1;")]
)
def test_what_stood_beside_a_symbol_that_was_deleted_is_not_offered_for_it(
    project: UnityProject, gone: str, target: str
) -> None:
    project.write(COUNTS)
    project.done(on_symbol(gone, "delete"))
    for asked in (
        on_symbol(gone, "delete", target=target),
        on_symbol(gone, "replace", "return;", target=target),
    ):
        assert project.refused(asked).offers == ()


def test_but_not_where_the_new_text_ends_with_the_word(project: UnityProject) -> None:
    project.write('class C\n{\n    string a = Say(one, "HandDrawJoints");\n}\n')
    error = project.refused(replace('Say(on, "HandDraw', 'Tell(on, "HandDraw'))
    (offer,) = error.offers
    project.engine.edit_snippet(dict(offer.arguments))
    assert 'Tell(one, "HandDrawJoints")' in project.read().decode()
