"""Renames that are proved, asked of a real server process."""

from __future__ import annotations

import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from laid_out import Layout
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from server_session import ServerOn, Session
from test_references import CORE, GAME, place, project

from roslyn_server.protocol import RENAME_REQUEST

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]


async def rename(
    session: Session, script: str, mark: str, new_name: str, nth: int = 0, **more: bool
) -> Any:
    """The rename of what stands at the nth ``mark`` of a script."""
    params = {**place(session, script, mark, nth), "newName": new_name, **more}
    return await session.client.protocol.send_request_async(RENAME_REQUEST, params)


def applied(root: Path, answer: Any) -> dict[str, str]:
    """The texts after a rename, by script."""
    texts = {}
    for file in answer.edits:
        lines = (root / file.path).read_text("utf-8").splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        text = "".join(lines)
        for edit in reversed(file.edits):
            start = starts[edit.line] + edit.character
            end = starts[edit.endLine] + edit.endCharacter
            text = text[:start] + edit.newText + text[end:]
        texts[file.path] = text
    return texts


def codes(answer: Any) -> list[str]:
    return [each.code for each in answer.conflicts]


async def test_a_method_is_renamed_in_two_assemblies(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "public class Clock {\n  public int Tick() => 1;\n  int Twice() => Tick();\n}\n"
    game = "class Game {\n  int Of(Clock clock) => clock.Tick();\n  int Tick() => 2; // Tick\n}\n"
    root = project(new_root, machine, references, core, game)
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "Tick", "Beat")
        assert (codes(answer), answer.complete) == ([], True)
        assert answer.proved.assemblies == ["Core", "Game"]
        assert applied(root, answer) == {
            CORE: core.replace("Tick", "Beat"),
            GAME: game.replace("clock.Tick", "clock.Beat"),
        }


async def test_a_native_function_with_its_own_name(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "using System.Runtime.InteropServices;\nclass A {\n"
        '  [DllImport("fast", EntryPoint = "Add")] static extern int Add(int a);\n}\n'
    )
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "Add(int", "Sum")
        assert (codes(answer), answer.complete) == ([], True)
        assert applied(root, answer) == {CORE: core.replace("Add(int", "Sum(int")}


async def test_a_local_is_told_from_what_has_its_name(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "class A { int F(string player) { int other = 1; return other + player.Length; } }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "other =", "player")
    said = [each.message for each in answer.conflicts]
    assert "'player' would mean the local 'player' instead of 'string player'" in said


TABLES = tomllib.loads(Path(__file__).with_name("renames.toml").read_text(encoding="utf-8"))
STAND_IN = "namespace System.Runtime.CompilerServices { class IsExternalInit { } }"


async def test_what_a_rename_changes_and_what_refuses_it(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    root = project(new_root, machine, references, STAND_IN, "class Game { }")
    wrong = {}
    async with server_on(machine, root) as session:
        for name, (core, mark, new_name, expected) in chain(*map(dict.items, TABLES.values())):
            (root / CORE).write_text(core + "\n", "utf-8")
            answer = await rename(session, CORE, mark, new_name)
            found: Any = codes(answer)[:1]
            if name in TABLES["renamed"] and not found and answer.complete:
                found = [applied(root, answer)[CORE].rstrip("\n")]
            if found != [expected]:
                wrong[name] = found, answer.conflicts[:2], answer.reasons
    assert wrong == {}


async def test_where_a_new_error_stands(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "class Clock { int a; int F() => a + a; int G() => b + b; int b; }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "b;", "Clock")
        (place,) = [(each.code, each.line, each.column) for each in answer.conflicts]
        assert place == ("new_error", 1, core.index("int b;") + 5)


async def test_a_using_that_gives_another_body_two_meanings(
    tmp_path: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = (
        "using Other;\npublic class Player : UnityEngine.MonoBehaviour\n{\n    public int speed;\n"
        "    public object Made() => new Both();\n}\nnamespace Other { public class Both { } }\n"
        "namespace UnityEngine\n{\n    public class Object { }\n"
        "    public class MonoBehaviour : Object { }\n}\n"
        "namespace UnityEngine.Serialization\n{\n    public class Both { }\n"
        "    public class FormerlySerializedAsAttribute : System.Attribute\n    {\n"
        "        public FormerlySerializedAsAttribute(string name) { }\n    }\n}\n"
    )
    root = project(tmp_path / "project", machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        answer = await rename(session, CORE, "speed", "pace", attributes=True)
        assert codes(answer) == ["new_error"]
        assert answer.conflicts[0].message.startswith("CS0104")
        answer = await rename(session, CORE, "speed", "pace")
        assert codes(answer) == []


async def test_lsps_own_requests(
    new_root: Path, machine: Layout, references: Path, server_on: ServerOn
) -> None:
    core = "public class Clock { public int Tick() => 1; int Twice() => Tick(); }\n"
    root = project(new_root, machine, references, core, "class Game { }\n")
    async with server_on(machine, root) as session:
        document = types.TextDocumentIdentifier(session.uri(CORE))
        at = types.Position(0, core.index("Tick"))
        asked = types.ReferenceParams(types.ReferenceContext(False), document, at)
        (found,) = await session.client.text_document_references_async(asked) or []
        assert found.range.start.character == core.rindex("Tick")
        prepared = await session.client.text_document_prepare_rename_async(
            types.PrepareRenameParams(document, at)
        )
        assert isinstance(prepared, types.PrepareRenamePlaceholder)
        assert prepared.placeholder == "Tick"
        renaming = types.RenameParams(document, at, "Beat")
        edit = await session.client.text_document_rename_async(renaming)
        assert edit is not None
        (changed,) = edit.document_changes or []
        assert isinstance(changed, types.TextDocumentEdit)
        assert [each.new_text for each in changed.edits] == ["Beat", "Beat"]
        with pytest.raises(JsonRpcException, match="already has"):
            await session.client.text_document_rename_async(
                types.RenameParams(document, at, "Twice")
            )
        session.open(CORE, core + "// unsaved")
        with pytest.raises(JsonRpcException, match=r"Core\.cs is open with unsaved changes"):
            await session.client.text_document_rename_async(renaming)
