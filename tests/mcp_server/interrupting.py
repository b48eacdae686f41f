"""The beginning of a script in whose process a signal comes at one moment of a call.

What follows wraps functions in ``interrupting``: at the call with that number the signal is sent,
and the call waits until it has been heard. Arguments: the moment, the signal, the command.
"""

from __future__ import annotations

INTERRUPTING = """
import os, sys, threading
from snippet_engine import budget

moment, number, rest = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
heard = threading.Event()
stop = budget.Stop.stop
calls = 0

def stopping(self):
    try:
        return stop(self)
    finally:
        heard.set()

def interrupting(real, at=1):
    def interrupt(*given, **named):
        global calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), number)
            if threading.current_thread() is not threading.main_thread():
                heard.wait()
        return real(*given, **named)
    return interrupt

budget.Stop.stop = stopping
"""
