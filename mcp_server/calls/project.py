"""Find the Unity project of the script tools, and make its engine.

Implements docs/design/server-and-bridge.md §1: ``--project``, or else the nearest folder upward
with ``Assets/`` and ``ProjectSettings/``. A given folder needs only ``Assets/``. Every engine is
made by :func:`open_engine`.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.errors import SnippetError, shortened

if TYPE_CHECKING:
    from snippet_engine.csharp.lexical.symbol_sets import SymbolSet, SymbolsOf
    from snippet_engine.engine import SnippetEngine
    from snippet_engine.validation.judge import ServerValidator

_FOLDERS = ("Assets", "ProjectSettings")


def find_project(start: Path) -> Path | None:
    """Return the nearest Unity project at or above ``start``."""
    return next((folder for folder in (start, *start.parents) if is_project(folder)), None)


def is_project(folder: Path) -> bool:
    """Return whether a folder has the folders of a Unity project."""
    return not _lacking(folder)


def _lacking(folder: Path) -> list[str]:
    # os.path returns False instead of raising for a forbidden folder.
    return [name for name in _FOLDERS if not os.path.isdir(folder / name)]


def half_project(start: Path) -> tuple[Path, str] | None:
    """Return the nearest folder with only one of a project's two folders, and what is missing."""
    for folder in (start, *start.parents):
        lacking = _lacking(folder)
        if len(lacking) == 1:
            has = next(name for name in _FOLDERS if name not in lacking)
            return folder, f"has {has}/, but no {lacking[0]}/"
    return None


MAX_PROJECTS_TOLD = 5
MAX_FOLDERS_LOOKED_AT = 500

_MAX_NAMED = 40


def projects_in(folder: Path) -> list[str]:
    """Return the first Unity projects directly below ``folder``."""
    try:
        with os.scandir(folder) as entries:
            names = [each.name for each in islice(entries, MAX_FOLDERS_LOOKED_AT)]
    except OSError:
        return []
    found = (name for name in sorted(names) if is_project(folder / name))
    return list(islice(found, MAX_PROJECTS_TOLD))


def no_project(files: str = "") -> ToolError:
    """Return the error of a script tool without a Unity project.

    ``files`` names the bundles around which a project was searched, too.
    """
    whose = f" for {files}" if files else ""
    try:
        where = str(Path.cwd())
    except OSError:  # it is gone
        where = "?"
    message = _none_found(shortened(whose, _MAX_NAMED), "the working folder")
    text = _none_found(whose, f"the working folder, {where}")
    half = half_project(Path(where))
    if half is not None:
        folder, has = half
        text += f" {folder} {has}."
        if not whose:  # otherwise the message would be too long
            message += (
                f" {'The working folder' if folder == Path(where) else 'A folder above'} {has}."
            )
    below = projects_in(Path(where))
    if below:
        text += f" Right below it: {', '.join(below)}."
    return tool_error(
        ToolErrorCode.CONFIG_VALIDATION,
        message,
        details={"working_folder": where, **({"projects_below": below} if below else {})},
        text=f"{ToolErrorCode.CONFIG_VALIDATION.value}: {text}",
    )


def _none_found(whose: str, where: str) -> str:
    upward = f"it or {where}" if whose else where
    return (
        f"No Unity project{whose}: none was given and none is found upward from {upward}. "
        "Give --project PATH, a folder with Assets/."
    )


def problem_of(project: Path | None) -> ToolError | None:
    """Return why script tools can't work in the folder ``project``. Loads no engine."""
    if project is None:
        return no_project()
    from snippet_engine.storage.paths.project import Project  # noqa: PLC0415 - not for help pages

    opened = Project.open(project)
    return _unusable(opened) if isinstance(opened, SnippetError) else None


def why_gone(project: Path) -> SnippetError | None:
    """Return the error for a project that no longer exists; ``None`` if it does."""
    try:
        os.stat(project)  # noqa: PTH116 - for each call
    except (FileNotFoundError, NotADirectoryError) as error:
        from snippet_engine.storage.os_failure import NoProjectError  # noqa: PLC0415 - seldom

        return NoProjectError(error).refusal()
    except OSError:  # unknown: the tool reports it
        pass
    return None


def _unusable(why: SnippetError) -> ToolError:
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, f"--project: {why.message}")


def open_engine(
    project: Path | None, server: ServerValidator | None = None, *, of_locked: bool = False
) -> SnippetEngine | ToolError:
    """Return a new engine for the project in that folder. Touches nothing on disk.

    ``server`` is the language server that judges its edits. With ``of_locked``,
    edits of read-only files are judged, too: the caller writes nothing. Error:
    ``ERR_CONFIG_VALIDATION`` if the project can't be used.
    """
    if project is None:
        return no_project()
    from snippet_engine.engine import SnippetEngine  # noqa: PLC0415 - the heavy part

    @cache
    def known() -> SymbolsOf:
        from roslyn_server.projects.build_symbols import ScriptSymbols  # noqa: PLC0415 - for `#if`

        return ScriptSymbols(project.absolute())

    def symbols_of(script: str) -> SymbolSet:
        return known()(script)

    engine = SnippetEngine.open(project, server, of_locked=of_locked, symbols_of=symbols_of)
    return _unusable(engine) if isinstance(engine, SnippetError) else engine
