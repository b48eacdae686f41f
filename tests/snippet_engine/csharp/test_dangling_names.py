from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, delete, insert, replace

PLAYER = """using UnityEngine;

class Player : MonoBehaviour
{
    private int speed = 10;
    int cap;

    int Faster(int by)
    {
        var sum = speed + by;
        foreach (var each in list)
        {
            each.Go(sum, named: by);
        }
        int Twice(int value) => value * 2;
        return Twice(sum);
    }

    void Update()
    {
        Faster(cap);
        try { Go(); }
        catch (Exception error) { Debug.Log(error); }
    }
}
"""


def warned(
    project: UnityProject, text: str, *instructions: dict[str, Any]
) -> list[tuple[int | None, int | None, str]]:
    """Instruction, line (of the text after the edit) and message of each such warning."""
    project.write(text)
    result = project.done(*instructions, mode="preview")
    return [
        (each["index"], each["line"], each["message"])
        for each in result["warnings"]
        if each["code"] == "name_still_used"
    ]


@pytest.mark.parametrize(
    ("instruction", "name", "lines"),
    [
        # A member,
        (replace("private int speed", "private int pace"), "speed", "10"),
        (delete("private int speed = 10;"), "speed", "9"),
        (on_symbol("Player.cap", "delete"), "cap", "20"),
        (replace("int Faster(int by)", "int Quicker(int by)"), "Faster", "21"),
        # a parameter, a local, and all else that is declared in a body.
        (replace("Faster(int by)", "Faster(int much)"), "by", "10, 13"),
        (replace("var sum", "var total"), "sum", "13, 16"),
        (delete("var sum = speed + by;"), "sum", "12, 15"),
        (replace("var each in", "var one in"), "each", "13"),
        (replace("int Twice(int value)", "int Double(int value)"), "Twice", "16"),
        (replace("Twice(int value)", "Twice(int number)"), "value", "15"),
        (replace("Exception error", "Exception e"), "error", "23"),
    ],
)
def test_a_name_that_is_still_used(
    project: UnityProject, instruction: dict[str, Any], name: str, lines: str
) -> None:
    [(index, line, message)] = warned(project, PLAYER, instruction)
    assert index == 0
    assert f"declaration of {name}, which is still used (line {lines})" in message
    assert len(message) <= 200
    assert line == int(lines.split(",", maxsplit=1)[0])


@pytest.mark.parametrize(
    "instructions",
    [
        [replace("private int speed", "private int pace"), replace("speed + by", "pace + by")],
        [replace("speed + by", "pace + by")],  # used, not declared
        [replace("private int speed = 10", "private float speed = 10")],
        [replace("int cap;", "int cap, max;")],
        [replace("var sum = speed + by;", "int sum = speed + by;")],
        [insert("int cap;", "int more;", position="line_after")],
    ],
)
def test_nothing_left_behind(project: UnityProject, instructions: list[dict[str, Any]]) -> None:
    assert warned(project, PLAYER, *instructions) == []


def klass(*lines: str, header: str = "class C", above: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"{above}{header}\n{{\n{body}}}\n"


USED = "void M() { Go(hp); }"


@pytest.mark.parametrize(
    ("text", "instruction"),
    [
        # Another part, a base class or a static import may have it.
        (klass("int hp;", USED, header="partial class C"), delete("int hp;")),
        (klass("override int Hp() => 1;", "int M() => Hp();"), replace("Hp() =>", "Mp() =>")),
        (klass("new int hp;", USED, header="class C : B"), delete("new int hp;")),
        (klass("int hp;", USED, above="using static Game.State;\n"), delete("int hp;")),
        # Something else declares it.
        (klass("int hp;", "void M(int hp) { Go(hp); }"), delete("int hp;")),
        (
            klass("int Hp() => 1;", "int Hp(int a) => 2;", "int M() => Hp(1);"),
            replace("int Hp()", "int Mp()"),
        ),
        (klass("int hp;", "void M() { var hp = 1; Go(hp); }"), delete("int hp;")),
        (klass("int hp;", "void M() { F(hp => hp + 1); }"), delete("int hp;")),
        (klass("int hp;", "void M() { if (a is int hp) Go(hp); }"), delete("int hp;")),
        (klass("int hp;", "void M() { F(out var hp); Go(hp); }"), delete("int hp;")),
        (klass("int hp;", "void M() { var (hp, b) = c; Go(hp); }"), delete("int hp;")),
        (klass("int hp;", "void M() { var a = from hp in b select hp; }"), delete("int hp;")),
        (klass("int hp;", "void M() { int hp = 1; Go(hp); }"), delete("int hp = 1;")),
        # A member of something else, an argument's name, a type, a comment, a string.
        (klass("int hp;", "void M() { a.hp = b?.hp; }"), delete("int hp;")),
        (klass("int hp;", "void M() { Go(hp: 1); }"), delete("int hp;")),
        (klass("int hp;", "void M() { var a = new A { hp = 1 }; }"), delete("int hp;")),
        (klass("Color Color;", "void M() { Go(Color.red); }"), delete("Color Color;")),
        (klass("int hp;", 'void M() { Go("hp"); } // hp'), delete("int hp;")),
        # One further out takes over.
        (
            klass("void M() { int hp; if (a) { var hp = 1; Go(hp); } }"),
            replace("var hp = 1", "var mp = 1"),
        ),
        # Out of reach.
        (klass("void A() { int hp; }", USED), delete("int hp;")),
        # Hides what a MonoBehaviour has.
        (
            klass("void M() { var transform = this.a;", "Go(transform); }", header="class C : B"),
            delete("var transform = this.a;"),
        ),
        # Another branch may have it.
        (
            klass("int hp;", "\n#if A\n    int hp;\n#endif\n", USED),
            delete("int hp;", after="#if A"),
        ),
        # A type may stand in another file.
        (klass("enum E { A }", "E e;"), delete("enum E { A }")),
        # The file is broken.
        (klass("int hp;", USED, "int a = ;"), delete("int hp;")),
    ],
)
def test_silent_where_it_is_not_sure(
    project: UnityProject, text: str, instruction: dict[str, Any]
) -> None:
    assert warned(project, text, instruction) == []


def test_locals_of_other_methods_do_not_count(project: UnityProject) -> None:
    text = klass(
        "void A()", "{", "    var hp = 1;", "    Go(hp);", "}", "void B(int hp) { Go(hp); }"
    )
    [(_, line, _)] = warned(project, text, replace("var hp = 1", "var mp = 1"))
    assert line == 6
