"""Names that code generation knows, or that only strings, generators and other builds have."""

from __future__ import annotations

from pathlib import Path

import laid_out
import pytest
from compiled_library import compiled_library
from laid_out import Layout
from server_session import ServerOn
from test_references import CORE, GAME, find, project, shown
from test_renames import applied, codes, rename

from roslyn_server.toolchains.pairing import Toolchain

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

LIBRARY = """
namespace UnityEngine {
  public class Object { }
  public class Component : Object { public object GetComponent(string name) => null; }
  public class MonoBehaviour : Component { }
}
namespace Unity.Netcode {
  public class ServerRpcAttribute : System.Attribute { }
  public class ClientRpcAttribute : System.Attribute { }
}
namespace Mirror {
  public class SyncVarAttribute : System.Attribute { public string hook; }
}
"""
SCRIPT = """using UnityEngine;
public class Actor : MonoBehaviour {
  [Unity.Netcode.ServerRpc] void FireServerRpc() { }
  [Unity.Netcode.ClientRpc] void HitClientRpc() { }
  [Mirror.SyncVar(hook = "OnLives")] int lives;
  void OnLives(int before, int now) => lives = now;
  object Find() => GetComponent("Actor");
#if UNITY_EDITOR
  int Draw(int count) => count;
#else
  int Draw(int count) => count + Also();
  int Also() => 1;
#endif
  int Twice() => Draw(1) * 2;
}
"""


async def test_names_that_code_generation_knows(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, LIBRARY, SCRIPT)
    async with server_on(machine, root) as session:
        for mark, wrong, right in (
            ("FireServerRpc", "Fire", "ShootServerRpc"),
            ("HitClientRpc", "HitServerRpc", "TouchClientRpc"),
        ):
            assert codes(await rename(session, GAME, mark, wrong)) == ["rpc_suffix"]
            answer = await rename(session, GAME, mark, right)
            assert codes(answer) == []
            assert applied(root, answer) == {GAME: SCRIPT.replace(mark, right)}


async def test_strings_that_are_sure_to_mean_the_symbol(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, LIBRARY, SCRIPT)
    async with server_on(machine, root) as session:
        hook = await rename(session, GAME, "OnLives(int", "OnHearts")
        expected = SCRIPT.replace('"OnLives"', "nameof(OnHearts)").replace("OnLives", "OnHearts")
        assert (codes(hook), applied(root, hook)) == ([], {GAME: expected})
        component = await rename(session, GAME, "Actor", "Player")
        assert (codes(component), applied(root, component)) == (
            [],
            {GAME: SCRIPT.replace("Actor", "Player")},
        )
        found = await find(session, GAME, "Actor")
        assert shown(found) == ["Game.cs:2:14 declaration", "Game.cs:7:33 string"]


async def test_strings_that_another_method_takes_stay_and_are_listed(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    text = (
        SCRIPT.replace(
            "int Twice",
            """object Own() => new Table().GetComponent("Actor");
  void Load(string path) { }
  void All() { Load("Assets/Game/Actor.cs"); Load("{\\"lives\\":3}"); Load("my lives"); }
  int Twice""",
        )
        + """
public class Table { public object GetComponent(string name) => null; }
"""
    )
    root = project(new_root, machine, references, LIBRARY, text)
    async with server_on(machine, root) as session:
        renamed = await rename(session, GAME, "Actor", "Player")
        assert codes(renamed) == []
        assert '=> GetComponent("Player")' in applied(root, renamed)[GAME]
        assert '.GetComponent("Actor")' in applied(root, renamed)[GAME]
        assert [(each.text, each.offer) for each in renamed.strings] == [
            ('"Actor"', '"Player"'),
            ('"Assets/Game/Actor.cs"', '"Assets/Game/Player.cs"'),
        ]
        renamed = await rename(session, GAME, "lives", "hearts")
        assert [each.offer for each in renamed.strings] == ['"{\\"hearts\\":3}"']


async def test_members_that_only_other_builds_compile(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, LIBRARY, SCRIPT)
    async with server_on(machine, root) as session:
        draw = await rename(session, GAME, "Draw(int", "Paint")
        assert (codes(draw), draw.complete) == ([], True)
        assert applied(root, draw) == {GAME: SCRIPT.replace("Draw", "Paint")}
        also = await rename(session, GAME, "Also()", "More")
        assert (codes(also), also.complete) == ([], True)
        assert applied(root, also) == {GAME: SCRIPT.replace("Also", "More")}


async def test_generated_sources_are_searched_and_never_edited(
    new_root: Path,
    tmp_path: Path,
    machine: Layout,
    references: Path,
    roslyn_4_8: Toolchain,
    server_on: ServerOn,
) -> None:
    core = "public partial class Player { public int Twice() => Made() * 2; }\n"
    root = laid_out.project(new_root, machine.editor)
    laid_out.built(root, references, {CORE: core}, "Core")
    folder = tmp_path / "makers"
    folder.mkdir()
    makers = compiled_library(Path(__file__).with_name("Makers.cs"), folder, roslyn_4_8)
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(f'{response.read_text("utf-8")}-analyzer:"{makers}"\n', "utf-8")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "Twice", "Double")
        assert (codes(answer), [each.path for each in answer.edits]) == ([], [CORE])
        for mark in ("Player", "Made"):
            refused = await rename(session, CORE, mark, "Other")
            assert codes(refused)[:1] == ["generated"]
            assert {each.path for each in refused.edits} == {CORE}
        found = await find(session, CORE, "Player")
        assert [each.path == CORE for each in found.references] == [True, False]
