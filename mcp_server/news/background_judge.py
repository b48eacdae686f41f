"""Judge applied edits in the background, one round at a time.

The only module in this folder that waits. Everything runs on the event loop, except the compiler.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import TypeAlias

from lsp_client.timing import without_advice
from mcp_server.event_log import log_event
from mcp_server.news.applied_edits import AppliedEdit, common_origin
from mcp_server.news.findings import Key, NewError, Origin, found_among, keyed
from mcp_server.news.news import News, NotJudged, Round
from snippet_engine.errors import SnippetError
from snippet_engine.validation.validator import ChangesVerdict

JUDGED_S = 300.0
"""Most seconds for one question. The first question may have to start the compiler."""

REST_S = 0.1
"""Seconds to wait after an edit, because more edits may follow."""

_MAX_LISTED = 2
PAUSE_S = 2.0
"""Seconds before a failed question is repeated. Each further pause is twice as long."""

JudgeSince: TypeAlias = Callable[
    [Mapping[str, str | None], float], Awaitable[ChangesVerdict | SnippetError | None]
]
"""Asks the compiler for new errors since earlier texts, within some seconds.

Returns ``None`` if the server stops.
"""


class BackgroundJudge:
    """Judges edits, and records the errors in ``news``. Lives on one event loop."""

    def __init__(self, news: News, judge_since: JudgeSince) -> None:
        self.news = news
        self.last: ChangesVerdict | None = None
        self._judge_since = judge_since
        self._wanted = asyncio.Event()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Start to judge what is due. Returns at once."""
        self._wanted.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop judging."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def wait_for(self, is_so: Callable[[], bool], within_s: float) -> bool:
        """Wait until a round makes ``is_so`` true, at most ``within_s`` seconds.

        Return ``is_so()``.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, within_s)):
                while not is_so():
                    self._changed.clear()
                    await self._changed.wait()
        return is_so()

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await asyncio.sleep(REST_S)
            pause_s = PAUSE_S
            while (asked := self.news.next_round(monotonic())) is not None:
                if await self._judge(asked):
                    with suppress(TimeoutError):
                        async with asyncio.timeout(pause_s):
                            await self._wanted.wait()
                    pause_s *= 2
                self._changed.set()

    async def _judge(self, asked: Round) -> bool:
        """Judge one round. Return whether to pause and then repeat it."""
        began = monotonic()
        try:
            verdict = await self._judge_since(asked.earlier, JUDGED_S)
            if isinstance(verdict, ChangesVerdict):
                errors = _errors(verdict, asked)
                origins = await self._origins(asked, errors)
                self.last = verdict
                left = NotJudged(*map(_listed, (verdict.left, verdict.blocked, verdict.unheard)))
                if not (any(left) or "semantics" in verdict.coverage):
                    left = NotJudged("the compiler did not say why")
                self.news.judged(asked, errors, origins, monotonic(), left)
                log_event(
                    "judged_later",
                    edits=len(asked.edits),
                    errors=len(errors),
                    not_checked=list(verdict.not_checked) or None,
                    duration_ms=round((monotonic() - began) * 1000, 1),
                )
                return False
            reason = _reason(verdict)
        except _NoVerdictError as error:
            reason = _reason(error.verdict)
        except Exception:
            logging.getLogger(__name__).exception("edits could not be judged in the background")
            reason = "the compiler could not be asked"
        return self.news.failed(asked, reason, monotonic())

    async def _origins(self, asked: Round, errors: list[NewError]) -> dict[Key, Origin]:
        """Find which unsettled edit caused each error."""
        suspects = asked.suspects
        keys = {key for key, _ in keyed(errors)}
        if keys and suspects and asked.begins_earlier:
            keys = found_among(keys, await self._keys_since(asked, suspects[0]))
        search = attribute(suspects, keys)
        try:
            edit = next(search)
            while True:
                edit = search.send(found_among(keys, await self._keys_since(asked, edit)))
        except StopIteration as found:
            origins: dict[Key, Origin] = found.value
            return origins

    async def _keys_since(self, asked: Round, edit: AppliedEdit) -> set[Key]:
        verdict = await self._judge_since(asked.since(edit), JUDGED_S)
        if not isinstance(verdict, ChangesVerdict):
            raise _NoVerdictError(verdict)
        return {key for key, _ in keyed(_errors(verdict, asked))}


class _NoVerdictError(Exception):
    def __init__(self, verdict: SnippetError | None) -> None:
        super().__init__()
        self.verdict = verdict


def _reason(verdict: SnippetError | None) -> str:
    if verdict is None:
        return "the server stops"
    return without_advice(str(verdict.details.get("reason", verdict)))


def _errors(verdict: ChangesVerdict, asked: Round) -> list[NewError]:
    """Return each error of a verdict once, those in edited files first."""
    edited = asked.earlier
    errors = dict.fromkeys(map(NewError.of, verdict.errors))
    return sorted(errors, key=lambda each: (each.file not in edited, each.file, each.line))


def _listed(reasons: Sequence[str]) -> str:
    """Return the first reasons as one text, and how many more there are."""
    more = f"; and {len(reasons) - _MAX_LISTED} more" if len(reasons) > _MAX_LISTED else ""
    return "; ".join(each.removesuffix(".") for each in reasons[:_MAX_LISTED]) + more


MAX_QUESTIONS = 12
"""Most questions to find the causes in one round. Each takes about as long as the round."""


def attribute(
    edits: Sequence[AppliedEdit], keys: Collection[Key]
) -> Generator[AppliedEdit, Collection[Key], dict[Key, Origin]]:
    """Find which of ``edits`` caused each error in ``keys``. A binary search, as a generator.

    Yields an edit, and expects to be sent the errors that are new since before that edit. An
    error's cause is the last edit whose earlier text didn't have it. After :data:`MAX_QUESTIONS`,
    several edits share an origin.
    """
    origins: dict[Key, Origin] = {}
    ranges = [(0, len(edits), set(keys))] if edits else []
    asked = 0
    while ranges:
        start, end, unknown = ranges.pop()
        if not unknown:
            continue
        if end - start == 1 or asked == MAX_QUESTIONS:
            some = edits[start:end]
            origin = common_origin(some, f"one of {len(some)} edits", is_one_of_several=True)
            origins.update(dict.fromkeys(unknown, origin))
            continue
        middle = (start + end) // 2
        later = unknown & set((yield edits[middle]))
        asked += 1
        ranges += [(start, middle, unknown - later), (middle, end, later)]
    return origins
