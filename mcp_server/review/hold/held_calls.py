"""Hold calls that would write, until a person has seen the changes and approved them.

Implements docs/design/review.md "Hold". :mod:`.approvals` decides. This module rehearses the call,
reports progress to its caller, and writes exactly what was shown.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Self, TypeAlias, TypeVar

from mcp_server.calls.answer_limits import HELD_WITHOUT_PROGRESS_S
from mcp_server.calls.private_file import write_private
from mcp_server.contract.errors import ToolError, ToolErrorCode, from_engine, tool_error
from mcp_server.contract.outcome import HELD_NOTICE, OnProgress, Outcome, ToolResult
from mcp_server.event_log import log_event
from mcp_server.review.hold.approvals import (
    Answered,
    ApprovalsState,
    CallArrived,
    CallerLeft,
    Effect,
    Ended,
    Ending,
    Event,
    Full,
    Stop,
    Tick,
    step,
)
from snippet_engine.errors import ErrorCode, SnippetError, one_line, shortened, show
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.stores.write_gate import OnlyAsShown, Rehearsal, asking
from snippet_engine.storage.system.plain_file import read_plain

MIN_LIMIT_S, MAX_LIMIT_S = 10, 3600

_FILE = "hold.json"
_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class HoldSetting:
    """Whether calls are held, and for how long."""

    is_on: bool = False
    limit_s: int = 600
    """How long a call waits for a person, in seconds."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the setting stored in ``folder``; off if none is stored.

        An unreadable setting counts as on, because somebody has used the switch.
        """
        try:
            kept = json.loads(read_plain(folder / _FILE, _MAX_BYTES))
            is_on, limit_s = kept["is_on"], kept["limit_s"]
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except (OSError, ValueError, RecursionError, KeyError, TypeError):
            return cls(is_on=True)
        if not isinstance(is_on, bool) or type(limit_s) is not int:
            return cls(is_on=True)
        return cls(is_on, max(MIN_LIMIT_S, min(limit_s, MAX_LIMIT_S)))

    def keep(self, folder: Path) -> None:
        """Store the setting durably. Raises ``OSError``."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(folder / _FILE, asdict(self), durable=True)


_MAX_SHOWN_REASON = 80
"""Most code points of the person's reason in an error message; the details have all of it."""


def not_approved(tool: str, ended: Ended, waited_s: float, page_url: str) -> ToolError:
    """Return the error for a call of ``tool`` whose wait ended without approval."""
    details: dict[str, object] = {"waited_s": round(waited_s, 1)}
    if ended.ending is Ending.REFUSED:
        details |= {"reason": ended.reason} if ended.reason else {}
        todo = "don't send it again as it is."
        message = f"The user refused this change on the review page. Nothing was written: {todo}"
        if ended.reason:
            why = shortened(one_line(ended.reason), _MAX_SHOWN_REASON)
            message = message.replace("page. ", f'page: "{why}" ', 1)
        return from_engine(tool, SnippetError(ErrorCode.APPROVAL_REFUSED, message, None, details))
    if ended.ending is Ending.TIMED_OUT:
        message = (
            f"Nobody approved this change within {waited_s:.0f} s; nothing was written. Ask the "
            f"user to open {page_url}, then send it again."
        )
    elif ended.ending is Ending.STOPPED:
        message = (
            "The server stopped before anybody approved this change; nothing was written. Send it "
            "again when the server is back."
        )
    else:
        message = "The call was cancelled while it waited for approval; nothing was written."
    return from_engine(tool, SnippetError(ErrorCode.APPROVAL_TIMEOUT, message, None, details))


def too_many_wait(page_url: str) -> ToolError:
    """Return the error for a call that can't wait, because too many calls do."""
    return tool_error(
        ToolErrorCode.QUEUE_FULL,
        f"Too many changes wait for approval on {page_url}; nothing was written. "
        "Wait until the user has answered some.",
    )


def not_begun() -> ToolError:
    """Return the error for a call that needs approval while the server is busy or stops."""
    return tool_error(
        ToolErrorCode.QUEUE_FULL,
        "The server is busy or stopping, so the change could not be shown; nothing was written. "
        "Send it again.",
    )


NOTICE_S = 5.0
"""Seconds between two progress messages to a waiting caller."""

