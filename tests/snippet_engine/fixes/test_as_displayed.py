"""A text that was sent as it is displayed, with line numbers or escapes."""

from __future__ import annotations

import pytest
from unity_project import UnityProject, replace

from snippet_engine.errors import SnippetError

CALLS = """\
class Driver
{
    void Update()
    {
        Clear();
        Get(
            OnReceived,
            _ => OnChanged?.Invoke()
        );
    }
}
"""


@pytest.mark.parametrize("number", ["8: ", "8:", "8\t", "  8| ", "8|"])
def test_the_blank_behind_a_line_number_is_none_of_a_line_that_was_moved(
    project: UnityProject, number: str
) -> None:
    project.write(CALLS)
    project.done(replace("        Clear();", "        // Checked before.\n        Clear();"))
    standing = project.read().decode()
    sent = replace(
        f"{number}            _ => OnChanged?.Invoke()", f"{number}            Debug.LogException"
    )
    offer = project.refused(sent).offers[0]
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == standing.replace(
        "_ => OnChanged?.Invoke()", "Debug.LogException"
    )


@pytest.mark.parametrize("indent", ["\t", "    "])
@pytest.mark.parametrize(
    "number", ["4: ", "4| ", "4 | ", " 4 | ", "4:", "4|", "4\t", "4: {}", "4 | {}"]
)
@pytest.mark.parametrize("is_numbered", [False, True])
def test_a_blank_behind_a_line_number_came_with_it(
    project: UnityProject, number: str, indent: str, is_numbered: bool
) -> None:
    standing = f"class A\n{{\n{indent}int a = 1;\n{indent}int b = 2;\n{indent}int c = 3;\n}}\n"
    project.write(standing)
    number = number.format(indent)
    has_indent = number.endswith(indent) and not number.endswith("4\t")
    lead = number if is_numbered else indent * has_indent
    (offer,) = project.refused(replace(f"{number}int b = 2;", f"{lead}int b = 5;")).offers
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == standing.replace("b = 2", "b = 5")


def test_marks_of_a_diff_are_no_sign_at_the_end_of_the_line_above(project: UnityProject) -> None:
    text = (
        "class C\n{\n    float Get()\n    {\n        return Length(camera -\n"
        "            position.Value);\n    }\n}\n"
    )
    project.write(text)
    asked = replace("-            position.Value);", "+            reference.Value);")
    (offer,) = project.refused(asked).offers
    project.engine.edit_snippet(dict(offer.arguments))
    assert project.read().decode() == text.replace("position", "reference")


def test_what_fits_one_place_without_its_fence_is_offered_there(project: UnityProject) -> None:
    """Other places are as like the one word that it has."""
    note = "    /// <summary>\n    /// {}\n    /// </summary>\n    int {};\n\n"
    names = "Permission", "Permissions", "PermissionKind"
    notes = "".join(note.format(each, f"m{at}") for at, each in enumerate(names))
    text = f"class A\n{{\n{notes}}}\n"
    project.write(text)
    sent = replace("```csharp\n/// Permission\n```", "```csharp\n/// \n```")
    sent["anchor"]["in"] = "comment"
    (offer,) = project.refused(sent).offers
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == text.replace("/// Permission\n", "/// \n")


def test_the_context_tells_which_of_two_places_was_quoted_with_other_quotes(
    project: UnityProject,
) -> None:
    lines = '        Add("m", "{}");\n        Add("p", P());\n        Add("b", B());\n'
    body = lines.format("One") + lines.format("Two")
    text = f"class A\n{{\n    void Run()\n    {{\n{body}    }}\n}}\n"
    project.write(text)
    sent = replace(
        "Add(“p”, P());\n        Add(“b”, B());",
        "Add(“p”, P());",
        before="        Add(“m”, “Two”);\n        ",
    )
    (offer,) = project.refused(sent).offers
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == "".join(text.rsplit('        Add("b", B());\n', 1))


PLAYER = """\
public class Player
{
    /// <summary>A List&lt;int&gt; of it.</summary>
    public bool IsAlive => health > 0 && max > 0;
    int health, max;
    const string Spaced = "a\\u00A0b — c\\u2022";
    string[] names = { "x", null };
}
"""


@pytest.mark.parametrize(
    ("target", "new_text", "context", "meant"),
    [
        # HTML's entities, in the target, in the context and in the new text.
        (
            "health &gt; 0 &amp;&amp; max &gt; 0",
            "health &gt; 1",
            {},
            ("health > 0 && max > 0", "health > 1"),
        ),
        ("max > 0;", "max &gt;= 1;", {}, ("max > 0;", "max >= 1;")),
        (
            "IsAlive =&#62; health",
            "IsAlive =&#x3e; max",
            {},
            ("IsAlive => health", "IsAlive => max"),
        ),
        ("max", "min", {"before": "0 &amp;&amp; "}, ("&& max", "&& min")),
        (
            "List&amp;lt;int&amp;gt; of",
            "List&amp;lt;long&amp;gt; of",
            {},
            ("List&lt;int", "List&lt;long"),
        ),
        ("— c\u2022", "— e\u2022", {}, ("— c\\u2022", "— e\\u2022")),
        ("max > 0;", "max > 1;", {"before": "null", "after": "int health"}, ("max > 0", "max > 1")),
    ],
)
def test_signs_that_were_sent_otherwise_are_offered_as_the_file_has_them(
    project: UnityProject,
    target: str,
    new_text: str,
    context: dict[str, str],
    meant: tuple[str, str],
) -> None:
    project.write(PLAYER)
    (offer,) = project.refused(replace(target, new_text, **context)).offers
    outcome = project.engine.edit_snippet({**offer.arguments, "mode": "apply"})
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == PLAYER.replace(*meant)


@pytest.mark.parametrize(
    ("target", "new_text", "context"),
    [
        # There as an entity, here as it is: one of them is meant.
        ("0 &amp;&amp; max", "1 &amp; max && min", {}),
        # A context that stands in the file, though not there.
    ],
)
def test_signs_that_may_be_meant_so_are_not_read_otherwise(
    project: UnityProject, target: str, new_text: str, context: dict[str, str]
) -> None:
    project.write(PLAYER)
    assert project.refused(replace(target, new_text, **context)).offers == ()


def test_an_anchor_that_fits_as_it_was_sent_is_read_as_that(project: UnityProject) -> None:
    project.write(PLAYER)
    in_comment = replace("List&lt;int&gt;", "List&lt;long&gt;")
    in_comment["anchor"]["in"] = "comment"
    project.done(in_comment)
    project.done(replace("}", ", null }", before="null "))
    assert "List&lt;long&gt;" in project.read().decode()
