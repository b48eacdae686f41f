"""Without a build, names are judged as far as no library can change what they mean.

docs/design/roslyn.md §3 "The whole project": real packages as they are, what is wrong in any case,
and what only looks so while libraries are missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import laid_out
import pytest
from laid_out import Layout
from server_session import ServerOn, Session

from benchmarks.unity_packages import PACKAGES, unpack
from roslyn_server.protocol import CHECK_PROJECT_REQUEST
from roslyn_server.toolchains.packages import FetchError

pytestmark = pytest.mark.anyio

ENEMY = "Assets/Core/Enemy.cs"
HERO = "Assets/Game/Hero.cs"
CORE = """using UnityEngine;
using UnityEngine.AI;
namespace Core
{
    public enum Mood { Calm, Angry }
    public interface IHurt { int Hurt(int points); }
    public class Wallet
    {
        private int hidden;
        public int Coins { get; }
        public readonly int size = 1;
        public Wallet(int coins) { Coins = coins; }
        public bool Spend(int coins, string why) => coins <= Coins;
        public static Wallet Of(int coins) => new Wallet(coins);
    }
    public class Pair<T> { public T first; public Wallet wallet; }
    public partial class Shared { }
    [Generated] public partial class Made { }
    public class Enemy : MonoBehaviour
    {
        public float speed; public Wallet wallet; public Vector3 home;
        public int Hit(int points) => points;
    }
    public class Boss : Enemy { }
    public class Walker : NavMeshAgent { public Wallet wallet; }
}
"""
WRONG = {
    "a member that isn't there": ("int F(Wallet w) { w.gold = 3; return 1; }", "CS1061"),
    "a member that a script hasn't": ("void F(Enemy e) { e.sped = 3; }", "CS1061"),
    "nor one that comes from a script": ("void F(Boss e) { e.sped = 3; }", "CS1061"),
    "a call of what isn't there": ("void F(Wallet w) { w.Spent(1); }", "CS1061"),
    "a static that isn't there": ("Wallet F() => Wallet.From(1);", "CS0117"),
    "an enumeration's member": ("Mood F() => Mood.Angri;", "CS0117"),
    "a member that is initialized": ("Wallet F() => new Wallet(1) { gold = 2 };", "CS0117"),
    "of a generic type": ("void F(Pair<int> p) { p.second = 3; }", "CS1061"),
    "an argument too few": ("bool F(Wallet w) => w.Spend(1);", "CS7036"),
    "an argument too many": ('bool F(Wallet w) => w.Spend(1, "", 2);', "CS1501"),
    "an argument of another name": ('bool F(Wallet w) => w.Spend(1, because: "");', "CS1739"),
    "nothing to construct": ("Wallet F() => new Wallet();", "CS7036"),
    "too much to construct": ("Wallet F() => new Wallet(1, 2);", "CS1729"),
    "an argument of another type": ('bool F(Wallet w) => w.Spend("", "");', "CS1503"),
    "another type returned": ("string F(Wallet w) { return w.Coins; }", "CS0029"),
    "another own type returned": ("Mood F(Wallet w) { return w; }", "CS0029"),
    "a half for a whole": ("int F(Enemy e) { return e.speed; }", "CS0266"),
    "of the type of a variable": ("string F(Wallet w) { var c = w.Coins; return c; }", "CS0029"),
    "a wallet for a condition": ("void F(Wallet w) { if (w) F(w); }", "CS0029"),
    "two wallets together": ("object F(Wallet w) => w + w;", "CS0019"),
    "what is only to be read": ("void F(Wallet w) { w.Coins = 3; }", "CS0200"),
    "what is fixed": ("void F(Wallet w) { w.size = 3; }", "CS0191"),
    "what is hidden": ("void F(Wallet w) { w.hidden = 3; }", "CS0122"),
    "an unknown name": ("int F() { return sped; }", "CS0103"),
    "a method that isn't there": ("void F() { Jumpp(); }", "CS0103"),
    "a local without a value": ("int F() { int a; return a; }", "CS0165"),
    "a contract that isn't kept": ("class I : IHurt { int Hurt(string p) => 1; }", "CS0535"),
    "nothing to override": (
        "class I : Wallet { I() : base(1) { } public override int Go() => 1; }",
        "CS0115",
    ),
}
PERHAPS = {
    "a member of the engine's": "void F(Enemy e) { e.transform.sped = 3; e.useGUILayout = true; }",
    "a member of an unknown base": "void F(Walker w) { w.speed = 3; w.sped = 3; }",
    "of an unknown type": "int F(Enemy e) { return e.home.x; }",
    "a method that may be extended": "void F(Enemy e) { System.Action a = e.Fly; }",
    "a script's method that may be extended": "void F(Enemy e) { e.Fly(); e.Hit(1, 2); }",
    "a part that is generated": "void F(Made m) { m.Made1(); int a = m.made; }",
    "an unknown value for a known one": "int F(Enemy e) { return e.home; }",
    "what may convert": "void F(Enemy e) { if (e) e.Hit(1); }",
    "an inherited name": "Object F() => name; void G() { print(tag); Destroy(gameObject); }",
    "an unknown type's static": "float F() => Time.deltaTime; int a = Mathf.FloorToInt(1);",
    "a type as an operand": "bool F(object o) => o is Rigidbody;",
    "a name that is spelt": "string F() => nameof(Rigidbody);",
    "a name under other symbols": "#if OTHER\nint speed2;\n#endif\nint F() => speed2;",
    "an unknown coroutine": "void F() { StartCoroutine(F2()); } Coroutine F2() => null;",
}


def _script(members: str, base: str = "") -> str:
    return (
        "using System;\nusing Core;\nusing UnityEngine;\nnamespace Game\n{\n"
        f"    class Hero{base}\n    {{\n{members}\n    }}\n}}\n"
    )


@pytest.fixture
def root(tmp_path: Path, machine: Layout) -> Path:
    """Two assemblies of which one refers to the other, and nothing that Unity left."""
    root = laid_out.project(tmp_path / "project", machine.editor)
    _write(root / ENEMY, CORE)
    _define(root, "Core")
    _define(root, "Game", "Core")
    return root


def _define(root: Path, name: str, *references: str) -> None:
    content = {"name": name, "references": references}
    _write(root / f"Assets/{name}/{name}.asmdef", json.dumps(content))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


async def check(session: Session, **params: Any) -> Any:
    return await session.client.protocol.send_request_async(CHECK_PROJECT_REQUEST, params)


def told(answer: Any) -> list[tuple[str, str]]:
    return sorted((each.path, each.code) for each in answer.errors)


async def test_what_no_library_cures_is_told(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    found, wrong = {}, {}
    async with server_on(machine, root) as session:
        for what, (members, code) in WRONG.items():
            for base in ("", " : MonoBehaviour"):
                _write(root / HERO, _script(members, base))
                answer = await check(session)
                found[what + base] = answer.status, told(answer)
                wrong[what + base] = "errors", [(HERO, code)]
    assert found == wrong


async def test_what_a_library_may_cure_is_not(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    found = {}
    async with server_on(machine, root) as session:
        for what, members in PERHAPS.items():
            _write(root / HERO, _script(members, " : MonoBehaviour"))
            answer = await check(session)
            found[what] = answer.status, told(answer), [each.reason for each in answer.notChecked]
            assert "no library can change" in answer.notChecked[0].message
            assert answer.checked.ownNames
    assert found == dict.fromkeys(PERHAPS, ("unknown", [], ["no_references"]))


async def test_of_which_names_were_judged_is_told_where_others_were_not(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    """Not in one breath with the others, as if they had been as well, or none had."""
    _write(root / ENEMY, CORE.replace("{ get; }", "{ get }"))
    _write(root / HERO, _script(""))
    _write(root / "Assets/Alone/Alone.cs", "class Alone { }\n")
    _define(root, "Alone")
    async with server_on(machine, root) as session:
        answer = await check(session)
    assert answer.checked.ownNames
    alone, others = sorted(answer.notChecked, key=lambda each: each.assembly, reverse=True)
    assert alone.assembly == "Alone"
    assert alone.message.startswith("Of names and types only what no library can change was ")
    assert others.message.startswith("Core, Game: Names and types were not checked: ")


async def test_what_was_judged_of_names_is_told_whatever_else_isnt_known(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    _write(root / HERO, _script("", " : MonoBehaviour"))
    _write(root / "Other.csproj", "<Project><PropertyGroup/></Project>")
    async with server_on(machine, root) as session:
        answer = await check(session)
    assert answer.checked.ownNames
    for left in answer.notChecked:
        assert "Names and types were not checked" not in left.message, left.message


async def test_the_more_is_unknown_the_less_is_told(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    """A package of somebody else's may have extension methods, generators and nearer types."""
    calls = "void F(Wallet w, Shared s, Enemy e) { w.Spent(1); s.Made(); Wallet.From(); }"
    _write(root / HERO, _script(calls))
    async with server_on(machine, root) as session:
        everything = told(await check(session))
        assert everything == [(HERO, "CS0117"), (HERO, "CS1061"), (HERO, "CS1061")]
        manifest = {"dependencies": {"com.unity.ugui": "1.0.0", "com.else.tools": "1.0.0"}}
        _write(root / "Packages/manifest.json", json.dumps(manifest))
        assert told(await check(session)) == []
        (root / "Packages/manifest.json").unlink()
        assert told(await check(session)) == everything
        # What a later Unity adds to a script, or extends, isn't known.
        version = root / "ProjectSettings/ProjectVersion.txt"
        known = version.read_text("utf-8")
        _write(version, "m_EditorVersion: 6000.8.0f1\n")
        assert told(await check(session)) == [(HERO, "CS0117")]
        _write(root / HERO, _script("void F() { jumped = 1; }", " : MonoBehaviour"))
        assert told(await check(session)) == []
        _write(version, known)
        assert told(await check(session)) == [(HERO, "CS0103")]
        _write(root / HERO, _script(calls))
        (root / "Assets/Tools.dll").write_bytes(b"MZ")
        assert told(await check(session)) == []


