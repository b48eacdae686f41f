"""Offers that were tried: none leaves half a statement, or takes along what nobody sent."""

from __future__ import annotations

from typing import Any

import pytest
from unity_project import UnityProject, delete, replace

from snippet_engine.errors import SnippetError


def script(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return (
        "using UnityEngine;\n\npublic class W : MonoBehaviour\n{\n    int hp = 10;\n    bool inv;\n"
        "    void Foo() { }\n    void Bar() { }\n    void Next() { }\n\n"
        f"    void Go(int amount)\n    {{\n{body}        Next();\n    }}\n}}\n"
    )


GUARDED = script("if (inv) Debug.Log(hp);", "Foo();", "Bar();")


@pytest.mark.parametrize(
    ("text", "instruction"),
    [
        (GUARDED, delete("Debug.Log(amount);\n        Foo();\n        Bar();")),
        (GUARDED, delete("        Debug.Log(amount);\n        Foo();\n        Bar();\n")),
        (GUARDED, delete("Debug.Log( hp );\n        Foo( );\n        Bar();")),
        (
            script("if (inv) Debug.Log(hp); // added by the user", "Foo();", "Bar();"),
            delete("Debug.Log(amount);\n        Foo();\n        Bar();"),
        ),
        (script("if (inv) Destroy(gameObject);"), delete("Destroy(this.gameObject);")),
        (script("if (inv)", "    Destroy(gameObject);"), delete("Destroy(this.gameObject);")),
        (
            script("if (inv) hp -= amount; // clamp later", "Foo();"),
            delete("hp -=amount;\n        Foo();"),
        ),
        (script("if (inv) Destroy(gameObject);"), replace("Destroy(this.gameObject);", "// gone")),
    ],
)
def test_a_guard_is_not_left_without_its_statement(
    project: UnityProject, text: str, instruction: dict[str, Any]
) -> None:
    project.write(text)
    for offer in project.refused(instruction).offers:
        project.write(text)
        result = project.engine.edit_snippet({**offer.arguments, "mode": "preview"})
        assert not isinstance(result, SnippetError)
        assert "guard_scope_changed" not in [each["code"] for each in result["warnings"]]


METHOD = """\
    void TakeDamage(int amount)
    {
        health -= amount;
        if (health < 0)
            Destroy(gameObject);
    }
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("health < 0", "health < 1"),
        ("health < 0", "heatlh < 0"),
        ("        if", "      if"),
        ("int amount)\n    {", "int amount) {"),
    ],
)
def test_a_nearly_right_deletion_is_offered(project: UnityProject, old: str, new: str) -> None:
    text = f"class P : MonoBehaviour\n{{\n    int health;\n    bool dead;\n\n{METHOD}}}\n"
    project.write(text)
    (offer,) = project.refused(delete(METHOD.strip().replace(old, new, 1))).offers
    assert offer.tool == "edit_scripts"
    assert not isinstance(project.engine.edit_scripts(offer.arguments), SnippetError)
    assert "TakeDamage" not in project.read().decode()
    assert "bool dead;" in project.read().decode()


def test_an_offer_may_have_what_is_new_in_the_language(project: UnityProject) -> None:
    project.write(script("hp -= amount;", "Foo();"))
    error = project.refused(replace("hp -= amont;", "int[] all = [1, 2];"))
    assert len(error.offers) == 1


GUARDED = """\
class Loader
{
    void Load()
    {
        if (ready)
            Begin(first, second);
        End(third);
    }
}
"""


@pytest.mark.parametrize(("margin", "offered"), [("        ", 1), ("            ", 0)])
def test_a_statement_behind_an_unbraced_if(
    project: UnityProject, margin: str, offered: int
) -> None:
    project.write(GUARDED)
    target = "            Begin(frst, second);"
    error = project.refused(replace(target, f"{target}\n{margin}Log();"))
    assert len(error.offers) == offered
    for offer in error.offers:
        result = project.engine.edit_snippet(offer.arguments)
        assert not isinstance(result, SnippetError)
        assert result["warnings"] == []
