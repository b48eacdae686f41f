"""Requests that are refused, and for which nothing is offered: nothing tells what was meant."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, delete, in_class, in_method, insert, replace

from snippet_engine.errors import ErrorCode

PLAYER = """\
class Player
{
    int hp = 10;
    int hpMax = 12;

    void Jump()
    {
        Log($"hp {hp} of {hpMax}");
    }

    void TakeDamage(int amount)
    {
        hp -= amount;
    }

    int Health { get { return hp; } }
}
"""
HEAL = "void Heal(int by)\n    {\n    }"


@pytest.mark.parametrize(
    "asked",
    [
        on_symbol("Player.Heal", "delete"),
        on_symbol("Player.Healt", "delete"),
        on_symbol("Player.health", "delete"),
        on_symbol("Player.Jumps", "delete"),
        on_symbol("Player.Jmup()", "delete"),
        on_symbol("Player.TakeDamage(float)", "delete"),
        on_symbol("Player.TakeDamage(int,int)", "delete"),
        on_symbol("Enemy.Jump()", "delete"),
        on_symbol("Player.Heal()", "replace", HEAL),
        on_symbol("Player.Healt()", "replace", HEAL),
        on_symbol("Player.TakeDamage(float)", "replace", "void TakeDamage(float by) { }"),
        on_symbol("Player.Healt()", "insert", "\n    int shield;", position="after"),
        on_symbol("Player.Jumps()", "insert", "\n    int shield;", position="after"),
        on_symbol("Enemy.Jump()", "insert", "Stop();", position="body_end"),
    ],
)
def test_another_declaration(project: UnityProject, asked: dict[str, Any]) -> None:
    project.write(PLAYER)
    error = project.refused(asked)
    assert error.code is ErrorCode.SYMBOL_NOT_FOUND
    assert error.offers == ()


DAMAGE = """\
    void TakeDamage(int amount)
    {
        health -= amount;
        if (health < 0)
            Destroy(gameObject);
    }
"""
KILLED = "            Destroy(gameObject);"


@pytest.mark.parametrize("sent", [DAMAGE, DAMAGE.strip()])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        health -=", "        if (dead) return;\n        health -="),
        ("        health -=", "        if (dead) return; // added by the user\n        health -="),
        ("        health -=", "        /* u */ if (dead) { return; }\n        health -="),
        (KILLED, f"            enabled = false; // user\n{KILLED}"),
        (KILLED, f"{KILLED} // user: later"),
        ("        if (health < 0)", "        return;\n        if (health < 0)"),
    ],
)
def test_deletion_with_unsent_lines(project: UnityProject, old: str, new: str, sent: str) -> None:
    text = f"class P : MonoBehaviour\n{{\n    int health;\n    bool dead;\n\n{DAMAGE}}}\n"
    assert project.written_by_offers(text.replace(old, new, 1), delete(sent)) == []


SHOP = in_class(
    *("int Sum(int[] list, int limit)", "{", "    Send(0, first, price);", "    return sum;", "}"),
    *("bool isInt = size.y > 0;", "int MaxCount { set { Read(); } }", "int m_SelectedDepth = 0;"),
)
ALIKE = in_class("int alpha = Make(1, 2, 3);", "int beta = Make(1, 2, 3);")
COUNTS = in_class(
    *("void OnEnable()", "{", "    Register(this);", "    hits++;", "}", ""),
    *("void OnDestroy()", "{", "    hits++;", "    Touch();", "}", ""),
    *("bool Is(int a) { return a > 1; }", "bool Is(int a, int b) { return a > 1; }"),
)
LOADOUT = in_class(
    *("void Fill()", "{", '    AddItem("sword", 1);', '    AddItem("shield", 1);'),
    *('    AddItem("bow", 1);', "    Done();", "}", ""),
    *("void Write()", "{", "    Save(root, true);", "    Save(leaf, true);", "    Unlock(root);"),
    *("}", "", "int Get() { return 1; }", "int GetX() { return 1; }"),
)
FIELDS = """\
using System;
using System.Collections;
using UnityEngine;

class Tween
{
    void Back()
    {
        token = default;
        onComplete = default;
        Assert.That(actionCalled, Is.True);
    }

