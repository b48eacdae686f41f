"""What an edit means in other files: judged where it concerns them, or said not to be.

docs/design/roslyn.md §3: ``edit_snippet`` with ``roslyn_server`` as the judge, of a project that
was built and then changed on disk. One server serves all tests; each finds the files as built.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import laid_out
import pytest
from judged_edits import ENEMY, PLAYER, PLAYER_TEXT, TEXT, Judged, Started, refusals, serving_built
from laid_out import Layout

from roslyn_server.toolchains.pairing import Toolchain

USER = "Assets/User.cs"
USER_TEXT = """namespace Game
{
    public class User
    {
        // Health
        public int Of(Enemy enemy, Player player) => enemy.Hit(player) + player.Health;
    }
}
"""


SCRIPTS = {ENEMY: TEXT, PLAYER: PLAYER_TEXT, USER: USER_TEXT}


@pytest.fixture(scope="module")
def layout_4_8(tmp_path_factory: pytest.TempPathFactory, roslyn_4_8: Toolchain) -> Layout:
    return laid_out.unity_6_5(tmp_path_factory.mktemp("machine"), roslyn_4_8)


@pytest.fixture(scope="module")
def serving(
    tmp_path_factory: pytest.TempPathFactory, layout_4_8: Layout, references: Path
) -> Iterator[Judged]:
    folder = tmp_path_factory.mktemp("module")
    with serving_built(layout_4_8, folder, references, SCRIPTS) as judged:
        yield judged


@pytest.fixture
def judged(serving: Judged) -> Judged:
    return serving.rewritten(SCRIPTS)


@pytest.fixture
def root(tmp_path: Path, layout_4_8: Layout) -> Path:
    return laid_out.project(tmp_path / "project", layout_4_8.editor)


def coverage(outcome: Any) -> tuple[list[str], list[str]]:
    """What a verdict covers, and what it says was not checked."""
    assert isinstance(outcome, dict), outcome
    return outcome["validation"]["coverage"], outcome["validation"]["notChecked"]


WHOLE = ["brackets", "syntax", "semantics"]


def test_a_member_that_other_files_use_is_not_renamed_away(judged: Judged) -> None:
    refused = judged.edit("int Health", "int Life", path=PLAYER)
    assert refusals(refused) == [("CS1061", ENEMY, 10), ("CS1061", USER, 6)]
    assert refused.instruction == 0
    assert refused.message.startswith(f"{ENEMY} would not compile: line 10: CS1061")
    assert judged.text(PLAYER) == PLAYER_TEXT


@pytest.mark.parametrize(
    ("old", "new", "id_"),
    [
        ("public int Health", "private int Health", "CS0122"),
        ("public int Health", "public string Health", "CS0029"),
        ("public int Health", "public static int Health", "CS0176"),
        ("class Player", "static class Player", "CS0721"),
        ("class Player", "class Gamer", "CS0246"),
        ("namespace Game", "namespace Play", "CS0246"),
        ("public int Health;", " ", "CS1061"),
    ],
)
def test_what_else_a_declaration_means_to_others(
    judged: Judged, old: str, new: str, id_: str
) -> None:
    told = refusals(judged.edit(old, new, path=PLAYER))
    assert id_ in {each[0] for each in told}
    assert {each[1] for each in told} <= {ENEMY, USER, ""}


@pytest.mark.parametrize(
    ("old", "new"),
    [("Health;", "Health, Armour;"), ("public int Health;", "public int Health; int hidden = 1;")],
)
def test_what_concerns_nobody_else_is_accepted(judged: Judged, old: str, new: str) -> None:
    assert coverage(judged.edit(old, new, path=PLAYER)) == (WHOLE, [])


def test_errors_that_other_files_have_anyway_are_not_the_edits(judged: Judged) -> None:
    (judged.root / USER).write_text(USER_TEXT.replace("player.Health", "player.Helth"), "utf-8")
    added = judged.edit("Health;", "Health, Helth2;", path=PLAYER)
    assert coverage(added) == (WHOLE, [])


def test_heirs_lack_what_is_added_without_their_naming_it(judged: Judged) -> None:
    for name, text in {
        "IBase": "public interface IBase { }",
        "IMiddle": "public interface IMiddle : IBase { }",
        "Heir": "public class Heir : IMiddle { }",
    }.items():
        (judged.root / f"Assets/{name}.cs").write_text(text + "\n", "utf-8")
    refused = judged.edit("IBase { }", "IBase { void Act(); }", path="Assets/IBase.cs")
    assert refusals(refused) == [("CS0535", "Assets/Heir.cs", 1)]


def test_what_works_without_being_named_concerns_all(judged: Judged) -> None:
    (judged.root / "Assets/Unit.cs").write_text(
        "public struct Unit { public static Unit operator +(Unit a, Unit b) => a; }\n", "utf-8"
    )
    (judged.root / "Assets/Box.cs").write_text(
        "public class Box { public Unit Content; public Unit More; }\n", "utf-8"
    )
    (judged.root / "Assets/Sum.cs").write_text(
        "public class Sum { object Of(Box a) => a.Content + a.More; }\n", "utf-8"
    )
    removed = judged.edit(
        "public static Unit operator +(Unit a, Unit b) => a;", " ", path="Assets/Unit.cs"
    )
    assert refusals(removed) == [("CS0019", "Assets/Sum.cs", 1)]


def test_a_declaration_twice_is_refused_whichever_comes_first(judged: Judged) -> None:
    for path, text in ((ENEMY, "class Enemy"), (PLAYER, "class Player")):
        told = refusals(judged.edit(text, f"class User {{ }} public {text}", path=path))
        assert ("CS0101", USER) in {each[:2] for each in told}
    told = refusals(judged.edit("class User", "class Enemy { } public class User", path=USER))
    assert "CS0101" in {each[0] for each in told}


def test_more_files_than_are_judged_are_told(judged: Judged) -> None:
    for number in range(80):
        file = judged.root / f"Assets/Many{number:02}.cs"
        file.write_text(f"class Many{number} {{ /* Health */ }}\n", "utf-8")
    outcome = judged.edit("public int Health", "public readonly int Health", path=PLAYER)
    assert coverage(outcome) == (WHOLE, ["semantics (more_files: 18 more that Health affects)"])


def test_inactive_code_is_not_said_to_be_judged(judged: Judged) -> None:
    edited = judged.edit("return 0;", "return unknownName;")
    covers, left = coverage(edited)
    assert covers == ["brackets", "syntax"]
    assert left == ["semantics (inactive_code: line 8)"]
    assert [each["code"] for each in edited["warnings"]] == ["semantic_not_checked"]


@pytest.mark.parametrize(
    ("old", "new", "covers", "left"),
    [
        ("player.Health", "player.Health + 1", WHOLE, []),
        ("#if GAME_MOBILE", "#if UNITY_EDITOR", WHOLE, ["inactive_code: line 10"]),
        ("            return 0;\n#else", "#else", WHOLE[:2], ["inactive_code: old line 8"]),
        ("return 0;\n", "return 0;\n//\n// a\n", WHOLE, []),
        ("return 0;\n", "return 0;\n;\nint a;\n", WHOLE[:2], ["inactive_code: lines 9 to 10"]),
        ("return 0;", "  return 0;", WHOLE, []),
        ("#endif", "#endif\n#if MORE\nint a;\n#endif", WHOLE[:2], ["inactive_code: line 13"]),
        (
            "return 0;\n#else\n            return player.Health;",
            "return 1;\n#else\n            return player.Health + 1;",
            WHOLE,
            ["inactive_code: line 8"],
        ),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_only_lines_that_are_left_out_are_said_not_to_be_judged(
    judged: Judged, old: str, new: str, covers: list[str], left: list[str], ending: str
) -> None:
    (judged.root / ENEMY).write_bytes(TEXT.replace("\n", ending).encode())
    told = [f"semantics ({each})" for each in left]
    assert coverage(judged.edit(old, new)) == (covers, told)
    assert refusals(judged.edit("player.Health", "plyer.Health")) == [("CS0103", "", 10)]


def test_what_inactive_code_of_others_mentions_is_told(judged: Judged) -> None:
    inactive = USER_TEXT.replace(
        "        //", "#if GAME_MOBILE\n        // Hit\n#endif\n        //"
    )
    (judged.root / USER).write_text(inactive, "utf-8")
    outcome = judged.edit("public int Hit", "public long Hit")
    assert refusals(outcome) == [("CS0266", USER, 9)]
    outcome = judged.edit("Hit(Player player)", "Hit(Player player, int more = 0)")
    mention = f"semantics (other_files: inactive #if code of {USER}, which mentions Hit)"
    assert coverage(outcome) == (WHOLE, [mention])


# -- what changed since the last build ---------------------------------------------------------


def test_a_script_that_came_since_is_known_to_others(judged: Judged) -> None:
    (judged.root / "Assets/Armour.cs").write_text("public class Armour { public int Weight; }\n")
    used = judged.edit("player.Health;", "player.Health + new global::Armour().Weight;")
    assert coverage(used) == (WHOLE, [])
    own = judged.edit("Weight;", "Weight, Size;", path="Assets/Armour.cs")
    assert coverage(own) == (WHOLE, [])
    assert refusals(judged.edit("Weight;", "Weight = no;", path="Assets/Armour.cs")) == [
        ("CS0103", "", 1)
    ]


CORE = "Assets/Core/Clock.cs"
GAME = "Assets/Game/Game.cs"


def test_dependents_see_a_lower_assembly_as_it_is_on_disk(
    root: Path, layout_4_8: Layout, started: Started, references: Path
) -> None:
    laid_out.built(root, references, {CORE: "public class Clock { public int Now; }\n"}, "Core")
    uses = "class Game { int Of(Clock clock) => clock.Now; }\n"
    laid_out.built(root, references, {GAME: uses}, "Game", ["Core"])
    judged = started(layout_4_8, root)

    # Its library isn't there at all: its sources stand for it once they are newer.
    added = judged.edit("Now;", "Now, Then;", path=CORE, mode="apply")
    assert coverage(added) == (WHOLE, [])
    assert coverage(judged.edit("clock.Now", "clock.Then", path=GAME)) == (WHOLE, [])
    assert refusals(judged.edit("clock.Now", "clock.Never", path=GAME)) == [("CS1061", "", 1)]
    renamed = judged.edit("Now,", "Today,", path=CORE)
    assert refusals(renamed) == [("CS1061", GAME, 1)]


def test_warnings_that_a_project_file_makes_errors_are_errors(
    root: Path, layout_4_8: Layout, started: Started, references: Path
) -> None:
    (root / ENEMY).write_text("class Enemy { void Act() { } }\n", encoding="utf-8")
    libraries = "".join(
        f"<Reference Include='{each.stem}'><HintPath>{each}</HintPath></Reference>"
        for each in laid_out.managed_libraries(references)
    )
    (root / "Assembly-CSharp.csproj").write_text(
        "<Project><PropertyGroup><WarningsAsErrors>CS0219</WarningsAsErrors></PropertyGroup>"
        f"<ItemGroup><Compile Include='Assets\\Enemy.cs' />{libraries}</ItemGroup></Project>",
        encoding="utf-8",
    )
    (root / "Assets/csc.rsp").write_text("-warnaserror:CS0219\n", encoding="utf-8")
    judged = started(layout_4_8, root)
    assert refusals(judged.edit("{ } }", "{ int unused = 1; } }")) == [("CS0219", "", 1)]
    assert coverage(judged.edit("{ } }", "{ int declared; } }")) == (WHOLE, [])
