"""Starts a language server, and says whether it ran before its client had loaded an LSP library.

Run by tests as ``starting_client.py FILE WHAT``: the server writes its process id into ``FILE`` and
never answers. ``WHAT`` is ``wait``, or ``close``: then the client is closed while it still loads.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from importlib.abc import MetaPathFinder
from pathlib import Path

from lsp_client.running.background_server import BackgroundServer
from lsp_client.servers.selection import Selection
from lsp_client.servers.server_table import Launch, ServerSpec
from lsp_client.timing import Timing

_LONG_S = 120.0
_SERVER = """
import os, pathlib, sys
file = pathlib.Path(sys.argv[1])
file.with_suffix(".new").write_text(str(os.getpid()))
file.with_suffix(".new").rename(file)
sys.stdin.read()
"""


class _Loading(MetaPathFinder):
    """Holds up what loads the LSP library until the server runs."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "lsp_client.running.supervisor":
            deadline = time.monotonic() + _LONG_S
            while not _FILE.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            print("runs" if _FILE.exists() else "does not run")
            if _WHAT == "close":
                _client.close()


_FILE, _WHAT = Path(sys.argv[1]), sys.argv[2]
_command = (sys.executable, "-c", _SERVER, str(_FILE))
_launch = Launch(ServerSpec("silent", start_s=_LONG_S), _command, _FILE.parent)
_client = BackgroundServer(lambda: Selection("test", launches=(_launch,)), Timing())
sys.meta_path.insert(0, _Loading())
_client.start()
for each in threading.enumerate():
    if each.name == "language server":
        each.join()
_client.close()
try:
    os.kill(int(_FILE.read_text()), 0)
except ProcessLookupError:
    print("is gone")
