"""The signals by which a user ends a command: Ctrl-C, and Windows' Ctrl-Break.

Part of docs/design/systems.md "Processes". A console that is closed is SIGBREAK, too. Nobody but
the program itself makes an orderly end of it: left alone, it ends the process in the middle.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType


def interrupt_signals(known: ModuleType = signal) -> list[signal.Signals]:
    """Those that this system has, SIGINT first."""
    return [getattr(known, name) for name in ("SIGINT", "SIGBREAK") if hasattr(known, name)]


def break_like_ctrl_c() -> None:
    """From now on Ctrl-Break interrupts as Ctrl-C does. For the main thread."""
    for each in interrupt_signals()[1:]:
        signal.signal(each, signal.default_int_handler)


def ignore_interrupts() -> None:
    """From now on neither reaches this process. For the main thread."""
    for each in interrupt_signals():
        signal.signal(each, signal.SIG_IGN)


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], bool]]:
    """Let them only be noted, so that nothing is left half: whether one has come.

    Outside of the main thread, which alone they reach, nothing is changed or noted.
    """
    came = threading.Event()
    in_main_thread = threading.current_thread() is threading.main_thread()
    held_back = interrupt_signals() if in_main_thread else []
    before = {each: signal.signal(each, lambda *_: came.set()) for each in held_back}
    try:
        yield came.is_set
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
