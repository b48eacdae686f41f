"""The name of the client for which a call runs; the history records it.

Implements "who asked" of docs/design/engine.md §5 "Undo". As with :mod:`snippet_engine.budget`, the
name belongs to the call that runs in the current thread, so functions needn't pass it on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_CLIENT_NAME = 64
"""Most code points of a client's name that are kept."""

_client: ContextVar[str | None] = ContextVar("client", default=None)


def client() -> str | None:
    """Return the name that the client gives itself, if it is known."""
    return _client.get()


@contextmanager
def as_client(name: str | None) -> Iterator[None]:
    """Record the client ``name`` for everything that runs in this context."""
    cleaned = "".join(each for each in name or "" if each.isprintable())[:MAX_CLIENT_NAME]
    token = _client.set(cleaned.strip() or None)
    try:
        yield
    finally:
        _client.reset(token)
