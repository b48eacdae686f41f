"""Tie this process to its client: a first message, and a common end.

A client that ends closes our stdin, which ends the server, unless a child of the client inherited
the pipe. So the parent process is watched as well.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

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
        # An orphan is adopted by another process; the number of the old one may be given out anew.
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)


_LOG_MESSAGE_TYPE = 4
"""LSP's ``MessageType.Log``."""


def show_life() -> None:
    """Send the client a log message, as loading the compiler takes seconds on a slow machine.

    Until ``initialize`` is answered, LSP allows only messages like this one.
    """
    params = {"type": _LOG_MESSAGE_TYPE, "message": "loading the compiler"}
    body = json.dumps({"jsonrpc": "2.0", "method": "window/logMessage", "params": params}).encode()
    try:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()
    except OSError:
        pass  # the client has gone, which is seen elsewhere
