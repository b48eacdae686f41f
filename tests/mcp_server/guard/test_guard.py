"""The guard's decisions, with a watcher that says what a test lets it say."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import pytest
from running_server import SCRIPT, SOURCE

from mcp_server.calls.project import open_engine
from mcp_server.contract.errors import ToolError
from mcp_server.guard.before import KEPT_S, MAX_BYTES, MAX_CALLS, BeforeImages, BeforeWrites
from mcp_server.guard.events import (
    ChangedBy,
    ErrorsSince,
    GuardAnswer,
    GuardEvent,
    Listener,
    Moment,
    Whole,
)
from mcp_server.guard.reports import MAX_ERRORS
from mcp_server.guard.sessions import MAX_FILES, MAX_SESSIONS, Session, Sessions
from mcp_server.host.guarding.guard import Guard
from mcp_server.news.findings import Finding, NewError, Origin
from mcp_server.watcher.outside_change import BulkChange, OutsideChange
from snippet_engine.storage.paths.project import Project

pytestmark = pytest.mark.anyio

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    path: str
    before: bytes | None
    after: bytes | None
    undo: Mapping[str, Any] | None = None
    was_there: bool = True
    number: int = 0


@dataclass
class Watched:
    """Stands in for the watcher: gives its answers in turn, and knows what it was asked."""

    looks: list[list[Change]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    errors: list[NewError] | None = None
    asked: list[Any] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    looked_around: int = 0
    has_compiler: bool = True
    reported_at_stop: list[NewError] = field(default_factory=list)
    undo: Mapping[str, Any] | None = None
    undo_asked: list[NewError] = field(default_factory=list)
    many: list[BulkChange] = field(default_factory=list)
    many_at_s: float = inf
    not_checked: str = ""
    settings: list[str] = field(default_factory=list)
    settings_at_s: float = inf
    why_not_compiled: str = ""

    def many_since(self, since_s: float) -> Sequence[BulkChange]:
        return self.many if self.many_at_s > since_s else ()

    async def look(
        self,
        paths: Sequence[str] | None,
        by: ChangedBy,
        on_late: Callable[[Sequence[OutsideChange]], None],
    ) -> Sequence[OutsideChange]:
        self.asked.append((paths, by))
        return self.looks.pop(0) if self.looks else ()

    async def settle(self, paths: Sequence[str]) -> None:
        self.settled += paths

    async def news(
        self, changes: Sequence[OutsideChange], by: ChangedBy, until: float, listener: Listener
    ) -> Sequence[Finding] | None:
        found, self.findings = self.findings, []
        return found if await listener.is_waiting() else None

    async def settings_since(self, since_s: float) -> Sequence[str]:
        return self.settings if self.settings_at_s >= since_s else ()

    async def not_compiled(self, within_s: float) -> str:
        return self.why_not_compiled

    async def look_around(self) -> float | None:
        self.looked_around += 1
        return 7.0

    async def errors_since(
        self, earlier: Mapping[str, bytes | None], within_s: float
    ) -> ErrorsSince | None:
        self.asked.append(dict(earlier))
        return None if self.errors is None else ErrorsSince(tuple(self.errors), self.not_checked)

    def standing(self) -> str:
        return "whether it compiles isn't known yet"

    def note_reported(self, by: ChangedBy, errors: Sequence[NewError]) -> None:
        self.reported_at_stop += errors

    def undo_of(self, by: ChangedBy, errors: Sequence[NewError]) -> Mapping[str, Any] | None:
        self.undo_asked += errors
        return self.undo

    def checks_names(self) -> bool:
        return self.has_compiler


def guard_of(project: Path, watched: Watched) -> Guard:
    opened, engine = Project.open(project), open_engine(project)
    assert isinstance(opened, Project)
    assert not isinstance(engine, ToolError)

    def run(work: Callable[[], T]) -> Awaitable[T | None]:
        return asyncio.to_thread(work)

    before = BeforeWrites(opened, lambda: engine, lambda: None, lambda *_: None)
    return Guard(opened, before, watched, run)


def answers(guard: Guard, *events: GuardEvent) -> list[GuardAnswer]:
    async def all_of_them() -> list[GuardAnswer]:
        return [await guard.answer(each, Listener(inf)) for each in events]

    return asyncio.run(all_of_them())


def event(project: Path, moment: Moment, **more: Any) -> GuardEvent:
    values = {"client": "claude-code", "session": "s", "tool": "Write", "call": "c", **more}
    return GuardEvent(moment=moment, cwd=str(project), **values)


def found(number: int = 0, **undo: Any) -> Finding:
    error = NewError(SCRIPT, 11, "CS1026", ") expected")
    origin = Origin(number, "Write of it", "guard claude-code s", "claude-code", undo)
    return Finding(number, error, origin, 0.0)


STOP = Moment.STOP


def shell(project: Path) -> list[GuardEvent]:
    moments = (Moment.BEFORE, Moment.AFTER)
    return [event(project, each, tool="Bash", may_write_anything=True) for each in moments]


WRITE = (Whole(SCRIPT, "class Player { }"),)
CHANGED = Change(SCRIPT, SOURCE, b"class Player { }")


def test_the_watcher_is_asked_with_what_was_noted(project: Path) -> None:
    watched = Watched()
    before = event(project, Moment.BEFORE, writes=WRITE)
    answers(guard_of(project, watched), before, event(project, Moment.AFTER, writes=WRITE))
    ((paths, by),) = watched.asked
    noted = ChangedBy("claude-code", "Write", "s", "c", {SCRIPT: SOURCE}, has_written=True)
    assert (paths, replace(by, noted_s=0.0)) == ([SCRIPT], noted)
    assert watched.settled == [SCRIPT]


def test_a_shell_may_have_changed_anything(project: Path) -> None:
    watched = Watched(looks=[[CHANGED]], findings=[found(changeId="h1")])
    said = answers(guard_of(project, watched), *shell(project))[1]
    assert [(paths, by.since_s) for paths, by in watched.asked] == [(None, 7.0)]
    assert said.tell == (
        "1 new error in scripts that changed while this command ran:\n"
        f"{SCRIPT}:11 CS1026: ) expected\n"
        'To take it back: undo_snippet {"changeId":"h1"}'
    )


MANY = tuple((f"Assets/M{number}.cs", b"old", b"new") for number in range(30))


@pytest.mark.parametrize(("kept", "why"), [(30, ""), (30, "b is not in the build"), (28, "")])
def test_many_scripts_of_a_command_are_judged_at_the_end(
    project: Path, kept: int, why: str
) -> None:
    for path, _, now in MANY:
        (project / path).write_bytes(now)
    bulk = BulkChange(tuple(path for path, _, _ in MANY), "", "h1", MANY[:kept], reformatted=3)
    error = NewError("Assets/M7.cs", 1, "CS0103", "no such name")
    watched = Watched(many=[bulk], errors=[error], not_checked=why)
    stop = event(project, STOP)
    _, told, first, second = answers(guard_of(project, watched), *shell(project), stop, stop)
    assert told.tell is not None
    assert told.tell.startswith("30 scripts changed")
    assert told.tell.endswith("byte order marks changed in 3.")
    assert watched.asked[1] == dict(each[:2] for each in MANY[:kept])
    left = "2 of 30 scripts" if kept < 30 else "30 scripts" if why else ""
    assert first.block is not None
    assert "Assets/M7.cs:1 CS0103: no such name" in first.block
    assert first.block.count(f"Not judged: {left}") == bool(left)
    assert second == GuardAnswer()


def test_many_scripts_that_nothing_ties_to_a_command_are_not_its_changes(project: Path) -> None:
    watched = Watched(many=[BulkChange(("Assets/M.cs",), "", "h1", MANY)], many_at_s=7.0)
    _, told, stopped = answers(guard_of(project, watched), *shell(project), event(project, STOP))
    assert (told, stopped) == (GuardAnswer(), GuardAnswer())


def test_what_nothing_ties_to_a_shell_is_not_its_change(project: Path) -> None:
    theirs = replace(found(3, changeId="h1"), origin=Origin(2, "change of B.cs outside"))
    watched = Watched(looks=[[CHANGED]], findings=[theirs], errors=[theirs.error])
    after, stop = shell(project)[1], event(project, STOP)
    said, stopped = answers(guard_of(project, watched), after, stop)
    assert said.tell == (
        "1 new error since change of B.cs outside, perhaps not by this command:\n"
        f"{SCRIPT}:11 CS1026: ) expected"
    )
    assert (watched.looked_around, watched.asked, stopped) == (1, [], GuardAnswer())


async def test_what_nobody_hears_is_said_the_next_time(project: Path) -> None:
    mixed = replace(CHANGED, after=SOURCE.replace(b"\r\n", b"\n"))
    watched = Watched(looks=[[mixed]])
    guard, write = guard_of(project, watched), event(project, Moment.AFTER, writes=WRITE)

    unheard, heard = [await guard.answer(write, Listener(each)) for each in (0.0, inf)]
    assert unheard == GuardAnswer()
    assert heard.tell == (f"{SCRIPT}: its line endings changed from CRLF to LF in 14 of 14 lines.")


async def test_a_refusal_that_nobody_hears_is_none(project: Path) -> None:
    broken = (Whole(SCRIPT, "class Player {"),)
    guard, write = guard_of(project, Watched()), event(project, Moment.BEFORE, writes=broken)

    unheard, refused, again = [
        await guard.answer(write, Listener(each)) for each in (0.0, inf, inf)
    ]
    assert (unheard, again) == (GuardAnswer(), GuardAnswer())
    assert refused.refuse is not None


def test_an_agent_that_reads_no_answer_uses_up_no_news(project: Path) -> None:
    watched = Watched(looks=[[CHANGED]], findings=[found()])
    unheard = event(project, Moment.AFTER, writes=WRITE, is_answer_read=False)
    assert answers(guard_of(project, watched), unheard) == [GuardAnswer()]
    assert (len(watched.looks), len(watched.findings)) == (1, 1)


def test_what_was_there_may_be_unknown(project: Path) -> None:
    unknown = Change(SCRIPT, None, b"class Player { }")
    watched = Watched(looks=[[unknown]], findings=[found()], errors=[found().error])
    guard = guard_of(project, watched)
    said, stop = answers(guard, event(project, Moment.AFTER, writes=WRITE), event(project, STOP))
    assert said.tell is not None
    assert said.tell.endswith("the earlier text is unknown.")
    assert stop == GuardAnswer()


def test_a_tool_that_writes_nothing_still_gets_late_news(project: Path) -> None:
    watched = Watched(findings=[found()])
    (said,) = answers(guard_of(project, watched), event(project, Moment.AFTER, tool="Read"))
    assert said.tell is not None
    assert watched.asked == []


def test_at_most_five_errors_are_told(project: Path) -> None:
    watched = Watched(findings=[found() for _ in range(9)])
    (said,) = answers(guard_of(project, watched), event(project, Moment.AFTER, tool="Read"))
    assert said.tell is not None
    assert said.tell.count("CS1026") == MAX_ERRORS
    assert "4 more; check_project lists all." in said.tell


def test_others_errors_are_not_called_the_agents(project: Path) -> None:
    theirs = replace(
        found(2), origin=Origin(2, "change of B.cs outside unity-snippet", undo={"changeId": "h1"})
    )
    watched = Watched(looks=[[CHANGED]], findings=[found(), theirs])
    (said,) = answers(guard_of(project, watched), event(project, Moment.AFTER, writes=WRITE))
    assert said.tell is not None
    assert "1 new error since this change:" in said.tell
    assert "1 new error since change of B.cs outside unity-snippet:" in said.tell
    assert "h1" not in said.tell


def test_another_sessions_change_is_not_taken_for_ones_own(project: Path) -> None:
    origin = Origin(2, f"Edit of {SCRIPT}", "guard claude-code other", "claude-code")
    watched = Watched(findings=[replace(found(2), origin=origin)])
    (said,) = answers(guard_of(project, watched), event(project, Moment.AFTER, tool="Read"))
    assert said.tell is not None
    assert said.tell.startswith(f"1 new error since another session's Edit of {SCRIPT}:")


def test_a_client_that_saves_after_its_hook(project: Path) -> None:
    watched = Watched(looks=[[], [], [CHANGED]])
    after = event(project, Moment.AFTER, client="vscode", writes=WRITE)
    answers(guard_of(project, watched), after)
    assert len(watched.asked) == 3
    watched = Watched(looks=[[], [CHANGED]])
    answers(guard_of(project, watched), event(project, Moment.AFTER, writes=WRITE))
    assert len(watched.asked) == 1


def test_the_end_is_held_up_once(project: Path) -> None:
    (project / SCRIPT).write_bytes(b"class Player { }")
    errors = [NewError(SCRIPT, line, "CS0103", "no such name") for line in range(1, 8)]
    watched = Watched(looks=[[CHANGED]], errors=errors)
    after, stop = event(project, Moment.AFTER, writes=WRITE), event(project, STOP)
    guard = guard_of(project, watched)
    _, again, first, second = answers(
        guard, after, event(project, STOP, stopped_before=True), stop, stop
    )
    assert (again.block, second.block) == (None, None)
    assert first.block is not None
    assert first.block.startswith("The project has 7 new errors")
    assert first.block.count("CS0103") == MAX_ERRORS
    assert watched.asked[1:] == [{SCRIPT: SOURCE}] * 2


def test_the_end_only_names_what_was_told(project: Path) -> None:
    (project / SCRIPT).write_bytes(b"class Player { }")
    moved = replace(found().error, line=12)
    other = NewError(SCRIPT, 3, "CS0103", "no such name")
    watched = Watched(looks=[[CHANGED]], findings=[found()], errors=[moved, other])
    guard = guard_of(project, watched)
    stop = event(project, STOP)
    said, block = answers(guard, event(project, Moment.AFTER, writes=WRITE), stop)
    assert said.tell is not None
    assert ") expected" in said.tell
    assert block.block == (
        "The project has 1 new error that it did not have before this session:\n"
        f"{SCRIPT}:3 CS0103: no such name\n"
        f"Still there: 1 error ({SCRIPT}:12 CS1026).\n"
        "Each error blocks the end of a turn only once."
    )


def test_the_end_says_how_to_take_back_what_led_to_untold_errors(project: Path) -> None:
    (project / SCRIPT).write_bytes(b"class Player { }")
    other = NewError(SCRIPT, 3, "CS0103", "no such name")
    watched = Watched(looks=[[CHANGED]], findings=[found()], errors=[found().error, other])
    watched.undo = {"path": SCRIPT, "hashAfter": "12"}
    guard = guard_of(project, watched)
    _, block = answers(guard, event(project, Moment.AFTER, writes=WRITE), event(project, STOP))
    assert watched.undo_asked == [other]
    assert block.block is not None
    assert block.block.splitlines()[1:3] == [
        f"{SCRIPT}:3 CS0103: no such name",
        "To take back the change that led there: "
        f'undo_snippet {{"path":"{SCRIPT}","hashAfter":"12"}}',
    ]


def test_another_turn_with_other_errors_is_held_up(project: Path) -> None:
    (project / SCRIPT).write_bytes(b"class Player { }")
    watched = Watched(looks=[[CHANGED]], errors=[NewError(SCRIPT, 1, "CS0103", "a")])
    guard = guard_of(project, watched)
    answers(guard, event(project, Moment.AFTER, writes=WRITE), event(project, STOP))
    watched.errors = [NewError(SCRIPT, 2, "CS0103", "a"), NewError(SCRIPT, 3, "CS0103", "b")]
    first, second = answers(guard, event(project, STOP), event(project, STOP))
    assert first.block is not None
    assert first.block.startswith("The project has 1 new error that")
    assert second == GuardAnswer()
    assert [each.message for each in watched.reported_at_stop] == ["a", "b"]


def test_what_could_not_be_judged_is_said(project: Path) -> None:
    unknown = replace(found(), is_unknown=True, error=NewError(SCRIPT, 0, "", "not judged: x."))
    watched = Watched(looks=[[CHANGED]], findings=[unknown])
    (said,) = answers(guard_of(project, watched), event(project, Moment.AFTER, writes=WRITE))
    assert said.tell == f"{unknown.origin.what}: not judged: x."


def test_errors_that_others_made_do_not_hold_up_the_end(project: Path) -> None:
    """The script was written by somebody else after the agent's change."""
    watched = Watched(looks=[[CHANGED]], errors=[NewError(SCRIPT, 1, "CS0103", "no such name")])
    guard = guard_of(project, watched)
    _, said = answers(guard, event(project, Moment.AFTER, writes=WRITE), event(project, STOP))
    assert said == GuardAnswer()
    assert watched.asked[1:] == [{SCRIPT: SOURCE}, {SCRIPT: CHANGED.after}]


