from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning import on_symbol, plan_of, planned, unresolved
from sent_back import check_offers
from unity_project import delete, insert, replace

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.fixes.explain.near_misses import MAX_NEAR_MISSES

PLAYER = """using UnityEngine;

public class Player : MonoBehaviour
{
    [SerializeField] private float speed = 10f;
    private string label = "speed: 10";

    // Moves the player - slowly.
    void Update()
    {
        if (speed > 10)
        {
            Move(speed, "fast");
        }
    }

    void Move(float by, string how)
    {
        transform.position += Vector3.forward * by;
        Debug.Log($"moved {by} {how}");
    }
}
"""


def nearest_of(text: str, instruction: dict[str, Any]) -> list[dict[str, Any]]:
    """The near misses of a target that is nowhere; every offered anchor is tried."""
    error = unresolved(text, instruction)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert check_offers(text, instruction, error) <= MAX_NEAR_MISSES
    nearest = error.details["nearest"]
    assert isinstance(nearest, list)
    return nearest


def missed(instruction: dict[str, Any]) -> tuple[int, str, list[str]]:
    """Line, target to send, and differences of the first near miss in the player's script."""
    first = nearest_of(PLAYER, instruction)[0]
    return first["line"], first["anchor"]["target"], first["differs"]


IF = "if (speed > 10)"
DEEP = f"        {IF}"
FAST = 'Move(speed, "fast");'
NUMBERS, ESCAPES, FENCE = "pasted line numbers", "escape sequences sent as text", "markdown fence"


@pytest.mark.parametrize(
    ("sent", "line", "meant", "differs"),
    [
        ("if (speed>10)", 11, IF, ["white space"]),
        ("if (speed > 10) {", 11, f"{IF}\n        {{", ["line breaks"]),
        ("{\nMove(speed", 12, "{\n            Move(speed", ["indentation"]),
        ("IF (Speed > 10)", 11, IF, ["letter case"]),
        ("Move(speed, 'fast');", 13, FAST, ["quotes"]),
        ("Move(speed, “fast”);", 13, FAST, ["quotes"]),
        ("Moves the player – slowly", 8, "Moves the player - slowly", ["look-alike characters"]),
        ("ѕpeed > 10", 11, "speed > 10", ["look-alike characters"]),
        ("speed\u200b > 10", 11, "speed > 10", ["white space"]),
        ("speed\u00a0> 10", 11, "speed > 10", ["white space"]),
        (f"11\t{DEEP}", 11, DEEP, [NUMBERS]),
        (f"11:{DEEP}", 11, DEEP, [NUMBERS]),
        (f"11: {DEEP}", 11, DEEP, [NUMBERS]),
        (f"11: {IF}", 11, IF, [NUMBERS]),
        (f"11:{IF}", 11, IF, [NUMBERS]),
        (f"  11| {IF}", 11, IF, [NUMBERS]),
        (f"   11→{DEEP}", 11, DEEP, [NUMBERS]),
        (f"10\t    {{\n11\t{DEEP}", 10, f"    {{\n{DEEP}", [NUMBERS]),
        ('Move(speed, \\"fast\\");', 13, FAST, [ESCAPES]),
        (f"{IF}\\n        {{", 11, f"{IF}\n        {{", [ESCAPES]),
        (f"```csharp\n{IF}\n```", 11, IF, [FENCE]),
        ("```\n11: if (Speed>10)\n```", 11, DEEP, [FENCE, NUMBERS, "letter case", "white space"]),
    ],
)
def test_the_same_but_for_something(sent: str, line: int, meant: str, differs: list[str]) -> None:
    found_line, target, found = missed(replace(sent, "x"))
    assert (found_line, target, sorted(found)) == (line, meant, sorted(differs))


@pytest.mark.parametrize(
    ("context", "differs"),
    [
        ({"before": "void Start()\n{"}, "the before context"),
        ({"after": "stop"}, "the after context"),
        ({"before": "void Start()", "after": "stop"}, "the before and after context"),
        ({"before": "if (", "after": "stop"}, "the after context"),
        ({"before": "stop", "after": ")"}, "the before context"),
    ],
)
def test_the_target_stands_where_the_context_does_not(context: Any, differs: str) -> None:
    assert missed(replace("speed > 10", "x", **context)) == (11, "speed > 10", [differs])


