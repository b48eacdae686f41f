"""Offers of refused requests, sent back: what is written is what was meant, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from planning import on_symbol
from unity_project import SCRIPT, UnityProject, delete, insert, replace

from snippet_engine.answer.error_text import error_text
from snippet_engine.answer.text_form import text_form
from snippet_engine.errors import ErrorCode, SnippetError

PLAYER = """\
using System;

namespace Game
{
\tclass Player
\t{
\t\t// How fast it goes, in metres
\t\t// per second.
\t\tprivate float speed = 10f;
\t\tprivate int health = 5;

\t\tvoid Update()
\t\t{
\t\t\tif (speed > 10)
\t\t\t{
\t\t\t\tMove(speed, 2);
\t\t\t\tLog("fast");
\t\t\t}
\t\t\tspeed = 1;
\t\t}

\t\tvoid Go(int by)
\t\t{
\t\t\tspeed = 1;
\t\t\tLog("go");
\t\t}
\t}
}
"""


def offered(project: UnityProject, *instructions: dict[str, Any], **more: Any) -> SnippetError:
    """The error of a request that must be refused with offers, or a choice."""
    error = project.refused(*instructions, **more)
    assert error.offers, error
    return error


def lands(project: UnityProject, error: SnippetError, old: str, new: str) -> None:
    """The first offer is the only one, or says why it is the first; sent, it makes that edit."""
    before = project.read().decode()
    assert before.count(old) == 1
    assert len(error.offers) == 1 or error.offers[0].basis
    outcome = project.engine.edit_snippet(error.offers[0].arguments)
    assert not isinstance(outcome, SnippetError), outcome
    assert project.read().decode() == before.replace(old, new)


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        # Remembered wrongly: a word, a sign, a line; and what goes along with it stays as it is.
        (replace("private flaot speed = 10f;", "private flaot speed = 12f;"), "10f", "12f"),
        (replace("private float sped = 10f;", "private float sped = 12f;"), "10f", "12f"),
        (replace("Move(speed 2);", "Move(speed 3);"), "speed, 2", "speed, 3"),
        (replace("Move(speed, 2);\nLog('fast');", "Move(speed, 3);\nLog('fast');"), "d, 2", "d, 3"),
        (delete("private int heatlh = 5;"), "\t\tprivate int health = 5;\n", ""),
        # White space.
        (
            replace(
                "    if (speed > 10)\n    {\n        Move(speed, 2);",
                "    if (speed > 10)\n    {\n        Stop();\n        Move(speed, 2);",
            ),
            "\t\t\t\tMove(speed, 2);",
            "\t\t\t\tStop();\n\t\t\t\tMove(speed, 2);",
        ),
        (replace("if (speed>10) {", "if (speed>11) {"), "> 10", "> 11"),
        # A comment that was reflowed.
        (
            replace(
                "// How fast it goes,\n// in metres per second.",
                "// How fast it runs,\n// in metres per second.",
                **{"in": "comment"},
            ),
            "it goes",
            "it runs",
        ),
        # What a paste brings along.
        (replace("17\tLog(“fast”);", "17\tLog(“slow”);"), '"fast"', '"slow"'),
        (replace('Log(\\"fast\\");', 'Log(\\"slow\\");'), '"fast"', '"slow"'),
        (replace('> Log("fast");', '> Log("slow");'), '"fast"', '"slow"'),
        (replace('-Log("fast");', '+Log("slow");'), '"fast"', '"slow"'),
        (
            replace(
                ' \t\t\t\tMove(speed, 2);\n-\t\t\t\tLog("fast");',
                ' \t\t\t\tMove(speed, 2);\n+\t\t\t\tLog("slow");',
            ),
            '"fast"',
            '"slow"',
        ),
        (
            replace("Move(speed, 2);", "Move(speed, 3);", before="if (speed > 10)\\n{\\n"),
            "d, 2",
            "d, 3",
        ),
        # Context that doesn't fit.
        (
            replace("speed = 1;", "speed = 2;", before="void G0(int by)\n{\n"),
            'speed = 1;\n\t\t\tLog("go")',
            'speed = 2;\n\t\t\tLog("go")',
        ),
        # The request says which.
        (
            replace("speed = 1;", "speed = 2;") | {"metadata": {"why": "in Go"}},
            'speed = 1;\n\t\t\tLog("go")',
            'speed = 2;\n\t\t\tLog("go")',
        ),
        (
            replace("speed = 1;", "speed = 2;") | {"metadata": {"line": 24}},
            'speed = 1;\n\t\t\tLog("go")',
            'speed = 2;\n\t\t\tLog("go")',
        ),
        # Symbols.
        (
            on_symbol("Player.Updaet", "insert", "Jump();", position="body_end"),
            "\t\t\tspeed = 1;\n\t\t}\n\n",
            "\t\t\tspeed = 1;\n\t\t\tJump();\n\t\t}\n\n",
        ),
        (
            on_symbol("Player.Go(string)", "replace", "speed = 2;", target="speed = 1;"),
            'speed = 1;\n\t\t\tLog("go")',
            'speed = 2;\n\t\t\tLog("go")',
        ),
        # What it takes to compile.
    ],
)
def test_the_first_offer_is_what_was_meant(
    project: UnityProject, instruction: dict[str, Any], old: str, new: str
) -> None:
    project.write(PLAYER)
    if old == "never":
        assert project.refused(instruction).offers == ()
        return
    lands(project, offered(project, instruction), old, new)


@pytest.mark.parametrize(
    "instruction",
    [
        replace("nothing like it at all", "x"),
        replace("armor = 5;", "armor = 6;"),
        # That stood here once, and what stands here now is something else.
        replace("private int shield = 5;", "private int shield = 6;"),
        delete("private int health2 = 7;"),
        # A bracket is no slip of the pen.
        replace("{\n\t\t\tspeed = 1;\n\t\t{", "{"),
        replace("speed = 1;", "speed = 2;", before="void Stop()\n{\n"),
        on_symbol("Player.Jump", "delete"),
    ],
)
def test_what_is_not_clearly_meant_is_not_offered(
    project: UnityProject, instruction: dict[str, Any]
) -> None:
    project.write(PLAYER.replace("armor", ""))
    error = project.refused(instruction)
    assert len(error.offers) != 1
    assert not any(offer.basis for offer in error.offers)


def test_of_equal_places_none_is_first(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(project, replace("speed = 1;", "speed = 2;"))
    assert [offer.basis for offer in error.offers] == ["", "", ""]
    assert error.offers[-1].what == "all 2 places"


def test_all_places_come_first_where_the_request_says_so(project: UnityProject) -> None:
    project.write(PLAYER)
    sweep = replace("speed = 1;", "speed = 2;") | {"metadata": {"why": "all occurrences"}}
    error = offered(project, sweep)
    assert error.offers[0].basis
    assert not isinstance(project.engine.edit_snippet(error.offers[0].arguments), SnippetError)
    assert project.read().decode() == PLAYER.replace("speed = 1;", "speed = 2;")


def test_the_place_that_is_named_is_found_among_many(project: UnityProject) -> None:
    fields = "".join(f"\tint F{n}() {{ return 1; }}\n" for n in range(50))
    project.write(f"class C\n{{\n{fields}}}\n")
    named = replace("return 1;", "return 2;") | {"metadata": {"why": "F37"}}
    lands(project, offered(project, named), "F37() { return 1", "F37() { return 2")


def test_all_that_can_be_corrected_is_corrected_at_once(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(
        project,
        replace("private flaot speed", "private flaot pace"),
        replace("private int health", "private int life"),
        replace("Move(speed,  2)", "Move(pace,  2)"),
    )
    outcome = project.engine.edit_snippet(error.offers[0].arguments)
    assert not isinstance(outcome, SnippetError)
    edited = PLAYER.replace("float speed", "float pace").replace("int health", "int life")
    assert project.read().decode() == edited.replace("Move(speed,", "Move(pace,")


def test_what_can_not_be_corrected_is_told(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(project, replace("flaot speed", "flaot pace"), replace("no such thing", "x"))
    assert error.offers[0].lacks == "instruction 1"
    assert "\ndraft 1 (" in error_text(error)
    assert "; before you send it, also fix instruction 1): {" in error_text(error)


def test_a_text_is_followed_through_an_own_edit(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(replace("Move(speed, 2);", "Move(Time.deltaTime * speed, 2);"))
    stale = replace(
        'Move(speed, 2);\n\t\t\t\tLog("fast");', 'Move(speed, 2);\n\t\t\t\tLog("quick");'
    )
    error = offered(project, stale)
    assert error.offers[0].basis
    lands(project, error, '"fast"', '"quick"')


def test_a_context_is_followed_through_an_own_edit(project: UnityProject) -> None:
    project.write(PLAYER)
    project.done(replace("void Go(int by)", "void Travel(float distance)"))
    stale = replace("speed = 1;", "speed = 2;", before="void Go(int by)\n\t\t{\n")
    lands(
        project,
        offered(project, stale),
        'speed = 1;\n\t\t\tLog("go")',
        'speed = 2;\n\t\t\tLog("go")',
    )


def test_what_an_own_edit_took_away_is_not_looked_for_among_its_like(project: UnityProject) -> None:
    project.write("class C\n{\n    int alpha = Make(1, 2, 3);\n    int beta = Make(1, 2, 3);\n}\n")
    project.done(delete("int alpha = Make(1, 2, 3);"))
    assert project.refused(replace("int alpha = Make(1, 2, 3);", "int alpha = 0;")).offers == ()


def test_of_look_alikes_none_is_taken_for_what_was_moved(project: UnityProject) -> None:
    lines = "        A(1);\n        B(2);\n        C(3);\n"
    methods = "\n".join(f"    void {name}()\n    {{\n{lines}    }}\n" for name in "MN")
    project.write(f"class C\n{{\n{methods}}}\n")
    moved = {"before": "void M()\n    {\n        A(1);\n"}
    project.done(
        replace("A(1);\n        B(2);", "B(2);\n        A(1);", before="void M()\n    {\n"),
    )
    error = project.refused(
        replace("B(2);", "B(9);", after="C(3);\n    }\n\n    void N()", **moved)
    )
    for offer in error.offers[:1]:
        project.engine.edit_snippet(offer.arguments)
        assert project.read().decode().count("B(9);\n        A(1);") == 1


def test_an_old_hash_is_renewed_where_every_anchor_still_means_its_place(
    project: UnityProject,
) -> None:
    project.write(PLAYER)
    first = project.done(replace("10f", "11f"))
    stale = {"expectedHash": first["hashBefore"]}
    error = offered(project, replace("health = 5", "health = 6"), **stale)
    assert error.code is ErrorCode.STALE_FILE
    assert error.offers[0].arguments["expectedHash"] == first["hashAfter"]
    lands(project, error, "health = 5", "health = 6")


def test_an_old_hash_is_not_renewed_for_another_place(project: UnityProject) -> None:
    project.write("class C\n{\n    int a = 1;\n    int b = 2;\n}\n")
    first = project.done(replace("a = 1;", "a = 3;"), replace("b = 2;", "b = 1;"))
    error = project.refused(replace("= 1;", "= 4;"), expectedHash=first["hashBefore"])
    assert error.offers == ()


def test_what_is_done_is_left_out(project: UnityProject) -> None:
    project.write(PLAYER)
    done = replace("health = 4;", "health = 5;", before="private int")
    error = offered(project, done, replace("10f", "11f"))
    lands(project, error, "10f", "11f")


def test_a_change_that_is_too_large_is_offered_in_parts(project: UnityProject) -> None:
    lines = [f"        int number{n} = {n};\n" for n in range(6)]
    project.write("class C\n{\n    void M()\n    {\n" + "".join(lines) + "    }\n}\n")
    old = "".join(lines)
    new = old.replace("int number", "System.Collections.IList figure")
    error = project.refused(replace(old, new), validation="embedded")
    assert error.code is ErrorCode.DIFF_TOO_LARGE
    for offer in error.offers:
        assert len(offer.arguments["instructions"]) > 1


def test_a_comment_is_offered_as_one(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(project, replace("per second", "per minute"))
    assert error.code is ErrorCode.ANCHOR_IN_COMMENT
    lands(project, error, "per second", "per minute")


def test_lines_that_stand_there_already_are_not_inserted_again(project: UnityProject) -> None:
    project.write(PLAYER)
    for again in (
        insert("private float speed = 10f;", "\n\t\tprivate int health = 5;"),
        replace("speed = 10f;", "speed = 10f;\n\t\tprivate int health = 5;"),
        replace("private int health", "private float speed = 10f;\n\t\tprivate int health"),
    ):
        result = project.done(again)
        assert result["results"][0]["reason"] == "duplicate_insert"
    assert project.read() == PLAYER.encode()


def test_offers_take_the_files_own_line_endings(project: UnityProject) -> None:
    project.write(PLAYER.replace("\n", "\r\n"))
    error = offered(project, replace("Move(speed,2);", "Move(speed,2);\n\t\t\t\tJump();"))
    lands(project, error, "Move(speed, 2);", "Move(speed, 2);\r\n\t\t\t\tJump();")


def test_an_offer_keeps_all_else_of_the_request(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(
        project,
        replace("private flaot speed", "private flaot pace") | {"metadata": {"why": "w"}},
        mode="preview",
        validation="embedded",
        include=["workspaceEdit"],
        client_request_id="one",
        timeout_ms=9000,
    )
    arguments = dict(error.offers[0].arguments)
    (instruction,) = arguments.pop("instructions")
    assert instruction["metadata"] == {"why": "w"}
    assert arguments == {
        "path": SCRIPT,
        "mode": "preview",
        "validation": "embedded",
        "include": ["workspaceEdit"],
        "client_request_id": "one",
        "timeout_ms": 9000,
    }


TWINS = """\
class C
{
\tvoid One()
\t{
\t\tOpen(first1);
\t\tlock1.Close();
\t}

\tvoid Two()
\t{
\t\tOpen(first2);
\t\tlock2.Close();
\t}
}
"""


@pytest.mark.parametrize(
    "instruction",
    [
        # Another number is another name, and a word that stands elsewhere may be meant.
        delete("lock3.Close();"),
        delete("lock1.Close();", before="Open(first2);\n\t\t"),
        replace("Log(true);", "Log(false);"),
        on_symbol("C.Two()", "replace", "void Three()", target="void One()"),
    ],
)
def test_a_twin_of_what_is_not_there_is_no_offer(
    project: UnityProject, instruction: dict[str, Any]
) -> None:
    project.write(TWINS)
    assert not any(offer.basis for offer in project.refused(instruction).offers)
    assert len(project.refused(instruction).offers) != 1


def test_what_stands_in_the_line_already_is_not_added_again(project: UnityProject) -> None:
    project.write("class C : IFirst, ISecond\n{\n\tint _field = F(first, other);\n}\n")
    before = project.read()
    for again in (
        replace("class C : IFirst", "class C : IFirst, ISecond"),
        replace("field =", "_field ="),
    ):
        assert project.done(again)["results"][0]["reason"] == "duplicate_insert"
    assert project.read() == before
    # The first of several arguments may be wanted twice.
    assert project.done(replace("F(", "F(first, "))["results"][0]["status"] == "applied"


def test_a_line_that_is_commented_out_is_not_commented_out_again(project: UnityProject) -> None:
    project.write("class C\n{\n\tvoid M()\n\t{\n\t\t// Go(1);\n\t}\n}\n")
    again = replace("\t\tGo(1);", "\t\t// Go(1);")
    assert project.refused(again).offers == ()


def test_blank_lines_of_a_shifted_text_stay_empty(project: UnityProject) -> None:
    project.write(PLAYER)
    error = offered(
        project,
        insert(
            "private int health = 5;",
            "\n      private int lives;\n",
            before="      private float speed = 10f;\n      ",
            after="\n\n      void Update()\n      {",
        ),
    )
    lands(project, error, "health = 5;\n", "health = 5;\n\t\tprivate int lives;\n\n")


@pytest.mark.parametrize("target", ["interna void OnLog()", "   14\t    internal void OnLog()"])
def test_a_place_of_which_a_bracket_is_all_that_is_known_is_none(
    project: UnityProject, target: str
) -> None:
    project.write(
        "class C\n{\n    void Start()\n    {\n        if (isLogged)\n"
        "            Repeat(nameof(OnLog), 1, 1);\n"
        '        Debug.Log("C begins: it logs!");\n    }\n\n    int of;\n\n    int by;\n\n'
        "    internal void OnLog()\n    {\n    }\n}\n"
    )
    error = offered(project, replace(target, target.replace(" void", " static void")))
    lands(project, error, "internal void", "internal static void")


@pytest.mark.parametrize("path", ["Counter.Decrment(int)", "Counter.Decrement(float)"])
def test_a_member_of_another_type_is_no_rival_of_the_one_that_is_misspelled(
    project: UnityProject, path: str
) -> None:
    project.write(
        "enum Changes\n{\n    Increment,\n    Decrement\n}\n\nclass Counter\n{\n"
        "    void Increment(int by)\n    {\n    }\n\n    void Decrement(int by)\n    {\n"
        "        Go();\n    }\n}\n"
    )
    error = offered(project, on_symbol(path, "insert", "Stop();", position="body_start"))
    lands(project, error, "        Go();", "        Stop();\n        Go();")


BLOCK = """        if (isReady)
        {
            Log("value changed");
            health -= amount;
        }
"""


@pytest.mark.parametrize(
    ("line", "count"),
    [('        Log("value changed");\n', 3), ('        Log("value changed");\n', 6), (BLOCK, 3)],
    ids=["lines", "more lines", "blocks"],
)
def test_all_places_that_stand_close_together_have_room_in_the_text(
    project: UnityProject, line: str, count: int
) -> None:
    """What tells one of equal places from the next grows with their number."""
    text = f"class Player\n{{\n    void Start()\n    {{\n{line * count}    }}\n}}\n"
    project.write(text)
    everywhere = replace('Log("value changed");', 'Warn("value changed");')
    error = project.engine.edit_scripts(
        {"mode": "apply", "changes": [{"path": SCRIPT, "instructions": [everywhere]}]}
    )
    assert isinstance(error, SnippetError)
    told = text_form("edit_scripts", error)
    assert len(told) <= 2000
    (shown,) = (line for line in told.splitlines() if f"(all {count} places)" in line)
    assert shown.startswith("choice ")
    sent = json.loads(shown.partition("): ")[2])
    assert not isinstance(project.engine.edit_scripts(sent), SnippetError)
    assert project.read().decode() == text.replace("Log(", "Warn(")
