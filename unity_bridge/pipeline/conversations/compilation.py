"""``compile`` over the Pipeline: an asset refresh that is followed to its true end.

Implements docs/design/pipeline.md §8. A conversation outlives the domain reload that it causes; the
recompile itself is sent once, or a second time where the first found nothing although scripts are
newer.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from unity_bridge.editor_state import EditorState
from unity_bridge.link import Answer, Completed, Failed, NotSent, OutcomeUnknown, Rejected
from unity_bridge.pipeline.conversations.compile_errors import (
    MAX_ERRORS,
    CompileReport,
    ask_report,
    issues,
    read_report,
)
from unity_bridge.pipeline.conversations.conversation import (
    Ask,
    Conversation,
    Counted,
    Now,
    Pause,
    Replaced,
    WrittenFiles,
    blocked,
    execute,
    look,
    no_result,
)
from unity_bridge.pipeline.conversations.play_mode import AWAY, stop_playing
from unity_bridge.pipeline.envelopes import Lost, Result, field_of
from unity_bridge.pipeline.sightings import READY_IN_A_ROW, Sighting, Tally
from unity_bridge.pipeline.vocabulary import Operation

LOOK_AGAIN_MS = 200
"""How long to wait before asking again how the compile is."""

IDLE_LOOKS = 10
"""How often the Editor may say that it is idle, right after it was asked to compile, before that is
believed."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compile came to. ``report`` is the Editor's last word on it."""

    report: CompileReport
    reloaded: bool
    began: bool = False
    """Whether the Editor said that it compiles, or was seen to."""
    stale: tuple[str, ...] = ()
    """Scripts that are newer than the compile, though the Editor says that it is up to date."""

    @property
    def found_nothing(self) -> bool:
        """Whether nothing was compiled: what the Editor tells of errors is of earlier ones."""
        return self.status == "up_to_date" or (self.status == "failed" and not self.began)

    @property
    def status(self) -> str:
        """``succeeded``, ``failed`` or ``up_to_date``."""
        if self.report.has_errors:
            return "failed"
        # A reload alone may be anybody's.
        compiled = self.began and self.reloaded
        nothing = self.report.status in ("up_to_date", "idle") and not compiled
        return "up_to_date" if nothing else "succeeded"


def compile_scripts(params: Mapping[str, Any]) -> Conversation:
    """The tool: compile, and say what came of it."""
    started = yield Now()
    outcome = yield from compile_now(params)
    if not isinstance(outcome, Compiled):
        return outcome
    ended = yield Now()
    result: dict[str, Any] = {
        "status": outcome.status,
        "errors": issues(outcome.report),
        "warnings": [],
        # Unity loads what it has compiled; a reload too short to be seen isn't denied.
        "reloaded": outcome.reloaded or (None if outcome.status == "succeeded" else False),
        "duration_ms": max(0, round(ended - started)),
    }
    if len(outcome.report.errors) > MAX_ERRORS:
        result["truncated"] = True
    if outcome.stale:
        result["stale_view"] = list(outcome.stale)
    return Completed(result)


def both_told(first: Answer, second: Answer) -> Answer:
    """What two compiles, one after the other, come to for who has waited for both."""
    if isinstance(second, NotSent | Rejected):
        # The first one was made, so that it can't be said that nothing was.
        why = second.reason if isinstance(second, NotSent) else second.message
        return OutcomeUnknown(
            f"what was written during a compile awaits another: {why}", second.details
        )
    if not (isinstance(first, Completed) and isinstance(second, Completed)):
        return second
    one, other = dict(first.body), dict(second.body)
    told = one if other["status"] == "up_to_date" else other
    both = {
        **told,
        "reloaded": one["reloaded"] or other["reloaded"],
        "duration_ms": one["duration_ms"] + other["duration_ms"],
    }
    stale = other.get("stale_view")
    return Completed({**both, "stale_view": stale} if stale else both)


def may_compile(params: Mapping[str, Any]) -> Generator[Ask, Any, Answer | None]:
    """Whether there is anything in the way of a compile; ``None`` if not."""
    seen = yield from look()
    if seen is None:
        return AWAY
    in_the_way = blocked(seen)
    if in_the_way is not None:
        return in_the_way
    if seen.playing and params.get("stop_play_mode") is not True:
        return Rejected(
            "ERR_INVALID_STATE",
            "In play mode Unity puts compiling off. First send control_play_mode "
            '{"action": "stop"}, or compile {"stop_play_mode": true}.',
        )
    return None