@pytest.mark.parametrize("errors", [None, []])
def test_the_end_of_a_clean_session(project: Path, errors: list[NewError] | None) -> None:
    watched = Watched(looks=[[CHANGED]], errors=errors)
    guard = guard_of(project, watched)
    _, said = answers(guard, event(project, Moment.AFTER, writes=WRITE), event(project, STOP))
    assert said == GuardAnswer()


def test_other_sessions_are_not_held_up(project: Path) -> None:
    watched = Watched(looks=[[CHANGED]], errors=[NewError(SCRIPT, 1, "CS0103", "no such name")])
    guard = guard_of(project, watched)
    stops = [
        event(project, STOP, session="other"),
        event(project, STOP, client="codex"),
    ]
    _, *said = answers(guard, event(project, Moment.AFTER, writes=WRITE), *stops)
    assert said == [GuardAnswer()] * 2
    assert len(watched.asked) == 1


def test_only_the_first_text_of_a_script_counts() -> None:
    session = Session()
    session.changed("A.cs", b"first", b"second")
    session.changed("A.cs", b"second", b"third")
    session.changed("New.cs", None, b"")
    assert session.earlier == {"A.cs": b"first", "New.cs": None}
    session.changed("A.cs", b"somebody else's", b"fourth")
    assert session.earlier["A.cs"] == b"somebody else's"


