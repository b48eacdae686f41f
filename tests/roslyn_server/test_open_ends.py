"""What a check says where it is asked about a part, or where not all can be judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from laid_out import Layout
from server_session import Session
from test_project_check import CLOCK, GAME, MENU, SCRIPTS, check, told, two_assemblies

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]


@pytest.fixture
def root(new_root: Path, machine: Layout, references: Path) -> Path:
    return two_assemblies(new_root, machine, references)


def reasons(answer: Any) -> list[str]:
    return [each.message for each in answer.notChecked]


def build(root: Path, assembly: str, old: str, new: str) -> None:
    """As if the last build had been another one."""
    (response,) = root.glob(f"Library/Bee/artifacts/*/{assembly}.rsp")
    said = response.read_text("utf-8")
    assert old in said
    response.write_text(said.replace(old, new), "utf-8")


async def test_errors_elsewhere_that_hide_those_of_a_script_are_told_of_it(
    root: Path, session: Session
) -> None:
    wrong = "class Menu { int Of() => no; }\n"
    cases = [
        ("class Game { int Of( }\n", wrong, [], f"{GAME}:1:22 CS1026 in Game"),
        ("class Game { None of; }\n", wrong, [], f"{GAME}:1:14 CS0246 in Game"),
        # Errors of the last stage hide none; nor is anything hidden where there is one to show.
        ("class Game { int Of() => no; }\n", wrong, ["CS0103"], None),
        ("class Game { int Of( }\n", "class Menu { int }\n", ["CS1519"], None),
        ("class Game { int Of() => no; }\n", SCRIPTS[MENU].replace("Of()", "Do()"), [], None),
    ]
    for game, menu, codes, hidden in cases:
        (root / GAME).write_text(game, "utf-8")
        (root / MENU).write_text(menu, "utf-8")
        found = await check(session, paths=[MENU])
        assert [code for code, *_ in told(found)] == codes, game
        expected = f"Not everything was checked: the compiler stopped at {hidden}."
        assert reasons(found) == ([] if hidden is None else [expected]), game
        status = "errors" if codes else "clean" if hidden is None else "unknown"
        assert found.status == status, game
    (root / GAME).write_text(SCRIPTS[GAME], "utf-8")
    (root / MENU).write_text(SCRIPTS[MENU], "utf-8")
    build(root, "Game", "-target:library", "-target:library\n-langversion:99")
    (root / "Assets/Game/csc.rsp").write_text("-langversion:99\n", "utf-8")
    found = await check(session, paths=[MENU])
    assert (found.status, [each.code for each in found.errors]) == ("errors", ["CS1617"])


@pytest.mark.parametrize(
    "line",
    ['#line 100 "Template.tt"', "#line hidden", "#line 3", '#line 9 "../Core/Clock.cs"'],
)
async def test_an_error_is_of_the_script_that_it_is_in_wherever_it_is_mapped_to(
    root: Path, line: str, session: Session
) -> None:
    (root / MENU).write_text(f"{line}\nclass Menu {{ int Of() => no; }}\n", "utf-8")
    for asked in ({"paths": [MENU]}, {"paths": ["Assets/Game"]}, {"assemblies": ["Game"]}, {}):
        found = await check(session, **asked)
        assert (found.status, [each.code for each in found.errors]) == ("errors", ["CS0103"])
    elsewhere = await check(session, paths=[GAME])
    assert (elsewhere.status, elsewhere.errors) == ("clean", [])


async def test_errors_of_a_script_in_another_encoding_rest_on_that(
    root: Path, session: Session
) -> None:
    shift_jis = b'class Menu\n{\n    const string A = "\x95\x5c";\n    Game game; // \x83\x5c\n}\n'
    (root / MENU).write_bytes(shift_jis)
    found = await check(session)
    assert (found.status, found.errors) == ("unknown", [])
    (why,) = reasons(found)
    assert why.startswith(f"{MENU} is not valid UTF-8; csc reads it in the code page of the")
    other = await check(session, paths=[GAME])
    assert (other.status, other.errors) == ("unknown", [])
    # What is wrong in others is told, and what can be read either way is no fault.
    (root / MENU).write_bytes(b"class Menu { } // \x95\x5c\n")
    assert ((await check(session)).status) == "clean"
    (root / MENU).write_bytes(b"class Menu { int Of() => no; } // caf\xe9\n")
    (root / GAME).write_text("class Game { int Of() => no; }\n", "utf-8")
    mixed = await check(session)
    assert [each.path for each in mixed.errors] == [GAME]
    assert len(reasons(mixed)) == 1
    (root / MENU).write_bytes('class Menu { string s = "表"; }\n'.encode("utf-16"))
    (root / GAME).write_text(SCRIPTS[GAME], "utf-8")
    assert ((await check(session)).status) == "clean"


async def test_a_script_that_was_restored_with_its_size_and_time_is_read(
    root: Path, session: Session
) -> None:
    long_ago = 1_700_000_000

    def write(text: str) -> None:
        (root / CLOCK).write_text(text, "utf-8")
        os.utime(root / CLOCK, (long_ago, long_ago))

    write(SCRIPTS[CLOCK])
    assert (await check(session)).status == "clean"
    write(SCRIPTS[CLOCK].replace("Now", "Won"))
    assert told(await check(session)) == [("CS1061", GAME, 1, 43)]
    write(SCRIPTS[CLOCK])
    assert (await check(session)).status == "clean"


async def test_which_code_was_not_read_is_said(root: Path, session: Session) -> None:
    (root / MENU).write_text(
        "#if !UNITY_EDITOR\nno\n#elif HARD || EASY\nno\n#else\nclass C { }\n#endif\n"
        "#if UNITY_EDITOR\nclass D { }\n#if HARD\nno\n#endif\n"
        "#else\nno\n#if F\nno\n#endif\n#endif\n"
        "#if false\nno\n#endif\n",
        "utf-8",
    )
    (root / GAME).write_text("class Game { }\n#if HARD\nclass H { }\n#endif\n", "utf-8")
    found = await check(session)
    assert (found.status, found.isOfEditor) == ("clean", True)
    assert [(each.condition, each.files) for each in found.notRead] == [
        ("HARD", 2),
        ("!UNITY_EDITOR", 1),
        ("UNITY_EDITOR && (HARD || EASY)", 1),
    ]
    only = await check(session, paths=[GAME])
    assert [each.condition for each in only.notRead] == ["HARD"]


async def test_the_editors_code_is_not_judged_where_the_last_build_was_a_players(
    root: Path, session: Session
) -> None:
    cases = [
        ("#if UNITY_EDITOR\n{}\n#endif", "UNITY_EDITOR"),
        ("#if !UNITY_EDITOR\nclass A {{ }}\n#else\n{}\n#endif", "UNITY_EDITOR"),
        ("#if UNITY_EDITOR_WIN || HARD\n{}\n#endif", "UNITY_EDITOR_WIN || HARD"),
        ("#if UNITY_EDITOR && HARD\n{}\n#endif", None),
        ("#if HARD\n{}\n#endif", None),
    ]
    for assembly in ("Core", "Game"):
        build(root, assembly, "-define:UNITY_EDITOR", "-define:UNITY_STANDALONE")
    for text, condition in cases:
        (root / MENU).write_text(text.format("class Menu { int a = no; }") + "\n", "utf-8")
        found = await check(session)
        left = [each for each in reasons(found) if "UNITY_EDITOR code" in each]
        why = f"the last build excluded it: #if {condition} in {MENU}"
        expected = [f"UNITY_EDITOR code was not checked, as {why}."]
        assert (left, found.isOfEditor) == (expected if condition else [], False), text
        assert found.status == ("unknown" if condition else "clean"), text
        beside = await check(session, paths=[GAME])
        assert beside.status == "clean"


FLOW = """\
using System.Collections.Generic;
class Menu
{{
    static int M(Dictionary<string, int> d, object o)
    {{
        {}
    }}
}}
"""


async def test_what_unitys_older_compiler_may_refuse_is_not_called_clean(
    root: Path, machine: Layout, session: Session
) -> None:
    cases = [
        ('if (d?.TryGetValue("k", out int v) == true) { return v; } return 0;', True),
        ('if (d?.TryGetValue("k", out var v) ?? false) { return v; } return 0;', True),
        ('int v; if (d != null ? d.TryGetValue("k", out v) : false) return v; return 0;', True),
        ("if ((o is int v) == true) { return v; } return 0;", True),
        ('int v = 0; if (d?.TryGetValue("k", out v) == true) { return v; } return 0;', False),
        ('if (d.TryGetValue("k", out int v) == true) { return v; } return v;', False),
        ("if (o is int v) { return v; } return 0;", False),
        ('d?.TryGetValue("k", out int v); return 0;', False),
        ('int v; var b = d == o ? d.Remove("a", out v) : d.Remove("b", out v); return v;', False),
    ]
    version = root / "ProjectSettings/ProjectVersion.txt"
    for editor, older in ((machine.editor, ""), ("2021.3.14f1", "3 (Unity 2021.3.14f1)")):
        version.write_text(f"m_EditorVersion: {editor}\n", "utf-8")
        for body, differs in cases:
            (root / MENU).write_text(FLOW.format(body), "utf-8")
            found = await check(session)
            assert told(found) == [], body
            assert (found.compiler.version, found.compiler.unitysOlder) == ("4.8.0", older)
            at = f"{MENU}:6: Roslyn 4.8.0 finds that v has a value; the older compiler"
            is_left = bool(differs and older)
            assert [each.startswith(at) for each in reasons(found)] == [True] * is_left, body
            assert found.status == ("unknown" if is_left else "clean"), body


async def test_the_compiler_is_named_and_whether_it_is_the_projects(
    root: Path, machine: Layout, session: Session
) -> None:
    own = (await check(session)).compiler
    assert (own.version, own.origin) == ("4.8.0", f"Unity {machine.editor}")
    assert (own.isProjects, own.unitysOlder) == (True, "")
    version = root / "ProjectSettings/ProjectVersion.txt"
    version.write_text("m_EditorVersion: 6000.0.1f1\n", "utf-8")
    other = (await check(session)).compiler
    assert (other.isProjects, other.unitysOlder) == (False, "")
