"""The signals by which a command is ended: Ctrl-C, Windows' Ctrl-Break; and those of others.

Part of docs/design/systems.md "Processes". A console that is closed is SIGBREAK, too. Nobody but
the program itself makes an orderly end of it: left alone, it ends the process in the middle.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType


def interrupt_signals(known: ModuleType = signal) -> list[signal.Signals]:
    """Those that this system has, SIGINT first."""
    return [getattr(known, name) for name in ("SIGINT", "SIGBREAK") if hasattr(known, name)]


def break_like_ctrl_c() -> None:
    """From now on Ctrl-Break interrupts as Ctrl-C does. For the main thread."""
    for each in interrupt_signals()[1:]:
        signal.signal(each, signal.default_int_handler)


_came: list[signal.Signals] = []
"""The signals that have ended the command as Ctrl-C does."""


def end_like_ctrl_c() -> None:
    """From now on every signal that ends a command interrupts as Ctrl-C does, so that it is told
    what was done; see :func:`ended_by`. One that is ignored, as with ``nohup``, stays so.

    For a command that changes things. Elsewhere than in the main thread nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for each in set(ending_signals()).difference(interrupt_signals()):
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _came.append(signal.Signals(number))
    on_ctrl_c = signal.getsignal(signal.SIGINT)  # asyncio has one of its own while it runs
    if not callable(on_ctrl_c):  # ignored, as in what a shell runs in the background
        raise KeyboardInterrupt
    on_ctrl_c(signal.SIGINT, frame)


def ended_by() -> signal.Signals:
    """By which of them the command was interrupted."""
    return _came[0] if _came else signal.SIGINT


def ignore_interrupts() -> None:
    """From now on neither reaches this process, and the others end it. For the main thread."""
    for each in interrupt_signals():
        signal.signal(each, signal.SIG_IGN)
    for each in ending_signals():
        if signal.getsignal(each) is _interrupt:
            signal.signal(each, signal.SIG_DFL)


def ending_signals(known: ModuleType = signal) -> list[signal.Signals]:
    """Those, and the ones by which a job that is cancelled or a closed terminal ends a command."""
    others = [getattr(known, name) for name in ("SIGTERM", "SIGHUP") if hasattr(known, name)]
    return [*interrupt_signals(known), *others]


def exit_code_of(came: signal.Signals) -> int:
    """What a command that one of them has ended exits with: as a shell says it of others."""
    return 128 + (signal.SIGINT if came in interrupt_signals() else came)


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], bool]]:
    """Let them only be noted, so that nothing is left half: whether one has come.

    Outside of the main thread, which alone they reach, nothing is changed or noted.
    """
    with _noted(interrupt_signals()) as came:
        yield lambda: came() is not None


@contextmanager
def endings_noted() -> Iterator[Callable[[], signal.Signals | None]]:
    """The same for every signal that ends a command: which one came first, if any has.

    One that is ignored, as with ``nohup``, stays so.
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
