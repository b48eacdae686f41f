"""How often the interpreter looks for garbage: objects that hold one another, and nobody else does.

Part of docs/speed.md. It looks among all objects, and most that a process of ours makes, it makes
while it loads: those stay. Garbage that isn't looked for takes memory, and nothing else.
"""

from __future__ import annotations

import gc

_USUAL = gc.get_threshold()
_SELDOM = (100_000, 50, 50)


def look_seldom() -> None:
    """For a command, which ends before there is much."""
    gc.set_threshold(*_SELDOM)


def look_later() -> None:
    """Not at all until :func:`look_from_here`, for what loads very much and then lasts."""
    gc.disable()


def look_from_here() -> None:
    """As usual, among what comes from now on. What is there stays to the end."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
    gc.enable()
