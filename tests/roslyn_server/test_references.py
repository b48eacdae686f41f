"""References by meaning, asked of a real server process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import laid_out
import pytest
from laid_out import Layout
from pygls.exceptions import JsonRpcException
from server_session import ServerOn, Session

from roslyn_server.protocol import FIND_REFERENCES_REQUEST, RENAME_REQUEST

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

CORE = "Assets/Core/Core.cs"
GAME = "Assets/Game/Game.cs"


def project(folder: Path, machine: Layout, references: Path, core: str, game: str) -> Path:
    """A project of two assemblies, of which Game refers to Core."""
    root = laid_out.project(folder, machine.editor)
    laid_out.built(root, references, {CORE: core}, "Core")
    laid_out.built(root, references, {GAME: game}, "Game", ["Core"])
    return root


def place(session: Session, script: str, mark: str, nth: int = 0) -> dict[str, Any]:
    """LSP's position of the nth ``mark`` of a script."""
    text = (session.root / script).read_text("utf-8")
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(mark, offset + 1)
    line = text.count("\n", 0, offset)
    character = offset - (text.rfind("\n", 0, offset) + 1)
    return {
        "textDocument": {"uri": session.uri(script)},
        "position": {"line": line, "character": character},
    }


async def find(session: Session, script: str, mark: str, nth: int = 0) -> Any:
    """The references of what stands at the nth ``mark`` of a script."""
    params = place(session, script, mark, nth)
    return await session.client.protocol.send_request_async(FIND_REFERENCES_REQUEST, params)


def shown(answer: Any) -> list[str]:
    """Each reference as ``Core.cs:1:8 kind``."""
    return [
        f"{Path(each.path).name}:{each.line + 1}:{each.character + 1} {each.kind}"
        for each in answer.references
    ]


async def test_a_methods_references_in_two_assemblies(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "public class Clock {\n  public int Tick() => 1;\n"
        "  int Twice() => Tick() + this.Tick();\n}\n"
    )
    game = "class Game {\n  int Of(Clock clock) => clock.Tick();\n  int Tick() => 2; // Tick\n}\n"
    root = project(new_root, machine, references, core, game)
    async with server_on(machine, root) as session:
        answer = await find(session, CORE, "Tick")
        assert shown(answer) == [
            "Core.cs:2:14 declaration",
            "Core.cs:3:18 call",
            "Core.cs:3:32 call",
            "Game.cs:2:32 call",
        ]
        assert (answer.complete, answer.reasons) == (True, [])
        assert shown(await find(session, GAME, "Tick")) == shown(answer)
        assert answer.references[3].lineText == "int Of(Clock clock) => clock.Tick();"


async def test_what_was_not_searched_is_named(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "public class Clock {\n  public int Tick() => 1;\n"
        "#if NEVER && !NEVER\n  int Other() => Tick();\n#endif\n"
        "  void Late(dynamic clock, Gone gone) { clock.Tick(); gone.Tick(); }\n"
        "#if PLAYER\n  int More() => Tick(); // Tick\n#endif\n}\n"
    )
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await find(session, CORE, "Tick")
        assert shown(answer) == ["Core.cs:2:14 declaration", "Core.cs:8:17 call"]
        assert answer.complete is False
        reasons = [each.partition(": ")[0] for each in answer.reasons]
        assert sorted(reasons) == [f"{CORE}:4", f"{CORE}:6", f"{CORE}:6", "Game was not searched"]


async def test_scripts_for_another_platform_are_named(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "public class Clock {\n  public int Tick() => 1;\n  int Tock(int own) => own;\n"
        "  public int Beat() => 1;\n}\n"
    )
    root = project(new_root, machine, references, core, "class Game { }\n")
    phone = root / "Assets/Phone/Phone.cs"
    phone.parent.mkdir()
    phone.write_text("class Phone { int Of(Clock own) => own.Tick() + Tock(); int Tock() => 1; }\n")
    definition = '{"name": "Phone", "includePlatforms": ["Android"], "references": [%s]}'
    async with server_on(machine, root) as session:
        for listed, searched in (('"Core"', False), ("", True)):
            phone.with_name("Phone.asmdef").write_text(definition % listed)
            answer = await find(session, CORE, "Tick")
            assert answer.complete is searched, answer.reasons
            assert [each.partition(" ")[0] for each in answer.reasons] == (
                [] if searched else ["Assets/Phone/Phone.cs"]
            )
        phone.with_name("Phone.asmdef").write_text(definition % '"Core"')
        # What nobody else can name, or isn't named there, was searched.
        for mark in ("Tock", "own", "Beat"):
            assert (await find(session, CORE, mark)).complete is True, mark


async def test_without_a_build_nothing_is_claimed(
    new_root: Path, machine: Layout, server_on: ServerOn
) -> None:
    root = laid_out.project(new_root, machine.editor)
    (root / "Assets" / "Alone.cs").write_text("class Alone { }\n", "utf-8")
    async with server_on(machine, root) as session:
        what_to_do = r"Open it in Unity once, or generate project files\.$"
        with pytest.raises(JsonRpcException, match=what_to_do):
            await find(session, "Assets/Alone.cs", "Alone")


