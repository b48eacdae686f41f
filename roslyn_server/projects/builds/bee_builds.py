"""Read the builds of Unity's build system: response files below ``Library/Bee``.

Implements docs/design/roslyn.md §3 "References": ``Library/Bee/artifacts/<dag>/<Assembly>.rsp`` of
the dag that was built last.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from roslyn_server.projects.build import Build, BuildSet, is_players
from roslyn_server.projects.files import Remembered, Stamp, bounded_text, json_object, stamp_of
from roslyn_server.projects.options.analyzers import as_configured, configurations
from roslyn_server.projects.options.command_lines import (
    ResponseFiles,
    arguments_in,
    build_of,
    symbols_in,
)
from snippet_engine.csharp.lexical.symbol_sets import BuildSymbols

_MAX_LOG_BYTES = 4 * 1024 * 1024
_DAG = re.compile(r'"dagFile"\s*:\s*"(?:[^"]*[/\\])?([^"/\\]+)"')


class BeeBuilds:
    """The assemblies of the project at ``root``, as last built."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bee = root / "Library" / "Bee"
        self._dag = Remembered[str | None]()
        self._set: tuple[object, BuildSet | None] = None, None
        self._watched: set[Path] = set()
        """Files besides the response files that the builds depend on."""
        self._response_files = ResponseFiles(root)

    def read(self) -> BuildSet | None:
        """Return the builds now; ``None`` if the project was never built.

        Raises ``OSError`` if they can't be read.
        """
        files = self.response_files()
        if self._set[0] != (files, self._stamps()):
            self._watched = set()
            builds = [self._build(file, *stamps) for file, stamps in files.items()]
            self._set = (files, self._stamps()), BuildSet(builds) if builds else None
        return self._set[1]

    def response_files(self) -> dict[Path, tuple[Stamp, Stamp | None]]:
        """Return the ``.rsp`` files of the last build, and the stamps of each and its ``.rsp2``.

        Raises ``OSError`` if they can't be listed.
        """
        folder = self._dag_folder()
        if folder is None:
            return {}
        files, seconds = _response_files(folder)
        return {folder / name: (stamp, seconds.get(f"{name}2")) for name, stamp in files.items()}

    def symbols_in(self, file: Path) -> tuple[BuildSymbols, list[Path]]:
        """Return the symbols that a ``.rsp``, its ``.rsp2`` and their includes define, and the
        includes.
        """
        files = file, file.with_suffix(".rsp2")
        read = self._response_files.read(*files)
        # Keep the file's own symbols, even if an included file can't be read.
        own = (each for file in files for each in arguments_in(file))
        return BuildSymbols(symbols_in(own if read.fault else read.given)), read.included

    def _stamps(self) -> tuple[object, ...]:
        return tuple(stamp_of(each) for each in sorted(self._watched))

    def _dag_folder(self) -> Path | None:
        """Return the dag that the log names; else the only one; else the configured one.

        Ignores player builds if there is an Editor build.
        """
        artifacts = self._bee / "artifacts"
        dags = [folder for folder in _dags(artifacts) if any(_response_files(folder))]
        dags = [each for each in dags if not is_players(each.name)] or dags
        if (named := artifacts / (self._named_dag() or "")) in dags:
            return named
        if len(dags) > 1:
            debug = self._builds_for_debugging()
            dags = [dag for dag in dags if dag.stem.endswith("Dbg") == debug]
        return dags[0] if len(dags) == 1 else None

    def _named_dag(self) -> str | None:
        """Return the dag of the log's last build."""
        log = self._bee / "tundra.log.json"
        stamp = stamp_of(log)
        return self._dag.get(
            stamp, lambda: next(reversed(_DAG.findall(bounded_text(log, _MAX_LOG_BYTES))), None)
        )

    def _builds_for_debugging(self) -> bool:
        file = self._root / "Library" / "EditorOnlyScriptingSettings.json"
        settings, _ = json_object(bounded_text(file, _MAX_LOG_BYTES))
        return _setting(settings, "m_ScriptDebugInfoEnabled") is True

    def _build(self, file: Path, stamp: Stamp, second: Stamp | None) -> Build:
        files = [file] if second is None else [file, file.with_suffix(".rsp2")]
        read = self._response_files.read(*files)
        given = tuple(f"@{each}" for each in files)
        own = build_of(
            file.stem,
            file,
            (*stamp, *(second or ())),
            self._root,
            read.given,
            given=given,
            fault=read.fault,
        )
        build = as_configured(own)
        numbers = (number for each in read.included for number in stamp_of(each) or (0,))
        self._watched.update(configurations(build), read.included)
        return replace(build, stamp=(*build.stamp, *numbers))


def _dags(artifacts: Path) -> list[Path]:
    """List the dags. Raises ``OSError`` if there are artifacts that can't be listed."""
    try:
        names = os.listdir(artifacts)  # noqa: PTH208 - names are all that is needed
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [artifacts / name for name in sorted(names) if name.endswith(".dag")]


def _response_files(folder: Path) -> tuple[dict[str, Stamp], dict[str, Stamp]]:
    """Return the ``.rsp`` and ``.rsp2`` files in a folder, by name. Raises ``OSError``."""
    first: dict[str, Stamp] = {}
    second: dict[str, Stamp] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                kind = first if entry.name.endswith(".rsp") else second
                stamp = stamp_of(entry) if entry.name.endswith((".rsp", ".rsp2")) else None
                if stamp is not None:
                    kind[entry.name] = stamp
    except (FileNotFoundError, NotADirectoryError):
        return {}, {}
    return dict(sorted(first.items())), second


def _setting(value: Any, name: str) -> Any:
    """Return the setting of that name, however deep Unity's serializer nested it."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        return next((found for each in value.values() if (found := _setting(each, name))), None)
    return None
