"""Scripts and folders of a project, as they are named from the working folder.

Part of docs/design/command-line.md "check" and "symbols and edit": tools take paths from the
project's folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mcp_server.cli.arguments.bundle_arguments import usage_error
from mcp_server.contract.errors import ToolError


def project_of(given: Path | None, paths: Sequence[Path]) -> Path | ToolError:
    """The project that is ``given``, or the nearest one upward from here, or from a path.

    Error: ``ERR_INVALID_REQUEST`` where there is nothing at a path, ``ERR_CONFIG_VALIDATION``
    where there is no project.
    """
    from mcp_server.calls.project import find_project, no_project  # noqa: PLC0415

    missing = next((path for path in paths if not os.path.lexists(path)), None)
    if missing is not None:
        return _missing(missing, given)
    if given is not None:
        return given
    starts = (Path.cwd(), *(Path(os.path.abspath(path)) for path in paths))  # noqa: PTH100
    found = (find_project(start) for start in starts)
    return next((each for each in found if each is not None), None) or no_project()


def _missing(path: Path, project: Path | None) -> ToolError:
    """There is nothing at a path; perhaps the one that is nearest is meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    from mcp_server.calls.project import find_project  # noqa: PLC0415

    meant = None
    root = project or find_project(Path.cwd())
    if root is not None and not path.is_absolute() and os.path.lexists(root / path):
        meant = root / path
    else:
        try:
            names = sorted(os.listdir(path.parent))  # noqa: PTH208 - names are all that is needed
        except OSError:
            names = []
        near = get_close_matches(path.name, names, 1)
        meant = path.parent / near[0] if near else _of_that_name(root, path)
    what = f"; did you mean {meant}?" if meant is not None else "."
    return usage_error(f"{path} does not exist{what}")


def _of_that_name(root: Path | None, path: Path) -> Path | None:
    """The script of the project at ``root`` whose name is the path's, or most like it."""
    from snippet_engine.storage.paths.nearest_files import nearest_scripts  # noqa: PLC0415
    from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS  # noqa: PLC0415

    found = [] if root is None else nearest_scripts(root, SCRIPT_ROOTS, path.as_posix())
    if root is None or not found:
        return None
    whole = root.absolute() / found[0]
    return whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole


def in_project(project: Path, path: Path) -> str | ToolError:
    """``path`` as tools take it; ``.`` is the whole project. Error: it is not in there."""
    for root, absolute in (
        # As it is written, so that a link in the project is what the project calls it.
        (Path(os.path.abspath(project)), Path(os.path.abspath(path))),  # noqa: PTH100
        (project.resolve(), path.resolve()),
    ):
        if absolute.is_relative_to(root):
            return absolute.relative_to(root).as_posix()
    return usage_error(f"{path} is not in the project {project}.")
