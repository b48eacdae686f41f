"""What an edit means in other files: judged where it concerns them, or said not to be.

docs/design/roslyn.md §3: ``edit_snippet`` with ``roslyn_server`` as the judge, of a project that
was built and then changed on disk. Each test finds the files as they are in ``SCRIPTS``.
"""

from __future__ import annotations

from typing import Any

import pytest
from judged_edits import ENEMY, PLAYER, PLAYER_TEXT, TEXT, Judged, refusals

from snippet_engine.errors import SnippetError

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


@pytest.fixture
def judged(serving: Judged) -> Judged:
    return serving.rewritten(SCRIPTS)


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


def test_a_broken_file_can_be_repaired_and_edited_elsewhere(judged: Judged) -> None:
    broken = TEXT.replace("player.Health;", "plyer.Health")
    (judged.root / ENEMY).write_text(broken, encoding="utf-8")
    elsewhere = judged.edit("return 0;", "return 1;")
    assert isinstance(elsewhere, dict), elsewhere
    assert "preexisting_errors" in {each["code"] for each in elsewhere["warnings"]}
    assert refusals(judged.edit("return 0;", "return 0")) == [("CS1002", "", 8)]
    repaired = judged.edit("plyer.Health", "player.Health;", mode="apply")
    assert isinstance(repaired, dict), repaired
    assert repaired["warnings"] == []
    standing = judged.engine.validate_script({"path": ENEMY})
    assert isinstance(standing, dict)
    assert standing["valid"] is True
    assert standing["validation"]["validator"] == "roslyn"


def test_what_is_written_is_what_other_files_are_judged_by(judged: Judged) -> None:
    unknown = [("CS1061", "", 10)]
    assert refusals(judged.edit("player.Health", "player.Armour")) == unknown
    added = judged.edit("Health;", "Health, Armour;", path=PLAYER, mode="apply")
    assert isinstance(added, dict), added
    assert isinstance(judged.edit("player.Health", "player.Armour"), dict)
    undone = judged.engine.undo_snippet({"path": PLAYER, "hashAfter": added["hashAfter"]})
    assert isinstance(undone, dict)
    assert refusals(judged.edit("player.Health", "player.Armour")) == unknown


def test_errors_are_told_with_the_instruction_that_caused_them(judged: Judged) -> None:
    edits = [("return 0", "return 1"), ("player.Health", "plyer.Health"), ("int Hit", "inn Hit")]
    instructions = [
        {"operation": "replace", "anchor": {"type": "text", "target": old}, "newText": new}
        for old, new in edits
    ]
    outcome = judged.edit("", "", instructions=instructions)
    assert isinstance(outcome, SnippetError)
    told = {each["id"]: each["instruction"] for each in outcome.details["diagnostics"]}
    assert told == {"CS0246": 2, "CS0103": 1}


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
