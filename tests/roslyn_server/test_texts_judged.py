"""One message in the place of seven: it tells of a text what its document would be told to have.

docs/design/roslyn.md §2 "One message".
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import laid_out
import pytest
from laid_out import Layout
from pygls.exceptions import JsonRpcException
from server_session import Session

from roslyn_server.protocol import JUDGE_TEXT_REQUEST
from roslyn_server.text_judge import TextJudge

pytestmark = [pytest.mark.anyio, pytest.mark.shares_server]

CLOCK = "Assets/Core/Clock.cs"
GAME = "Assets/Core/Game.cs"
SCRIPTS = {
    CLOCK: "public class Clock { public int Now() => 1; }\n",
    GAME: "class Game { int Of(Clock clock) => clock.Now(); }\n",
}
TEXTS = {
    "as it is": SCRIPTS[CLOCK],
    "of a type that there isn't": "public class Clock { public Tim Now() => null; }\n",
    "that doesn't parse": "public class Clock { public int Now() => 1 }\n",
    "that others need": "public class Clock { public int Then() => 1; }\n",
    "under a symbol that isn't set": SCRIPTS[CLOCK] + "#if OTHER\nclass A { int B }\n#endif\n",
    "newer than the project": "public class Clock { public required int now; }\n",
    "with what only lowering finds": (
        "public class Clock { public int Now() => 1; async void Wait() { ref int a = ref b; "
        "await System.Threading.Tasks.Task.Yield(); a = 1; } int b; }\n"
    ),
}


@pytest.fixture
def root(new_root: Path, machine: Layout, references: Path) -> Path:
    root = laid_out.project(new_root, machine.editor)
    laid_out.built(root, references, SCRIPTS, "Core")
    return root


async def ask(session: Session, **params: Any) -> Any:
    return await session.client.protocol.send_request_async(JUDGE_TEXT_REQUEST, params)


async def test_it_says_what_is_said_of_a_document(session: Session) -> None:
    for what, text in TEXTS.items():
        answer = await ask(session, uri=session.uri(CLOCK), text=text, namesMs=600_000)
        errors = await session.errors(CLOCK, text)
        related = (await session.pull(CLOCK, "semantics")).related_documents or {}
        told = {(each.line, each.character, each.code, each.message) for each in answer.errors}
        of_document = {
            (at.line, at.character, str(each.code), each.message)
            for each in errors
            for at in [each.range.start]
        }
        assert told == of_document, what
        assert {each.uri for each in answer.elsewhere} == set(related), what
        assert answer.namesLate is False


async def test_an_error_directive_counts_where_the_build_compiles_it(session: Session) -> None:
    for condition, ids in (
        ("GAME_SDK", []),
        ("UNITY_EDITOR", ["CS1029"]),
        ("!UNITY_EDITOR", []),
        ("true", ["CS1029"]),
    ):
        text = f"#if {condition}\n#error Needs more\n#endif\n{SCRIPTS[CLOCK]}"
        assert await session.ids(CLOCK, text) == ids, condition


IN_BODIES = """\
using System.Threading.Tasks;
public class Clock
{
    private int hour = Nowhere;
    public int Now() { return 1; }
    public int Then { get { return hour; } set { hour = value; } }
    public Tim Late() => null;
    public async Task Wait() { await Task.Yield(); }
    public int Last() { return Now(); }
}
"""

EDITS_IN_BODIES = [
    ("return 1;", "return one;"),
    ("return Now();", "\n        return now();"),
    ("return one;", "return 1; // and nothing\n"),
    ("hour = value;", "hour = value.Length;"),
    ("null;", "new Tim();"),
    ("await Task.Yield();", "var at = await Clock.Yield();"),
    ("return now();", ""),
    ("var at = await Clock.Yield();", "await Task.Yield();"),
    ("hour = value.Length;", "hour = value;"),
    ("{ \n         }", "{ return 2; }"),
    ("private int hour = Nowhere;", "private int hour = 1;"),
    ("Tim Late() => new Tim();", "Clock Late() => new Clock();"),
    ("return 2;", "return Late().Then;"),
    ("return Late().Then;", "return Late().Than;"),
]


async def test_bodies_that_change_one_after_another_are_judged_as_if_nothing_were_known(
    session: Session,
) -> None:
    """A document's diagnostics, with warnings, take all of it each time."""
    text = IN_BODIES
    counts = set[int]()
    for old, new in EDITS_IN_BODIES:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
        answer = await ask(session, uri=session.uri(CLOCK), text=text, namesMs=600_000)
        of_document = {
            (at.line, at.character, str(each.code), each.message)
            for each in await session.errors(CLOCK, text)
            for at in [each.range.start]
        }
        told = {(each.line, each.character, each.code, each.message) for each in answer.errors}
        assert told == of_document, (old, new)
        counts.add(len(told))
    assert counts >= {0, 1, 3, 4}


