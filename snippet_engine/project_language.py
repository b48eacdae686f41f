"""Which C# a Unity project compiles a script as.

Part of docs/design/roslyn.md §1.5 and §3: a response file (``csc.rsp``) may say so, beside the
script's assembly definition or in ``Assets``, where Unity reads it; else the Editor's version
decides. Read anew for each question, since any of these may change under a running server.
"""

from __future__ import annotations

import os
import re
import stat
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION, LanguageVersion
from snippet_engine.editor_version import editor_version, version_numbers

_RESPONSE_FILE = "csc.rsp"
_MAX_BYTES = 64 * 1024
_OPTION = re.compile(r"[-/]langversion:\"?([^\s\"]+)", re.IGNORECASE)
_FIRST_CORECLR_EDITOR = 7000
"""Unity 7's version numbers begin so, as Unity 6's begin with 6000."""


class ProjectLanguage:
    """Answers, for each script of the project at ``root``, what C# it is."""

    def __init__(self, root: Path) -> None:
        # Strings: every verdict asks, and paths as objects take several times as long.
        self._root = str(root)

    def __call__(self, script: str) -> LanguageVersion:
        """The language version of the script at a project-relative path."""
        said = self.said(script)
        if said is not None:
            return said
        editor = version_numbers(editor_version(self._root))
        if editor is not None and editor[0] >= _FIRST_CORECLR_EDITOR:
            return LanguageVersion.newest()
        return UNITY_LANGUAGE_VERSION

    def said(self, script: str) -> LanguageVersion | None:
        """The language version that a response file says for the script, if one does."""
        found = (_option_in(_read(file)) for file in self._response_files(script))
        return next((version for version in found if version is not None), None)

    def _response_files(self, script: str) -> Iterator[str]:
        """The response files that Unity would read for the script, the nearest first."""
        folder = script.rpartition("/")[0]
        while folder:
            absolute = f"{self._root}/{folder}"
            if _has_assembly_definition(absolute):
                yield f"{absolute}/{_RESPONSE_FILE}"
                break
            folder = folder.rpartition("/")[0]
        if script.startswith("Assets/"):
            yield f"{self._root}/Assets/{_RESPONSE_FILE}"


def _has_assembly_definition(folder: str) -> bool:
    try:
        return any(name.endswith((".asmdef", ".asmref")) for name in os.listdir(folder))  # noqa: PTH208
    except OSError:
        return False


def _option_in(text: str) -> LanguageVersion | None:
    """What the last ``-langVersion`` of a response file says; lines with ``#`` are comments."""
    options = [
        match[1]
        for line in text.splitlines()
        if not line.lstrip().startswith("#")
        for match in _OPTION.finditer(line)
    ]
    return LanguageVersion.parse(options[-1]) if options else None


def _read(file: str) -> str:
    """The file's text; nothing where there is no regular file, or one too large to be meant."""
    try:
        status = os.stat(file)  # noqa: PTH116
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return ""
        # As bytes: a decoder that looks for the BOM takes longer than all else here.
        with open(file, "rb") as data:  # noqa: PTH123
            text = data.read(_MAX_BYTES).removeprefix(BOM_UTF8).decode(errors="replace")
    except OSError:
        return ""
    return text.replace("\r\n", "\n").replace("\r", "\n")
