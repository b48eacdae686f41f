"""Does the project compile? Asked of a server process, over a project that was built.

docs/design/roslyn.md §3 "The whole project".
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import laid_out
import pytest
from file_rights import binds_rights, closed
from laid_out import Layout
from pygls.exceptions import JsonRpcException
from server_session import ServerOn, Session
from this_system import needs_posix

from roslyn_server.protocol import CHECK_PROJECT_REQUEST, JUDGE_CHANGES_REQUEST, STATUS_REQUEST

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

CLOCK = "Assets/Core/Clock.cs"
GAME = "Assets/Game/Game.cs"
MENU = "Assets/Game/Menu.cs"
SCRIPTS = {
    CLOCK: "public class Clock { public int Now; internal int Hidden; }\n",
    GAME: "class Game { int Of(Clock clock) => clock.Now; }\n",
    MENU: "class Menu { Game game; public Game Of() => game = new Game(); }\n",
}


def two_assemblies(folder: Path, machine: Layout, references: Path) -> Path:
    """A project of two assemblies; neither has a library yet."""
    root = laid_out.project(folder, machine.editor)
    laid_out.built(root, references, {CLOCK: SCRIPTS[CLOCK]}, "Core")
    game = {name: SCRIPTS[name] for name in (GAME, MENU)}
    laid_out.built(root, references, game, "Game", ["Core"])
    return root


@pytest.fixture
def root(new_root: Path, machine: Layout, references: Path) -> Path:
    return two_assemblies(new_root, machine, references)


async def check(session: Session, **params: Any) -> Any:
    return await session.client.protocol.send_request_async(CHECK_PROJECT_REQUEST, params)


async def judge(session: Session, changes: dict[str, str | None]) -> Any:
    params = {"changes": [{"path": path, "text": text} for path, text in changes.items()]}
    return await session.client.protocol.send_request_async(JUDGE_CHANGES_REQUEST, params)


def told(answer: Any) -> list[tuple[str, str, int, int]]:
    return sorted((each.code, each.path, each.line, each.column) for each in answer.errors)


async def test_an_edit_above_what_cant_be_judged_is_not_judged(
    root: Path, session: Session
) -> None:
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8") + '-r:"Gone.dll"\n', "utf-8")
    judged = await judge(session, {GAME: SCRIPTS[GAME].replace("Clock", "Clocks")})
    assert (told(judged), "semantics" in judged.coverage) == ([], False)
    (left,) = judged.notChecked
    assert (left.assembly, left.reason) == ("Game", "references_missing")
    assert "its reference Core can't be judged (Gone.dll isn't there)." in left.message
    assert await session.ids(GAME, SCRIPTS[GAME].replace("Clock", "Clocks")) == []
    assert "semantics" not in (await session.coverage(GAME)).covers


async def test_what_refers_to_it_has_no_errors_for_that(root: Path, session: Session) -> None:
    (response,) = root.glob("Library/Bee/artifacts/*/Core.rsp")
    response.write_text(response.read_text("utf-8") + '-r:"Gone.dll"\n', "utf-8")
    (root / GAME).write_text("class Game { int Of(Clock c) => c.Then }\n", "utf-8")
    found = await check(session)
    assert [code for code, *_ in told(found)] == ["CS1002"]  # its text is read all the same
    core, game = found.notChecked
    assert (core.reason, game.reason) == ("references_missing", "references_missing")
    assert core.message.endswith("Core were not checked: its reference Gone.dll isn't there.")
    assert "its reference Core can't be judged (Gone.dll isn't there)." in game.message


async def test_what_does_not_compile_is_told_as_the_compiler_tells_it(
    root: Path, session: Session
) -> None:
    clean = await check(session)
    assert (clean.status, told(clean), clean.notChecked) == ("clean", [], [])
    assert (clean.checked.assemblies, clean.checked.files) == (["Core", "Game"], 3)
    assert (clean.confirmed, clean.boundAgain) == (True, "assemblies")
    again = await check(session)
    assert (again.status, again.boundAgain) == ("clean", "nothing")

    (root / GAME).write_text("class Game { int Of(Clock c) => c.Then + no; }\n", "utf-8")
    broken = await check(session)
    assert broken.status == "errors"
    assert told(broken) == [("CS0103", GAME, 1, 42), ("CS1061", GAME, 1, 35)]
    assert {each.assembly for each in broken.errors} == {"Game"}
    only = await check(session, assemblies=["Core"])
    assert (only.status, only.checked.assemblies) == ("clean", ["Core"])
    elsewhere = await check(session, paths=[MENU])
    assert (elsewhere.status, told(elsewhere)) == ("clean", [])
    inside = await check(session, paths=["Assets/Game"])
    assert len(inside.errors) == 2


async def test_dependents_see_an_assembly_as_its_sources_are_now(
    root: Path, session: Session
) -> None:
    assert (await check(session)).status == "clean"
    (root / CLOCK).write_text("public class Clock { public int Then; }\n", "utf-8")
    renamed = await check(session)
    assert told(renamed) == [("CS1061", GAME, 1, 43)]
    (root / CLOCK).write_text("public class Clock { public int Now = no; }\n", "utf-8")
    broken = await check(session)
    assert told(broken) == [("CS0103", CLOCK, 1, 39)]
    (blocked,) = broken.notChecked
    assert (blocked.assembly, blocked.reason) == ("Game", "blocked")
    assert blocked.message == "Game was not checked: Core has errors."
    (root / CLOCK).write_text(SCRIPTS[CLOCK], "utf-8")
    assert (await check(session)).status == "clean"


async def test_changes_are_judged_together_and_in_other_assemblies(session: Session) -> None:
    renamed = SCRIPTS[CLOCK].replace("Now", "Then")
    alone = await judge(session, {CLOCK: renamed})
    assert told(alone) == [("CS1061", GAME, 1, 43)]
    both = {CLOCK: renamed, GAME: SCRIPTS[GAME].replace("Now", "Then")}
    together = await judge(session, both)
    assert (told(together), together.notChecked) == ([], [])
    assert together.coverage == ["brackets", "syntax", "semantics"]
    assert told(await judge(session, {GAME: None})) == [
        ("CS0246", MENU, 1, 14),
        ("CS0246", MENU, 1, 32),
        ("CS0246", MENU, 1, 56),
    ]
    moved = {GAME: None, "Assets/Game/Deep/Game.cs": SCRIPTS[GAME]}
    assert told(await judge(session, moved)) == []
    new = {"Assets/Game/New.cs": "class New : Game { int Of(Menu menu) => menu.None; }\n"}
    assert told(await judge(session, new)) == [("CS1061", "Assets/Game/New.cs", 1, 46)]
    # Nothing of it was kept.
    assert (await check(session)).status == "clean"


async def test_errors_that_were_there_are_not_the_changes(root: Path, session: Session) -> None:
    broken = "class Game {\n public int A => no;\n int B => none;\n}\n"
    (root / GAME).write_text(broken, "utf-8")
    (root / MENU).write_text("class Menu { int Of(Game game) => game.A + nothing; }\n", "utf-8")
    moved = broken.replace("class Game {", "// more\n// and more\nclass Game {")
    assert told(await judge(session, {GAME: moved})) == []
    assert told(await judge(session, {GAME: broken.replace("none", "never")})) == []
    added = broken.replace("int B => none", "int B => none + other")
    assert told(await judge(session, {GAME: added})) == [("CS0103", GAME, 3, 18)]
    renamed = await judge(session, {GAME: broken.replace("int A", "int C")})
    assert told(renamed) == [("CS1061", MENU, 1, 40)]


async def test_an_answer_by_concern_is_confirmed_in_the_background(
    root: Path, session: Session
) -> None:
    assert (await check(session)).confirmed
    (root / GAME).write_text(SCRIPTS[GAME].replace("clock.Now", "clock.Now + 1"), "utf-8")
    changed = await check(session)
    assert (changed.status, changed.boundAgain, changed.confirmed) == ("clean", "files", False)
    while not (later := await check(session)).confirmed:
        assert later.boundAgain == "nothing"
    assert (later.status, later.corrected) == ("clean", [])


async def test_assemblies_that_dont_know_one_another_are_told_in_their_order(
    root: Path, references: Path, session: Session
) -> None:
    names = [f"Part{number}" for number in range(8)]
    for name in names:
        script = f"Assets/{name}/{name}.cs"
        laid_out.built(
            root, references, {script: f"class {name} : No{name} {{ }}\n"}, name, ["Core"]
        )
    laid_out.built(root, references, {"Assets/Top/Top.cs": "class Top { }\n"}, "Top", names)
    found = await check(session)
    assert [each.assembly for each in found.errors] == names
    assert [(each.assembly, each.reason) for each in found.notChecked] == [("Top", "blocked")]
    assert found.checked.assemblies == ["Core", "Game", *names]


async def test_what_is_asked_wrongly_is_told_where(session: Session) -> None:
    for params, told_ in (
        ({"changes": []}, "changes must be a list of 1 to"),
        ({"changes": [{"path": "", "text": ""}]}, "changes[0].path must be"),
        ({"changes": [{"path": GAME}]}, "changes[0].text must be"),
        ({"changes": [{"path": GAME, "text": None}] * 2}, "changes[1].path is"),
    ):
        with pytest.raises(JsonRpcException, match=re.escape(told_)):
            await session.client.protocol.send_request_async(JUDGE_CHANGES_REQUEST, params)
    with pytest.raises(JsonRpcException, match="assemblies must be a list of strings"):
        await check(session, assemblies="Game")
    nowhere = await check(session, assemblies=["Gone"], paths=["Assets/Gone.cs"])
    assert nowhere.status == "unknown"
    assert {each.reason for each in nowhere.notChecked} == {
        "no_such_assembly",
        "no_such_script",
    }


async def test_without_a_build_nothing_is_claimed(
    tmp_path: Path, machine: Layout, server_on: ServerOn
) -> None:
    root = laid_out.project(tmp_path / "bare", machine.editor)
    (root / "Assets/A.cs").write_text("class A : Base { int B => no; }\n", "utf-8")
    async with server_on(machine, root) as session:
        answer = await check(session)
        assert (answer.status, answer.checked.assemblies) == ("unknown", [])
        assert [each.reason for each in answer.notChecked] == ["no_references"]
        judged = await judge(session, {"Assets/A.cs": "class A { int B => never; }\n"})
        assert judged.coverage == ["brackets", "syntax"]
        assert [each.reason for each in judged.notChecked] == ["no_references"]
        assert "last build" not in judged.notChecked[0].message
        nowhere = await judge(session, {"Assets/Far/B.cs": "class B { }\n"})
        assert [each.reason for each in nowhere.notChecked] == ["no_references"]
        several = {f"Assets/{name}.cs": f"class {name} {{ }}\n" for name in ("A", "B", "C")}
        every = await judge(session, several)
        assert [each.reason for each in every.notChecked] == ["no_references"]
        assert (every.notChecked[0].assembly, every.coverage) == ("", ["brackets", "syntax"])


async def test_the_compilers_stages_and_options_hold(root: Path, session: Session) -> None:
    response = root / "Library/Bee/artifacts/1900b0aE.dag/Game.rsp"
    own = root / "Assets/Game/csc.rsp"
    own.write_text("-warnaserror+:CS0169,CS0219\n", "utf-8")
    response.write_text(response.read_text("utf-8") + own.read_text("utf-8"), "utf-8")
    unread = "class Menu { Game game; }\n"
    (root / MENU).write_text(unread, "utf-8")
    assert told(await check(session)) == [("CS0169", MENU, 1, 19)]
    # Where declarations are wrong, nothing is said of bodies; a warning doesn't stop it.
    (root / GAME).write_text("class Game { None a; int B => no; }\n", "utf-8")
    assert told(await check(session)) == [("CS0246", GAME, 1, 14)]
    (root / GAME).write_text("class Game { None a; int B => no }\n", "utf-8")
    assert told(await check(session)) == [("CS1002", GAME, 1, 34)]
    (root / GAME).write_text('#line 7 "other.txt"\nclass Game { int B => no; }\n', "utf-8")
    assert told(await check(session)) == [
        ("CS0103", "other.txt", 7, 23),
        ("CS0169", MENU, 1, 19),
    ]
    for each in (own, response):
        each.write_text(each.read_text("utf-8").replace("-warnaserror+", "-nowarn"), "utf-8")
    assert [each[0] for each in told(await check(session))] == ["CS0103"]


@pytest.mark.own_server
async def test_how_much_memory_it_takes_is_told_and_there_is_a_limit(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    async with server_on(machine, root) as session:
        before = await session.client.protocol.send_request_async(STATUS_REQUEST, {})
        # Ready is said once names and types were asked about, in the smallest assembly.
        assert (before.assemblies, before.files) == (1, 1)
        assert 0 < before.memoryBytes < before.memoryLimitBytes
        await check(session)
        after = await session.client.protocol.send_request_async(STATUS_REQUEST, {})
        assert (after.assemblies, after.files) == (2, 3)


async def test_code_that_the_symbols_leave_out_is_judged_as_far_as_it_goes(
    session: Session,
) -> None:
    inactive = "#if GAME_MOBILE\nclass Phone { int A => 1; }\n#endif\n"
    judged = await judge(session, {GAME: SCRIPTS[GAME] + inactive})
    assert (told(judged), judged.coverage) == ([], ["brackets", "syntax"])
    assert [each.reason for each in judged.notChecked] == ["inactive_code"]
    broken = SCRIPTS[GAME] + inactive.replace("1;", "1")
    assert [each[:3] for each in told(await judge(session, {GAME: broken}))] == [
        ("CS1002", GAME, 3)
    ]


LOWERED = """\
using System.Runtime.CompilerServices;
class Menu { async Act Of() { await System.Threading.Tasks.Task.Yield(); } }
class Awaits
{
    static int[] all = new int[1];
    static ref int First() => ref all[0];
    static async System.Threading.Tasks.Task Add()
    {
        First() += await System.Threading.Tasks.Task.FromResult(1);
    }
}
[AsyncMethodBuilder(typeof(Builder))] class Act { }
class Builder
{
    public static Builder Create() => null;
    public Act Task => null;
    public void Start<T>(ref T machine) where T : IAsyncStateMachine { }
    public void SetStateMachine(IAsyncStateMachine machine) { }
    public void SetResult() { }
    public void SetException(System.Exception error) { }
    public void AwaitOnCompleted<A, S>(ref A awaiter, ref S machine)
        where A : INotifyCompletion where S : IAsyncStateMachine { }
    public void AwaitUnsafeOnCompleted<A, S>(ref A awaiter, ref S machine)
        where A : ICriticalNotifyCompletion where S : IAsyncStateMachine { }
}
"""


async def test_what_only_lowering_finds_is_found(root: Path, session: Session) -> None:
    kept = ("CS8178", MENU, 9, 9)
    (root / MENU).write_text(LOWERED, "utf-8")
    cold = await check(session)
    assert (told(cold), cold.confirmed) == ([kept], True)
    # Beside an error of binding, as the compiler has it.
    (root / GAME).write_text("class Game { int Of() => no; }\n", "utf-8")
    assert told(await check(session)) == [("CS0103", GAME, 1, 26), kept]
    (root / GAME).write_text(SCRIPTS[GAME], "utf-8")
    # A builder without a member that async methods need, which nobody names.
    (root / MENU).write_text(LOWERED.replace("SetException", "SetAnother"), "utf-8")
    assert told(await check(session)) == [("CS0656", MENU, 2, 29), kept]
    # And gone with its cause.
    fixed = LOWERED.replace("First() +=", "all[0] +=")
    (root / MENU).write_text(fixed, "utf-8")
    gone = await check(session)
    assert (gone.status, told(gone), gone.confirmed) == ("clean", [], True)


async def test_what_only_lowering_finds_corrects_a_quick_answer(
    root: Path, session: Session
) -> None:
    (root / MENU).write_text(LOWERED.replace("First() +=", "all[0] +="), "utf-8")
    assert (await check(session)).status == "clean"
    (root / MENU).write_text(LOWERED, "utf-8")
    found = await check(session)
    while not found.confirmed:
        # Not claimed to be all of it.
        found = await check(session)
    assert (found.status, told(found)) == ("errors", [("CS8178", MENU, 9, 9)])


async def test_a_script_is_found_however_deep_it_lies(root: Path, session: Session) -> None:
    deep = "/".join(["Assets/Game", *["Far"] * 70, "Deep.cs"])
    (root / deep).parent.mkdir(parents=True)
    (root / deep).write_text("class Deep { Nowhere of; }\n", "utf-8")
    answer = await check(session)
    assert answer.status == "errors"
    assert [each[:2] for each in told(answer)] == [("CS0246", deep)]


@needs_posix
@binds_rights
@pytest.mark.own_server
async def test_a_folder_that_cant_be_looked_into_leaves_it_open(
    root: Path, machine: Layout, server_on: ServerOn
) -> None:
    secret = root / "Assets/Game/Secret"
    secret.mkdir()
    (secret / "Broken.cs").write_text("class Broken {\n", "utf-8")
    with closed(secret):
        # The server is started by this thread, whose rights it has.
        async with server_on(machine, root) as session:
            answer = await check(session)
    assert answer.status == "unknown"
    assert {each.assembly for each in answer.notChecked} == {"", "Game"}
    assert all(
        "Assets/Game/Secret can't be looked into" in each.message for each in answer.notChecked
    )