def test_sessions_are_bounded() -> None:
    session = Session()
    for number in range(MAX_FILES + 1):
        session.changed(f"{number}.cs", b"", b"")
    assert len(session.earlier) == MAX_FILES
    sessions = Sessions()
    for number in range(MAX_SESSIONS + 1):
        sessions.of("client", str(number))
    assert sessions.known("client", "0") is None
    assert sessions.known("client", "1") is not None


def test_images_are_kept_for_one_call_and_a_time(project: Path) -> None:
    images = BeforeImages()
    before, after = event(project, Moment.BEFORE), event(project, Moment.AFTER)
    images.note(before, {SCRIPT: SOURCE}, 0.0, 3.0)
    assert images.take(event(project, Moment.AFTER, call="other"), 1.0) == ({}, 0.0)
    assert images.take(after, KEPT_S) == ({SCRIPT: SOURCE}, 3.0)
    assert images.take(after, KEPT_S) == ({}, 0.0)
    images.note(before, {SCRIPT: SOURCE}, 0.0, 3.0)
    assert images.take(after, KEPT_S + 1) == ({}, 0.0)


def test_images_without_a_call_belong_to_what_it_writes(project: Path) -> None:
    images = BeforeImages()
    images.note(event(project, Moment.BEFORE, call=None, writes=WRITE), {SCRIPT: SOURCE}, 0.0)
    other = (Whole("Assets/Other.cs", ""),)
    assert images.take(event(project, Moment.AFTER, call=None, writes=other), 0.0)[0] == {}
    assert images.take(event(project, Moment.AFTER, call=None, writes=WRITE), 0.0)[0] != {}


