"""Send the client an early sign of life, and end this process with its parent.

The end of a client closes our stdin, which ends the server. A child of the client may have
inherited the pipe, so the parent process is watched as well.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from io import BufferedReader

_POLL_SECONDS = 1.0


def exit_with_parent() -> None:
    """End this process when its parent ends."""
    parent = os.getppid()

    def watch() -> None:
        _wait_for_end(parent)
        try:
            print(
                "roslyn_server: the process that started it has ended", file=sys.stderr, flush=True
            )
        finally:
            os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent watch").start()


if sys.platform == "win32":
    import ctypes

    _SYNCHRONIZE = 0x0010_0000
    _FOREVER = 0xFFFF_FFFF

    def _wait_for_end(parent: int) -> None:
        process = ctypes.windll.kernel32.OpenProcess(_SYNCHRONIZE, False, parent)
        if process:
            ctypes.windll.kernel32.WaitForSingleObject(process, _FOREVER)

else:

    def _wait_for_end(parent: int) -> None:
        # Another process adopts an orphan. The old parent's id may be reused, so don't look for it.
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)


_LOG_MESSAGE_TYPE = 4
"""LSP's ``MessageType.Log``."""


def show_life() -> threading.Thread:
    """Send the client a log message once its first byte has come; return the sending thread.

    Loading the compiler takes seconds on a slow machine. LSP allows no message before the client
    sends ``initialize``, and only log messages until the server answers that. Nobody else may use
    standard input or output until the thread ends.
    """

    def show() -> None:
        assert isinstance(sys.stdin.buffer, BufferedReader)
        if not sys.stdin.buffer.peek(1):
            return  # the client has gone; the main loop handles that
        params = {"type": _LOG_MESSAGE_TYPE, "message": "loading the compiler"}
        message = {"jsonrpc": "2.0", "method": "window/logMessage", "params": params}
        body = json.dumps(message).encode()
        with suppress(OSError):
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            sys.stdout.buffer.flush()

    thread = threading.Thread(target=show, daemon=True, name="sign of life")
    thread.start()
    return thread
