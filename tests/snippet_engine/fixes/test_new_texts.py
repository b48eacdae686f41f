r"""New texts that came with a paste's line numbers, curly quotes, or ``\n`` as two characters."""

from __future__ import annotations

from typing import Any

import pytest
from sent_back import check_requests
from unity_project import UnityProject, insert, replace

from snippet_engine.errors import BREAKS_CODE, ErrorCode, SnippetError

NEW = "Assets/Scripts/New.cs"
TEXT = """\
using UnityEngine;

public class Player : MonoBehaviour
{
    float timer;

    void Update()
    {
        timer = 0f;
        Debug.Log("a");
        if (timer > 1f)
        {
            timer = 2f;
        }
    }
}
"""


@pytest.fixture
def player(project: UnityProject) -> UnityProject:
    project.write(TEXT)
    return project


def meant(project: UnityProject, *instructions: dict[str, Any]) -> tuple[SnippetError, str]:
    """The error of instructions that must be refused, and the file after what it offers."""
    error = project.refused(*instructions)
    (offer,) = error.offers
    assert check_requests(project, error, len(instructions)) == 1
    outcome = project.engine.edit_snippet(dict(offer.arguments))
    assert not isinstance(outcome, SnippetError), outcome
    return error, project.read().decode()


def created(project: UnityProject, text: str) -> dict[str, Any] | SnippetError:
    return project.engine.edit_scripts(
        {"mode": "apply", "changes": [{"path": NEW, "create": text}]}
    )


# -- code that would be a comment ----------------------------------------------------------


@pytest.mark.parametrize(
    ("instruction", "after"),
    [
        (
            replace("timer = 0f;", r"// reset\n        timer = 0f;"),
            "        // reset\n        timer = 0f;\n",
        ),
        (
            insert("timer = 0f;", r'// reset\nDebug.Log("r");', position="line_before"),
            '        // reset\n        Debug.Log("r");\n        timer = 0f;\n',
        ),
        (
            insert("timer = 0f;", r"// reset\n        ", position="before"),
            "        // reset\n        timer = 0f;\n",
        ),
        (
            insert(
                "timer = 0f;",
                r"// reset\r\n\tif (timer > 0f)\n\t{\n\t\ttimer++;\n\t}",
                position="line_after",
            ),
            "        timer = 0f;\n        // reset\n        if (timer > 0f)\n        {\n",
        ),
        # Its comment speaks of line breaks, and ends in one.
        (
            replace("timer = 0f;", r"// splits at \n only\n        timer = 5f;"),
            "        // splits at \\n only\n        timer = 5f;\n",
        ),
        (
            insert("timer = 0f;", r"#pragma warning disable 649\ntimer++;", position="line_after"),
            "#pragma warning disable 649\n        timer++;\n",
        ),
        # Literals keep their own.
        (
            replace("timer = 0f;", r'// reset\n        Debug.Log("a\n\tb");'),
            '        // reset\n        Debug.Log("a\\n\\tb");\n',
        ),
    ],
)
def test_code_behind_an_escaped_line_break_is_no_comment(
    player: UnityProject, instruction: dict[str, Any], after: str
) -> None:
    error, text = meant(player, instruction)
    assert error.code is ErrorCode.INVALID_REQUEST
    assert error.instruction == 0
    assert "/* */" in error.message
    assert len(error.message) < 200
    assert after in text


@pytest.mark.parametrize(
    ("comment", "warned"),
    [
        ("// splits at \\n and \\r\\n only", False),
        ("// C:\\new\\readme", False),
        ("// a\\n", True),
        ("// one\\n// two", True),
        ("/* reset\\n timer = 0f; */", False),
        ('// Log("a\\nb");', False),
        ("// text.Split('\\n').Select(x => x);", False),
        # No C# by itself.
        ("// reset\\n and then it goes;", True),
    ],
)
def test_a_comment_on_line_breaks_is_kept(player: UnityProject, comment: str, warned: bool) -> None:
    result = player.done(insert("timer = 0f;", comment, position="line_before"))
    assert comment.encode() in player.read()
    codes = [each["code"] for each in result["warnings"]]
    assert ("commented_out" in codes) == warned


def test_members_of_a_list_are_code_too(project: UnityProject) -> None:
    project.write("enum E\n{\n    One,\n    Two\n}\n")
    for each in (
        insert("One,", r"// half\nHalf,", position="line_after"),
        replace("Two", r"// last\n    Two"),
        insert("Two", r"// last\n    ", position="before"),
    ):
        error = project.refused(each)
        assert error.code is ErrorCode.INVALID_REQUEST
        assert len(error.offers) == 1


def test_a_string_has_its_escapes(player: UnityProject) -> None:
    result = player.done(replace('"a"', r'"// x\ntimer = 0f;"'))
    assert "commented_out" not in [each["code"] for each in result["warnings"]]


