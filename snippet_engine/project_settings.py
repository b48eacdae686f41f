"""Read a Unity project's settings for its scripts: Editor version, C# version, and assemblies.

Part of docs/design/roslyn.md §1.5 and §3, and docs/design/change-sets.md §2. Every call reads the
files again, because each of them may change at any time.
"""

from __future__ import annotations

import json
import os
import re
import stat
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path, PurePath

from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION, LanguageVersion
from snippet_engine.storage.system.plain_file import read_plain

VERSION_FILE = "ProjectSettings/ProjectVersion.txt"

MAX_VERSION_BYTES = 64 * 1024
"""Most bytes of the file that are read; it has two lines."""

_EDITOR_VERSION = re.compile(r"^m_EditorVersion:[ \t]*([\w.+-]+)", re.MULTILINE)
_NUMBERS = re.compile(r"^(\d+)\.(\d+)\.(\d+)")

DEFINITIONS = (".asmdef", ".asmref", ".rsp")
"""Suffixes of the files that define assemblies and set compiler options."""


def editor_version(root: PurePath | str) -> str:
    """Return the Editor's version, such as ``6000.0.23f1``; empty if the project names none."""
    try:
        return editor_version_in(read_plain(f"{root}/{VERSION_FILE}", MAX_VERSION_BYTES))
    except OSError:
        return ""


def editor_version_in(data: bytes) -> str:
    """Return the version that the file's bytes name; empty if they name none."""
    codec = "utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8"
    found = _EDITOR_VERSION.search(data.removeprefix(BOM_UTF8).decode(codec, "replace"))
    return found[1] if found else ""


def version_numbers(version: str) -> tuple[int, int, int] | None:
    """Return the three numbers at the beginning of an Editor's version, if it has them."""
    found = _NUMBERS.match(version)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


_RESPONSE_FILE = "csc.rsp"
_MAX_RESPONSE_BYTES = 64 * 1024
_OPTION = re.compile(r"[-/]langversion:\"?([^\s\"]+)", re.IGNORECASE)
_FIRST_CORECLR_EDITOR = 7000
"""The version numbers of Unity 7 begin with this, as those of Unity 6 begin with 6000."""


class ProjectLanguage:
    """Returns the C# version of each script of the project at ``root``."""

    def __init__(self, root: Path) -> None:
        # Use strings: every verdict calls this, and path objects take several times as long.
        self._root = str(root)

    def __call__(self, script: str) -> LanguageVersion:
        """Return the language version of the script at a project-relative path."""
        said = self.said(script)
        if said is not None:
            return said
        editor = version_numbers(editor_version(self._root))
        if editor is not None and editor[0] >= _FIRST_CORECLR_EDITOR:
            return LanguageVersion.newest()
        return UNITY_LANGUAGE_VERSION

    def said(self, script: str) -> LanguageVersion | None:
        """Return the language version that a response file sets for the script, if any."""
        found = (_option_in(_read(file)) for file in self._response_files(script))
        return next((version for version in found if version is not None), None)

    def _response_files(self, script: str) -> Iterator[str]:
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
    options = [
        match[1]
        for line in text.splitlines()
        if not line.lstrip().startswith("#")
        for match in _OPTION.finditer(line)
    ]
    return LanguageVersion.parse(options[-1]) if options else None


def _read(file: str) -> str:
    """Return the file's text; empty if it isn't a regular file, or is too large."""
    try:
        status = os.stat(file)  # noqa: PTH116
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_RESPONSE_BYTES:
            return ""
        # Read bytes: a decoder that looks for the BOM takes longer than everything else here.
        with open(file, "rb") as data:  # noqa: PTH123
            text = data.read(_MAX_RESPONSE_BYTES).removeprefix(BOM_UTF8).decode(errors="replace")
    except OSError:
        return ""
    return text.replace("\r\n", "\n").replace("\r", "\n")


_FIRST_PASS = ("plugins", "standard assets", "pro standard assets", "iphone standard assets")
"""Unity compares these folder names in lower case. So ``Editor`` is in lower case, too."""

_MAX_DEFINITION_BYTES = 64 * 1024


_NOT_COMPILED = ("streamingassets", "webgltemplates")
"""Folders directly in ``Assets`` whose files Unity copies unchanged."""


def uncompiled_name(script: str) -> str | None:
    """Return the folder or file name in a script's path that stops Unity from compiling it.

    Return ``None`` if there is none. The path is project-relative. See "Special folder names" in
    Unity's manual.
    """
    names = script.split("/")
    if names[0] == "..":
        return None  # a local package in a folder outside the project
    if names[0] == "Assets" and len(names) > 2 and names[1].lower() in _NOT_COMPILED:
        return names[1]
    return next((n for n in names if n[:1] == "." or n[-1:] == "~" or n.lower() == "cvs"), None)


def assembly_of(root: Path, script: str) -> str:
    """Describe the assembly of a project-relative script path; the script needn't exist."""
    *folders, _ = script.split("/")
    for depth in range(len(folders), 0, -1):
        found = _definition_in(root, "/".join(folders[:depth]))
        if found is not None:
            return found
    if folders[0] != "Assets":
        return "no assembly"
    lower = [each.lower() for each in folders[1:]]
    first = "-firstpass" if lower and lower[0] in _FIRST_PASS else ""
    return f"Assembly-CSharp{'-Editor' if 'editor' in lower else ''}{first}"


def _definition_in(root: Path, folder: str) -> str | None:
    try:
        names = sorted(each.name for each in (root / folder).iterdir())
    except OSError:
        return None
    for name in names:
        if name.lower().endswith(".asmdef"):
            return _said(root / folder / name, "name") or name[: -len(".asmdef")]
        if name.lower().endswith(".asmref"):
            said = _said(root / folder / name, "reference")
            # A reference by GUID would have to be searched for in every .meta file.
            return said if said and not said.startswith("GUID:") else f"what {folder}/{name} names"
    return None


def _said(file: Path, key: str) -> str | None:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_DEFINITION_BYTES:
            return None
        said = json.loads(file.read_text("utf-8-sig", "replace"))
    except (OSError, ValueError, RecursionError):
        return None
    name = said.get(key) if isinstance(said, dict) else None
    return name if isinstance(name, str) and name else None