    /// <param name="spline">The source of the knots.
    /// </param>
    void Add(Spline spline) { }

    /// Expects a log before the code under test.
    /// A test fails without one.
    void Expect() { }

    struct Job
    {
        int flags;
    }

    int cached;
    bool Has => m_Cached != null;
}
"""
HEARERS = "".join(
    f"sealed class Hearer<{types}>(Action<TMessage> next) : Subscriber<{types}>\n{{\n"
    f"    public override void Next({sent} message)\n    {{\n        next(message);\n    }}\n}}\n"
    for types, sent in (("TMessage", "TMessageCached"), ("TMessage, TEnd", "TMessage"))
)
HEARD = "    public override void Next(TMessage message)"
TASKS = in_class(
    "void Wait(Task task, bool ignore = true, Token token = null) { }",
    "void Wait<T>(Task<T> task, Delay delay = Delay.None, Token token = null) { }",
)
ASSETS = in_class(
    "static void Save<T>(T asset, int path = null, Object[] more = null)",
    *("{", "    Write(asset, more);", "}", ""),
    "static void Save(Timeline timeline, string path = null)",
    *("{", "    Save<Timeline>(timeline, path);", "}"),
)
MIXED = """\
class Brush
{
    int Count => 8;

\tvoid Apply(float[] weights)
\t{
\t\tfor (int at = 0; at < Count; at++)
\t\t{
\t\t\tif (weights[at] < Least)
\t\t\t\tcontinue;
\t\t}
\t\tFinish();
\t}
}
"""
PAIRS = '        { "Scale", "Scaling" },\n        { "Turn", "Rotation" }'
RUN = in_method("{", "", "    Go();", "}")
KINDS = "enum Kind\n{\n\tPhone\t\t= 1,\n\tTablet\t\t= 2,\n}\n"
NO_UPDATE = in_method("Separator();", "data.Update();", "Field(weight);")
NO_SAVE = in_method("// Go(1);")
LINE_OFF = "two.Count.Is(0);", "three.Count.Is(0);", "four.Is(10, 20, 30);"
DOUBLES = in_class(
    *("void A()", "{", f"    {LINE_OFF[0]}", "    one.Is(10, 20, 30);"),
    *(f"    {LINE_OFF[1]}", f"    {LINE_OFF[2]}", "}", "", "void B()", "{", "    one.Is(10);"),
    *(f"    {each}" for each in LINE_OFF),
    "}",
)
DOUBLED = "\n        ".join(["one.Is(10, 20, 30);", *LINE_OFF])
NUMBERED = in_class(
    *("Method(object instance, string signature1Cached)", "{", "    this.instance = instance;"),
    *("    this.signature = signature1Cached;", "}"),
)
GO_TWICE = in_class(
    *("void A(int one)", "{", "    Begin(one);", "    Go();", "}", ""),
    *("void B(int two)", "{", "    Begin(two);", "    Go();", "}"),
)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        # -- another name, number, sign or type ------------------------------------------------
        (NUMBERED, replace("this.signature = signature;", "this.signature = 1;")),
        (
            NUMBERED.replace("this.sig", "this.signatur = signature;\n        this.sig"),
            replace("this.signature = signature;", "this.signature = 1;"),
        ),
        (LOADOUT, on_symbol("C.Get3", "delete", target="return 1;")),
        (LOADOUT, on_symbol("C.GetY()", "delete", target="return 1;")),
        (
            "class Second\n{\n    readonly float now;\n}\n",
            on_symbol(
                "Second.span",
                "insert",
                "int a;",
                target="readonly float span;",
                position="line_after",
            ),
        ),
        ("using UnityEngine;\n\nclass Player\n{\n}\n", delete("using UnityEditorInternal;")),
        ("using System;\nusing A;\n", delete("using System;\nusing System.Collections;")),
        (
            "using System;\nusing A;\n",
            replace("using System;\nusing System.Collections;", "using System;"),
        ),
        (
            "class Info\n{\n    object Concrete;\n\n    Info() { Provider = null; }\n}\n",
            on_symbol("Info.Provider", "replace", " Concrete", target=" Provider"),
        ),
        (
            HEARERS,
            on_symbol(
                "Hearer<TMessage>.Next(TMessage)",
                "replace",
                HEARD.replace("Next", "NextCore"),
                target=HEARD,
            ),
        ),
        (
            TASKS,
            on_symbol(
                "C.Wait<T>(Task<T>,bool,Token)",
                "replace",
                "task, Delay delay = Delay.None,",
                target="task, bool ignore = true,",
            ),
        ),
        (
            ASSETS,
            on_symbol(
                "C.Save(Timeline,string,Object[])", "delete", target=", Object[] more = null"
            ),
        ),
        (
            ASSETS,
            on_symbol(
                "C.Save(Timeline)",
                "insert",
                ", string path = null",
                target="Timeline timeline",
                position="after",
            ),
        ),
        (
            in_method('Debug.Log("After:" + switchedId);'),
            delete('Debug.Log("Before:" + currentId);'),
        ),
        (
            in_class("if (hp <= 0) Die();"),
            replace("if (hp >= 0) Die();", "if (hp >= 0) return;\nDie();"),
        ),
        (
            NO_UPDATE,
            replace(
                "    {\n        data?.Update();", "    {\n        Begin();\n        data?.Update();"
            ),
        ),
        (SHOP, replace("int SumintArray", "int Sum2")),
        (
            in_class("int a = size.y;", "int b = size(y);", "int c = size-y;"),
            replace("int d = sizey;", "int d = 0;"),
        ),
        (SHOP, replace("    int = 0;", "    internal int = 0;")),
        (SHOP, replace("= 1;", "= 2;", before="    int m_SelectedDepth ")),
        (SHOP, insert("int MaxCounts", " { get; }", before="    // Nothing else is to be done.\n")),
        # -- it was made already, or has gone --------------------------------------------------
        (NO_SAVE, replace("\t\tGo(1);", "\t\t// Go(1);")),
        (FIELDS, delete("using System.Linq;")),
        (
            FIELDS,
            replace(
                "        token = default;\n        onUpdate = default;", "        token = default;"
            ),
        ),
        (FIELDS, replace("using UnityEngine;\nusing UnityEditor;", "using UnityEngine;")),
        (
            FIELDS,
            replace(
                '/// <param name="spline">The source of the knots.</param>',
                '/// <param name="spline">The source of the knots.',
                **{"in": "comment"},
            ),
        ),
        (
            FIELDS,
            replace(
                "/// Expects a log before the code under test.\n    ///",
                "/// Expects a log before the code under test.",
                after="\n    /// A test fails without one.",
                **{"in": "comment"},
            ),
        ),
        (FIELDS, on_symbol("Tween.m_Cached", "replace", "int cached;", target="int m_Cached;")),
        (FIELDS, on_symbol("Tween.Job.cached", "delete", target="private int cached;")),
        (FIELDS, replace(" + 1 :", " :")),
        (
            in_class("void M(N.T n)", "{", "    bool IsNew(N.T a) => a.On;", "}"),
            on_symbol("C.M(N.T).IsOld(N.T)", "replace", "IsNew", target="IsOld"),
        ),
        # -- what was forgotten, or stands there besides, is something else --------------------
        (LOADOUT, replace("Save(root, true);\n        Unlock(root);", "Unlock(leaf);")),
        (LOADOUT, replace('AddItem("shield", 1);\n        Done();', "Done(1);")),
        (DOUBLES, replace(DOUBLED, DOUBLED.replace("four.Is", "four.Equals"))),
        (
            in_class('string[] names = { "a", "b" };'),
            replace('string[] names = { "a" };', 'string[] names = { "x" };'),
        ),
        (
            in_class("Add(Vector3.up * jump);"),
            replace("Add(Vector3.up * jump, Mode.Force);", "Add(Vector3.up, Mode.Force);"),
        ),
        (
            GO_TWICE,
            replace(
                "Go();",
                "Stop();",
                before="    void D(int three)\n    {\n        Begin(three);\n        ",
            ),
        ),
        # There as an entity, here as it is: one of them is meant.
        (
            in_class("bool IsAlive => health > 0 && max > 0;"),
            replace("0 &amp;&amp; max", "1 &amp; max && min"),
        ),
        # -- new lines that may be indented in two ways ----------------------------------------
        (
            MIXED,
            replace(
                "\t\tFinish();", "        yield return null;", before="        }\n", after="\n    }"
            ),
        ),
        (
            MIXED.replace("\t\tFinish();", "\t    Finish();"),
            replace("        Finish();", "        Stop();\n        Finish();"),
        ),
        (RUN, replace("\n                Go();\n            }", "        } ")),
        (
            f"class Pairs\n{{\n    string[,] all =\n    {{\n{PAIRS}\n    }};\n}}\n",
            replace(
                '        "Turn", "Rotation" }',
                '        "Turn", "Rotation" },\n        { "Angles", "Euler" }',
                before='        { "Scale", "Scale" },\n',
            ),
        ),
        (
            KINDS,
            insert(
                "Tablet        = 2,", "\n    Headset    = 3,", before="    Phone        = 1,\n    "
            ),
        ),
        # The first line may be as the file is, or as the target was sent.
        (
            in_method("Go();", "", "x = 1;"),
            replace("\n            x = 1;", "        this.x = 1;", before="Go();\n"),
        ),
        # -- what would not compile ------------------------------------------------------------
        (in_method("hp -= amount;"), replace("hp -= amont;", "hp -= (amont;")),
    ],
)
def test_nothing_is_offered(project: UnityProject, text: str, asked: dict[str, Any]) -> None:
    assert project.written_by_offers(text, asked) == []


DECLARED = "void TakeDamage(int amount)\n    {\n        hp -= 2 * amount;\n    }"
UNHANDLED = 'Assert.IsTrue(false, $"Unhandled {nameof(Mode)}={m_Requested}");'
DEFAULT = f"            default:\n                {UNHANDLED}\n                return false;\n"
SWITCHES = (
    "class C\n{\n    bool A()\n    {\n        switch (a)\n        {\n            case 1:\n"
    f"            {{\n                Go();\n            }}\n            break;\n{DEFAULT}"
    "        }\n    }\n\n    bool B()\n    {\n        switch (b)\n        {\n            case 2:\n"
    f"                mode = Floor;\n                break;\n{DEFAULT}        }}\n    }}\n}}\n"
)
CASE = f"            }}\n            break;\n            default:\n                {UNHANDLED}"


@pytest.mark.parametrize(
    ("text", "since", "asked"),
    [
        # A declaration from before it would take it back.
        *(
            (PLAYER, replace("(int amount)", "(int amount, int source = 0)"), each)
            for each in (
                on_symbol("Player.TakeDamage(int)", "replace", DECLARED),
                on_symbol("Player.TakeDamage(int)", "delete"),
            )
        ),
        # What it took away is not looked for among its like.
        (
            ALIKE,
            delete("int alpha = Make(1, 2, 3);"),
            replace("int alpha = Make(1, 2, 3);", "int alpha = 0;"),
        ),
        *(
            (COUNTS, on_symbol(gone, "delete"), on_symbol(gone, *edit, target=target))
            for gone, target in (("C.OnEnable()", "hits++;"), ("C.Is(int)", "return a > 1;"))
            for edit in (("delete",), ("replace", "return;"))
        ),
        # What is left of two is not offered for its context.
        (
            SWITCHES,
            replace(CASE, CASE.replace("(Mode", "(ModeNow")),
            replace(
                UNHANDLED,
                UNHANDLED.replace("Assert.IsTrue(false, ", "Debug.LogError("),
                before="            }\n            default:\n                ",
                after="\n                return false;",
            ),
        ),
        # Code that was commented out is not commented out again.
        *(
            (in_method("Send(amount);"), each, each)
            for each in (
                replace("Send(amount);", "// Send(amount);"),
                replace("Send(amount);", "Flush(); // Send(amount);"),
            )
        ),
    ],
)
def test_nothing_is_offered_after_an_own_edit(
    project: UnityProject, text: str, since: dict[str, Any], asked: dict[str, Any]
) -> None:
    assert project.written_by_offers(text, asked, since=[since]) == []


TESTS = in_class(
    *("void ForClient()", "{", "    player.side = Side.Client;", "    player.value = 12345;", ""),
    *("    // initial: should still write for the owner", "    player.Write(true, first);"),
    *('    Log("first: " + first);', "    Check(first);", "}", ""),
    *("void ForServer()", "{", "    player.side = Side.Client;", "    player.value = 12345;", ""),
    *("    // initial: should write a thing for the owner", '    Log("first: " + first);'),
    *("    player.Write(true, first);", "    Check(first, second);", "}"),
)
SCALE = "        // no scale here\n        var sourcesBounds = new Bounds(center, Abs(size));\n"
ALL = "        if (collected == Collected.All)\n"
SURFACE = (
    f"class Surface\n{{\n    void Build()\n    {{\n{SCALE}{ALL}        {{\n"
    "            sourcesBounds = World(sources);\n        }\n"
    f"        var surfaceBounds = sourcesBounds;\n    }}\n\n    void BuildLater()\n    {{\n{SCALE}"
    f"{ALL}            surfaceBounds = World(sources);\n    }}\n}}\n"
)
SCALED = f"{SCALE}{ALL}            sourcesBounds = World(sources);"
CONSOLE = in_class(
    *("// stays open", "[SerializeField]", "bool single;", "", "[SerializeField]", "bool small;"),
    *("", "int First(short token)", "{", "    if (count == 0)", "    {", "        Fail();"),
    *("    }", "    return token;", "}", "", "int Second()", "{", "    if (last)", "    {"),
    *("        return 1;", "    }", "    Manager.single.StartServer();"),
    *("    Manager.single.StopServer();", "    Manager.single.StopClient();", "}"),
)
MESH = """\
class Mesh
{
    void Apply()
    {
        if (UsesStreams)
        {
            if (m_Mesh.Filter)
                Undo.Record(m_Mesh.Filter, "Assign mesh to filter");
            if (m_Mesh)
                m_Mesh.SynchronizeWithRenderer();
        }
        Recalculate();

        if (m_Mesh.Filter)
            Undo.Record(m_Mesh.Filter, "Assign mesh to filter");

        m_Mesh.SynchronizeWithRenderer();
    }
}
"""
READ = (
    "        if (!Read(ref isReady))\n        {\n            {}\n            go = Next(ref head);\n"
)
READS = "class C\n{\n" + "".join(
    f"    void {name}\n    {{\n{READ.replace('{}', call)}        }}\n    }}\n\n"
    for name, call in (("A()", "Take(a);"), ("B(int head2)", "Give(b, head2, c);"))
)
EACH = "        foreach (Item item in names.Select(name => all.First(i => i.name == name)))\n"
LISTS = (
    "class C\n{\n    void Modified(List<Item> items, bool filtered)\n    {\n"
    f"        list.EndRename();\n    }}\n\n    void Select()\n    {{\n{EACH}"
    "        {\n            int at = items.IndexOf(item);\n        }\n    }\n}\n"
)
VALUES = in_class(
    *(
        "void Bind()",
        "{",
        "    if (isInt)",
        "    {",
        "        Vector2Int val = (Vector2Int) Value;",
    ),
    *("        inputX.Text = val.x.ToString();", "    }", "    else", "    {"),
    *("        Vector2 val = (Vector2) Value;", "        inputX.Text = val.x.ToString();", "    }"),
    *("}", "", "void Refresh()", "{", "    if (isInt)", "    {"),
    *(
        "        Vector2Int old = (Vector2Int) Value;",
        "        Vector2Int val = (Vector2Int) Value;",
    ),
    *(
        "",
        "        if( val.x != old.x )",
        "            inputX.Text = val.x.ToString();",
        "    }",
        "}",
    ),
)
LOCKS = in_class(
    *("void One()", "{", "    Open(first1);", "    lock1.Close();", "}", ""),
    *("void Two()", "{", "    Open(first2);", "    lock2.Close();", "}"),
)
TWO_GO = in_class(
    *("void Update()", "{", "    if (speed > 10)", "    {", '        Log("fast");', "    }"),
    *(
        "    speed = 1;",
        "}",
        "",
        "void Go(int by)",
        "{",
        "    speed = 1;",
        "}",
        "private int health = 5;",
    ),
)


def guards(*lines: str) -> str:
    return in_class(
        *(each for n, line in enumerate(lines) for each in (f"void M{n}(int a{n})", "{", line, "}"))
    )


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (TWO_GO, replace("nothing like it at all", "x")),
        (TWO_GO, replace("armor = 5;", "armor = 6;")),
        (TWO_GO, replace("private int shield = 5;", "private int shield = 6;")),
        (TWO_GO, delete("private int health2 = 7;")),
        # A bracket is no slip of the pen.
        (TWO_GO, replace("{\n        speed = 1;\n        {", "{")),
        (TWO_GO, replace("speed = 1;", "speed = 2;", before="void Stop()\n{\n")),
        (TWO_GO, on_symbol("C.Jump", "delete")),
        # Another number is another name, and a word that stands elsewhere may be meant.
        (LOCKS, delete("lock3.Close();")),
        (LOCKS, delete("lock1.Close();", before="Open(first2);\n\t\t")),
        (LOCKS, replace("Log(true);", "Log(false);")),
        (LOCKS, on_symbol("C.Two()", "replace", "void Three()", target="void One()")),
        # Several places are as near.
        (
            guards(*["    Throw(comparer, nameof(comparer));"] * 3),
            replace("Throw(comaprer, nameof(comparer));", "A();"),
        ),
        (
            guards(*["    Throw(x, nameof(selector));"] * 9),
            replace("Throw(x, state(selector));", "A();"),
        ),
        (
            guards(*["    if (a)\n        {\n        }"] * 7),
            replace("if (a)\n       {", "if (b)\n       {"),
        ),
        (
            CONSOLE,
            insert("[SerializeField]", "\n    [Hide]", before="    // never\n    // so\n    "),
        ),
        (CONSOLE, replace("Manager.single.StoServer();", "manager.StoServer();")),
        (CONSOLE, replace("Manager.single.Srver();", "manager.Srver();")),
        (
            CONSOLE,
            replace(
                "return token;", "return 0;", before="        }\n        Never(token);\n        "
            ),
        ),
        (
            READS,
            replace(
                "go = Next(ref head);",
                "go = 0;",
                before=READ[: READ.index("            go")].replace("{}", "Loan(d, e);"),
            ),
        ),
        (
            VALUES,
            replace(
                "inputX.Text = val.x.ToString();",
                "inputX.Text = val.x.ToString(format);",
                before="            Vector2Int val = (Vector2Int) Value;\n\n"
                "    private bool OnValueSubmitted( BoundInputField source, string input )\n"
                "        ",
            ),
        ),
        # Lines that changed places do not lead to the double.
        (
            TESTS,
            replace(
                "        player.value = 12345;",
                "        player.Set(11);",
                before="        player.side = Side.Client;\n",
                after="\n\n        // initial: should write a thing for the owner\n"
                '        player.Write(true, first);\n        Log("first: " + first);',
            ),
        ),
        # A brace more, or another name.
        (SURFACE, replace(SCALED, SCALED.replace("var sourcesB", "var sourceB"))),
        # It is indented as sent, and another place has more of the context.
        (
            MESH,
            insert(
                "m_Mesh.SynchronizeWithRenderer();",
                "\n        Changed = Channels.None;",
                before="        if (m_Mesh.Filter)\n"
                '            Undo.Record(m_Mesh.Filter, "Assign mesh to filter");\n'
                "        if (streams)\n        ",
                after="\n    }",
            ),
        ),
        # A brace in half of its context, beside one that has the other half.
        (
            LISTS,
            insert(
                "{",
                "\n        suppressed = true;",
                before=f"    }}\n\n{EACH}    ",
                after="\n        list.EndRename();\n",
            ),
        ),
    ],
)
def test_no_more_than_a_choice(project: UnityProject, text: str, asked: dict[str, Any]) -> None:
    project.write(text)
    offers = project.refused(asked).offers
    assert len(offers) != 1
    assert not any(each.basis for each in offers)