@pytest.mark.parametrize(("size", "kept"), [(1, MAX_CALLS), (MAX_BYTES // 2, 2)])
def test_images_are_bounded(project: Path, size: int, kept: int) -> None:
    images, data = BeforeImages(), bytes(size)
    for number in range(MAX_CALLS + 1):
        images.note(event(project, Moment.BEFORE, call=str(number)), {SCRIPT: data}, 0.0)
    events = [event(project, Moment.AFTER, call=str(each)) for each in range(MAX_CALLS + 1)]
    assert [bool(images.take(each, 0.0)[0]) for each in events] == [
        number > MAX_CALLS - kept for number in range(MAX_CALLS + 1)
    ]


DEFINITION = "Assets/Game.asmdef"


@pytest.mark.parametrize("is_command", [False, True])
def test_what_a_changed_definition_leaves_unknown_is_said_once(
    project: Path, is_command: bool
) -> None:
    watched = Watched(why_not_compiled="Game can't be judged", errors=[])
    guard, stop = guard_of(project, watched), event(project, STOP)
    if is_command:
        watched.settings = [DEFINITION]
        calls = shell(project)
    else:
        calls = [event(project, Moment.AFTER, writes=(Whole(DEFINITION, "{}"),))]
    *_, first, second = answers(guard, *calls, stop, stop)
    assert first.block == f"After the change of {DEFINITION}: Game can't be judged."
    assert second == GuardAnswer()


def test_a_definition_with_which_all_compiles_and_anothers(project: Path) -> None:
    watched = Watched(settings=[DEFINITION], settings_at_s=6.0, errors=[])
    guard, stop = guard_of(project, watched), event(project, STOP)
    written = event(project, Moment.AFTER, writes=(Whole(DEFINITION, "{}"),))
    assert answers(guard, written, stop)[1] == GuardAnswer()
    watched.why_not_compiled = "Game can't be judged"
    other = [replace(each, session="other") for each in (*shell(project), stop)]
    assert answers(guard, *other)[2] == GuardAnswer()


def test_an_error_that_was_repaired_holds_up_again(project: Path) -> None:
    error = NewError(SCRIPT, 3, "CS0103", "no such name")
    watched = Watched(looks=[[CHANGED]], errors=[error])
    (project / SCRIPT).write_bytes(b"class Player { }")
    guard, stop = guard_of(project, watched), event(project, STOP)
    written = event(project, Moment.AFTER, writes=WRITE)
    _, first, again = answers(guard, written, stop, stop)
    assert (first.block is not None, again.block) == (True, None)
    watched.errors = []
    assert answers(guard, stop) == [GuardAnswer()]
    watched.errors = [error]
    (second,) = answers(guard, stop)
    assert second.block == first.block
