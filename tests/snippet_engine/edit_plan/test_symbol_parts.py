"""``part`` of symbol anchors: which text each means, and how what replaces it is indented."""

from __future__ import annotations

import pytest
from planning import edited, on_symbol, unresolved
from unity_project import SCRIPT, UnityProject, replace

from snippet_engine.errors import ErrorCode, SnippetError

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
def test_each_part_is_replaced(part: str, path: str, new_text: str, old: str, new: str) -> None:
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
def test_a_deleted_part_takes_its_own_along(part: str, path: str, old: str, new: str) -> None:
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
    error = unresolved(SOURCE, on_symbol("Player.Die", "replace", "x", part="initializer"))
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert (
        error.message
        == "Game.Player.Die() has no initializer. Its parts: declaration, body, signature."
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
    assert "body_start and body_end need the whole declaration" in error.message


METHOD = """\
/// <summary>Hurts.</summary>
[ContextMenu("Hurt")]
public void TakeDamage(float by)
{
    var text = @"
  kept";
#if DEBUG
    Log(text);
#endif

    if (by > 0)
        health -= by;
}"""


def at(margin: str, text: str = METHOD) -> str:
    """The text with a margin, but for what stands in strings, and directives."""
    kept = ("#", "  kept")
    return "\n".join(
        line if not line or line.startswith(kept) else margin + line for line in text.split("\n")
    )


@pytest.mark.parametrize(
    "sent",
    [
        at("        "),
        METHOD,
        at("        ").lstrip(),
        at("    "),
        at("            "),
        "\n" + at("        ") + "\n",
        at("\t\t", METHOD.replace("    ", "\t")),
    ],
    ids=["as in the file", "margin", "first cut off", "less", "more", "line breaks", "tabs"],
)
def test_a_declaration_stands_right_however_it_was_sent(project: UnityProject, sent: str) -> None:
    for ending in ("\n", "\r\n"):
        wanted = SOURCE.replace(TAKE_DAMAGE, at("        ").lstrip())
        written = rewritten(project, {"newText": sent}, ending)
        assert written == wanted.replace("\n", ending).encode()


def test_a_declaration_as_given_stays_as_it_was_sent(project: UnityProject) -> None:
    written = rewritten(project, {"newText": METHOD, "indent": "asGiven"})
    assert written == SOURCE.replace(TAKE_DAMAGE, METHOD).encode()


TAKE_DAMAGE = SOURCE[SOURCE.index("public void Take") : SOURCE.index("        void Die()")].rstrip()


def rewritten(project: UnityProject, new: dict[str, str], ending: str = "\n") -> bytes:
    """The script after the method was replaced in a change set."""
    project.write(SOURCE.replace("\n", ending))
    instruction = {**on_symbol("Player.TakeDamage", "replace"), **new}
    change = {"path": SCRIPT, "instructions": [instruction]}
    done = project.engine.edit_scripts({"mode": "apply", "changes": [change]})
    assert not isinstance(done, SnippetError), done
    return project.read()


@pytest.mark.parametrize(
    ("sent", "standing"),
    [
        ("public int X =>\n    y;", "public int X =>\n        y;"),
        ("public int X =>\n        y;", "public int X =>\n        y;"),
        ("    public int X =>\n        y;", "public int X =>\n        y;"),
        ("int a;\n    int b;", "int a;\n    int b;"),
        ("int a;\nint b;", "int a;\n    int b;"),
        ("[A]\n    int b;", "[A]\n    int b;"),
        ("    int b;", "int b;"),
    ],
)
def test_a_continuation_is_told_from_a_sibling(sent: str, standing: str) -> None:
    text = "class C\n{\n    int a;\n}\n"
    assert edited(text, on_symbol("C.a", "replace", sent)) == text.replace("int a;", standing)


def test_a_declaration_gets_the_tabs_and_line_endings_of_the_file() -> None:
    text = "class C\n{\n\tvoid M()\n\t{\n\t}\n}\n"
    sent = "    void N()\n    {\n        Go();\n    }"
    wanted = "class C\n{\n\tvoid N()\n\t{\n\t\tGo();\n\t}\n}\n"
    for each in (sent, sent.lstrip(), at("    ", sent), sent.replace("\n    ", "\n").lstrip()):
        assert edited(text, on_symbol("C.M", "replace", each)) == wanted


def test_a_signature_of_several_lines_is_indented_for_its_place() -> None:
    sent = "    public void Hurt(\n        float by)"
    assert "        public void Hurt(\n            float by)\n" in replaced("signature", sent)


@pytest.mark.parametrize(
    ("sent", "inside"),
    [
        ("{\n    health = 0;\n}", "health = 0;"),
        ("{ health = 0; }", "health = 0;"),
        ('        {\n            Log($"{a} }}");\n        }\n', 'Log($"{a} }}");'),
        ("{ A(); }\n{ B(); }", "{ A(); }\n            { B(); }"),
        ("{ A(); } B();", "{ A(); } B();"),
    ],
)
def test_the_braces_around_a_new_body_are_those_of_the_file(sent: str, inside: str) -> None:
    old = "            health -= amount;\n            if (health < 0) { Die(); }\n"
    assert replaced("body", sent) == SOURCE.replace(old, f"            {inside}\n")


def test_braces_that_are_left_out_are_told(project: UnityProject) -> None:
    for sent, told in (("{ Go(); }", ["braces_left_out"]), ("Go();", [])):
        project.write(SOURCE)
        result = project.done(on_symbol("Player.Die", "replace", sent, part="body"))
        assert [each["code"] for each in result["warnings"]] == told
        assert b"void Die() { Go(); }" in project.read()


def test_a_block_takes_the_place_of_an_expression() -> None:
    sent = "{\n    return health > 1;\n}"
    block = "        {\n            return health > 1;\n        }\n"
    assert replaced("body", sent, "Player.IsAlive") == SOURCE.replace(
        "IsAlive => health > 0;\n", f"IsAlive\n{block}"
    )
    assert replaced("body", sent, "Player.Twice") == SOURCE.replace(
        "/* why */ => n\n            + n;\n", f"/* why */\n{block}"
    )
    assert replaced("body", "{ return n; }", "Player.Twice", indent="asGiven") == SOURCE.replace(
        "=> n\n            + n;\n", "{ return n; }\n"
    )


@pytest.mark.parametrize("sent", ["=> armour", "=> armour;", "\n=> armour;\n"])
def test_an_expression_takes_the_place_of_a_block(sent: str) -> None:
    assert replaced("body", sent, "Player.Die") == SOURCE.replace(
        "Die() { enabled = false; }", "Die() => armour;"
    )
    assert "void TakeDamage(int amount) => armour;\n\n" in replaced("body", sent)


def test_an_initializer_in_braces_is_an_expression_still() -> None:
    assert "=> new[] { n };" in replaced("body", "new[] { n }", "Player.Twice")


@pytest.mark.parametrize("part", ["documentation", "attributes"])
def test_what_is_not_there_yet_is_to_be_inserted(part: str) -> None:
    error = unresolved(SOURCE, on_symbol("Player.Die", "replace", "/// Dies.", part=part))
    assert 'insert at position "line_before"' in error.message


@pytest.mark.parametrize("around", [("\n", "        "), ("\n  \n", "\n\t"), ("", "")])
def test_a_body_may_be_sent_as_it_stands_between_the_braces(around: tuple[str, str]) -> None:
    """What is left of the braces' own lines is no line of the body."""
    body = "            health -= amount;\n            if (health < 0) { Die(); }\n"
    assert replaced("body", f"{around[0]}{body}{around[1]}") == SOURCE


LEAD = """/// <summary>Takes part.</summary>
    /// <remarks>Or not [yet].</remarks>
    [Serializable, Tooltip("a]b")] // not [this]
    [RequireComponent(typeof(Body))]
    """
HEAD = "public class Player : MonoBehaviour"


@pytest.mark.parametrize(
    "lead",
    [
        LEAD,
        LEAD.replace("    ", ""),
        "[RequireComponent(typeof(Body))]\n",
        '[Serializable, Tooltip("a]b")]\n    ',
        "/// <summary>Takes part.</summary>\n    /// <remarks>Or not [yet].</remarks>\n    ",
    ],
)
@pytest.mark.parametrize("way", ["part", "text", "whole line"])
def test_a_signatures_attributes_are_not_put_there_twice(lead: str, way: str) -> None:
    new = f"{lead}{HEAD}, IUnit"
    if way == "part":
        request = on_symbol("Player", "replace", new, part="signature")
    elif way == "text":
        request = replace(HEAD, new)
    else:
        *above, last = f"    {new}".split("\n")
        new = "\n".join([*above, f"    {last.lstrip()}"])
        request = replace(f"    {HEAD}", new)
    assert edited(SOURCE, request) == SOURCE.replace(HEAD, f"{HEAD}, IUnit")


@pytest.mark.parametrize(
    ("target", "new"),
    [
        (HEAD, f"[Other]\n    {HEAD}"),  # none that stands there
        (
            f"[RequireComponent(typeof(Body))]\n    {HEAD}",
            f'[Serializable, Tooltip("a]b")]\n    {HEAD}',
        ),
        ("private int health", "[SerializeField] protected int health"),
    ],
)
def test_others_are(target: str, new: str) -> None:
    expected = SOURCE.replace(target, new)
    if target.startswith("private"):  # its own stands before it on its line
        expected = SOURCE.replace("private int health", "protected int health")
    assert edited(SOURCE, replace(target, new)) == expected


@pytest.mark.parametrize("others", ["[Other]\n    ", "/// <remarks/>\n    "])
@pytest.mark.parametrize(
    "attribute", ["[RequireComponent(typeof(Body))]", '[Serializable, Tooltip("a]b")]']
)
def test_an_attribute_that_stands_there_is_left_out_of_others(others: str, attribute: str) -> None:
    new = f"{others}{attribute}\n    {HEAD}, IUnit"
    expected = SOURCE.replace(HEAD, f"{others}{HEAD}, IUnit")
    assert edited(SOURCE, replace(HEAD, new)) == expected
    assert edited(SOURCE, on_symbol("Player", "replace", new, part="signature")) == expected


def test_all_that_stands_there_is_left_out_beside_a_new_attribute() -> None:
    new = f"{LEAD}[Other]\n    {HEAD}, IUnit"
    expected = SOURCE.replace(HEAD, f"[Other]\n    {HEAD}, IUnit")
    assert edited(SOURCE, on_symbol("Player", "replace", new, part="signature")) == expected


def test_comments_sent_with_what_they_stand_above_are_not_put_there_twice() -> None:
    text = "class A\n{\n    // Dies.\n    // ----\n    // See B.\n    void Die()\n    {\n    }\n}\n"
    new = "// See B.\n    void Die(int at)"
    assert edited(text, replace("void Die()", new)) == text.replace("Die()", "Die(int at)")


def test_a_row_of_attributes_above_costs_no_time() -> None:
    text = f"class A\n{{\n    {'[B]      ' * 30}int c;\n    int d;\n}}\n"
    assert edited(text, replace("int d;", "[E]\n    int f;")) == text.replace(
        "int d;", "[E]\n    int f;"
    )
