"""What a server says of texts, on every toolchain that can be had here."""

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import laid_out
import pytest
from laid_out import Layout
from lanes import is_drawn
from server_session import ServerOn, Session

from roslyn_server.compiler import hosting

pytestmark = pytest.mark.anyio

_CERTAIN_ERRORS = Path(hosting.__file__).with_name("csharp") / "texts" / "certain_errors.cs"
CERTAIN = set(re.findall(r'\["(CS\d{4})"\] = ', _CERTAIN_ERRORS.read_text("utf-8")))
"""What the server refuses though it knows no references."""

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "agreement"
_SCRIPT = "Assets/Enemy.cs"
_PLAYER = "Assets/Player.cs"
_PLAYER_TEXT = "namespace Game\n{\n    public class Player { public int Health; }\n}\n"
_ENEMY_TEXT = """namespace Game
{
    public class Enemy
    {
        public int Hit(Player player)
        {
#if GAME_MOBILE
            return 0;
#else
            return player.Health;
#endif
        }
    }
}
"""


async def test_each_kind_of_wrong_edit_is_refused_and_its_repair_accepted(
    layout: Layout, server_on: ServerOn, tmp_path: Path, references: Path
) -> None:
    root = laid_out.project(tmp_path / "project", layout.editor)
    laid_out.built(root, references, {_SCRIPT: _ENEMY_TEXT, _PLAYER: _PLAYER_TEXT})
    async with server_on(layout, root) as session:
        wrong = {
            "syntax": _ENEMY_TEXT.replace("Health;", "Health"),
            "newer C#": _ENEMY_TEXT.replace("Game\n{", "Game;").rstrip().removesuffix("}"),
            "inactive #if": _ENEMY_TEXT.replace("return 0;", "return 0"),
            "undefined": _ENEMY_TEXT.replace("player.Health", "plyer.Health"),
        }
        told = {}
        for kind, text in wrong.items():
            assert await session.ids(_SCRIPT, _ENEMY_TEXT) == []
            told[kind] = [
                (each.code, each.range.start.line) for each in await session.errors(_SCRIPT, text)
            ]
        assert await session.ids(_SCRIPT, _ENEMY_TEXT) == []
        coverage = await session.coverage(_SCRIPT)

    assert told == {
        "syntax": [("CS1002", 9)],
        "newer C#": [("CS8773", 0)],
        "inactive #if": [("CS1002", 7)],
        "undefined": [("CS0103", 9)],
    }
    assert coverage.covers == ["brackets", "syntax", "semantics"]
    assert [(each.reason, each.detail) for each in coverage.notChecked] == [
        ("inactive_code", "line 8")
    ]
    assert coverage.languageVersion == "9.0"
    assert coverage.compiler == layout.compiler
    assert coverage.runtime.startswith(layout.runtime)
    assert [("GAME_MOBILE" in each) for each in coverage.symbolSets] == [False, True]


@pytest.mark.parametrize("is_built", [True, False])
async def test_an_error_directive_counts_where_somebody_compiles_it(
    layout: Layout, server_on: ServerOn, tmp_path: Path, references: Path, is_built: bool
) -> None:
    """The build defines UNITY_EDITOR."""
    root = laid_out.project(tmp_path / "project", layout.editor)
    if is_built:
        laid_out.built(root, references, {_SCRIPT: _ENEMY_TEXT, _PLAYER: _PLAYER_TEXT})
    async with server_on(layout, root) as session:
        told = {
            condition: await session.ids(
                _SCRIPT, f"{condition}\n#error Needs more\n#endif\n{_ENEMY_TEXT}"
            )
            for condition in ("#if GAME_SDK", "#if UNITY_EDITOR", "#if !UNITY_EDITOR")
        }
        told[""] = await session.ids(_SCRIPT, f"#error Never\n{_ENEMY_TEXT}")

    assert told == {
        "#if GAME_SDK": [],
        "#if UNITY_EDITOR": ["CS1029"] if is_built else [],
        "#if !UNITY_EDITOR": [],
        "": ["CS1029"],
    }


_OF_MEANING = {
    "fields left to be defaulted": "struct S { int a; public S(int b) { } }",
    "the field keyword": "class C { public int P { get => field; set { } } }",
    "an unsigned shift of what isn't known": "class C { object F() => Go() >>> 1; }",
}
"""Newer C# that shows in what a text means, certain though nothing is referenced."""

_NOT_OF_MEANING = {
    "a field of an unknown type": "struct S { Vector3 a; public S(float b) { a.x = b; } }",
    "a field that may be inherited": "class C : Base { public int P { get => field; } }",
    "a field in another part": "partial class C { public int P { get => field; } }",
    "a shift": "class C { object F() => Go() >> 1; }",
}
"""What is no error, or not one that can be told without references."""


async def test_without_references_all_is_judged_that_the_text_alone_tells(
    layout: Layout, server_on: ServerOn, tmp_path: Path, one_in: Callable[[int], int]
) -> None:
    root = laid_out.project(tmp_path / "project", layout.editor)
    examples = [each for each in _recorded() if is_drawn(f"{layout.name} {each}", one_in(4))]
    async with server_on(layout, root) as session:
        assert await session.ids(_SCRIPT, _ENEMY_TEXT.replace("player.", "plyer.")) == []
        coverage = await session.coverage(_SCRIPT)
        wrongly_judged = [each async for each in _wrongly_judged(session, examples)]
        for what, text in _OF_MEANING.items():
            assert await session.ids(_SCRIPT, text) != [], what
        for what, text in _NOT_OF_MEANING.items():
            assert await session.ids(_SCRIPT, text) == [], what

    assert coverage.covers == ["brackets", "syntax"]
    assert [each.reason for each in coverage.notChecked] == ["no_references"]
    assert wrongly_judged == []


def _recorded() -> list[dict[str, Any]]:
    """The recorded edits: newer syntax above all."""
    return [
        example
        for name in ("newer_syntax", "structural", "regressions")
        for example in json.loads((_FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    ]


async def _wrongly_judged(
    session: Session, examples: list[dict[str, Any]]
) -> AsyncIterator[dict[str, Any]]:
    """Those whose verdict isn't the recorded one."""
    for example in examples:
        before = await session.ids(_SCRIPT, example["before"])
        after = await session.ids(_SCRIPT, example["after"])
        new = {each for each in after if after.count(each) > before.count(each)}
        is_refused = bool(new)
        # What the oracle took without having been asked about it.
        if example["roslyn"] == "valid" and new and new <= CERTAIN:
            continue
        # "form": the oracle leaves open whether such an edit is to be refused.
        if example["roslyn"] != "form" and is_refused != (example["roslyn"] == "broken"):
            yield example
