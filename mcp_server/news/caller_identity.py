"""The session that a call belongs to, by which its caller is remembered.

As with :mod:`snippet_engine.client_identity`, it belongs to the call that runs in the present
context.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_KEY = 200
"""How much of a session's name is used, in code points."""

_caller: ContextVar[str | None] = ContextVar("caller", default=None)


def caller() -> str | None:
    """Return the session of the present call; ``None``: nobody who calls again."""
    return _caller.get()


@contextmanager
def as_caller(key: str | None) -> Iterator[None]:
    """Let everything that runs in this context belong to that session."""
    token = _caller.set(key[:MAX_KEY] if key else None)
    try:
        yield
    finally:
        _caller.reset(token)
