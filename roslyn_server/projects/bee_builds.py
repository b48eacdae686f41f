"""Builds as Unity's own build system left them: response files below ``Library/Bee``.

Implements docs/design/roslyn.md §3 "References": ``Library/Bee/artifacts/<dag>/<Assembly>.rsp``,
for the dag that was built last.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from roslyn_server.projects.builds import Build, assembly_name, modified_ns, stamp_of

_MAX_LOG_BYTES = 4 * 1024 * 1024
_MAX_RESPONSE_BYTES = 8 * 1024 * 1024
_DAG = re.compile(r'"dagFile"\s*:\s*"(?:[^"]*[/\\])?([^"/\\]+)"')
_ANALYZER = re.compile(r'^[-/]a(?:nalyzer)?:"?(.+?)"?\s*$', re.MULTILINE | re.IGNORECASE)
_REFERENCE = re.compile(r'^[-/]r(?:eference)?:(?:\w+=)?"?(.+?)"?\s*$', re.MULTILINE | re.IGNORECASE)
_UNSAFE = re.compile(r"^[-/]unsafe\+?\s*$", re.MULTILINE | re.IGNORECASE)
_SOURCE = re.compile(r'^"?([^-/"#@][^"\n]*\.cs)"?\s*$', re.MULTILINE)


class BeeBuilds:
    """The assemblies of the project at ``root``, by the scripts that they were built from."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[Path, tuple[tuple[int, int], tuple[str, ...]]] = {}
        """The sources of each response file that was read, and the file's stamp then."""

    def build_of(self, script: str) -> Build | None:
        """The build that compiled the script at a project-relative path, if there is one."""
        for file in self.response_files():
            if script in self._sources(file):
                return self._build(file)
        return None

    def builds(self) -> dict[str, Build]:
        """Every build, by its assembly's name."""
        made = [self._build(file) for file in self.response_files()]
        return {build.assembly: build for build in made if build is not None}

    def build(self, assembly: str) -> Build | None:
        """The build of that assembly, if there is one."""
        folder = self._dag_folder()
        file = folder / f"{assembly}.rsp" if folder is not None and assembly else None
        return self._build(file) if file is not None and file.parent == folder else None

    def response_files(self) -> list[Path]:
        """Every response file of the last build; none where the project was never built."""
        folder = self._dag_folder()
        return sorted(folder.glob("*.rsp")) if folder is not None else []

    def built_ns(self) -> int:
        """When the last build ended, in nanoseconds; 0 if that isn't known."""
        return modified_ns(self._bee / "tundra.log.json")

    @property
    def _bee(self) -> Path:
        return self._root / "Library" / "Bee"

    def _dag_folder(self) -> Path | None:
        """The artifacts of the dag that the log names; else of the only one; else as it is set."""
        artifacts = self._bee / "artifacts"
        named = self._named_dag()
        if named is not None and any((artifacts / named).glob("*.rsp")):
            return artifacts / named
        dags = sorted(folder for folder in artifacts.glob("*.dag") if any(folder.glob("*.rsp")))
        if len(dags) > 1:
            debug = self._builds_for_debugging()
            dags = [dag for dag in dags if dag.stem.endswith("Dbg") == debug]
        return dags[0] if len(dags) == 1 else None

    def _named_dag(self) -> str | None:
        """The dag of the log's last build."""
        found = _DAG.findall(_text(self._bee / "tundra.log.json", _MAX_LOG_BYTES))
        return found[-1] if found else None

    def _builds_for_debugging(self) -> bool:
        file = self._root / "Library" / "EditorOnlyScriptingSettings.json"
        try:
            settings: Any = json.loads(_text(file, _MAX_LOG_BYTES))
        except (ValueError, RecursionError):
            return False
        return _setting(settings, "m_ScriptDebugInfoEnabled") is True

    def _sources(self, file: Path) -> tuple[str, ...]:
        stamp = stamp_of(file)
        if stamp is None:
            return ()
        known = self._read.get(file)
        if known is None or known[0] != stamp:
            text = _text(file, _MAX_RESPONSE_BYTES)
            listed = (name.replace("\\", "/") for name in _SOURCE.findall(text))
            known = self._read[file] = stamp, tuple(listed)
        return known[1]

    def _build(self, file: Path) -> Build | None:
        stamp = stamp_of(file)
        if stamp is None:
            return None
        second = file.with_suffix(".rsp2")
        files = [file, second] if second.is_file() else [file]
        text = _text(file, _MAX_RESPONSE_BYTES)
        return Build(
            file.stem,
            file,
            stamp,
            self._root,
            tuple(f"@{each}" for each in files),
            frozenset(map(assembly_name, _REFERENCE.findall(text))),
            _UNSAFE.search(text) is not None,
            tuple(self._root / path for path in _ANALYZER.findall(text)),
            self._sources(file),
            max(stamp[0], self.built_ns()),
        )


def _setting(value: Any, name: str) -> Any:
    """The setting of that name, wherever Unity's serializer has nested it."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        return next((found for each in value.values() if (found := _setting(each, name))), None)
    return None


def _text(file: Path, limit: int) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(limit).decode("utf-8-sig", "replace")
    except OSError:
        return ""