MAX_LATELY = 10
MAX_REASON = 500

T = TypeVar("T")

Attempt: TypeAlias = Callable[[], Awaitable[Outcome]]

_by_person: ContextVar[bool] = ContextVar("called by the person on the review page", default=False)


@contextmanager
def by_person() -> Iterator[None]:
    """Mark the calls in this context as the person's own, so that they need no approval."""
    token = _by_person.set(True)
    try:
        yield
    finally:
        _by_person.reset(token)


@dataclass(slots=True)
class Asked:
    """A call that may be held, and the state of its wait."""

    tool: str
    client: str | None
    session: str | None = None
    on_progress: OnProgress | None = None
    """Reports progress to the client; ``None`` if it wants none."""
    is_patient: bool = False
    """Whether the call may wait for the whole limit even without ``on_progress``."""
    is_held: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the call waits."""
    is_gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the caller is known to have gone. Cancelling the task means the same."""
    waited_s: float = 0.0
    """How long the call was held, in seconds."""
    left: asyncio.Future[Outcome] | None = None
    """The work that continues after the caller left."""
    is_withdrawn: bool = False
    """Whether the caller left while the call was held. Then nothing was written."""

    def leave(self, work: asyncio.Future[Outcome]) -> None:
        """Keep ``work``, which continues after the caller left."""
        self.left = work


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A held call, as the page shows it. Times are those of ``time.time``."""

    key: str
    tool: str
    what: str
    client: str | None
    session: str | None
    files: tuple[FileChange, ...]
    """Empty once the wait has ended."""
    since_s: float
    until_s: float
    is_short: bool = False
    """Whether the call's wait is shorter than usual, because its client wants no progress."""


