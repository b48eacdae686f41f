"""A target that stands once is known though a line of its context, or its first word, is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.csharp.document import Document
from snippet_engine.errors import SnippetError
from snippet_engine.offers.not_found.doubts import cuts_off_word
from snippet_engine.offers.not_found.only_place import at_only_place
from snippet_engine.offers.repair import Repair
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


def decoded(text: str) -> SourceText:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    return source


def lands(project: UnityProject, instruction: dict[str, Any], old: str, new: str) -> None:
    project.write(SCRIPT)
    (offer,) = project.refused(instruction).offers
    outcome = project.engine.edit_snippet(offer.arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert SCRIPT.count(old) == 1
    assert project.read().decode() == SCRIPT.replace(old, new)


def is_known(sent: dict[str, Any]) -> bool:
    return at_only_place(Document(decoded(SCRIPT)), instruction_of(sent)) is not None


@pytest.mark.parametrize(
    "context",
    [
        # one too many, longer than all the rest
        {"before": "\n    // Nothing else is to be done here, whatever it is.\n    [SetUp]\n    "},
        {"before": "    Debug.Assert(all.of.these, are.enabled);\n    [SetUp]\n    "},
        # one that isn't, and one that is
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
        # What stands beside it is something else.
        {"before": "    public void After()\n    {\n        other."},
        # Nothing is told of its place.
        {"before": "    {\n"},
        {},
    ],
)
def test_what_is_as_well_known_elsewhere_is_not(context: Any) -> None:
    assert not is_known(replace("Read(source);", "Read(feed);", **context))


@pytest.mark.parametrize(
    ("target", "before"),
    [
        ("(int id)", "        Redraw();\n    }\n\n    public void OnTouch"),  # twice
        ("return", "        Read(source);\n        "),  # tells too little
        ("lickCached(id);", "        // tell whoever wants to know\n"),  # within a word
    ],
)
def test_what_stands_twice_or_tells_little_is_not(target: str, before: str) -> None:
    assert not is_known(replace(target, "Go();", before=before))


@pytest.mark.parametrize("sign", ["/", " "])
def test_what_stands_within_a_longer_sign_is_not(sign: str) -> None:
    """What would be put before ``// …`` would stand in the middle of a ``///``."""
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
    known = at_only_place(Document(decoded(script)), instruction_of(sent))
    assert (known is None) == (sign == "/")


def test_a_target_whose_context_stands_around_one_with_a_longer_name_is_not() -> None:
    """Somebody has renamed what is called there."""
    first = "        Check.IsTrue(done.all);\n    }\n\n    void N()\n    {\n"
    second = "        CheckCached.IsTrue(done.all);\n    }\n}\n"
    script = f"class C\n{{\n    void M()\n    {{\n{first}{second}"
    sent = replace(
        "        Check.IsTrue(done.all);", "        Check.IsTrue(done.any);", after="\n    }\n}"
    )
    assert at_only_place(Document(decoded(script)), instruction_of(sent)) is None
    # Where nobody has, it is known.
    other = script.replace("CheckCached", "Other")
    assert at_only_place(Document(decoded(other)), instruction_of(sent)) is not None


@pytest.mark.parametrize("first", ["readonly ", "this."])
@pytest.mark.parametrize("before", ["", "    {\n        var feed = new Feed(source, false);\n"])
def test_a_word_that_was_put_before_a_target_is_left_out(
    project: UnityProject, first: str, before: str
) -> None:
    sent = replace(
        f"        {first}var e = (IEnumerator)feed;",
        f"        {first}var e = (IEnumerator<int>)feed;",
        **({"before": before} if before else {}),
    )
    lands(project, sent, "(IEnumerator)", "(IEnumerator<int>)")


def test_the_only_place_with_all_of_the_context_is_meant_though_the_target_stands_elsewhere(
    project: UnityProject,
) -> None:
    sent = replace(
        "manager.OnClick(id);",
        "list.OnClick(id);",
        before="        // tell whoever wants to know\n        ",
        after="\n        Redraw();\n",
    )
    lands(project, sent, "manager.OnClickCached", "list.OnClickCached")


def test_what_began_a_line_is_not_found_within_one_where_the_new_text_begins_one(
    project: UnityProject,
) -> None:
    project.write(
        "class C\n{\n    readonly BindInfo info;\n\n    C(\n        Creation info) { }\n}\n"
    )
    assert project.refused(replace("        BindInfo ", "        Creation ")).offers == ()


def test_two_words_more_than_another_place_has_are_not_left_out(project: UnityProject) -> None:
    text = SCRIPT.replace("{\n    [SetUp]", "{\n    private bool done = false;\n\n    [SetUp]")
    text = text.replace("        Redraw();\n", "        Redraw();\n        done = false;\n")
    project.write(text)
    sent = replace("public bool done = false;", "public bool done = false;\n    int count;")
    (offer,) = project.refused(sent).offers
    assert offer.arguments["instructions"][0]["anchor"]["target"] == "private bool done = false;"


def test_a_part_of_a_longer_name_is_not_the_place_of_a_name_that_stands_by_itself() -> None:
    document = Document(decoded("class Page { bool Go(Item gone) => Ask(goneItems); }"))
    sent = instruction_of(replace("gone", "item", before="Tell("))
    found = Repair("", (instruction_of(replace("gone", "item", before="Ask(")),))
    assert cuts_off_word(document, sent, found)
    alone = Document(decoded("class Page { bool Go(Item item) => Ask(goneItems); }"))
    assert not cuts_off_word(alone, sent, found)


def test_new_lines_aren_t_put_where_the_target_was_indented_otherwise() -> None:
    target = "bool isOther = settings.Mode == Mode.Other && settings.Other != null;"
    text = (
        "class Page\n{\n    void Show()\n        {\n            {\n"
        f"            {target}\n        }}\n    }}\n}}\n"
    )
    before = "                Resolution.End();\n              }\n  \n              "
    new_text = "if (isOff)\n                  return;\n  \n              "
    sent = instruction_of(insert(target, new_text, position="before", before=before))
    assert at_only_place(Document(decoded(text)), sent) is None
