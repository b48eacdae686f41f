"""Tie this process to its client: a first message while the compiler loads, and a common end.

A client that ends closes our stdin, which ends the server, unless a child of the client inherited
the pipe. So the parent process is watched as well.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import sys
import threading
import time

_POLL_SECONDS = 1.0


def exit_with_parent() -> None:
    """End this process when its parent ends."""
    parent = os.getppid()
    threading.Thread(target=_outlive, args=(parent,), daemon=True, name="parent watch").start()


def exit_unless_contacted(contacted: threading.Event, seconds: float) -> None:
    """End this process if ``contacted`` isn't set within so many seconds.

    The parent may have ended before it could be watched.
    """

    def wait() -> None:
        if not contacted.wait(seconds):
            # Where the threads are says why, if the client did speak.
            faulthandler.dump_traceback(sys.stderr)
            _end(f"no client sent initialize within {seconds:g} s")

    threading.Thread(target=wait, daemon=True, name="first word").start()


def _outlive(parent: int) -> None:
    _wait_for_end(parent)
    _end("the process that started it has ended")


def _end(why: str) -> None:
    try:
        print(f"roslyn_server: {why}", file=sys.stderr, flush=True)
    finally:
        os._exit(1)


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


class FirstMessage:
    """Standard input. When its first byte arrives, a thread sends the client a log message.

    Loading takes seconds on a slow machine. Until ``initialize`` is answered, LSP allows only
    messages like this one, which shows that the server lives.
    """

    def __init__(self) -> None:
        reader = sys.stdin.buffer
        assert isinstance(reader, io.BufferedReader)
        self._reader = reader
        self._has_come = threading.Event()
        threading.Thread(target=self._await, daemon=True, name="sign of life").start()

    def readline(self) -> bytes:
        """Return the next line."""
        self._has_come.wait()
        return self._reader.readline()

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes; fewer at the end."""
        self._has_come.wait()
        return self._reader.read(size)

    def _await(self) -> None:
        # Nobody may read meanwhile: a BufferedReader that waits for another thread's peek drops
        # the bytes that it got.
        try:
            has_come = bool(self._reader.peek(1))
        finally:
            self._has_come.set()
        if has_come:
            _send_first_message()


def _send_first_message() -> None:
    params = {"type": _LOG_MESSAGE_TYPE, "message": "loading the compiler"}
    body = json.dumps({"jsonrpc": "2.0", "method": "window/logMessage", "params": params}).encode()
    # In one piece: answers are written from another thread.
    try:
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()
    except OSError:
        pass  # the client has gone, which is seen elsewhere
