"""Requests that are refused for a slip, and the one offer that writes what was meant."""

from __future__ import annotations

from typing import Any

import pytest
from planning import on_symbol
from unity_project import UnityProject, delete, in_class, in_method, insert, replace

COMMENT = {"in": "comment"}

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
IN_GO = 'speed = 1;\n\t\t\tLog("go")', 'speed = 2;\n\t\t\tLog("go")'
MOVE = "    if (speed > 10)\n    {\n        "


@pytest.mark.parametrize(
    ("asked", "old", "new"),
    [
        # Remembered wrongly: a word, a sign, a line; and what goes along with it stays as it is.
        (replace("private flaot speed = 10f;", "private flaot speed = 12f;"), "10f", "12f"),
        (replace("private float sped = 10f;", "private float sped = 12f;"), "10f", "12f"),
        (replace("Move(speed 2);", "Move(speed 3);"), "speed, 2", "speed, 3"),
        (replace("Move(speed, 2);\nLog('fast');", "Move(speed, 3);\nLog('fast');"), "d, 2", "d, 3"),
        (delete("private int heatlh = 5;"), "\t\tprivate int health = 5;\n", ""),
        # White space.
        (
            replace(f"{MOVE}Move(speed, 2);", f"{MOVE}Stop();\n        Move(speed, 2);"),
            "\t\t\t\tMove(speed, 2);",
            "\t\t\t\tStop();\n\t\t\t\tMove(speed, 2);",
        ),
        (replace("if (speed>10) {", "if (speed>11) {"), "> 10", "> 11"),
        # A comment that was reflowed.
        (
            replace(
                "// How fast it goes,\n// in metres per second.",
                "// How fast it runs,\n// in metres per second.",
                **COMMENT,
            ),
            "it goes",
            "it runs",
        ),
        (replace("per second", "per minute"), "per second", "per minute"),
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
        # Blank lines of a shifted text stay empty.
        (
            insert(
                "private int health = 5;",
                "\n      private int lives;\n",
                before="      private float speed = 10f;\n      ",
                after="\n\n      void Update()\n      {",
            ),
            "health = 5;\n",
            "health = 5;\n\t\tprivate int lives;\n\n",
        ),
        # Symbols.
        (
            on_symbol("Player.Updaet", "insert", "Jump();", position="body_end"),
            "\t\t\tspeed = 1;\n\t\t}\n\n",
            "\t\t\tspeed = 1;\n\t\t\tJump();\n\t\t}\n\n",
        ),
        (on_symbol("Player.Go(string)", "replace", "speed = 2;", target="speed = 1;"), *IN_GO),
    ],
)
def test_of_a_text_sent_otherwise_the_true_one(
    project: UnityProject, asked: dict[str, Any], old: str, new: str
) -> None:
    assert PLAYER.count(old) == 1
    assert project.written_by_offers(PLAYER, asked) == [PLAYER.replace(old, new)]


def test_an_offer_takes_the_files_own_line_endings(project: UnityProject) -> None:
    asked = replace("Move(speed,2);", "Move(speed,2);\n\t\t\t\tJump();")
    text = PLAYER.replace("\n", "\r\n")
    written = text.replace("Move(speed, 2);", "Move(speed, 2);\r\n\t\t\t\tJump();")
    assert project.written_by_offers(text, asked) == [written]


@pytest.mark.parametrize(
    "asked",
    [
        # Context that doesn't fit, a name, a line.
        replace("speed = 1;", "speed = 2;", before="void G0(int by)\n{\n"),
        replace("speed = 1;", "speed = 2;") | {"metadata": {"why": "in Go"}},
        replace("speed = 1;", "speed = 2;") | {"metadata": {"line": 24}},
    ],
)
def test_the_named_one_of_equal_places_is_first(
    project: UnityProject, asked: dict[str, Any]
) -> None:
    assert project.written_by_offers(PLAYER, asked)[0] == PLAYER.replace(*IN_GO)
    assert len(project.refused(asked).offers) == 1 or project.refused(asked).offers[0].basis


