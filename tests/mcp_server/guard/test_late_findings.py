"""What the guard finds after a hook's answer is told by the next one, once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from running_server import SCRIPT, SOURCE

from lsp_client.running.background_server import unavailable
from mcp_server.calls.local_tools import LocalTools
from mcp_server.guard.events import ChangedBy, Listener
from mcp_server.host.guarding import guard_watch
from mcp_server.host.guarding.guard_watch import GuardWatch
from mcp_server.host.guarding.outside_watch import OutsideWatch, _still_there
from mcp_server.host.later_verdicts import LaterVerdicts
from mcp_server.host.local_runs import ToolThreads
from mcp_server.news.background_judge import JUDGED_S
from mcp_server.news.findings import Finding, NewError, Origin
from mcp_server.watcher.outside_change import OutsideChange
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position
from snippet_engine.storage.paths.project import Project
from snippet_engine.validation.validator import ChangesVerdict, Diagnostic

pytestmark = pytest.mark.anyio

BROKEN = SOURCE.replace(b"speed = 0;", b"speed = (0;")
NAMELESS = SOURCE.replace(b"speed = 0;", b"speed = missing;")
"""Only a compiler finds its error."""

BY = ChangedBy("claude-code", "Write", "s", "c", {SCRIPT: SOURCE}, has_written=True)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not fail a test: a look may take long, unless a test says otherwise."""
    monkeypatch.setattr(guard_watch, "LOOK_S", 60.0)


@asynccontextmanager
async def watching(
    project: Path,
) -> AsyncIterator[tuple[LaterVerdicts, OutsideWatch, GuardWatch]]:
    """What the guard asks, with a watcher that has begun and without a compiler."""
    tools, threads = LocalTools(project, lsp="off"), ToolThreads()
    later = LaterVerdicts(tools, threads)
    outside = OutsideWatch(project, tools, later, threads)
    opened = Project.open(project)
    assert isinstance(opened, Project)
    outside.start()
    try:
        yield later, outside, GuardWatch(opened, tools, later, threads, outside)
    finally:
        await outside.stop(5.0)
        await threads.stop(5.0)


async def told(
    project: Path, *, is_late: bool, until: float, listeners: Sequence[Listener]
) -> list[Sequence[Finding] | None]:
    """Break a script; return what each of the hooks after it is told."""
    found_late = asyncio.Event()
    async with watching(project) as (_, outside, watch):
        (project / SCRIPT).write_bytes(BROKEN)
        answers = []
        changes: Sequence[OutsideChange] = await watch.look(
            [SCRIPT], BY, lambda _: found_late.set()
        )
        assert (not changes) is is_late
        for number, listener in enumerate(listeners):
            answers.append(await watch.news(changes, BY, until, listener))
            changes = ()
            if number == 0 and is_late:
                await found_late.wait()
            await outside.are_judged(inf)
        return answers


def messages(answers: Sequence[Sequence[Finding] | None]) -> list[list[str]]:
    return [[each.error.code for each in answer or ()] for answer in answers]


HEARD = Listener(inf)


def test_a_verdict_that_is_late(project: Path) -> None:
    answers = asyncio.run(told(project, is_late=False, until=0.0, listeners=[HEARD] * 3))
    assert sorted(messages(answers)) == [[], [], ["CS1026"]]


def test_a_look_that_is_late(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_watch, "LOOK_S", 0.0)
    answers = asyncio.run(told(project, is_late=True, until=0.0, listeners=[HEARD] * 3))
    assert sorted(messages(answers)) == [[], [], ["CS1026"]]


def test_an_answer_that_nobody_reads(project: Path) -> None:
    async def has_gone() -> bool:
        return False

    listeners = [Listener(inf, has_gone), Listener(0.0), HEARD, HEARD]
    until = monotonic() + 60.0
    answers = asyncio.run(told(project, is_late=False, until=until, listeners=listeners))
    assert answers[:2] == [None, None]
    assert messages(answers) == [[], [], ["CS1026"], []]


def test_a_second_error_of_the_same_words_is_new() -> None:
    first, moved = (NewError(SCRIPT, line, "CS1002", "; expected") for line in (3, 9))
    second = NewError(SCRIPT, 5, "CS1002", "; expected")
    assert _still_there([first], [first, second]) == [first]
    assert _still_there([first, second], [moved]) == [moved]
    assert _still_there([second], [first, second]) == [second]


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.01)