class HeldCalls:
    """The held calls of one server. Lives on one event loop."""

    def __init__(self, folder: Path, page_url: str) -> None:
        """``folder`` stores the setting. ``page_url`` is where the person answers."""
        self._folder = folder
        self._page_url = page_url
        self._state = ApprovalsState()
        self._calls: dict[str, HeldCall] = {}
        self._answers: dict[str, asyncio.Future[Ended]] = {}
        self._lately: deque[tuple[HeldCall, Ended]] = deque(maxlen=MAX_LATELY)
        self.setting = HoldSetting.read(folder)
        self.revision = 0
        """Rises when the setting changes, and when a call starts or ends its wait."""
        self.on_changed: list[Callable[[], None]] = []

    # -- what the person does ----------------------------------------------------------------------

    async def set(self, setting: HoldSetting) -> None:
        """Use and store a setting. Calls that already wait go on waiting.

        Raises ``OSError`` if the setting can't be stored. This server uses it all the same.
        """
        self.setting = setting
        log_event("hold", on=setting.is_on, limit_s=setting.limit_s)
        self._changed()
        await asyncio.to_thread(setting.keep, self._folder)

    @property
    def waiting(self) -> list[HeldCall]:
        """Return the calls that wait, oldest first."""
        return [self._calls[each.key] for each in self._state.waiting if each.key in self._calls]

    @property
    def lately(self) -> list[tuple[HeldCall, Ended]]:
        """Return the last :data:`MAX_LATELY` calls that ended, newest first."""
        return list(reversed(self._lately))

    def answer(self, key: str, *, approves: bool, reason: str = "") -> Effect:
        """Give a person's answer to a call. Return ``Ended``, or why the answer doesn't count."""
        reason = "".join(each for each in reason if each.isprintable() or each in "\n\t")
        effects = self._step(Answered(key, approves, reason.strip()[:MAX_REASON]))
        return effects[-1]

    def stop(self) -> None:
        """End all waits, because the server stops."""
        self._step(Stop())

    # -- calls -------------------------------------------------------------------------------------

    async def run(
        self, asked: Asked, rehearse: Attempt, carry_out: Callable[[], Awaitable[T]]
    ) -> Outcome | T:
        """Run a call. While holding is on, wait for a person's approval before it writes.

        ``carry_out`` runs the call. A held call is first run by ``rehearse``, which writes nothing.
        If the rehearsal shows no changes, its outcome is the answer. After approval, ``carry_out``
        may write only what the rehearsal showed. If holding is switched on during a call, the call
        is held when it is about to write.
        """
        if _by_person.get():
            return await carry_out()
        is_held = self.setting.is_on
        rehearsal = Rehearsal(lambda: is_held or self.setting.is_on)
        with asking(rehearsal):
            outcome = await (rehearse() if is_held else carry_out())
        coming = rehearsal.coming
        if coming is None:
            return outcome
        if not self.setting.is_on:  # holding was switched off during the rehearsal
            return await carry_out()
        began = time.monotonic()
        try:
            ended = await self._ask(asked, coming)
        except asyncio.CancelledError:
            asked.is_withdrawn = True
            raise
        finally:
            asked.waited_s = time.monotonic() - began
        if ended is None:
            return too_many_wait(self._page_url)
        asked.is_withdrawn = ended.ending is Ending.WITHDRAWN
        if ended.ending is not Ending.APPROVED:
            return not_approved(asked.tool, ended, asked.waited_s, self._page_url)
        shown = OnlyAsShown(coming)
        stale = await asyncio.to_thread(shown.stale_now)
        if stale is not None:
            with asking(Rehearsal()):
                again = await rehearse()
            # If an equal request was carried out during the wait, both get the same answer.
            return again if _is_replay(again) else from_engine(asked.tool, stale)
        with asking(shown):
            return await carry_out()

    async def _ask(self, asked: Asked, coming: tuple[FileChange, ...]) -> Ended | None:
        """Wait for the person's answer, or another end. Return ``None`` if too many calls wait."""
        key = token_hex(8)
        limit_s = float(self.setting.limit_s)
        is_patient = asked.is_patient or asked.on_progress is not None
        patience_s = limit_s if is_patient else min(limit_s, HELD_WITHOUT_PROGRESS_S)
        now = time.time()
        self._calls[key] = HeldCall(
            key,
            asked.tool,
            _title(asked.tool, coming),
            asked.client,
            asked.session,
            coming,
            now,
            now + patience_s,
            patience_s < limit_s,
        )
        answer = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        try:
            effects = self._step(CallArrived(key, patience_s, sum(map(_size, coming))))
            if Full(key) in effects:
                return None
            asked.is_held.set()
            log_event("held", tool=asked.tool, key=key, patience_s=patience_s)
            return await self._wait_for_answer(key, answer, asked)
        finally:
            asked.is_held.clear()
            self._step(CallerLeft(key))
            del self._calls[key], self._answers[key]

    async def _wait_for_answer(
        self, key: str, answer: asyncio.Future[Ended], asked: Asked
    ) -> Ended:
        gone = asyncio.ensure_future(asked.is_gone.wait())
        about = HELD_NOTICE + self._page_url
        try:
            while not answer.done():
                if asked.on_progress is not None:
                    await asked.on_progress(0, None, about)
                due_s = (self._state.next_deadline_s or 0.0) - time.monotonic()
                either: set[asyncio.Future[Any]] = {answer, gone}
                await asyncio.wait(
                    either,
                    timeout=max(0.0, min(NOTICE_S, due_s)),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                self._step(CallerLeft(key) if gone.done() else Tick())
        finally:
            gone.cancel()
        return answer.result()

    def _step(self, event: Event) -> tuple[Effect, ...]:
        before = self._state.waiting
        self._state, effects = step(self._state, event, time.monotonic())
        for each in effects:
            if isinstance(each, Ended) and not self._answers[each.key].done():
                log_event("hold_ended", key=each.key, ending=each.ending.value)
                self._answers[each.key].set_result(each)
                self._lately.append((replace(self._calls[each.key], files=()), each))
        if self._state.waiting != before:
            self._changed()
        return effects

    def _changed(self) -> None:
        self.revision += 1
        for each in self.on_changed:
            each()


def _is_replay(outcome: Outcome) -> bool:
    return isinstance(outcome, ToolResult) and outcome.structured.get("replayed") is True


def _title(tool: str, coming: tuple[FileChange, ...]) -> str:
    first = show(coming[0].place.relative) if coming else "nothing"
    more = f" and {len(coming) - 1} more" if len(coming) > 1 else ""
    return f"{tool}: {first}{more}"


def _size(change: FileChange) -> int:
    return len(change.before or b"") + len(change.after or b"")
