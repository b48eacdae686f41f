"""A target whose context has one wrong line is known where nothing else is as like it."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.csharp.document import Document
from snippet_engine.errors import SnippetError
from snippet_engine.fixes.not_found.one_wrong_line import with_one_wrong_line
from snippet_engine.request import instruction_of
from snippet_engine.source_text import SourceText, decode

SCRIPT = """\
class Tests
{
    [SetUp]
    public void Before()
    {
        var feed = new Feed(source, false);
        var e = (IEnumerator)feed;
        while (e.MoveNext())
            Read(e.Current);
    }

    [TearDown]
    public void After()
    {
        Read(source);
        return;
    }

    public void OnClick(int id)
    {
        // tell whoever wants to know
        manager.OnClickCached(id);
        Redraw();
    }

    public void OnTouch(int id)
    {
        manager.OnClick(id);
    }
}
"""


def is_known(sent: dict[str, Any], text: str = SCRIPT) -> bool:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return with_one_wrong_line(Document(source), instruction_of(sent)) is not None


def lands(project: UnityProject, sent: dict[str, Any], old: str, new: str) -> None:
    project.write(SCRIPT)
    (offer,) = project.refused(sent).offers
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert SCRIPT.count(old) == 1
    assert project.read().decode() == SCRIPT.replace(old, new)


@pytest.mark.parametrize(
    "context",
    [
        # One line too many, longer than all the rest.
        {"before": "\n    // Nothing else is to be done here, whatever it is.\n    [SetUp]\n    "},
        {"before": "    Debug.Assert(all.of.these, are.enabled);\n    [SetUp]\n    "},
        {"before": "    [SetUp]\n    ", "after": "\n    => Debug.Assert(all.of.these, enabled);"},
    ],
)
def test_a_line_of_the_context_may_be_wrong(project: UnityProject, context: Any) -> None:
    sent = replace("public void Before()", "public override void Before()", **context)
    assert is_known(sent)
    lands(project, sent, "public void Before", "public override void Before")


def test_a_line_of_the_context_may_be_missing(project: UnityProject) -> None:
    sent = replace(
        "var feed = new Feed(source, false);",
        "var feed = new Feed(source, false, cancel);",
        before="    {\n        ",
        after="\n        while (e.MoveNext())",
    )
    assert is_known(sent)
    lands(project, sent, "false)", "false, cancel)")


@pytest.mark.parametrize(
    "context",
    [
        # All of that is elsewhere, so the target may have been changed there.
        {"before": "        Debug.Assert(all.of.these, enabled);\n        Redraw();\n        "},
        # Half of it is elsewhere.
        {
            "before": "        var e = (IEnumerator)feed;\n",
            "after": "\n        return false;\n    public void OnClick(int id)",
        },
        # Two lines are nowhere.
        {"before": "        One(two, three);\n        Four(five, six, seven);\n        "},
        # Another text is on the target's own line.
        {"before": "    public void After()\n    {\n        other."},
        # The context tells nothing.
        {"before": "    {\n"},
        {},
    ],
)
def test_what_is_as_well_known_elsewhere_is_not(context: Any) -> None:
    assert not is_known(replace("Read(source);", "Read(feed);", **context))


@pytest.mark.parametrize(
    ("target", "before"),
    [
        ("(int id)", "        Redraw();\n    }\n\n    public void OnTouch"),  # stands twice
        ("return", "        Read(source);\n        "),  # tells too little
        ("lickCached(id);", "        // tell whoever wants to know\n"),  # begins within a word
    ],
)
def test_what_stands_twice_or_tells_little_is_not(target: str, before: str) -> None:
    assert not is_known(replace(target, "Go();", before=before))


@pytest.mark.parametrize("sign", ["/", " "])
def test_what_stands_within_a_longer_sign_is_not(sign: str) -> None:
    """The new text before ``// …`` would stand in the middle of a ``///``."""
    script = (
        "class C\n{\n    public int b = one.Of(them);\n\n"
        f"    {sign}// How many bytes it takes.\n"
        "    [Min(0)]\n    public int a = two.Of(them);\n}\n"
    )
    sent = replace(
        "// How many bytes it takes.",
        "/// <summary>",
        before="    public int b = one.Of(them);\n\n    ",
        after="\n    [Min(0)]\n    public int a = two.Of(us);",
    )
    sent["anchor"]["in"] = "comment"
    assert is_known(sent, script) == (sign == " ")


