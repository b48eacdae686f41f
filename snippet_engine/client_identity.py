"""The name of the client that a call acts for, which the history keeps.

Implements "who asked" of docs/design/engine.md §5 "Undo". As with :mod:`snippet_engine.budget`, the
name belongs to the call that runs in the present thread, so no function has to pass it on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_CLIENT_NAME = 64
"""How much of a client's name is kept, in code points."""

_client: ContextVar[str | None] = ContextVar("client", default=None)


def client() -> str | None:
    """Return the name that the client gives itself, if it is known."""
    return _client.get()


@contextmanager
def as_client(name: str | None) -> Iterator[None]:
    """Let everything that runs in this context act for the client of that name."""
    cleaned = "".join(each for each in name or "" if each.isprintable())[:MAX_CLIENT_NAME]
    token = _client.set(cleaned.strip() or None)
    try:
        yield
    finally:
        _client.reset(token)