async def test_a_hook_that_comes_after_the_watcher_has_judged(project: Path) -> None:
    """It is told as of its own change, and so are all others, once."""

    async with watching(project) as (later, outside, watch):
        by = BY
        # A script that isn't read yet has no text from before but that of the hook.
        await until(lambda: outside.state is not None)
        await watch.look([SCRIPT], by, lambda _: None)
        later.news.enter("others")
        (project / SCRIPT).write_bytes(BROKEN)
        await until(lambda: later.news.has_errors)
        changes = await watch.look([SCRIPT], by, lambda _: None)
        found = await watch.news(changes, by, inf, HEARD)
        assert found is not None
        assert [(each.number, each.origin.caller) for each in found] == [(0, by.caller)]
        (told,) = later.news.waiting_for("others")
        assert told.origin.what == f"Write of {SCRIPT}"
        assert await watch.news((), by, inf, HEARD) == []


async def test_many_scripts_of_a_shell_are_counted(project: Path) -> None:
    began_s = monotonic()
    (project / "Library").mkdir(exist_ok=True)
    async with watching(project) as (_, outside, watch):
        await until(lambda: outside.state is not None)
        await until((project / "Library/SnippetEngine/texts/texts.db").exists)
        for number in range(25):
            (project / f"Assets/M{number}.cs").write_bytes(b"class M { int; }\n")
        by = replace(BY, tool="Bash", before={})
        while not watch.many_since(began_s):
            assert await watch.look(None, by, lambda _: None) == ()
        (many,) = watch.many_since(began_s)
        assert len(many.paths) == 25
        assert sorted(many.texts) == sorted(
            (each, None, b"class M { int; }\n") for each in many.paths
        )
        assert watch.many_since(monotonic()) == []


class Compiler:
    """Finds one error while the script is broken; in the background only when it may."""

    server_pid = 1

    def __init__(self, project: Path) -> None:
        self._script = project / SCRIPT
        self.may_judge_later = Event()
        self.may_judge_later.set()
        self.is_late = self.is_partial = False

    def judge_since(
        self, earlier: Mapping[str, str | None], *, within_s: float
    ) -> ChangesVerdict | SnippetError:
        if within_s == JUDGED_S:
            self.may_judge_later.wait(60)
        elif self.is_late:
            return unavailable("not in time")
        error = Diagnostic(0, Position(11, 0), "CS0103", "no such name", SCRIPT)
        is_new = self._script.read_bytes() != SOURCE and SCRIPT in earlier
        blocked = ("B was not checked: A has errors",) if is_new and self.is_partial else ()
        return ChangesVerdict(
            "compiler",
            ("syntax", "semantics"),
            (error,) if is_new else (),
            blocked,
            1.0,
            self.is_partial,
            blocked=blocked,
        )


