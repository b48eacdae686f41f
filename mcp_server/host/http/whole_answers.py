"""An answer's head and body on their way together.

Part of docs/design/server-and-bridge.md §10: uvicorn writes the head by itself, and the body right
behind it. That is a second call of the system for each answer, and it wakes the client twice.
"""

from __future__ import annotations

from collections.abc import Callable

import h11


class WholeAnswers(h11.Connection):
    """uvicorn's state of a connection, which keeps the head of an answer for what comes next."""

    def __init__(self, on_kept: Callable[[], object]) -> None:
        """``on_kept`` is called when a head is kept: :meth:`kept` is to be written soon, even
        where no body comes."""
        super().__init__(h11.SERVER)
        self._on_kept = on_kept
        self._head: list[bytes] = []

    def send_with_data_passthrough(self, event: h11.Event) -> list[bytes] | None:
        """What is to be written for ``event``, behind a head that was kept."""
        written = super().send_with_data_passthrough(event)
        if isinstance(event, h11.Response):
            self._head = written or []
            self._on_kept()
            return []
        return written if written is None else [self.kept(), *written]

    def kept(self) -> bytes:
        """The head that wasn't written yet, once; empty if there is none."""
        head, self._head = b"".join(self._head), []
        return head