async def test_only_what_is_referred_to_counts(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    _write(root / HERO, _script("void F(Wallet w) { w.gold = 3; }"))
    async with server_on(machine, root) as session:
        assert told(await check(session, assemblies=["Game"])) == [(HERO, "CS1061")]
        _define(root, "Game")
        assert told(await check(session)) == []
        _define(root, "Game", "Core")
        # Below an error nothing is known, and once that is gone, it is again.
        _write(root / ENEMY, CORE.replace("{ get; }", "{ get }"))
        assert told(await check(session)) == [(ENEMY, "CS8180")]
        _write(root / ENEMY, CORE)
        assert told(await check(session)) == [(HERO, "CS1061")]
        _write(root / ENEMY, CORE.replace("private int hidden;", "public int gold;"))
        assert told(await check(session)) == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda each: each.name)
async def test_in_a_package_as_it_is_nothing_is_wrong(
    package: Any, tmp_path: Path, machine: Layout, server_on: ServerOn
) -> None:
    root = laid_out.project(tmp_path / "bare", machine.editor)
    try:
        unpack(package, root / "Packages" / package.name)
    except FetchError as error:
        pytest.skip(str(error))
    async with server_on(machine, root) as session:
        answer = await check(session)
        assert told(answer) == []
        assert (answer.status, answer.checked.files > 10) == ("unknown", True)
