"""A place that is much liker to what was sent than all others is offered, whatever names differ."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import SnippetError
from snippet_engine.fixes.merge.three_way_merge import merged_text

SCRIPT = """\
class Shop
{
    int price;
    int prices;

    int Sum(int[] list, int limit)
    {
        // adds up
        int sum = Add(list, limit, 0);
        Send(0, first, price);
        return sum;
    }

    int Most(int[] list, int limitCached)
    {
        Check(list);
        int most = Best(list, limit, 0);
        Send(0, segmentNetId, price);
        this.price = 0;
        size.y = list.Length;
        return most;
    }
}
"""


def lands(project: UnityProject, instruction: dict[str, Any], old: str, new: str) -> None:
    project.write(SCRIPT)
    error = project.refused(instruction)
    assert len(error.offers) == 1, error
    assert SCRIPT.count(old) == 1
    outcome = project.engine.edit_snippet(error.offers[0].arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == SCRIPT.replace(old, new)


@pytest.mark.parametrize(
    "before",
    [
        # a name that stands elsewhere, too, has got longer here
        "    int Most(int[] list, int limit)\n    {\n        Check(list);\n",
        # a line is missing
        "    int Most(int[] list, int limitCached)\n    {\n",
        # a line is another one's
        "    int Most(int[] list, int limitCached)\n    {\n        // adds up\n",
    ],
)
def test_a_target_with_a_context_that_is_wrong_in_one_place(
    project: UnityProject, before: str
) -> None:
    edit = replace("int most = Best(list, limit, 0);", "int most = 0;", before=before)
    lands(project, edit, "int most = Best(list, limit, 0);", "int most = 0;")


def test_a_slip_of_the_pen_is_put_before_other_names(project: UnityProject) -> None:
    edit = replace("Send(0, _segmentNetId, price);", "Push(0, _segmentNetId, price);")
    lands(project, edit, "Send(0, segmentNetId", "Push(0, segmentNetId")


def test_a_blank_line_before_a_line_that_the_file_has_not_is_not_lost() -> None:
    sent = "Ready();\n    Ensure();\n    Install();\n    Bind();"
    standing = "Ready();\n    Install();\n    Bind();"
    assert merged_text(sent, sent.replace("\n    Ensure", "\n\n    Ensure"), standing) is None
    assert merged_text(sent, sent.replace("Bind", "Bound"), standing) == standing.replace(
        "Bind", "Bound"
    )


def test_a_no_break_space_is_one_of_the_display(project: UnityProject) -> None:
    after = "\n        Check(list);\n        int\u00a0most = Best(list, limit, 0);"
    edit = replace("{", "{\n        Begin(\u00a01);", before="limitCached)\n    ", after=after)
    lands(project, edit, "Cached)\n    {", "Cached)\n    {\n        Begin( 1);")


def test_a_brace_is_known_by_its_context(project: UnityProject) -> None:
    after = "\n        Check(list);\n        int least = Best(list, limit, 0);"
    edit = insert("{", "\n        Begin();", before="limitCached)\n    ", after=after)
    lands(project, edit, "Cached)\n    {", "Cached)\n    {\n        Begin();")


@pytest.mark.parametrize(
    ("target", "new_text", "old", "new"),
    [
        ("int SumintArray", "int Sum2", "", ""),
    ],
)
def test_a_sign_that_was_lost_between_two_words_is_put_back(
    project: UnityProject, target: str, new_text: str, old: str, new: str
) -> None:
    if old:
        lands(project, replace(target, new_text), old, new)
    else:
        project.write(SCRIPT)
        assert project.refused(replace(target, new_text)).offers == ()


def test_a_word_that_may_be_two_pairs_of_words_is_none(project: UnityProject) -> None:
    project.write("class C\n{\n    int a = size.y;\n    int b = size(y);\n    int c = size-y;\n}\n")
    assert project.refused(replace("int d = sizey;", "int d = 0;")).offers == ()


def test_a_place_is_not_offered_where_another_one_has_as_little_wrong(
    project: UnityProject,
) -> None:
    project.write(
        "class C\n{\n    void A(int one)\n    {\n        Begin(one);\n        Go();\n    }\n\n"
        "    void B(int two)\n    {\n        Begin(two);\n        Go();\n    }\n}\n"
    )
    before = "    void D(int three)\n    {\n        Begin(three);\n        "
    assert project.refused(replace("Go();", "Stop();", before=before)).offers == ()


def test_a_line_that_only_begins_as_the_new_text_does_is_not_done(project: UnityProject) -> None:
    project.write(
        "class C\n{\n    // Waits for it\n    float waitX = 0f;\n    float waitZ = 0f;\n}\n"
    )
    target = "    // Waits for it\n    float wait = 0f;"
    error = project.refused(replace(target, "    // Waits for it"))
    assert "is done" not in error.message
    assert all("float waitZ" not in str(each.arguments) for each in error.offers)


def test_of_the_blanks_in_a_line_a_target_has_those_that_it_was_sent_with(
    project: UnityProject,
) -> None:
    project.write(
        "class C\n{\n    void A()\n    {\n        TestCached(first,     second, third);\n    }\n}\n"
    )
    edit = replace("    second, third", "both", before="void A()\n    {\n        Test(first, ")
    error = project.refused(edit)
    assert not isinstance(project.engine.edit_snippet(error.offers[0].arguments), SnippetError)
    assert b"TestCached(first, both);" in project.read()


def test_a_word_that_ends_too_soon_is_replaced_by_one_that_does_not(
    project: UnityProject,
) -> None:
    edit = replace("int most = Bes(list, limit, 0);", "int most = BestOf(list, limit, 0);")
    lands(project, edit, "= Best(", "= BestOf(")


def test_of_two_places_that_differ_in_the_same_line_none_is_offered(project: UnityProject) -> None:
    """Neither may the one be meant that has a name of the anchor less."""
    body = (
        "        if (!Read(ref isReady))\n        {\n            {}\n"
        "            go = Next(ref head);\n"
    )
    project.write(
        "class C\n{\n    void A()\n    {\n"
        + body.replace("{}", "Take(a);")
        + "        }\n    }\n\n    void B(int head2)\n    {\n"
        + body.replace("{}", "Give(b, head2, c);")
        + "        }\n    }\n}\n"
    )
    before = body[: body.index("            go")].replace("{}", "Loan(d, e);")
    error = project.refused(replace("go = Next(ref head);", "go = 0;", before=before))
    assert len(error.offers) != 1


def test_a_place_that_the_error_has_no_room_for_is_offered_as_well(project: UnityProject) -> None:
    methods = "".join(f"    void M{n}()\n    {{\n        Go();\n    }}\n\n" for n in range(7))
    last = "    void Last(int count)\n    {\n        isDone = true;\n        Go();\n    }\n"
    text = f"class C\n{{\n{methods}{last}}}\n"
    project.write(text)
    before = "    void Last(int counts)\n    {\n        isDone = true;\n        "
    error = project.refused(replace("Go();", "Stop();", before=before))
    assert len(error.offers) == 1
    assert not isinstance(project.engine.edit_snippet(error.offers[0].arguments), SnippetError)
    wanted = text.replace(last, last.replace("Go();", "Stop();"))
    assert project.read().decode() == wanted


@pytest.mark.parametrize(
    ("target", "new_text"),
    [
        (
            "static HashSet<Node> nodes = new Set();",
            "internal static HashSet<Node> nodes = new Set();",
        ),
        ("static HashSet<Node> nodes = new;", "internal static HashSet<Node> nodes = new;"),
    ],
)
def test_a_word_more_beside_the_first_one_stays_behind_it(
    project: UnityProject, target: str, new_text: str
) -> None:
    text = "class C\n{\n    static readonly HashSet<Node> nodes = new Set();\n}\n"
    project.write(text)
    error = project.refused(replace(target, new_text))
    for offer in error.offers:
        assert not isinstance(project.engine.edit_snippet(offer.arguments), SnippetError)
        assert project.read().decode() == text.replace("static", "internal static")


def test_an_indentation_is_unclear_where_the_target_begins_on_the_line_before(
    project: UnityProject,
) -> None:
    """The first line of the new text may be indented as the file is, or as the target was sent."""
    project.write("class C\n{\n    void A()\n    {\n        Go();\n\n        x = 1;\n    }\n}\n")
    error = project.refused(
        replace("\n            x = 1;", "        this.x = 1;", before="Go();\n")
    )
    assert error.offers == ()


"""A place that has the target, and little of the context."""


@pytest.mark.parametrize("depth", [12, 16])
def test_a_longer_name_at_the_depth_that_was_sent_is_not_meant(
    project: UnityProject, depth: int
) -> None:
    """The very target stands at another depth."""
    project.write(
        "class C\n{\n    void M(int way)\n    {\n        switch (way)\n        {\n"
        "            case 3:  // equalCached ordered\n                Go();\n"
        "                break;\n        }\n        switch (way)\n        {\n"
        "        case 3:  // equal ordered\n            Go();\n            break;\n        }\n"
        "    }\n}\n"
    )
    sent = f"{' ' * depth}case 3:  // equal ordered"
    found = project.refused(replace(sent, sent.replace("case 3", "default"))).offers
    assert len(found) == 1


VALUES = """\
class Vector2Field
{
    void Bind()
    {
        if (isInt)
        {
            Vector2Int val = (Vector2Int) Value;
            inputX.Text = val.x.ToString();
        }
        else
        {
            Vector2 val = (Vector2) Value;
            inputX.Text = val.x.ToString();
        }
    }

    void Refresh()
    {
        if (isInt)
        {
            Vector2Int prevVal = (Vector2Int) Value;
            Vector2Int val = (Vector2Int) Value;

            if( val.x != prevVal.x )
                inputX.Text = val.x.ToString();
        }
        else
        {
            Vector2 prevVal = (Vector2) Value;
            Vector2 val = (Vector2) Value;

            if( val.x != prevVal.x )
                inputX.Text = val.x.ToString();
        }
    }
}
"""


def test_a_place_is_not_the_one_where_another_is_one_token_farther(project: UnityProject) -> None:
    project.write(VALUES)
    asked = replace(
        "inputX.Text = val.x.ToString();",
        "inputX.Text = val.x.ToString(format);",
        before="            Vector2Int val = (Vector2Int) Value;\n\n"
        "    private bool OnValueSubmitted( BoundInputField source, string input )\n        ",
    )
    assert len(project.refused(asked).offers) != 1
