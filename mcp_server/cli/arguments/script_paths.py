"""Scripts and folders of a project, named from the working folder.

Part of docs/design/command-line.md "check" and "symbols and edit": tools take paths from the
project's folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from mcp_server.calls.project import find_project, no_project
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import ExitCode, fail, refuse


def project_here(context: click.Context) -> Path:
    """Return the project that is named or found. Ends the command if there is none."""
    found = GlobalOptions.of(context).found_project
    return fail(context, no_project()) if found is None else found


def project_of(context: click.Context, paths: Sequence[Path]) -> Path:
    """Return the project that is named, or the nearest one upward from here, or from a path.

    Ends the command if a path doesn't exist, or if there is no project.
    """
    given = GlobalOptions.of(context).project
    starts = (Path.cwd(), *(Path(os.path.abspath(path)) for path in paths))  # noqa: PTH100
    found = (find_project(start) for start in starts)
    project = given or next((each for each in found if each is not None), None)
    missing = next((path for path in paths if not os.path.lexists(path)), None)
    if missing is not None:
        near = _nearest(missing, given)
        if near is None and project is None:  # the wrong folder, rather than a wrong name
            fail(context, no_project())
        hint = f"; did you mean {near}?" if near is not None else "."
        refuse(context, f"{missing} does not exist{hint}", ExitCode.USAGE)
    return project or fail(context, no_project())


def _nearest(path: Path, project: Path | None) -> Path | None:
    """Return the file that ``path``, which doesn't exist, probably names."""
    from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake

    from snippet_engine.storage.paths.nearest_files import nearest_scripts  # noqa: PLC0415
    from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS  # noqa: PLC0415

    root = project or find_project(Path.cwd())
    if root is not None and not path.is_absolute() and os.path.lexists(root / path):
        return root / path
    try:
        names = sorted(os.listdir(path.parent))  # noqa: PTH208 - names are all that is needed
    except OSError:
        names = []
    near = get_close_matches(path.name, names, 1)
    if near:
        return path.parent / near[0]
    found = [] if root is None else nearest_scripts(root, SCRIPT_ROOTS, path.as_posix())
    if root is None or not found:
        return None
    whole = root.absolute() / found[0]
    return whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole


def in_project(context: click.Context, project: Path, path: Path) -> str:
    """Return ``path`` as tools take it; ``.`` is the whole project.

    Ends the command if ``path`` is not in the project.
    """
    for root, absolute in (
        # First as written, so that a link in the project keeps its name.
        (Path(os.path.abspath(project)), Path(os.path.abspath(path))),  # noqa: PTH100
        (project.resolve(), path.resolve()),
    ):
        if absolute.is_relative_to(root):
            return absolute.relative_to(root).as_posix()
    return refuse(context, f"{path} is not in the project {project}.", ExitCode.USAGE)