VIEWS = """\
class Views
{
    class First : Base<T>
    {
        readonly View<T> parent;
        bool isShown;
    }

    void Show()
    {
        // Check(new[] { 100, 100, 131 });
        Check(new[] { 100, 100, 131 });
        size.y = manager.SelectedHeight;
        if (Count < arr.Length)
            arr[Count++] = value;
        Draw(prefab, resultType, 1);
    }
}
"""
CONSOLE = """\
class Console : Window
{
    void OnDrop(PointerEventData eventData)
    {
        Set(eventData);
    }

    Binder Bind(Contract contract)
    {
        Check(!disposed);
        return new Binder(contract);
    }

    Binder Bound(Contract contract)
    {
        Check(!disposed);
        return binder;
    }

    void Dispose()
    {
        Check(!disposed);
        disposed = true;
    }
}
"""
TOOLBOX = """\
class Toolbox : Editor
{
    GameObject[] m_Joints = new GameObject[Count];
    bool m_IsTracked;

    static Vector3[] s_Points = new Vector3[2];

    void Process(Command command)
    {
        Make(command.Type, command.Name, command.Args);
        if (builder.Length != 0)
            Import();
        Import2.Enabled = true;
        Import2.Checked = true;
        m_LowIndicator.gameObject.Enable(false);
        m_TopIndicator.gameObject.Enable(false);
    }

    void Tracked()
    {
        if (m_IsTracked)
            Draw(EditorGUI.isProSkin);
        Hide();
    }

    private void OnChanged(ChangeEvent<Object> change)
    {
        m_Tree = change.Value as Tree;
        Clone();
    }

    void Show()
    {
        if (m_Settings.ShowSplat)
        {
            ShowReplaceSplatmapGUI();
        }
    }
}
"""
TRACKED = {"before": "    GameObject[] m_Joints = new GameObject[Count];\n    "}
SHOP = """\
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
MOST = "int most = Best(list, limit, 0);", "int most = 0;"
BRACE = "Cached)\n    {"
COMPENSATOR = """\
class Compensator
{
    Table keyCache;

    // for example, if A fires at B, then call B.Sample(viewer, point, tolerance).
    // this is super simple and fast.
    [Server]
    public virtual bool Check(Viewer viewer, int colliders)
    {
        var index = keys.FindIndex(each => each.Id == viewer.Id);
        if (index < 0)
            index = keys.FindIndex(each => each.Id == viewer.Id);
        var added = table.Add(viewer, index);
        var known = table.Add(colliders, index);
        table.Sort(index, viewer);
        return added;
    }

    Cache Key { get { return keyCache; } }
}
"""
SERVER = "    // this is super simple and fast.\n    [Server]"
METHOD_CLASS = """\
class Method
{
    readonly string signature;

    Method(object instance, string command, string signatureCached)
    {
        this.instance = instance;
        this.command = command;
        this.signature = signatureCached;
    }
}
"""
EXTENSIONS = """\
class Extensions
{
    Task Attach(Task task)
    {
        Check(task);

        return new Task(new IgnoreSource(task, token), 0);
    }

    sealed class AttachSource : ISource
    {
        void Use() { IgnoreSource(0); }
    }
}
"""
COUNTER = """\
enum Changes
{
    Increment,
    Decrement
}

class Counter
{
    void Increment(int by)
    {
    }