def compile_now(params: Mapping[str, Any]) -> Generator[Ask, Any, Compiled | Answer]:
    """Have the scripts compiled, and wait until the Editor is ready again."""
    refused = yield from may_compile(params)
    if refused is not None:
        return refused
    seen = yield from look()
    if seen is not None and seen.playing:
        still_playing = yield from stop_playing()
        if still_playing is not None:
            return still_playing
    outcome = yield from _refresh()
    if not isinstance(outcome, Compiled) or not outcome.found_nothing:
        return outcome
    newer = yield WrittenFiles()
    if not newer:
        return outcome
    outcome = yield from _refresh()
    if not isinstance(outcome, Compiled) or not outcome.found_nothing:
        return outcome
    newer = yield WrittenFiles()
    return replace(outcome, stale=tuple(newer))


def _refresh() -> Generator[Ask, Any, Compiled | Answer]:
    before = yield from ask_report()
    earlier: Tally = yield Counted()
    reply = yield from execute(Operation.RECOMPILE)
    if not isinstance(reply, Result | Lost):
        return no_result(reply)
    if isinstance(reply, Result):
        said = read_report(reply.value)
        if reply.value is None:  # commands of 1.0 may return nothing: what came of it is looked at
            return (yield from _follow(earlier, before, arrived=False))
        if said is None:
            return no_result_of(reply)
        if said.status == "up_to_date":
            return Compiled((yield from _settled(said)), False)
        return (yield from _follow(earlier, before, arrived=True))
    # It may never have arrived: then what is told of a compile is told of an earlier one.
    return (yield from _follow(earlier, before, arrived=False))


def _settled(said: CompileReport) -> Generator[Ask, Any, CompileReport]:
    """What the Editor says of its scripts where it found nothing to compile, ``said`` if nothing.

    Right after a good compile of somebody else's the flag still tells of errors that are gone: it
    is believed once the Editor was ready twice in a row, or hasn't been for a while.
    """
    report: CompileReport | None = None
    ready = 0
    for _ in range(IDLE_LOOKS):
        report = yield from ask_report()
        if report is None or not report.over:
            return said
        if not report.has_errors or report.errors:
            return report
        seen = yield from look()
        ready = ready + 1 if seen is not None and not seen.state.busy else 0
        if ready > READY_IN_A_ROW:
            return report
        yield Pause(LOOK_AGAIN_MS)
    return report or said


def no_result_of(reply: Result) -> Answer:
    """The answer where the result of a recompile has no status."""
    told = field_of(reply.value, "message")
    return Failed("PIPELINE_COMMAND_FAILED", f"recompile gave no status ({str(told)[:200]})")


def _follow(
    earlier: Tally, before: CompileReport | None, *, arrived: bool
) -> Generator[Ask, Any, Compiled | Answer]:
    """Wait for the end of a compile that was asked for, and of the reload that follows it, after
    what was seen ``earlier``.

    Only what differs from what was told ``before``, or was seen to go on, is this compile's: also
    where the request has ``arrived``, as Unity may put a compile off that it says has begun.
    """
    last: CompileReport | None = None
    began = arrived
    shown = False
    ready = idle = 0
    while True:
        seen = yield from look()
        replaced: bool = yield Replaced(Operation.RECOMPILE)
        if replaced:
            return OutcomeUnknown("the Unity Editor was closed or crashed while it compiled")
        now: Tally = yield Counted()
        # It may be over already, and the reload that is seen be the one that it began with.
        if now.plays > earlier.plays:
            return OutcomeUnknown(
                "play mode was entered meanwhile, in which Unity puts compiling off without a word"
            )
        compiling = now.compiles > earlier.compiles or _compiling(seen)
        began = began or compiling
        shown = shown or compiling or (arrived and now.reloads > earlier.reloads)
        if seen is not None and seen.dialog is not None:
            there = blocked(seen)
            assert there is not None
            return OutcomeUnknown(f"while it compiled, {there.reason}", there.details)
        if seen is None or seen.state.busy:
            ready = 0
            yield Pause(LOOK_AGAIN_MS)
            continue
        report = yield from ask_report()
        compiling = report is not None and not report.over
        began = began or compiling
        shown = shown or compiling or _differ(report, before)
        if not shown:
            report = None
        if report is not None and report.status != "idle":
            last = report
        # After a reload the Editor may have forgotten: an end that it told before it still holds.
        silent = report is None or report.status == "idle"
        idle = idle + 1 if silent and (last is None or not last.over) else 0
        if idle >= IDLE_LOOKS:
            return OutcomeUnknown("the Unity Editor says nothing of the compile it was asked for")
        ready = ready + 1 if last is not None and last.over else 0
        if last is not None and ready >= READY_IN_A_ROW:
            return Compiled(last, now.reloads > earlier.reloads, began)
        yield Pause(LOOK_AGAIN_MS)


def _compiling(seen: Sighting | None) -> bool:
    return seen is not None and seen.state is EditorState.COMPILING


def _differ(report: CompileReport | None, before: CompileReport | None) -> bool:
    """Whether anything was compiled between two reports. The flag changes by itself, and where one
    couldn't be had, nothing is known."""
    if report is None or before is None:
        return False
    return replace(report, flag=before.flag) != before
