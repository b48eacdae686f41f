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
_name: ContextVar[str | None] = ContextVar("name of a caller without a session", default=None)


def caller() -> str | None:
    """Return the session of the present call; ``None`` if its caller won't call again."""
    return _caller.get()


def name() -> str | None:
    """Return the name that the present caller shares with others that may be the same client."""
    return _name.get()


@contextmanager
def as_caller(key: str | None, name: str | None = None) -> Iterator[None]:
    """Let everything that runs in this context belong to the session ``key``.

    ``name`` joins the connections of one client that has no session.
    """
    token = _caller.set(key[:MAX_KEY] if key else None)
    name_token = _name.set(name[:MAX_KEY] if name else None)
    try:
        yield
    finally:
        _name.reset(name_token)
        _caller.reset(token)
