"""Find the scripts that project files list.

A server that loads such a file judges names only in the scripts listed there.
"""

from __future__ import annotations

import re
import stat
import threading
from html import unescape
from pathlib import Path

_COMPILED = re.compile(r"<Compile\s+Include=\"([^\"]+)\"")


class ProjectFiles:
    """The ``.csproj`` files at a project's root, read again when they change."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Path, tuple[int, frozenset[str]]] = {}
        self._reading = threading.Lock()

    def list(self, script: str) -> bool:
        """Return whether a project file lists the script at a project-relative path."""
        with self._reading:
            return any(script in self._scripts(file) for file in self._root.glob("*.csproj"))

    def _scripts(self, file: Path) -> frozenset[str]:
        try:
            status = file.stat()
            if not stat.S_ISREG(status.st_mode):
                return frozenset()  # a pipe has no end
            changed = status.st_mtime_ns
            known = self._known.get(file)
            if known is not None and known[0] == changed:
                return known[1]
            text = file.read_text(encoding="utf-8-sig", errors="replace")
        except OSError:
            return frozenset()
        scripts = frozenset(unescape(name).replace("\\", "/") for name in _COMPILED.findall(text))
        self._known[file] = changed, scripts
        return scripts