    void Decrement(int by)
    {
        Go();
    }
}
"""
STARTING = in_class(
    *("void Start()", "{", "    if (isLogged)", "        Repeat(nameof(OnLog), 1, 1);"),
    *('    Debug.Log("C begins: it logs!");', "}", "", "int of;", "", "int by;", ""),
    *("internal void OnLog()", "{", "}"),
)
CONSTRUCTED = in_class(
    *("static int count;", "", "static C()", "{", "    count = 1;", "}", "", "C(int by)", "{"),
    *("    count = by;", "}"),
)
MOVES = """\
class MoveTests
{
    void Moves()
    {
        Assert.That(before, Is.EqualTo(camera.Start));
        // Camera moved check
        Assert.That(beforeCached, !Is.EqualTo(camera.Final).Using(PrecisionCached.Instance));
        Assert.That(after, Is.EqualTo(camera.Final).Using(Precision.Instance));
    }
}
"""
CHECK = "\n".join(MOVES.split("\n")[5:7])
CASE, DEFAULT = "case 3:  // equal ordered", "default:  // equal ordered"
CASES = in_method(
    *("switch (way)", "{", "    case 3:  // equalCached ordered", "        Go();"),
    *("        break;", "}", "switch (way)", "{", CASE, "    Go();", "    break;", "}"),
)
MANY_GO = in_class(
    *(each for n in range(7) for each in (f"void M{n}()", "{", "    Go();", "}", "")),
    *("void Last(int count)", "{", "    isDone = true;", "    Go();", "}"),
)
KILLS = in_class("readonly Callback onKillDelegate;", "readonly Callback whenStarted;")
KILLS_MORE = ";\n    readonly Callback onUpdated;"
MAKE = "        Make(command.Type, command.Name, command.Args);"
ELSE = in_method("if (first)", "    names.Append(one.text);", "else", "    names.Clear();")
BRUSH = """\
class Brush
{
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
QUOTED, ADDED = ("            if (weights[at] < Least)", "            float weight = weights[at];")
ASCII_PLAYER = """\
public class Player
{
    /// <summary>A List&lt;int&gt; of it.</summary>
    public bool IsAlive => health > 0 && max > 0;
    int health, max;
    const string Spaced = "a\\u00A0b — c\\u2022";
    string[] names = { "x", null };
}
"""
NAMESPACE = """\
namespace N
{
    class A
    {
        void F()
        {
            G();
        }
    }
}
"""
REMARKS = """\
class Choices
{
    /// <summary>Adds some.</summary>
    /// <param name="options">Those to add.</param>
    /// /// <remarks>
    /// See the manual for examples.
    /// </remarks>
    public void Add(List<string> options) { }
}
"""
NOTES = in_class(
    *("/// <summary>", "/// Permission", "/// </summary>", "int a;", "", "/// <summary>"),
    *("/// Permissions", "/// </summary>", "int b;"),
)
ADDS = in_method(
    *('Add("m", "One");', 'Add("p", P());', 'Add("b", B());'),
    *('Add("m", "Two");', 'Add("p", P());', 'Add("b", B());', "End();"),
)
PAGE = in_method("page?.Start();", "shown?.Invoke();")
POSES = in_class(
    "internal struct PoseData { }",
    "static internal bool TryGetNodePoseData(Node node, out Pose pose, Flags flags)",
    *("{", "    return Try(node, out pose, flags);", "}"),
)
TRUE_FIELD = "    private bool hasChanged = true;"
GO_FIRST = in_class("void M()", "{", "    Go(first);", "}", "", TRUE_FIELD.strip())
LENGTH = in_class("float Get()", "{", "    return Length(camera -", "        position.Value);", "}")


@pytest.mark.parametrize(
    ("text", "asked", "old", "new"),
    [
        # -- a slip of the pen -----------------------------------------------------------------
        # The only word is misspelled, with all of the context beside it, or with little of it.
        (
            VIEWS,
            replace(
                "manage",
                "view",
                before="131 });\n        size.y = ",
                after=".SelectedHeight;\n        if (Count",
            ),
            "manager",
            "view",
        ),
        (
            "// sandbox\npublic class Sandbox : ObservableMonoBehaviour\n{\n}\n",
            replace(
                " ObservablMonoBehaviour",
                " MonoBehaviour",
                before="// sandbox\npublic class Sandbox :",
                after="\n{",
            ),
            "Observable",
            "",
        ),
        # What is declared has another ending, and all of the context around it.
        (
            TOOLBOX,
            delete(
                "bool m_IsTracke;",
                **TRACKED,
                after="\n\n    static Vector3[] s_Points = new Vector3[2];",
            ),
            "    bool m_IsTracked;\n",
            "",
        ),
        # The new name has the part of the old one that was misspelled, spelled as it stands.
        (
            TOOLBOX,
            replace(
                "ShowReplaceSplatmaGUI()",
                "ShowSplatmapImportGUI()",
                before="        if (m_Settings.ShowSplat)\n        {\n            ",
                after=";\n        }\n",
            ),
            "ShowReplaceSplatmapGUI()",
            "ShowSplatmapImportGUI()",
        ),
        # A name that has got a word more.
        (
            METHOD_CLASS,
            replace(
                "this.signature = signature;",
                "this.signature = signature;\n        this.parameters = parameters;",
                before="        this.instance = instance;\n"
                "        this.command = command;\n        ",
            ),
            "signatureCached;\n",
            "signatureCached;\n        this.parameters = parameters;\n",
        ),
        (
            in_class("public BodyNow body;", "", "public Body other;"),
            on_symbol(
                "C.body", "insert", "int a;", target="public Body body;", position="line_after"
            ),
            "BodyNow body;\n",
            "BodyNow body;\n    int a;\n",
        ),
        # -- the context tells -----------------------------------------------------------------
        # In it a name has got longer, a line is missing, or another one's.
        *(
            (SHOP, replace(*MOST, before=f"    int Most(int[] list, int {each}"), *MOST)
            for each in (
                "limit)\n    {\n        Check(list);\n",
                "limitCached)\n    {\n",
                "limitCached)\n    {\n        // adds up\n",
            )
        ),
        (
            SHOP,
            insert(
                "{",
                "\n        Begin();",
                before="limitCached)\n    ",
                after="\n        Check(list);\n        int least = Best(list, limit, 0);",
            ),
            BRACE,
            f"{BRACE}\n        Begin();",
        ),
        # A no-break space is one of the display.
        (
            SHOP,
            replace(
                "{",
                "{\n        Begin(\u00a01);",
                before="limitCached)\n    ",
                after="\n        Check(list);\n        int\u00a0most = Best(list, limit, 0);",
            ),
            BRACE,
            f"{BRACE}\n        Begin( 1);",
        ),
        # Whole lines that stand once, beside braces, or beside nothing that is right.
        (
            CONSOLE,
            replace(
                "void OnDrop(PointerEventData eventData)",
                "void IDrop.OnDrop(PointerEventData eventData)",
                after="\n    {\n    }",
            ),
            "void OnDrop",
            "void IDrop.OnDrop",
        ),
        (
            GO_FIRST,
            replace(
                TRUE_FIELD,
                f"{TRUE_FIELD}\n    float width;",
                before="    }\nEnsureInitialized();\n\n",
            ),
            TRUE_FIELD,
            f"{TRUE_FIELD}\n    float width;",
        ),
        # A word of it is misspelled, or a line is another one.
        (
            CONSOLE,
            replace(
                "    {\n        Check(!disposed);\n",
                "    {",
                before="\n    Bindr Bind(Contract contract)\n",
            ),
            "Bind(Contract contract)\n    {\n        Check(!disposed);\n",
            "Bind(Contract contract)\n    {",
        ),
        (
            TOOLBOX,
            replace(
                "private void OnChanged(ChangeEvent<Object> change)",
                "void OnChanged(ChangeEvent<Object> change)",
                before="\n    ",
                after="\n    {\n            Draw(EditorGUI.isProSkin);\n        Clone();",
            ),
            "private void OnChanged",
            "void OnChanged",
        ),
        (
            COMPENSATOR,
            replace("[Server]", "[Remote]", before="    // this is super simpl and fast.\n    "),
            "[Server]",
            "[Remote]",
        ),
        # The blanks of the target are those that it was sent with.
        (
            in_class("void A()", "{", "    TestCached(first,     second, third);", "}"),
            replace("    second, third", "both", before="void A()\n    {\n        Test(first, "),
            "first,     second, third",
            "first, both",
        ),
        # The error has no room for the place.
        (
            MANY_GO,
            replace(
                "Go();",
                "Stop();",
                before="    void Last(int counts)\n    {\n        isDone = true;\n        ",
            ),
            "isDone = true;\n        Go();",
            "isDone = true;\n        Stop();",
        ),
        # The very target stands at another depth than a longer name.
        *(
            (CASES, replace(f"{each}{CASE}", f"{each}default:  // equal ordered"), CASE, DEFAULT)
            for each in (" " * 12, " " * 16)
        ),
        # One side tells the only place of a target.
        (
            EXTENSIONS,
            replace(
                "(new IgnoreSource(task",
                "(new AttachSource(task",
                before="        Check(task);\n\n        return new Task",
                after=", token), 0);\n    }\n\n    sealed class IgnoreSource : ISource",
            ),
            "new IgnoreSource",
            "new AttachSource",
        ),
        # It may end within a sign that was sent beside it.
        (
            PAGE,
            replace(
                "shown?",
                "Shown?",
                before="        page?.Start();\n        ",
                after=".Invoke();\n    }\n    void Hide()",
            ),
            "shown?",
            "Shown?",
        ),
        # -- as it is displayed ----------------------------------------------------------------
        (
            CONSOLE,
            on_symbol(
                "Console.Dispose()",
                "replace",
                ">     void IDisposable.Dispose()",
                target=">     void Dispose()",
            ),
            "void Dispose()",
            "void IDisposable.Dispose()",
        ),
        (
            COMPENSATOR,
            replace(
                "\n".join(f"-{each}" for each in SERVER.split("\n")),
                "\n".join(f"+{each}" for each in SERVER.split("\n")).replace("Server", "Remote"),
            ),
            "[Server]",
            "[Remote]",
        ),
        # Marks of a diff are no sign at the end of the line above.
        (
            LENGTH,
            replace("-            position.Value);", "+            reference.Value);"),
            "position",
            "reference",
        ),
        # A line number takes no tab of the line along.
        (
            BRUSH.replace("\t\tFinish();", "\t\tFinish();\n    // done"),
            replace("9|\t\tFinish();", "9|        yield return null;"),
            "\t\tFinish();",
            "        yield return null;",
        ),
        # Without its fence it fits one place; others are as like the one word that it has.
        (
            NOTES,
            replace("```csharp\n/// Permission\n```", "```csharp\n/// \n```", **COMMENT),
            "/// Permission\n",
            "/// \n",
        ),
        # The context tells which of two places was quoted with other quotes.
        (
            ADDS,
            replace(
                "Add(“p”, P());\n        Add(“b”, B());",
                "Add(“p”, P());",
                before="        Add(“m”, “Two”);\n        ",
            ),
            '        Add("b", B());\n        End',
            "        End",
        ),
        # HTML's entities, in the target, in the context and in the new text.
        (
            ASCII_PLAYER,
            replace("health &gt; 0 &amp;&amp; max &gt; 0", "health &gt; 1"),
            "health > 0 && max > 0",
            "health > 1",
        ),
        (
            ASCII_PLAYER,
            replace("max > 0;", "max > 1;", before="null", after="int health"),
            "max > 0",
            "max > 1",
        ),
        # -- comments --------------------------------------------------------------------------
        # What goes on in code is offered as code.
        (
            "/// <summary>\n/// What it is.\n/// </summary>\nclass C\n{\n}\n",
            replace("/// </summary>\nclass C", "/// </summary>\n[A]\nclass C", **COMMENT),
            "class C",
            "[A]\nclass C",
        ),
        # Both of two markers are replaced.
        *(
            (
                REMARKS.replace("/// ///", each),
                replace(
                    f"{each} <remarks>",
                    "/// <remarks>\n\t    /// <![CDATA[",
                    before='<param name="options">Those to add.</param>\n\t    ',
                    after="\n\t    /// See the manual for examples.\n\t    /// </remarks>",
                    **COMMENT,
                ),
                f"{each} <remarks>",
                "/// <remarks>\n    /// <![CDATA[",
            )
            for each in ("/// ///", "/// //", "/// /// ///")
        ),
        # -- indentation -----------------------------------------------------------------------
        (
            BRUSH,
            replace(QUOTED, f"{ADDED}\n            if (weight < Least)"),
            "\t\t\tif (weights[at] < Least)\n",
            "\t\t\tfloat weight = weights[at];\n\t\t\tif (weight < Least)\n",
        ),
        (
            BRUSH.replace("\tvoid", "    int Count => 8;\n\n\tvoid"),
            replace(QUOTED, QUOTED.replace("Least", "Most")),
            "] < Least",
            "] < Most",
        ),
        # Lines that are put before others are indented as these are.
        *(
            (
                NAMESPACE,
                insert(f"{step}void F()\n{step}{{", f"{step}{sent}", position="before"),
                "        void F()",
                f"        {written}        void F()",
            )
            for step in ("    ", "\t")
            for sent, written in (
                ("int x;\n\n", "int x;\n\n"),
                (f"void H()\n{step}{{\n{step}}}\n\n", "void H()\n        {\n        }\n\n"),
            )
        ),
        (
            "enum Kind\n{\n\tPhone\t\t= 1,\n\tTablet\t\t= 2,\n}\n",
            insert(
                "Tablet        = 2,", "\n    Headset = 3,", before="    Phone        = 1,\n    "
            ),
            "\t\t= 2,",
            "\t\t= 2,\n\tHeadset = 3,",
        ),
        # A text of which the new one is a part is not done where it stands.
        (
            in_method("root.Add(Find(target.first));", "", "tools.Update();"),
            replace(
                "        root.Add(Find(target.first));\n    \n            tools.Update();",
                "        root.Add(Find(target.first));",
            ),
            "\n\n        tools.Update();",
            "",
        ),
        # -- symbols ---------------------------------------------------------------------------
        # A member of another type is no rival of the one that is misspelled.
        *(
            (
                COUNTER,
                on_symbol(each, "insert", "Stop();", position="body_start"),
                "        Go();",
                "        Stop();\n        Go();",
            )
            for each in ("Counter.Decrment(int)", "Counter.Decrement(float)")
        ),
        # The static constructor without its dot.
        (
            CONSTRUCTED,
            on_symbol("C.cctor()", "replace", "count = 2;", target="count = 1;"),
            "count = 1",
            "count = 2",
        ),
        # A part of a longer name is no twin.
        (
            COMPENSATOR.replace("keyCache", "m_Cache"),
            on_symbol(
                "Compensator.Key",
                "replace",
                "```csharp\n Table\n```",
                target="```csharp\n Cache\n```",
            ),
            "    Cache Key",
            "    Table Key",
        ),
        # The nearest of equal words.
        (
            in_class("public T Machine;", "", "public void Run()", "{", "}"),
            on_symbol(
                "C.Run()",
                "insert",
                "[Hidden]\n    ",
                target="public new void Run()",
                position="before",
            ),
            "    public v",
            "    [Hidden]\n    public v",
        ),
        # An invisible character is left out of what is no code with it.
        (in_class("int a;"), replace("int a;", "int h\u200bp;"), "int a;", "int hp;"),
    ],
)
def test_the_only_offer_writes_what_was_meant(
    project: UnityProject, text: str, asked: dict[str, Any], old: str, new: str
) -> None:
    assert text.count(old) == 1
    assert project.written_by_offers(text, asked) == [text.replace(old, new)]


@pytest.mark.parametrize(
    ("text", "quote", "right", "wrong", "old", "new"),
    [
        # A slip of the pen: no other name, no line above, and no shorter line is meant by it.
        (KILLS, "readonly Callback onKillDelegate;", "Dele", "Dle", ";", KILLS_MORE),
        (TOOLBOX, "        Import2.Checked = true;", "ked", "kd", "true", "false"),
        (MOVES, CHECK, "beforeCached", "before", "!Is", "Is.Not"),
        (SHOP, "Send(0, segmentNetId, price);", "segment", "_segment", "Send", "Push"),
        (
            in_class('A a = Say(one, "HandDrawJoints");'),
            'Say(one, "HandDraw',
            "ne",
            "n",
            "Say",
            "Tell",
        ),
        (POSES, "internal bool TryGetNodePoseData(", "nal", "na", "bool", "Found"),
        (STARTING, "internal void OnLog()", "nal", "na", " void", " static void"),
        (STARTING, "internal void OnLog()", "int", "   14\t    int", " void", " static void"),
        (ELSE, "names.Append(one.text);", "names", "nmaes", "names", "shared"),
        (SHOP, "int most = Best(list, limit, 0);", "Best(", "Bes(", "Best(", "BestOf("),
        # A sign or a word that was forgotten, or that is too many.
        (VIEWS, "Draw(prefab, resultType, 1);", "b, r", "br", "1", "2"),
        (TOOLBOX, MAKE, "(command.", "(.", "Name,", "Name, command.Id,"),
        (
            TOOLBOX,
            "        m_TopIndicator.gameObject.Enable(false);",
            "or.",
            "or?.",
            "false",
            "true",
        ),
        (COMPENSATOR, "        var added = table.Add(viewer, index);", " added", "", "Add", "Put"),
        (
            COMPENSATOR,
            "        table.Sort(index, viewer);",
            "(index,",
            "(,",
            ");",
            ");\n        Go();",
        ),
        # HTML's entities, and escapes of a display.
        (ASCII_PLAYER, "max > 0;", ">", "&gt;", "0", "1"),
        (ASCII_PLAYER, "IsAlive => health", ">", "&#62;", "health", "max"),
        (ASCII_PLAYER, "List&lt;int&gt; of", "&", "&amp;", "int", "long"),
        (ASCII_PLAYER, "— c\\u2022", "\\u2022", "\u2022", "c", "e"),
        # A marker that was forgotten beside the one that begins the line.
        (in_class("/// <c>Of 0</c>", "A a;"), "/// <c>Of 0</c>", "</c>", "<c>", "Of 0<", "Of 0.<"),
        (in_class("/// <c></c>", "int a;"), "/// <c></c>", "</c>", "<c>", "<c></", "<c>.</"),
    ],
)
def test_a_slip_in_what_is_quoted_is_not_written(
    project: UnityProject, text: str, quote: str, right: str, wrong: str, old: str, new: str
) -> None:
    """``quote`` stands in the text; it was sent with ``wrong`` in the place of ``right``."""
    assert text.count(quote) == 1
    written = quote.replace(old, new, 1)
    comment = COMMENT if quote.startswith(("//", "List")) else {}
    sent, wanted = (each.replace(right, wrong) for each in (quote, written))
    asked = replace(sent, wanted, **comment)
    assert project.written_by_offers(text, asked) == [text.replace(quote, written)]


@pytest.mark.parametrize("indent", ["\t", "    "])
@pytest.mark.parametrize(
    "number", ["4: ", "4| ", "4 | ", " 4 | ", "4:", "4|", "4\t", "4: {}", "4 | {}"]
)
@pytest.mark.parametrize("is_numbered", [False, True])
def test_a_blank_behind_a_line_number_came_with_it(
    project: UnityProject, number: str, indent: str, is_numbered: bool
) -> None:
    standing = f"class A\n{{\n{indent}int a = 1;\n{indent}int b = 2;\n{indent}int c = 3;\n}}\n"
    number = number.format(indent)
    has_indent = number.endswith(indent) and not number.endswith("4\t")
    lead = number if is_numbered else indent * has_indent
    asked = replace(f"{number}int b = 2;", f"{lead}int b = 5;")
    assert project.written_by_offers(standing, asked) == [standing.replace("b = 2", "b = 5")]


@pytest.mark.parametrize("blank", ["\n", "    \n"])
@pytest.mark.parametrize("step", ["    ", "\t"])
def test_a_missing_blank_line_is_no_indentation(
    project: UnityProject, blank: str, step: str
) -> None:
    text, target, more = (
        each.replace("    ", step)
        for each in (in_class("int a;", "int b;", "int c;"), f"    int b;\n{blank}", "    int x;\n")
    )
    gone = text.replace(f"{step}int b;\n", "")
    behind = text.replace(f"{step}int c;", f"{more}{step}int c;")
    inserted = project.written_by_offers(text, insert(target, more, position="after"))
    assert inserted in ([], [behind])
    assert project.written_by_offers(text, delete(target)) in ([], [gone])


@pytest.mark.parametrize(
    ("text", "since", "asked", "old", "new"),
    [
        # A text, a context, or a line is followed through an own edit.
        (
            PLAYER,
            [replace("Move(speed, 2);", "Move(Time.deltaTime * speed, 2);")],
            replace(
                'Move(speed, 2);\n\t\t\t\tLog("fast");', 'Move(speed, 2);\n\t\t\t\tLog("quick");'
            ),
            '"fast"',
            '"quick"',
        ),
        (
            PLAYER,
            [replace("void Go(int by)", "void Travel(float distance)")],
            replace("speed = 1;", "speed = 2;", before="void Go(int by)\n\t\t{\n"),
            *IN_GO,
        ),
        (
            in_method("if (on)", "    Go();", "else", "    pos = new Vector3(x, y, 0f);"),
            [replace("new Vector3(x, y, 0f)", "new Point(x, y, 0f)")],
            replace(
                "pos = new Vector3(x, y, 0f);",
                "pos = new Vector3(x, y, 0f);\n\n        pos.x = Clamp(pos.x, 0f);",
            ),
            "0f);\n",
            "0f);\n\n        pos.x = Clamp(pos.x, 0f);\n",
        ),
        # It stays as it was made.
        (
            in_class("int hp = 10;", "int hpMax = 12;"),
            [replace("hp = 10;", "hp = 20;")],
            replace("int hp = 10;", "long hp = 10;"),
            "int hp =",
            "long hp =",
        ),
        # A target that ends in a marker takes no second one.
        (
            REMARKS.replace("/// ///", "/// THIS IS A STUB!\n    ///\n    ///"),
            [
                replace("/// See the manual", "/// Look at the manual", **COMMENT),
                replace("<remarks>", "<remarksOf>", **COMMENT),
            ],
            replace(
                "    /// THIS IS A STUB!\n    ///",
                "    /// A stub.",
                after="\n    /// <remarks>\n    /// See the manual",
                **COMMENT,
            ),
            "/// THIS IS A STUB!\n    ///\n",
            "/// A stub.\n",
        ),
        # A line number comes without the blank behind it.
        *(
            (
                in_method(
                    "Clear();", "Get(", "    OnReceived,", "    _ => OnChanged?.Invoke()", ");"
                ),
                [replace("        Clear();", "        // Checked before.\n        Clear();")],
                replace(
                    f"{number}            _ => OnChanged?.Invoke()",
                    f"{number}            Debug.LogException",
                ),
                "_ => OnChanged?.Invoke()",
                "Debug.LogException",
            )
            for number in ("8: ", "8:", "8\t", "  8| ", "8|")
        ),
    ],
)
def test_after_an_own_edit_the_first_offer_writes_what_was_meant(
    project: UnityProject,
    text: str,
    since: list[dict[str, Any]],
    asked: dict[str, Any],
    old: str,
    new: str,
) -> None:
    written = project.written_by_offers(text, asked, since=since)
    standing = project.read().decode()
    assert standing.count(old) == 1
    assert written[0] == standing.replace(old, new)
    assert len(written) == 1 or project.refused(asked).offers[0].basis


STACK = in_method(
    *("var count = 0;", "foreach (var id in ids.Values.Reverse())", "{", "    if (id == wanted)"),
    *("        break;", "", "    count++;", "}"),
)
LOGS = in_method('Log("a b c d");', "Load(path);")
NODES = in_class("static readonly HashSet<Node> nodes = new Set();")
RECORD = in_method("Record(target, text);", "update(value);", "return value;")
REGISTER = in_class(
    *("Events e = new Events", "{", "    enable = a => a,", "    begin = a =>", "    {"),
    *('        Register("Move");', "    },", "};"),
)
RETURN = in_class("bool F()", "{", "    return t;", "}", "", "int H = 0;").replace("\n", "\n    ")


@pytest.mark.parametrize(
    ("text", "since", "asked", "old", "new"),
    [
        # Behind a last line without an end.
        *(
            (text, [], insert(f"{last}\n", each, position="after", **more), last, f"{last}\n{each}")
            for text, last, more in (
                ("class A { }\n// end of file", "// end of file", COMMENT),
                ("class A\n{\n}\n// end of file", "}\n// end of file", {}),
                ("class A\n{\n}", "class A\n{\n}", {}),
            )
            for each in ("class B { }\n", "\nclass B { }\n")
        ),
        # As the line before it, the lines below it, or what it stands for is indented.
        *(
            (
                NAMESPACE,
                [],
                insert(f"{each}G();\n", f"{each}H();\n", position="after"),
                "G();\n",
                "G();\n            H();\n",
            )
            for each in ("\t\t", "\t", "                ")
        ),
        (
            STACK,
            [],
            replace(
                "            if (id == wanted)",
                "            var name = names[id];\n        if (name == wanted)",
                before="        var count = 0;\n    foreach (var id in ids.Values.Reverse())\n"
                "    {\n",
            ),
            "            if (id == wanted)",
            "            var name = names[id];\n            if (name == wanted)",
        ),
        (
            "namespace Game\n{\n    static class Packages\n    {\n    }\n}\n",
            [],
            insert(
                "namespace Game",
                "using A;\nusing B;\n\n",
                after="\n{\nstatic class Packages",
                position="before",
            ),
            "namespace Game",
            "using A;\nusing B;\n\nnamespace Game",
        ),
        (
            REGISTER,
            [],
            replace(
                '            Register("Move");',
                "            moved = false;\n        ",
                before="        enable = a => a,\n    begin = a =>\n    {\n",
                after="\n    },",
            ),
            '            Register("Move");\n        }',
            "            moved = false;\n        }",
        ),
        (
            RETURN,
            [replace("return t;", "return t || u;")],
            replace(
                "}",
                "}\n    \n            int K = 1;",
                before="            return t;\n            ",
                after="\n    \n            int H = 0;\n    ",
            ),
            "        }\n    \n",
            "        }\n    \n        int K = 1;\n    \n",
        ),
        # Lines within a literal have one reading.
        (
            "class A\n{\n\tvoid F()\n\t{\n\t\tGo(a, b);\n\t\tStay();\n\t}\n}\n",
            [],
            replace(
                "\t\tGo(a,b);\n\t\tStay();", '\t\tGo(a,b);\n\t\tSay(@"r\n    ts  t");\n\t\tStay();'
            ),
            "\t\tStay();",
            '\t\tSay(@"r\n    ts  t");\n\t\tStay();',
        ),
        # Curly quotes of a context are put right in the new text.
        (
            LOGS,
            [],
            replace("Load(path);", "Load(path + “.png”);", before="Log(“a b c d”);\n        "),
            "Load(path);",
            'Load(path + ".png");',
        ),
        # A word more, beside the first one, stays behind it.
        *(
            (NODES, [], replace(each, f"internal {each}"), "static", "internal static")
            for each in (
                "static HashSet<Node> nodes = new Set();",
                "static HashSet<Node> nodes = new;",
            )
        ),
        # What an own edit has moved is known though it was sent with escapes.
        (
            RECORD,
            [
                replace(
                    "Record(target, text);\n        update(value);",
                    "update(value);\n        Record(target, text);",
                )
            ],
            replace(
                r"Record(target, text);\n        update(value);\n        return value;",
                r"Record(target, text);\n        update(value);\n        return true;",
            ),
            "return value;",
            "return true;",
        ),
    ],
)
def test_whatever_is_offered_writes_what_was_meant(
    project: UnityProject,
    text: str,
    since: list[dict[str, Any]],
    asked: dict[str, Any],
    old: str,
    new: str,
) -> None:
    written = project.written_by_offers(text, asked, since=since)
    standing = project.read().decode()
    assert standing.count(old) == 1
    assert written in ([], [standing.replace(old, new)])


def test_an_anchor_that_fits_as_it_was_sent_is_read_as_that(project: UnityProject) -> None:
    project.write(ASCII_PLAYER)
    project.done(replace("List&lt;int&gt;", "List&lt;long&gt;", **COMMENT))
    project.done(replace("}", ", null }", before="null "))
    assert "List&lt;long&gt;" in project.read().decode()
