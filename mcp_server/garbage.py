"""How often the interpreter collects garbage.

Part of docs/speed.md. The collector looks at all objects, and most of ours are made while loading
and stay. Uncollected garbage only takes memory.
"""

from __future__ import annotations

import gc

_USUAL = gc.get_threshold()
_SELDOM = (100_000, 50, 50)


def look_seldom() -> None:
    """Collect seldom, for a command, which ends soon."""
    gc.set_threshold(*_SELDOM)


def look_later() -> None:
    """Collect nothing until :func:`look_from_here`, for a long-lived process that loads much."""
    gc.disable()


def look_from_here() -> None:
    """Collect as usual from now on, but none of the objects that exist now."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
    gc.enable()