def test_a_target_whose_context_stands_around_one_with_a_longer_name_is_not() -> None:
    """Somebody has renamed what is called there."""
    first = "        Check.IsTrue(done.all);\n    }\n\n    void N()\n    {\n"
    second = "        CheckCached.IsTrue(done.all);\n    }\n}\n"
    script = f"class C\n{{\n    void M()\n    {{\n{first}{second}"
    sent = replace(
        "        Check.IsTrue(done.all);", "        Check.IsTrue(done.any);", after="\n    }\n}"
    )
    assert not is_known(sent, script)
    assert is_known(sent, script.replace("CheckCached", "Other"))


def test_new_lines_are_not_put_where_the_target_has_another_indentation() -> None:
    target = "bool isOther = settings.Mode == Mode.Other && settings.Other != null;"
    text = (
        "class Page\n{\n    void Show()\n        {\n            {\n"
        f"            {target}\n        }}\n    }}\n}}\n"
    )
    before = "                Resolution.End();\n              }\n  \n              "
    new_text = "if (isOff)\n                  return;\n  \n              "
    assert not is_known(insert(target, new_text, position="before", before=before), text)


TWICE = """\
class Delays
{
    void Frames(int count)
    {
        result.delayFrameCount = count;
        result.token = token;
        result.initialFrame = Time.frameCount;

        Track(result, 3);
    }

    void Seconds(float seconds)
    {
        result.delaySpan = seconds;
        result.token = token;
        result.initialFrame = Time.frameCount;

        Track(result, 3);
    }
}
"""
TARGET = "result.initialFrame = Time.frameCount;"
NEW = "result.initialFrame = Main ? Time.frameCount : -1;"
ABOVE = "        result.delayFrameCount = count;\n        result.token = token;\n        "


@pytest.mark.parametrize(
    "before",
    [
        ABOVE.replace("token;\n", "token;\n        Debug.Assert(enabled);\n", 1),
        ABOVE.replace("        result.token = token;\n", ""),
    ],
    ids=["too many", "missing"],
)
def test_of_two_places_the_one_with_one_wrong_line_is_known(
    project: UnityProject, before: str
) -> None:
    project.write(TWICE)
    asked = replace(TARGET, NEW, before=before, after="\n\n        Track(result, 3);")
    (offer,) = project.refused(asked).offers
    project.engine.edit_snippet(offer.arguments)
    assert project.read().decode() == TWICE.replace(TARGET, NEW, 1)


@pytest.mark.parametrize(
    "before",
    [
        "        result.token = token;\n        Debug.Assert(enabled);\n        ",
        "        result.delayLength = length;\n        result.token = token;\n        ",
        "        Foo();\n        Bar();\n        Baz();\n        ",
    ],
    ids=["fits both places", "is like both lines", "nothing is right"],
)
def test_where_two_places_are_as_near_none_is_offered(project: UnityProject, before: str) -> None:
    project.write(TWICE)
    assert len(project.refused(replace(TARGET, NEW, before=before)).offers) != 1


def test_a_target_of_which_an_edit_changed_another_place_is_not_offered(
    project: UnityProject,
) -> None:
    other = "class Other\n{\n    public void Before() { }\n}\n"
    project.write(SCRIPT + other)
    project.done(replace(other, other.replace("public void Before", "void Start")))
    asked = replace(
        "public void Before()",
        "public override void Before()",
        before="    [SetUp]\n    ",
        after="\n    => Debug.Assert(all.of.these, enabled);",
    )
    assert is_known(asked, project.read().decode())
    assert project.refused(asked).offers == ()
