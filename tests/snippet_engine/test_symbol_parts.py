"""``part`` of symbol anchors: which text each means, and how what replaces it is indented."""

from __future__ import annotations

import pytest
from planning import edited, on_symbol, unresolved
from unity_project import SCRIPT, UnityProject

from snippet_engine.errors import ErrorCode

SOURCE = """\
namespace Game
{
    /// <summary>Takes part.</summary>
    /// <remarks>Or not [yet].</remarks>
    [Serializable, Tooltip("a]b")] // not [this]
    [RequireComponent(typeof(Body))]
    public class Player : MonoBehaviour
    {
        [SerializeField] private int health = 100, armour;
        public int Lives { get; set; } = 3;
        public bool IsAlive => health > 0;

        public void TakeDamage(int amount)
        {
            health -= amount;
            if (health < 0) { Die(); }
        }

        void Die() { enabled = false; }

        int Twice(int n) /* why */ => n
            + n;
    }

    enum Kind { None = 0, Some }
}
"""


def replaced(part: str, new_text: str, path: str = "Player.TakeDamage", **more: str) -> str:
    instruction = on_symbol(path, "replace", new_text, part=part)
    return edited(SOURCE, {**instruction, **more})


def test_a_body_is_what_stands_between_the_braces_and_is_indented_for_them() -> None:
    assert replaced("body", "health = 0;\nif (armour > 0)\n\tDie();") == SOURCE.replace(
        "            health -= amount;\n            if (health < 0) { Die(); }\n",
        "            health = 0;\n            if (armour > 0)\n                Die();\n",
    )


def test_a_body_on_one_line_stays_on_it_unless_the_new_one_has_several() -> None:
    assert "void Die() { Destroy(this); }" in replaced("body", "Destroy(this);", "Player.Die")
    assert "        void Die() {\n            A();\n            B();\n        }\n" in replaced(
        "body", "A();\nB();", "Player.Die"
    )


def test_a_body_as_given_is_not_indented() -> None:
    assert "        {A();\nB();}\n" in replaced("body", "A();\nB();", indent="asGiven")


def test_an_expression_is_a_body() -> None:
    assert "IsAlive => true;" in replaced("body", "true", "Player.IsAlive")
    assert "/* why */ => 2 * n;\n" in replaced("body", "2 * n", "Player.Twice")


@pytest.mark.parametrize(
    ("part", "path", "new_text", "old", "new"),
    [
        (
            "signature",
            "Player.TakeDamage",
            "void Hurt(float by)",
            "public void TakeDamage(int amount)\n",
            "void Hurt(float by)\n",
        ),
        (
            "signature",
            "Player",
            "class Hero",
            "public class Player : MonoBehaviour\n",
            "class Hero\n",
        ),
        ("initializer", "Player.health", "50", "health = 100,", "health = 50,"),
        ("initializer", "Player.Lives", "9", "} = 3;", "} = 9;"),
        ("initializer", "Kind.None", "1", "None = 0,", "None = 1,"),
        (
            "attributes",
            "Player",
            "[A]\n[B]",
            '[Serializable, Tooltip("a]b")] // not [this]\n    [RequireComponent(typeof(Body))]\n',
            "[A]\n    [B]\n",
        ),
        (
            "documentation",
            "Player",
            "/// <summary>\n/// New.\n/// </summary>",
            "/// <summary>Takes part.</summary>\n    /// <remarks>Or not [yet].</remarks>\n",
            "/// <summary>\n    /// New.\n    /// </summary>\n",
        ),
        ("declaration", "Kind.Some", "More", "0, Some }", "0, More }"),
    ],
)
def test_each_part_is_replaced_and_nothing_else(
    part: str, path: str, new_text: str, old: str, new: str
) -> None:
    assert SOURCE.count(old) == 1
    assert replaced(part, new_text, path) == SOURCE.replace(old, new)


@pytest.mark.parametrize(
    ("part", "path", "old", "new"),
    [
        (
            "documentation",
            "Player",
            "    /// <summary>Takes part.</summary>\n    /// <remarks>Or not [yet].</remarks>\n",
            "",
        ),
        ("initializer", "Player.health", "health = 100,", "health,"),
        ("initializer", "Player.Lives", " } = 3;\n", " }\n"),
        ("initializer", "Kind.None", "None = 0,", "None,"),
        ("body", "Player.Die", "{ enabled = false; }", "{}"),
    ],
)
def test_a_deleted_part_takes_along_what_was_for_it_alone(
    part: str, path: str, old: str, new: str
) -> None:
    assert edited(SOURCE, on_symbol(path, "delete", part=part)) == SOURCE.replace(old, new)


def test_a_target_is_looked_for_in_the_part_alone() -> None:
    found = edited(SOURCE, on_symbol("Player.Twice", "replace", "m", part="signature", target="n)"))
    assert "Twice(int m /* why */ => n\n" in found
    error = unresolved(SOURCE, on_symbol("Player.Die", "delete", part="body", target="void"))
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND


def test_an_insertion_goes_to_the_edge_of_the_part() -> None:
    documented = on_symbol("Player", "insert", "[New]", part="attributes", position="line_before")
    assert "    [New]\n    [Serializable" in edited(SOURCE, documented)
    guarded = on_symbol("Player.IsAlive", "insert", " && enabled", part="body")
    assert "=> health > 0 && enabled;" in edited(SOURCE, guarded)


def test_a_part_that_the_symbol_lacks_is_refused_with_those_that_it_has() -> None:
    error = unresolved(SOURCE, on_symbol("Player.Die", "replace", "x", part="documentation"))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert (
        error.message
        == "Game.Player.Die() has no documentation. As part it has: declaration, body, signature."
    )
    assert error.details["parts"] == ["declaration", "body", "signature"]


def test_the_parts_of_a_file_of_windows_take_its_line_endings(project: UnityProject) -> None:
    project.write(SOURCE.replace("\n", "\r\n"))
    project.done(on_symbol("Player.TakeDamage", "replace", "A();\nB();", part="body"))
    assert b"        {\r\n            A();\r\n            B();\r\n        }\r\n" in project.read(
        SCRIPT
    )


def test_body_positions_are_not_those_of_a_part(project: UnityProject) -> None:
    project.write(SOURCE)
    instruction = on_symbol("Player", "insert", "int x;", part="signature", position="body_end")
    error = project.refused(instruction)
    assert error.code is ErrorCode.INVALID_REQUEST
    assert "body_start and body_end are of the whole declaration" in error.message
