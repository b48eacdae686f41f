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

from roslyn_server.projects.build import (
    Build,
    BuildSet,
    assembly_name,
    is_players,
    plugins_among,
    script_paths,
)
from roslyn_server.projects.files import Remembered, Stamp, bounded_text, json_object, stamp_of
from roslyn_server.projects.options.analyzers import configured_by, unreadable
from roslyn_server.projects.options.command_lines import (
    MAX_RESPONSE_BYTES,
    ResponseFiles,
    build_options,
    one_a_line,
)
from roslyn_server.projects.options.project_symbols import defined_in
from snippet_engine.csharp.lexical.symbol_sets import BuildSymbols

_MAX_LOG_BYTES = 4 * 1024 * 1024
_DAG = re.compile(r'"dagFile"\s*:\s*"(?:[^"]*[/\\])?([^"/\\]+)"')
_ANALYZER = re.compile(r'^[-/]a(?:nalyzer)?:"?(.+?)"?\s*$', re.MULTILINE | re.IGNORECASE)
_REFERENCE = re.compile(r'^[-/]r(?:eference)?:(?:\w+=)?"?(.+?)"?\s*$', re.MULTILINE | re.IGNORECASE)
_UNSAFE = re.compile(r"^[-/]unsafe\+?\s*$", re.MULTILINE | re.IGNORECASE)
_QUOTED = re.compile(r'^"([-/]\w+[^"\n]*)"[ \t]*$', re.MULTILINE)
"""An option that is quoted as a whole."""

_SOURCE = re.compile(r'^"?((?:[^-/"#@]|/[^"\n:/]+/)[^"\n]*\.cs)"?\s*$', re.MULTILINE)
"""A script's path, also an absolute one: an option has no second slash."""


class BeeBuilds:
    """The assemblies of the project at ``root``, as last built."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bee = root / "Library" / "Bee"
        self._dag = Remembered[str | None]()
        self._builds: dict[Path, tuple[object, Build]] = {}
        """Each build, and the stamps of the files it was read from."""
        self._configured_by: dict[Path, tuple[Path, ...]] = {}
        """The files that each response file includes or takes severities from."""
        self._set: tuple[object, BuildSet | None] = None, None
        self._response_files = ResponseFiles(root)

    def read(self) -> BuildSet | None:
        """Return the builds now; ``None`` if the project was never built.

        Raises ``OSError`` if that can't be read.
        """
        folder = self._dag_folder()
        if folder is None:
            return None
        files, seconds = _response_files(folder)
        stamps = tuple((name, stamp, seconds.get(f"{name}2")) for name, stamp in files.items())
        if self._set[0] != (folder, stamps, self._configured()):
            known = self._builds
            self._builds = {}
            for name, stamp, second in stamps:
                file = folder / name
                of = stamp, second, *map(stamp_of, self._configured_by.get(file, ()))
                read = known.get(file)
                if read is None or read[0] != of:
                    build = self._build(file, stamp, second)
                    by = tuple(stamp_of(each) for each in self._configured_by[file])
                    numbers = (number for each in by for number in each or (0,))
                    read = (
                        (stamp, second, *by),
                        replace(build, stamp=(*build.stamp, *numbers)),
                    )
                self._builds[file] = read
            made = BuildSet(build for _, build in self._builds.values()) if stamps else None
            self._set = (folder, stamps, self._configured()), made
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

    def symbols_in(self, file: Path) -> tuple[BuildSymbols, tuple[Path, ...]]:
        """Return the symbols that a ``.rsp``, its ``.rsp2`` and their includes define, and the
        includes.
        """
        texts: list[str] = []
        included: list[Path] = []
        for each in (file, file.with_suffix(".rsp2")):
            if self._response_files.fault(each) is None:
                text, inside = self._response_files.text(each)
                included += inside
            else:
                text = one_a_line(bounded_text(each, MAX_RESPONSE_BYTES))
            texts.append(_QUOTED.sub(r"\1", text))
        return BuildSymbols(defined_in("\n".join(texts))), tuple(included)

    def _configured(self) -> tuple[object, ...]:
        files = {each for by in self._configured_by.values() for each in by}
        return tuple(stamp_of(each) for each in sorted(files))

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
        fault = next(filter(None, map(self._response_files.fault, files)), None)
        read = [self._response_files.text(each) for each in files] if fault is None else []
        text = _QUOTED.sub(r"\1", "\n".join(each for each, _ in read))
        included = (inner for _, inside in read for inner in inside)
        configurations = configured_by(text, self._root)
        self._configured_by[file] = (*configurations, *included)
        fault = fault or unreadable(configurations)
        references = _REFERENCE.findall(text)
        return Build(
            file.stem,
            file,
            stamp if second is None else (*stamp, *second),
            self._root,
            () if fault else tuple(f"@{each}" for each in files),
            frozenset(map(assembly_name, references)),
            _UNSAFE.search(text) is not None,
            tuple(self._root / path for path in _ANALYZER.findall(text)),
            script_paths(self._root, _SOURCE.findall(text)),
            fault,
            defined_in(text),
            plugins_among(references),
            build_options(text.splitlines()),
        )


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