def test_a_comment_of_another_place_stays_as_it_is(player: UnityProject) -> None:
    player.write(TEXT.replace("    float timer;", r"    float timer; // a\nint b;"))
    result = player.done(replace("timer = 0f", "timer = 9f"))
    assert "commented_out" not in [each["code"] for each in result["warnings"]]


def test_both_of_two_are_put_right_at_once(player: UnityProject) -> None:
    _, text = meant(
        player,
        replace("timer = 0f;", r"// one\n        timer = 5f;"),
        replace("timer = 2f;", r"// two\n            timer = 6f;"),
    )
    assert "// one\n        timer = 5f;" in text
    assert "// two\n            timer = 6f;" in text


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (
            r"// x\nusing UnityEngine;\n\npublic class New : MonoBehaviour\n{\n}\n",
            "// x\nusing UnityEngine;\n\npublic class New : MonoBehaviour\n{\n}\n",
        ),
        (
            "class New\n{\n    void F()\n    {\n        // x\\n        F();\n    }\n}\n",
            "class New\n{\n    void F()\n    {\n        // x\n        F();\n    }\n}\n",
        ),
    ],
)
def test_a_new_file_that_would_be_a_comment(player: UnityProject, sent: str, text: str) -> None:
    before = player.tree()
    error = created(player, sent)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.INVALID_REQUEST
    assert player.tree() == before
    (offer,) = error.offers
    outcome = player.engine.edit_scripts(dict(offer.arguments))
    assert not isinstance(outcome, SnippetError)
    assert player.read(NEW).decode() == text


def test_a_new_file_whose_comment_speaks_of_line_breaks(player: UnityProject) -> None:
    outcome = created(player, "// splits at \\n and \\r\nclass New { }\n")
    assert not isinstance(outcome, SnippetError)


# -- new texts that are no C# --------------------------------------------------------------

SPOILED = [
    ('9→        timer = 5f;\n10→        Debug.Log("b");', 'timer = 5f;\n        Debug.Log("b");'),
    ("9:        timer = 5f;", "timer = 5f;"),
    (" 9|        timer = 5f;", "timer = 5f;"),
    ("```csharp\ntimer = 5f;\n```", "timer = 5f;"),
    ("-timer = 0f;\n+timer = 5f;", "timer = 5f;"),
    ("> timer = 5f;", "timer = 5f;"),
    ("Debug.Log(“it’s”);", 'Debug.Log("it’s");'),
    (r"timer = 5f;\n        timer++;", "timer = 5f;\n        timer++;"),
    (r"Debug.Log(\"b\");", 'Debug.Log("b");'),
    (r'Debug.Log("a\n");\n        timer++;', 'Debug.Log("a\\n");\n        timer++;'),
    ("```\n9:        Debug.Log(“b”);\n```", 'Debug.Log("b");'),
]


@pytest.mark.parametrize(("sent", "text"), SPOILED)
def test_a_new_text_is_offered_unwrapped(player: UnityProject, sent: str, text: str) -> None:
    error, after = meant(player, replace("timer = 0f;", sent))
    assert error.code in BREAKS_CODE
    assert after == TEXT.replace("timer = 0f;", text)


@pytest.mark.parametrize(
    "sent",
    ["timer = ;", "-timer = 5f;\n-timer = ;", "9: timer = ;", "Debug.Log(“b”;", r"timer = \n;"],
)
def test_nothing_is_offered_that_is_no_code_either(player: UnityProject, sent: str) -> None:
    assert player.refused(replace("timer = 0f;", sent)).offers == ()


def test_lines_are_as_many_as_before(player: UnityProject) -> None:
    _, after = meant(player, replace("timer = 0f;\n", "```\ntimer = 5f;\n```"))
    assert after == TEXT.replace("timer = 0f;", "timer = 5f;")


def test_only_the_new_text_at_fault_is_cleaned(player: UnityProject) -> None:
    _, after = meant(player, replace('"a"', r'"\n"'), replace("timer = 0f;", "9: timer = 5f;"))
    assert after == TEXT.replace('"a"', r'"\n"').replace("timer = 0f;", "timer = 5f;")


@pytest.mark.parametrize(
    "sent",
    [
        "1→class New\n2→{\n3→    int x;\n4→}\n",
        "```csharp\nclass New\n{\n    int x;\n}\n```\n",
        "+class New\n+{\n+    int x;\n+}\n",
    ],
)
def test_a_new_file_is_offered_without_what_came_along(player: UnityProject, sent: str) -> None:
    error = created(player, sent)
    assert isinstance(error, SnippetError)
    assert error.code in BREAKS_CODE
    (offer,) = error.offers
    assert offer.what.startswith("create without ")
    outcome = player.engine.edit_scripts(dict(offer.arguments))
    assert not isinstance(outcome, SnippetError)
    assert player.read(NEW).decode().rstrip("\n") == "class New\n{\n    int x;\n}"


# -- between a head and its brace ----------------------------------------------------------