def test_places_that_half_of_the_context_fits_come_first() -> None:
    nearest = nearest_of(PLAYER, replace("speed", "x", before="Move(", after=";"))
    assert nearest[0]["line"] == 13
    assert nearest[0]["differs"][0].startswith("the after context")
    assert sorted(each["line"] for each in nearest[1:4]) == [5, 6, 11]


def test_wrapped_context_is_unwrapped_with_the_target() -> None:
    sent = replace(
        "11: if (speed > 10)", "x", before="9:     void Update()\n10:     {", after="12: {"
    )
    assert missed(sent) == (11, "if (speed > 10)", ["pasted line numbers"])


def test_the_context_stands_where_the_target_does_not() -> None:
    context = {"before": "void Update()\n    {", "after": "\n        {"}
    line, target, differs = missed(replace("while (speed > 20)", "x", **context))
    assert (line, target) == (11, "if (speed > 10)")
    assert differs == ["the target: this text is where the context fits"]


def test_a_common_context_does_not_hide_the_closest_line() -> None:
    _, target, _ = missed(replace("transfrm.positon += Vector3.fwd * by;", "x", before="{"))
    assert target.endswith("transform.position += Vector3.forward * by;")


def test_the_edit_was_applied_already() -> None:
    instruction = replace("speed > 5", "speed > 10", before="if (", after=")")
    error = unresolved(PLAYER, instruction)
    assert error.details["already_applied"] is True
    assert "already occurs at line 11" in error.message
    assert check_offers(PLAYER, instruction, error)
    sent = {**instruction, "anchor": error.details["nearest"][0]["anchor"]}
    assert not planned(PLAYER, sent).edits


@pytest.mark.parametrize(
    "instruction",
    [
        replace("qqqq", "speed"),  # it stands in several places
        replace("qqqq", "10", before="float speed ="),  # too short to tell
        replace("qqqq", "speed > 10", before="void Start()"),  # not in that context
        delete("speed > 5", before="if ("),  # a deletion has no new text
        insert("qqqq", "speed > 10"),
        replace("qqqq", "speed > 10"),  # nothing says that it belongs there
        replace("qqqq > 5", "speed > 10"),  # only their difference does
        # The target may be in the other place where the context fits.
        replace("qqqq", "float speed = 10f;", before="private"),
        replace("qqqq(by);", "speed > 10", before="("),
        # The target stands but for white space where the context fits.
        replace("speed>10", "Move(speed", before="{"),
        # What stands there is a comment.
        replace("Moves the player - fast.", "Moves the player - slowly."),
        # The target stands outside of the symbol.
        on_symbol(
            "Player.Move", "replace", "Vector3.forward", target="Vector3.back"[:0] or "using"
        ),
    ],
)
def test_the_edit_may_not_have_been_applied(instruction: dict[str, Any]) -> None:
    error = unresolved(PLAYER, instruction)
    assert "already_applied" not in error.details
    check_offers(PLAYER, instruction, error)


TWINS = """class C
{
    void A()
    {
        hp = 10;
        Go(hp);
    }

    void B()
    {
        hp  = 5;
        Go(hp);
    }
}
"""


@pytest.mark.parametrize(
    "instruction",
    [
        replace("hp = 5;", "hp = 10;"),
        replace("hp = 5;", "hp = 10;", before="{", after="Go(hp);"),
        replace("hp == 5;", "hp = 10;", after="Go(hp);"),
        replace("health = 5;", "hp = 10;", before="{"),
        on_symbol("C", "replace", "hp = 10;", target="hp = 5;"),
    ],
)
def test_the_same_line_elsewhere_hides_nothing(instruction: dict[str, Any]) -> None:
    error = unresolved(TWINS, instruction)
    assert "already_applied" not in error.details
    assert error.details["newTextLines"] == [5]
    assert "Line 5 has the newText" in error.message
    assert len(error.message) <= 200
    assert check_offers(TWINS, instruction, error)


