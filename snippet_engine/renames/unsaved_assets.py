"""The assets that the Editor has open with unsaved changes, as known to the present call.

As with :mod:`snippet_engine.client_identity`, who runs the call says so; without an Editor there
are none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_unsaved: ContextVar[Collection[str] | None] = ContextVar("unsaved assets", default=())


@contextmanager
def with_unsaved(paths: Collection[str] | None) -> Iterator[None]:
    """Let the calls in this context know the project-relative ``paths``; ``None``: not known."""
    token = _unsaved.set(None if paths is None else frozenset(paths))
    try:
        yield
    finally:
        _unsaved.reset(token)


def unsaved_among(paths: Collection[str]) -> list[str]:
    """Return those of ``paths`` that have unsaved changes, sorted."""
    known = _unsaved.get() or ()
    return sorted(path for path in paths if path in known)


def are_known() -> bool:
    """Return whether it is known which have unsaved changes."""
    return _unsaved.get() is not None
