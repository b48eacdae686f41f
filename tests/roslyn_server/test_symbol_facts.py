"""What is said of a symbol for places outside of C#, asked of a real server process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compiled_library import compiled_library
from laid_out import Layout
from server_session import ServerOn, Session
from test_references import CORE, GAME, find, project

from roslyn_server.toolchains.pairing import Toolchain

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

UNITY = """
namespace UnityEngine {
  public class Object { }
  public class Component : Object { }
  public class MonoBehaviour : Component { }
  public class SerializeField : System.Attribute { }
  public class SerializeReference : System.Attribute { }
  public struct Vector3 { }
}
namespace UnityEngine.Serialization {
  [System.AttributeUsage(System.AttributeTargets.Field, AllowMultiple = true)]
  public class FormerlySerializedAsAttribute : System.Attribute {
    public FormerlySerializedAsAttribute(string oldName) { }
  }
}
namespace UnityEngine.Scripting.APIUpdating {
  public class MovedFromAttribute : System.Attribute {
    public MovedFromAttribute(bool update, string space = null,
      string assembly = null, string name = null) { }
    public MovedFromAttribute(string space) { }
  }
}
"""
"""Stands in for Unity's own library: names that the rules look for."""

SCRIPT = """using System;
using System.Collections.Generic;
using UnityEngine;
namespace Demo {
  [Serializable] public class Stats { public int hp; [SerializeField] int own; int not; }
  [Serializable] public class Wave { public Stats[] stats; public List<Wave> waves; }
  public interface IBrain { }
  [Serializable] public class Chase : IBrain { public float range; public Stats stats; }
  public interface IFilled { }
  [Serializable] public class Filled<T> : IFilled { public T arg; public int size; }
  public class Filler { [SerializeReference] public IFilled filled; public void Fire() { } }
  public class Slot<T> : MonoBehaviour { public T Held { get; set; } void Start() { } }
  public class Player : MonoBehaviour {
    public int speed;
    [field: SerializeField] public int Lives { get; set; }
    [SerializeField] Wave wave;
    [SerializeReference] IBrain brain;
    readonly int never; public static int Shared; [NonSerialized] public int skipped;
    public Dictionary<int, int> map; public Vector3 at;
    public void Fire(int count) { }
    public void Fire() { }
    public class Inner<T> { }
  }
}
"""
OTHER = """
namespace Demo {
  class Enemy : Player { }
  class Boss : UnityEngine.MonoBehaviour { public void Fire() { } }
}
"""


async def facts(session: Session, mark: str, nth: int = 0) -> Any:
    answer = await find(session, CORE, mark, nth)
    return plain(answer.symbol)


def plain(value: Any) -> Any:
    """The JSON that pygls has made objects of."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


async def test_the_facts_of_symbols(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, SCRIPT + UNITY, OTHER)
    player = {"namespace": "Demo", "name": "Player", "assembly": "Core"}
    async with server_on(machine, root) as session:
        speed = await facts(session, "speed")
        assert (speed["kind"], speed["key"], speed["type"]) == ("field", "speed", player)
        assert [
            (each["type"]["name"], each["scripts"], each["paths"]) for each in speed["holders"]
        ] == [
            ("Player", [CORE], [""]),
            ("Enemy", [GAME], [""]),
        ]
        assert (await facts(session, "Lives"))["key"] == "<Lives>k__BackingField"
        for unserialized in ("never", "Shared", "skipped", "map", "not;"):
            assert (await facts(session, unserialized))["key"] is None, unserialized
        assert (await facts(session, "at;"))["key"] == "at"
        own = await facts(session, "own;")
        nested = [f"wave.{'waves[].' * depth}stats[]" for depth in range(9)]
        assert {
            (each["type"]["name"], each["managed"]): each["paths"] for each in own["holders"]
        } == {
            ("Player", False): nested,
            ("Enemy", False): nested,
            ("Chase", True): ["stats"],
            ("Filled`1[[Demo.Stats, Core]]", True): ["arg"],
            ("Filled`1[[Demo.Chase, Core]]", True): ["arg.stats"],
            ("Filled`1[[Demo.Wave, Core]]", True): [
                f"arg.{'waves[].' * depth}stats[]" for depth in range(9)
            ],
        }
        (size,) = (await facts(session, "size"))["holders"]
        assert (size["type"]["name"], size["paths"]) == ("Filled`1", [""])
        held, start = await facts(session, "Held"), await facts(session, "Start")
        assert (held["parameters"], held["isMessage"], start["isMessage"]) == (["*"], False, True)
        # Assets call nothing of it: an animation event of that name is another's.
        assert (await facts(session, "Fire", 0))["targets"] == []
        fire = await facts(session, "Fire", 1)
        assert fire["parameters"] == ["System.Int32"]
        assert fire["overloads"] == [[]]
        assert [each["type"]["name"] for each in fire["targets"]] == ["Enemy", "Player"]
        assert fire["sameName"] == 1
        chase = await facts(session, "Chase")
        assert [each["name"] for each in chase["managed"]] == ["Chase"]
        renamed = (await facts(session, "Player"))["renamedTypes"]
        assert [each["after"]["name"] for each in renamed] == ["Player", "Player/Inner`1"]


async def test_paths_that_are_too_many_are_named(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    def level(number: int, of: str) -> str:
        fields = " ".join(f"public {of} at{each};" for each in range(11))
        return f"[System.Serializable] public class Level{number} {{ {fields} }}\n"

    core = UNITY + (
        "[System.Serializable] public class Stats { public int hp; }\n"
        + level(1, "Stats")
        + level(2, "Level1")
        + level(3, "Level2")
        + "public class Few : UnityEngine.MonoBehaviour { public Level2 levels; }\n"
    )
    many = "public class Many : UnityEngine.MonoBehaviour { public Level3 levels; }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        assert (await find(session, CORE, "hp")).complete is True
        (root / CORE).write_text(core + many, "utf-8")
        answer = await find(session, CORE, "hp")
        assert answer.complete is False
        assert answer.reasons == [
            "Many has the field at more than 1000 paths: only these were searched."
        ]


LESS = """using UnityEngine;
namespace Demo {
  public class Walker : Gone.NetworkBehaviour {
    public int speed;
    public Gone.Blend blend;
    [SerializeField] Steps steps;
  }
  [System.Serializable] public class Steps { public int count; }
}
"""


async def test_assets_decide_where_a_type_is_missing(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    """Without its package nobody knows whether Unity serializes it, or has such objects."""
    root = project(new_root, machine, references, LESS + UNITY.strip(), "")
    async with server_on(machine, root) as session:
        for name in ("speed", "blend;"):
            found = await facts(session, name)
            assert found["key"] == name.rstrip(";")
            assert [each["type"]["name"] for each in found["holders"]] == ["Walker"]
        (holder,) = (await facts(session, "count"))["holders"]
        assert (holder["type"]["name"], holder["paths"]) == ("Walker", ["steps"])


UNUSUAL = """using System;
using UnityEngine;
using UnityEngine.Playables;
namespace UnityEngine.Playables {
  public interface IPlayableAsset { }
  public interface IPlayableBehaviour { }
}
[Serializable] public unsafe struct Raw { public fixed int bytes[4]; }
public class Box<T> : MonoBehaviour where T : class {
  [SerializeReference] protected T held; public Raw raw; }
