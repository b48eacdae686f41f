"""``compile`` over the Pipeline: an asset refresh, followed to its end.

Implements docs/design/pipeline.md §8. A conversation outlives the domain reload that it causes. It
asks for the recompile once; a second time if the first found nothing although scripts are newer.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from unity_bridge.pipeline.conversations.conversation import Editor, blocked
from unity_bridge.pipeline.conversations.play_mode import AWAY, stop_playing
from unity_bridge.pipeline.replies import Result, field_of
from unity_bridge.pipeline.sightings import READY_IN_A_ROW, Tally
from unity_bridge.pipeline.vocabulary import Operation

IDLE_LOOKS = 10
"""How many idle reports in a row, after a request to compile, count as reliable."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The outcome of a compile, with the Editor's last report."""

    report: CompileReport
    reloaded: bool
    began: bool = False
    """Whether the Editor reported that it compiles, or was seen to."""
    stale: tuple[str, ...] = ()
    """Scripts newer than the compile, although the Editor reports that it is up to date."""

    @property
    def found_nothing(self) -> bool:
        """Return whether nothing was compiled; any errors are from earlier."""
        return self.status == "up_to_date" or (self.status == "failed" and not self.began)

    @property
    def status(self) -> str:
        """Return ``succeeded``, ``failed`` or ``up_to_date``."""
        if self.report.has_errors:
            return "failed"
        compiled = self.began and self.reloaded  # a reload alone proves no compile
        nothing = self.report.status in ("up_to_date", "idle") and not compiled
        return "up_to_date" if nothing else "succeeded"


async def compile_scripts(editor: Editor, params: Mapping[str, Any]) -> Answer:
    """Compile and return the tool's answer."""
    started = editor.now_ms()
    outcome = await compile_now(editor, params)
    if not isinstance(outcome, Compiled):
        return outcome
    result: dict[str, Any] = {
        "status": outcome.status,
        "errors": issues(outcome.report),
        "warnings": [],
        # Unity reloads after a compile, but the reload may be too short to be seen.
        "reloaded": outcome.reloaded or (None if outcome.status == "succeeded" else False),
        "duration_ms": max(0, round(editor.now_ms() - started)),
    }
    if len(outcome.report.errors) > MAX_ERRORS:
        result["truncated"] = True
    if outcome.stale:
        result["stale_view"] = list(outcome.stale)
    return Completed(result)


def combined(first: Answer, second: Answer) -> Answer:
    """Return one answer for a caller of two successive compiles."""
    if isinstance(second, NotSent | Rejected):
        # The first compile ran, so the answer can't be that nothing ran.
        why = second.reason if isinstance(second, NotSent) else second.message
        return OutcomeUnknown(
            f"scripts written during a compile need another compile: {why}", second.details
        )
    if not (isinstance(first, Completed) and isinstance(second, Completed)):
        return second
    one, other = dict(first.body), dict(second.body)
    both = {
        **(one if other["status"] == "up_to_date" else other),
        "reloaded": one["reloaded"] or other["reloaded"],
        "duration_ms": one["duration_ms"] + other["duration_ms"],
    }
    stale = other.get("stale_view")
    return Completed({**both, "stale_view": stale} if stale else both)


async def may_compile(editor: Editor, params: Mapping[str, Any]) -> Answer | None:
    """Return why a compile can't start; ``None`` if it can."""
    seen = await editor.look()
    if seen is None:
        return AWAY
    if seen.dialog is None and seen.playing and params.get("stop_play_mode") is not True:
        return Rejected(
            "ERR_INVALID_STATE",
            "Unity doesn't compile in play mode. First send control_play_mode "
            '{"action": "stop"}, or compile {"stop_play_mode": true}.',
        )
    return blocked(seen)


async def compile_now(editor: Editor, params: Mapping[str, Any]) -> Compiled | Answer:
    """Compile the scripts and wait until the Editor is ready again."""
    refused = await may_compile(editor, params)
    if refused is not None:
        return refused
    seen = await editor.look()
    if seen is not None and seen.playing:
        still_playing = await stop_playing(editor)
        if still_playing is not None:
            return still_playing
    outcome = await _refresh(editor)
    if not isinstance(outcome, Compiled) or not outcome.found_nothing:
        return outcome
    if not editor.uncompiled_scripts():
        return outcome
    outcome = await _refresh(editor)
    if not isinstance(outcome, Compiled) or not outcome.found_nothing:
        return outcome
    return replace(outcome, stale=tuple(editor.uncompiled_scripts()))