@pytest.fixture
def compiler(project: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    """A compiler that runs."""
    found = Compiler(project)
    monkeypatch.setattr(LocalTools, "opened_validator", lambda _: found)
    return found


async def written(
    watch: GuardWatch, project: Path, text: bytes, path: str = SCRIPT, until_s: float = inf
) -> list[str]:
    """Write a script with a hook after it; return the codes that it is told."""
    (project / path).write_bytes(text)
    changes = await watch.look([path], replace(BY, before={}), lambda _: None)
    return codes(await watch.news(changes, BY, until_s, HEARD))


def codes(found: Sequence[Finding] | None) -> list[str]:
    return [each.error.code for each in found or () if not each.is_unknown]


async def test_a_verdict_of_a_part_is_told_at_once(project: Path, compiler: Compiler) -> None:
    """Errors in declarations keep other assemblies from being judged."""
    compiler.is_partial = True

    async with watching(project) as (later, _, watch):
        await watch.look([SCRIPT], BY, lambda _: None)
        assert await written(watch, project, NAMELESS) == ["CS0103"]
        await until(lambda: later.news.has_errors)
        assert codes(await watch.news((), BY, inf, HEARD)) == []


async def test_an_error_that_was_told_and_repaired_is_told_again(
    project: Path, compiler: Compiler
) -> None:
    compiler.is_late = True
    error = NewError(SCRIPT, 12, "CS0103", "no such name")

    async with watching(project) as (later, _, watch):
        await watch.look([SCRIPT], BY, lambda _: None)
        compiler.may_judge_later.clear()
        assert await written(watch, project, NAMELESS, until_s=0.0) == []
        compiler.may_judge_later.set()
        await until(lambda: later.news.has_errors)
        watch.note_reported(BY, [error])  # at the end of a turn
        assert await written(watch, project, SOURCE) == []
        await until(lambda: not later.news.has_errors and not later.news.pending)
        compiler.may_judge_later.clear()
        assert await written(watch, project, NAMELESS, until_s=0.0) == []
        compiler.may_judge_later.set()
        await until(lambda: later.news.has_errors)
        assert codes(await watch.news((), BY, inf, HEARD)) == ["CS0103"]


async def test_an_error_found_late_is_told_by_the_next_write(
    project: Path, compiler: Compiler
) -> None:
    """The background is never done while an agent writes one script after the other."""
    compiler.is_late = True

    async with watching(project) as (later, _, watch):
        await watch.look([SCRIPT], BY, lambda _: None)
        compiler.may_judge_later.clear()
        assert await written(watch, project, NAMELESS, until_s=0.0) == []
        compiler.may_judge_later.set()
        await until(lambda: later.news.has_errors)
        compiler.may_judge_later.clear()
        compiler.is_late = False
        assert await written(watch, project, b"class B { }\n", "Assets/B.cs") == ["CS0103"]
        assert await written(watch, project, b"class B { int i; }\n", "Assets/B.cs") == []
        compiler.may_judge_later.set()


async def test_a_repair_does_not_wait_for_what_was_told(project: Path, compiler: Compiler) -> None:
    async with watching(project) as (later, _, watch):
        await watch.look([SCRIPT], BY, lambda _: None)
        (project / SCRIPT).write_bytes(BROKEN)
        changes = await watch.look([SCRIPT], BY, lambda _: None)
        said = await watch.news(changes, BY, inf, HEARD)
        assert [each.error.code for each in said or ()] == ["CS0103"]
        await until(lambda: later.news.has_errors)
        compiler.may_judge_later.clear()
        (project / SCRIPT).write_bytes(SOURCE)
        changes = await watch.look([SCRIPT], BY, lambda _: None)
        assert await watch.news(changes, BY, inf, HEARD) == []
        compiler.may_judge_later.set()


async def test_a_verdict_that_comes_after_the_next_change_names_what_broke(project: Path) -> None:
    good = SOURCE + b"// good\n"

    async with watching(project) as (later, outside, _):
        later.news.enter("others")
        (project / SCRIPT).write_bytes(BROKEN)
        first, second = (Origin(later.news.new_number(), what) for what in ("first", "second"))
        asked = [(SCRIPT, SOURCE, good, first), (SCRIPT, good, BROKEN, second)]
        await asyncio.wait(outside.judge(asked))
        found = later.news.of({first.number, second.number})
        assert [each.origin for each in found] == [second]
        assert [each.error.code for each in found] == ["CS1026"]


async def test_only_one_change_that_led_to_all_errors_is_said_to_be_undone(project: Path) -> None:
    def origin(later: LaterVerdicts, caller: str = BY.caller) -> Origin:
        number = later.news.new_number()
        return Origin(number, "Write", caller, BY.client, {"changeId": f"h{number}"})

    async with watching(project) as (later, _, watch):
        await watch.look([SCRIPT], BY, lambda _: None)
        later.news.enter(BY.caller)
        errors = [NewError(SCRIPT, line, "CS0103", f"no {line}") for line in range(1, 5)]
        mine, again, others = origin(later), origin(later), origin(later, "guard cursor o")
        later.news.publish(mine, errors[:2], 0.0)
        later.news.publish(again, errors[2:3], 0.0)
        later.news.publish(others, errors[3:], 0.0)
        moved = replace(errors[0], line=9)
        assert watch.undo_of(BY, [moved, errors[1]]) == mine.undo
        assert watch.undo_of(BY, errors[2:3]) == again.undo
        assert watch.undo_of(BY, errors[1:3]) is None, "two changes"
        assert watch.undo_of(BY, errors[3:]) is None, "another session's"
        unknown = replace(errors[0], message="unknown")
        assert watch.undo_of(BY, [errors[0], unknown]) is None
        later.news.publish(again, errors[1:2], 0.0)
        assert watch.undo_of(BY, errors[1:2]) is None, "either of two"
        assert watch.undo_of(BY, errors[:1]) == mine.undo
        later.news.applied(origin(later), {SCRIPT: "text"}, 0.0)
        assert watch.undo_of(BY, errors[:1]) == mine.undo