async def test_what_lies_beside_a_known_text_counts(root: Path, session: Session) -> None:
    asked = {"uri": session.uri(GAME), "text": SCRIPTS[GAME], "namesMs": 600_000}
    assert (await ask(session, **asked)).errors == []
    (root / CLOCK).write_text(SCRIPTS[CLOCK].replace("Now", "Then"), encoding="utf-8")
    assert [each.code for each in (await ask(session, **asked)).errors] == ["CS1061"]
    (root / CLOCK).write_text(SCRIPTS[CLOCK], encoding="utf-8")
    assert (await ask(session, **asked)).errors == []


async def test_names_can_be_left_out(session: Session) -> None:
    text = "public class Clock { public Tim Now() => null; int a = 1, a = 2; }\n"
    answer = await ask(session, uri=session.uri(CLOCK), text=text, namesMs=0)
    assert [each.code for each in answer.errors] == ["CS0102"]
    assert (answer.namesLate, answer.coverage.covers) == (False, ["brackets", "syntax"])
    assert [each.reason for each in answer.coverage.notChecked] == ["not_asked"]


DEEP = 2_000
"""Nested so deeply that a thread of the runtime's pool has no stack for it."""

BRANCHES = f"""\
class Deep {{ int F(int a) => {"(" * DEEP}a{")" * DEEP}; }}
#if FIRST
class First {{ int F(int a) {{ if (a) return 1; return 2; }} }}
#else
class Other {{ int F(int a) {{ if (a) return 3; return 4; }} }}
#endif
#if SECOND && !FIRST
class Second {{ float F() {{ int b; b = 1.5f; return b; }} }}
#endif
"""


async def test_symbol_sets_are_judged_side_by_side(session: Session) -> None:
    """Each says its own, in an order that doesn't hang on which ends first."""
    answers = [
        await ask(session, uri=session.uri(CLOCK), text=BRANCHES, namesMs=0) for _ in range(5)
    ]
    told = [[(each.line, each.code) for each in answer.errors] for answer in answers]
    assert told[1:] == told[:-1]
    assert sorted(told[0]) == [(2, "CS0029"), (4, "CS0029"), (7, "CS0266")]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"uri": "file:///a.cs"}, "uri and text must be strings"),
        ({"uri": "file:///a.cs", "text": "", "namesMs": -1}, "namesMs must be a number"),
        ({"uri": "file:///a.cs", "text": "", "namesMs": True}, "namesMs must be a number"),
    ],
)
async def test_wrong_parameters_are_told(
    params: dict[str, Any], says: str, session: Session
) -> None:
    with pytest.raises(JsonRpcException, match=says):
        await ask(session, **params)


async def test_names_that_come_late_are_not_waited_for() -> None:
    """And then all of the syntax is judged, which they would have told."""
    ended = Event()
    syntax: list[bool] = []

    class Bound:
        def linked(self) -> Bound:
            return self

        def cancel(self) -> None:
            ended.set()

    def semantics(*_: object, warnings: bool) -> object:
        assert not warnings
        assert ended.wait(60)
        raise asyncio.CancelledError

    def judged(*_: object, only_parsed: bool = False) -> list[object]:
        syntax.append(only_parsed)
        return []

    def of(*_: object) -> None:
        pass

    def assembly_of(_path: object) -> str:
        return "Game"

    judge: Any = SimpleNamespace(
        reading=of, syntax=judged, semantics=semantics, coverage=of, assembly_of=assembly_of
    )
    by = TextJudge(judge, asyncio.to_thread, asyncio.to_thread)
    bound: Any = Bound()
    answer = await by.judged(None, {"uri": "a", "text": "", "namesMs": 1}, {}, bound)
    assert (answer["namesLate"], answer["errors"], syntax) == (True, [], [True, False])
    assert ended.is_set()
    ended.clear()
    hour: Any = {"uri": "a", "text": "", "namesMs": 3_600_000}
    answer = await by.judged(None, hour, {}, bound)  # its assembly is known to be slow
    assert answer["namesLate"]
    assert not ended.is_set()