async def _refresh(editor: Editor) -> Compiled | Answer:
    before, earlier = await ask_report(editor), editor.tally
    reply = await editor.exec(Operation.RECOMPILE)
    if isinstance(reply, OutcomeUnknown) or (isinstance(reply, Result) and reply.value is None):
        # The request may not have arrived, or the command (1.0) returns nothing.
        return await _follow(editor, earlier, before, arrived=False)
    if not isinstance(reply, Result):
        return reply
    report = read_report(reply.value)
    if report is None:
        message = field_of(reply.value, "message")
        reason = "" if message is None else f": {str(message)[:200]}"
        return Failed(
            "PIPELINE_COMMAND_FAILED", f"the Editor's recompile command returned no status{reason}"
        )
    if report.status == "up_to_date":
        return Compiled(await _settled(editor, report), False)
    return await _follow(editor, earlier, before, arrived=True)


async def _settled(editor: Editor, first: CompileReport) -> CompileReport:
    """Return the report of a recompile that compiled nothing, once its error flag is reliable.

    Right after another good compile the flag still reports errors that are gone. It is reliable
    once the Editor was ready twice in a row, or after a while.
    """
    report: CompileReport | None = None
    ready = 0
    for _ in range(IDLE_LOOKS):
        report = await ask_report(editor)
        if report is None or not report.over:
            return first
        if not report.has_errors or report.errors:
            return report
        seen = await editor.look()
        ready = ready + 1 if seen is not None and not seen.state.busy else 0
        if ready > READY_IN_A_ROW:
            return report
        await editor.pause(editor.pace.compile_look_ms)
    return report or first


async def _follow(
    editor: Editor, earlier: Tally, before: CompileReport | None, *, arrived: bool
) -> Compiled | Answer:
    """Wait for the end of a compile and of the reload that follows it.

    A report counts only if it differs from ``before``, or if a compile was seen since ``earlier``.
    This holds even if the request has ``arrived``: Unity may defer a compile that it accepted.
    """
    last: CompileReport | None = None
    began = arrived
    shown = False
    ready = idle = 0
    while True:
        seen = await editor.look()
        if editor.was_replaced(Operation.RECOMPILE):
            return OutcomeUnknown("the Unity Editor was closed or crashed while it compiled")
        now = editor.tally
        # Play mode may have ended already. The reload may be that of entering play mode.
        if now.plays > earlier.plays:
            return OutcomeUnknown(
                "play mode was entered meanwhile; Unity silently defers compiling in play mode"
            )
        compiling = now.compiles > earlier.compiles
        compiling |= seen is not None and seen.state is EditorState.COMPILING
        began = began or compiling
        shown = shown or compiling or (arrived and now.reloads > earlier.reloads)
        dialog = None if seen is None else blocked(seen)
        if dialog is not None:
            return OutcomeUnknown(f"while it compiled, {dialog.reason}", dialog.details)
        if seen is None or seen.state.busy:
            ready = 0
            await editor.pause(editor.pace.compile_look_ms)
            continue
        report = await ask_report(editor)
        compiling = report is not None and not report.over
        began = began or compiling
        shown = shown or compiling or _differ(report, before)
        if not shown:
            report = None
        if report is not None and report.status != "idle":
            last = report
        # A reload may erase the Editor's report. An end that it reported earlier counts.
        silent = report is None or report.status == "idle"
        idle = idle + 1 if silent and (last is None or not last.over) else 0
        if idle >= IDLE_LOOKS:
            return OutcomeUnknown("the Unity Editor doesn't report the compile it was asked for")
        ready = ready + 1 if last is not None and last.over else 0
        if last is not None and ready >= READY_IN_A_ROW:
            return Compiled(last, now.reloads > earlier.reloads, began)
        await editor.pause(editor.pace.compile_look_ms)


def _differ(report: CompileReport | None, before: CompileReport | None) -> bool:
    """Return whether a compile lies between two reports; a changed flag alone doesn't prove one."""
    if report is None or before is None:
        return False
    return replace(report, flag=before.flag) != before