@pytest.mark.parametrize(
    "instruction",
    [
        # By what stands around it,
        replace("hp = 5;", "hp = 10;", before="void A()\n    {"),
        replace("qqqq", "hp = 10;", before="void A()\n    {"),
        replace("qqqq", "hp = 10;", after="Go(hp);\n    }\n\n    void B()"),
        # by what they begin and end with,
        replace("void X()", "void B()", after="\n    {\n        hp  ="),
        # and with blanks at the ends.
        replace("        hp = 5;\n", "        hp = 10;\n", before="void A()\n    {\n"),
    ],
)
def test_an_edit_is_done_where_only_that_place_fits(instruction: dict[str, Any]) -> None:
    error = unresolved(TWINS, instruction)
    assert error.details["already_applied"] is True
    assert "leave it out" in error.message


def test_which_of_several_overloads_was_meant_is_not_guessed() -> None:
    text = "class C\n{\n    void M() { hp = 10; }\n    void M(int a) { Go(); }\n}\n"
    error = unresolved(text, on_symbol("C.M", "replace", "hp = 10;", target="hp = 5;"))
    assert "already_applied" not in error.details


def test_text_in_comments_that_is_code_only() -> None:
    line, _, differs = missed(replace("speed > 10", "x", **{"in": "comment"}))
    assert (line, differs) == (11, ["its place: in code, not in a comment"])


@pytest.mark.parametrize(("more", "line"), [({}, 6), ({"in": "comment"}, 5)])
def test_of_equal_places_the_wanted_kind_is_the_nearest(more: dict[str, str], line: int) -> None:
    text = "class C\n{\n    void M()\n    {\n// items.Add(item);\nitems.Add(item);\n    }\n}\n"
    assert nearest_of(text, replace("items.Ad(item);", "x", **more))[0]["line"] == line


def test_the_target_stands_outside_the_symbol() -> None:
    first = nearest_of(PLAYER, on_symbol("Player.Move", "replace", "x", target="speed > 10"))[0]
    assert first["differs"] == ["its place: outside the symbol"]
    assert first["anchor"] == {"type": "text", "target": "speed > 10"}


def test_a_long_symbol_path_leaves_room_for_the_advice() -> None:
    name = "Player" * 20
    text = f"class {name} {{ void Move(int by) {{ Go(by); }} }}\n"
    for target in ("go(by)", "class"):
        error = unresolved(text, on_symbol(f"{name}.Move", "replace", "x", target=target))
        assert error.message.endswith(("differs in letter case.", "its place: outside the symbol."))


def test_near_misses_are_looked_for_in_the_symbol() -> None:
    first = nearest_of(PLAYER, on_symbol("Player.Move", "replace", "x", target="Moved {by}"))[0]
    assert first["anchor"]["symbolPath"] == "Player.Move"
    assert first["line"] == 20


@pytest.mark.parametrize(
    ("sent", "line", "meant"),
    [
        ("if (sped > 10)", 11, "if (speed > 10)"),
        ("Debug.Lg(moved by how)", 20, "Debug.Log("),
        ("pubic class Plyer : MonBehaviour", 3, "public class Player : MonoBehaviour"),
        ("retrn", None, None),
        ("qqqqqqqqq", None, None),
        # As many lines as were sent, found by the longest of them.
        ("{\n  if (sped > 10)\n  {", 10, "{\n        if (speed > 10)\n        {"),
        (
            "transform.position += Vector3.back * by;\n}",
            19,
            "transform.position += Vector3.forward * by;",
        ),
    ],
)
def test_else_the_places_most_like_it(sent: str, line: int | None, meant: str | None) -> None:
    nearest = nearest_of(PLAYER, replace(sent, "x"))
    if line is None:
        assert nearest == []
        return
    assert (nearest[0]["line"], nearest[0]["anchor"]["target"]) == (line, meant)
    assert nearest[0]["differs"] == ["the text: this is the closest match"]


def test_one_typo_is_found_among_many_other_lines() -> None:
    fields = "".join(f"    int field{n} = {n * 7};\n" for n in range(4000))
    text = f"class C\n{{\n{fields}    int Health() {{ return health; }}\n}}\n"
    nearest = nearest_of(text, replace("Helth() { retrn helth; }", "x"))
    assert nearest[0]["line"] == 4003


