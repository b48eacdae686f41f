"""A word to the client while the compiler loads, lest it take this server for a dead one.

``initialize`` is answered once a text was judged, which takes seconds on a slow machine. Until then
LSP allows a server no more than to show and log messages.
"""

from __future__ import annotations

import io
import json
import sys
import threading

_LOG = 4
"""LSP's ``MessageType.Log``."""


def answer_first_word() -> None:
    """From now on, log a message to the client as soon as it has said something.

    What it said is left to be read.
    """
    threading.Thread(target=_answer, daemon=True, name="sign of life").start()


def _answer() -> None:
    reader = sys.stdin.buffer
    assert isinstance(reader, io.BufferedReader)
    if not reader.peek(1):
        return
    params = {"type": _LOG, "message": "loading the compiler"}
    body = json.dumps({"jsonrpc": "2.0", "method": "window/logMessage", "params": params}).encode()
    # In one piece: answers are written from another thread.
    try:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()
    except OSError:
        pass  # the client has gone, which is seen elsewhere
