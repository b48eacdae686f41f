"""The signals that end a command, such as Ctrl-C, and Ctrl-Break on Windows.

Part of docs/design/systems.md "Processes". A closed console sends SIGBREAK, too. Without a handler,
the signal ends the process in the middle of its work.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType


def interrupt_signals(known: ModuleType = signal) -> list[signal.Signals]:
    """Return the interrupt signals of this system, SIGINT first."""
    return [getattr(known, name) for name in ("SIGINT", "SIGBREAK") if hasattr(known, name)]


def break_like_ctrl_c() -> None:
    """Let Ctrl-Break interrupt as Ctrl-C does from now on. Call it in the main thread."""
    for each in interrupt_signals()[1:]:
        signal.signal(each, signal.default_int_handler)


_came: list[signal.Signals] = []
"""The signals that have ended the command."""


def end_like_ctrl_c() -> None:
    """Let every signal that ends a command interrupt it as Ctrl-C does.

    So a command that changes things can report what was done. A signal that is ignored, as with
    ``nohup``, stays ignored. Has no effect outside of the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for each in set(ending_signals()).difference(interrupt_signals()):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _came.append(signal.Signals(number))
    on_ctrl_c = signal.getsignal(signal.SIGINT)  # asyncio has its own while it runs
    if not callable(on_ctrl_c):  # ignored, as in a shell's background job
        raise KeyboardInterrupt
    on_ctrl_c(signal.SIGINT, frame)


def ended_by() -> signal.Signals:
    """Return the signal that interrupted the command."""
    return _came[0] if _came else signal.SIGINT


def ignore_interrupts() -> None:
    """Ignore interrupt signals from now on. Others end the process. Call it in the main thread."""
    for each in interrupt_signals():
        signal.signal(each, signal.SIG_IGN)
    for each in ending_signals():
        if signal.getsignal(each) is _interrupt:
            signal.signal(each, signal.SIG_DFL)


def ending_signals(known: ModuleType = signal) -> list[signal.Signals]:
    """Return the interrupt signals, and those of a cancelled CI job or a closed terminal.

    On Windows, SIGBREAK also reports a closed console and the end of a process group.
    """
    others = [getattr(known, name) for name in ("SIGTERM", "SIGHUP") if hasattr(known, name)]
    return [*interrupt_signals(known), *others]


def exit_code_of(came: signal.Signals) -> int:
    """Return the exit code that a shell reports for a command ended by a signal."""
    return 128 + (signal.SIGINT if came in interrupt_signals() else came)


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], bool]]:
    """Record interrupt signals instead of ending. Yield a function that returns whether one came.

    So nothing is left half done. Has no effect outside of the main thread.
    """
    with _noted(interrupt_signals()) as came:
        yield lambda: came() is not None


@contextmanager
def endings_noted() -> Iterator[Callable[[], signal.Signals | None]]:
    """Record the signals that end a command. Yield a function that returns the first one.

    A signal that is ignored, as with ``nohup``, stays ignored.
    """
    ignored = [each for each in ending_signals() if signal.getsignal(each) is signal.SIG_IGN]
    with _noted([each for each in ending_signals() if each not in ignored]) as came:
        yield came


@contextmanager
def _noted(signals: Sequence[signal.Signals]) -> Iterator[Callable[[], signal.Signals | None]]:
    came: list[signal.Signals] = []
    in_main_thread = threading.current_thread() is threading.main_thread()
    held_back = signals if in_main_thread else []
    before = {
        each: signal.signal(each, lambda number, _: came.append(signal.Signals(number)))
        for each in held_back
    }
    try:
        yield lambda: came[0] if came else None
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
