"""Control how often Python's garbage collector runs.

Part of docs/speed.md. The collector looks at all objects, and most of ours are made while loading
and stay. Uncollected garbage only takes memory.
"""

from __future__ import annotations

import gc

_USUAL = gc.get_threshold()
_SELDOM = (100_000, 50, 50)


def collect_seldom() -> None:
    """Collect rarely. For a command, which ends soon."""
    gc.set_threshold(*_SELDOM)


def pause_collection() -> None:
    """Collect nothing until :func:`resume_collection`: a server loads much at its start."""
    gc.disable()


def resume_collection() -> None:
    """Collect as usual from now on, but never the objects that exist now."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
    gc.enable()