async def test_a_file_that_nothing_compiles_says_what_to_do(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, "class Clock { }\n", "class Game { }\n")
    (root / "Library" / "Alone.cs").write_text("class Alone { }\n", "utf-8")
    async with server_on(machine, root) as session:
        with pytest.raises(JsonRpcException, match=r"compiled by the project\. Let Unity compile"):
            await find(session, "Library/Alone.cs", "Alone")


ADDED = {
    "an assembly definition": ("Assets/New/New.asmdef", '{"name": "New"}'),
    "a library": ("Assets/Plugins/Extra.dll", ""),
}


@pytest.mark.parametrize("added", ADDED)
async def test_what_came_since_the_build_is_named_and_the_rest_searched(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn, added: str
) -> None:
    core = "public class Clock {\n  public int Tick() => 1;\n}\n"
    game = "class Game {\n  int Of(Clock clock) => clock.Tick();\n}\n"
    root = laid_out.project(new_root, machine.editor)
    laid_out.built(root, references, {CORE: core}, "Core")
    laid_out.built(root, references, {GAME: game}, "Assembly-CSharp", ["Core"])
    path, text = ADDED[added]
    async with server_on(machine, root) as session:
        assert (await find(session, CORE, "Tick")).complete is True
        (root / path).parent.mkdir(parents=True)
        (root / path).write_bytes(text.encode() or next(references.glob("*.dll")).read_bytes())
        (root / path).with_name("New.cs").write_text("class New { }\n", "utf-8")
        answer = await find(session, GAME, "Tick")
        assert shown(answer) == ["Core.cs:2:14 declaration", "Game.cs:2:32 call"]
        assert answer.complete is False
        assert any("only searched as last built" in each for each in answer.reasons)
        assert any(Path(path).stem in each for each in answer.reasons), answer.reasons
        # What is edited later is read, too.
        later = game.replace("clock.Tick()", "clock.Tick() + clock.Tick()")
        (root / GAME).write_text(later, "utf-8")
        assert len((await find(session, GAME, "Tick")).references) == 3
        with pytest.raises(JsonRpcException, match=r"New|Extra"):
            await session.client.protocol.send_request_async(
                RENAME_REQUEST, {**place(session, GAME, "Tick"), "newName": "Tock"}
            )


async def test_uses_without_the_name_are_not_claimed_to_be_searched(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "using System.Collections.Generic;\npublic class Bag {\n"
        "  public IEnumerator<int> GetEnumerator() { yield break; }\n  public int Count => 0;\n}\n"
    )
    game = "class Game {\n  void Of(Bag bag) { foreach (var each in bag) { } }\n}\n"
    root = project(new_root, machine, references, core, game)
    async with server_on(machine, root) as session:
        answer = await find(session, CORE, "GetEnumerator")
        assert answer.complete is False
        assert "foreach" in answer.reasons[0]
        assert (await find(session, CORE, "Count")).complete is True


MADE = """using Cat = Of.Animal;
namespace Of { public class Animal { public Animal(int a) { } public Animal() { } } }
class Zoo {
  object One() => new Cat(1);
  (int first, int second) Both() => (1, 2);
  int Sum() => Both().first + Both().Item2;
}
"""
EXCLUDED = """class Game {
#if !UNITY_EDITOR
  Of.Animal animal = new(1);
#endif
}
"""


async def test_objects_that_are_made_by_other_names(
    tmp_path: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(tmp_path / "project", machine, references, MADE, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await find(session, CORE, "Animal(int")
        assert shown(answer) == ["Core.cs:2:45 declaration", "Core.cs:4:23 call"]
        assert answer.complete is True
        for mark, reason in (("Animal()", "made without its name"), ("first,", "by its number")):
            answer = await find(session, CORE, mark)
            assert (answer.complete, len(answer.reasons)) == (False, 1), mark
            assert reason in answer.reasons[0]
        (root / GAME).write_text(EXCLUDED, "utf-8")
        answer = await find(session, CORE, "Animal(int")
        assert answer.complete is False
        assert answer.reasons[0].startswith(f"{GAME}:3: new()")


async def test_types_of_one_file(
    tmp_path: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    own = "file class Own { public int Value; int F() => Value; }\n"
    root = project(tmp_path / "project", machine, references, own, "class Game { }\n")
    laid_out.built(root, references, {CORE: own, "Assets/Core/Other.cs": own}, "Core")
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8").replace("version:9.0", "version:11.0"), "utf-8")
    async with server_on(machine, root) as session:
        assert shown(await find(session, CORE, "Own")) == ["Core.cs:1:12 declaration"]
        assert shown(await find(session, CORE, "Value")) == [
            "Core.cs:1:29 declaration",
            "Core.cs:1:47 read",
        ]
