"""What the system refused, in words: docs/design/systems.md "Texts"."""

from __future__ import annotations

import errno
import os

import pytest

from snippet_engine.storage.os_failure import reason_of


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(10061, "Es konnte keine Verbindung hergestellt werden"), "connection refused"),
        (OSError(10054, "Unknown error"), "connection reset by peer"),
        (OSError(10060, ""), "connection timed out"),
        (OSError(errno.ENOENT, "whatever"), os.strerror(errno.ENOENT)),
        (OSError(19999, "no such number"), "no such number"),
        (OSError("text only"), "text only"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_every_number_has_words(error: OSError, said: str) -> None:
    assert reason_of(error) == said