# -- law 7 ---------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "void Update()",
        "{",
        "}",
        "    int a = 1;",
        "    int  a = 1;",
        "    // int a = 1;",
        "\tfoo(a, b);",
        "    foo(a,\n        b);",
        'say("a");',
        "say(“a”);",
        "",
        "  ",
        "/* foo(a, b); */",
        "class C { void M() { foo(a, b); } }",
        "Foo( A , B );",
        "42: x",
        "a\\nb",
        "😀 = a;",
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=14).map("\n".join)
ALTERATIONS = (
    lambda text: text,
    str.upper,
    str.strip,
    lambda text: text.replace(" ", ""),
    lambda text: text.replace(" ", "\n"),
    lambda text: text.replace('"', "'"),
    lambda text: text.replace("a", "а"),
    lambda text: "7: " + text.replace("\n", "\n8: "),
    lambda text: "\\n".join(text.split("\n")),
    lambda text: f"```\n{text}\n```",
    lambda text: text + "x",
    lambda text: text[:-1],
)


@st.composite
def instructions(draw: st.DrawFn, text: str) -> dict[str, Any]:
    """An instruction whose anchor is more or less one of ``text``."""

    def piece(most: int) -> str:
        start = draw(st.integers(0, len(text)))
        return text[start : start + draw(st.integers(0, most))]

    anchor: dict[str, Any] = {}
    target = draw(st.sampled_from(ALTERATIONS))(piece(25))
    for side in ("before", "after"):
        if draw(st.booleans()):
            anchor[side] = draw(st.sampled_from(ALTERATIONS[:5]))(piece(15))
    if draw(st.integers(0, 4)) == 0:
        anchor["in"] = "comment"
    operation = draw(st.sampled_from([replace, insert, delete]))
    if draw(st.integers(0, 3)) == 0 and "class C" in text:
        body = on_symbol(draw(st.sampled_from(["C", "C.M", "M", "Update"])), "delete")
        body["anchor"].update(anchor, target=target or "x")
        return body
    if operation is delete:
        return delete(target or "x", **anchor)
    return operation(target or "x", piece(12) or "y", **anchor)


@given(TEXTS, st.data())
def test_every_offered_anchor_means_its_place(text: str, data: st.DataObject) -> None:
    instruction = data.draw(instructions(text))
    plan = plan_of(text, instruction)
    if isinstance(plan, SnippetError):
        check_offers(text, instruction, plan)


@pytest.mark.parametrize(
    "instruction",
    [
        replace("// a  comment", "x", **{"in": "comment"}),
        replace("    // a comment\n", "x\n", **{"in": "comment"}),
        replace("\n    /* another */", "x", **{"in": "comment"}),
        replace("    // a comment\n    // and more\n", "    // a\n", **{"in": "comment"}),
    ],
)
def test_a_comment_may_come_with_its_whole_line(instruction: dict[str, Any]) -> None:
    text = "class C\n{\n    // a comment\n    // and more\n    int a;\n    /* another */\n}\n"
    if "a  comment" in instruction["anchor"]["target"]:
        check_offers(text, instruction, unresolved(text, instruction))
    else:
        assert planned(text, instruction).edits
        # It isn't wholly a comment, so that it doesn't need to be asked for as one.
        bare = {key: value for key, value in instruction["anchor"].items() if key != "in"}
        assert planned(text, {**instruction, "anchor": bare}).edits


def test_comments_with_their_indentation_are_told_apart() -> None:
    text = "class C\n{\n    // one\n    int a;\n    // one\n    int b;\n}\n"
    for more in ({}, {"in": "comment"}):
        instruction = replace("    // one\n", "", **more) | {"newText": "    // two\n"}
        error = unresolved(text, instruction)
        assert error.code is ErrorCode.AMBIGUOUS_ANCHOR
        assert check_offers(text, instruction, error) == 2


def test_what_has_the_whole_context_alone_comes_first() -> None:
    text = (
        "    {\n        catcher.OnEnable();\n        a();\n    }\n\n"
        "    {\n        catcher.OnDisableCached();\n        OnGUI(handlers);\n    }\n"
    )
    error = unresolved(
        text,
        replace(
            "catcher.OnDisable();",
            "m.OnDisable();",
            before="    {\n        ",
            after="\n        OnGUI(handlers);",
        ),
    )
    assert error.details["nearest"][0]["line"] == 7
    assert "Where its context fits, line 7 has" in error.message