[Serializable] public class Stats { public int hp; }
[Serializable] public class Boxed : System.Runtime.CompilerServices.StrongBox<Stats> { }
public class Owner : MonoBehaviour { public Boxed boxed; }
[Serializable] public class Blend : IPlayableBehaviour { public float scale; public Stats own; }
public class Shot : ScriptableObject, IPlayableAsset { public Blend template; public Blend[] more; }
"""


async def test_fields_that_unity_serializes_in_less_usual_ways(
    tmp_path: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    objects = "public class ScriptableObject : Object { }"
    unity = UNITY.replace("public class Component", f"{objects}\n  public class Component")
    root = project(tmp_path / "project", machine, references, UNUSUAL + unity, "")
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8") + "-unsafe+\n", "utf-8")

    async with server_on(machine, root) as session:

        async def held(mark: str, nth: int = 0) -> dict[str, Any]:
            found = (await facts(session, mark, nth))["holders"]
            return {
                each["type"]["name"]: (each["paths"], each.get("animated", [])) for each in found
            }

        assert await held("bytes") == {"Box`1": (["raw"], [])}
        assert await held("held") == {"Box`1": ([""], [])}
        assert (await held("hp"))["Owner"] == (["boxed.Value"], [])
        assert (await held("hp"))["Shot"] == (["template.own", "more[].own"], ["own"])
        assert await held("scale") == {"Shot": (["template", "more[]"], [""])}


CALLED = """class Plain : System.IDisposable {
  public void Dispose() { } public override string ToString() => ""; public void Run() { } }
"""


async def test_what_a_library_may_call(
    tmp_path: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(tmp_path / "project", machine, references, CALLED, "")
    async with server_on(machine, root) as session:
        called = [(await facts(session, each))["calledAs"] for each in ("Dispose", "ToStr", "Run")]
        assert called == ["System.IDisposable.Dispose()", "object.ToString()", None]


COMPONENT = """
namespace UnityEngine { public class Object { } public class MonoBehaviour : Object { } }
public class Sealed : UnityEngine.MonoBehaviour { class Inner { void Fire() { } } void Fire() { } }
public class Plain { public void Fire() { } }
"""


async def test_components_of_libraries_may_have_the_method_too(
    tmp_path: Path,
    machine: Layout,
    references: Path,
    server_on: ServerOn,
    roslyn_4_8: Toolchain,
) -> None:
    source = tmp_path / "Sealed.cs"
    source.write_text(COMPONENT, "utf-8")
    library = compiled_library(source, tmp_path, roslyn_4_8)
    core = UNITY + "public class Boss : UnityEngine.MonoBehaviour { public void Fire() { } }\n"
    root = project(tmp_path / "project", machine, references, core, "")
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8") + f'-r:"{library}"\n', "utf-8")
    async with server_on(machine, root) as session:
        assert (await facts(session, "Fire"))["sameName"] == 1
