"""What the commands that take bundles have in common: their paths, their project, their findings.

Implements docs/design/command-line.md "Bundles".
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import Styled, print_line
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error

if TYPE_CHECKING:
    from mcp_server.bundles.bundle import BundleFile
    from mcp_server.bundles.findings import Finding


def missing_path(paths: Sequence[Path]) -> ToolError | None:
    """``ERR_INVALID_REQUEST`` if one of the paths doesn't exist, or is a script."""
    script = next((path for path in paths if path.suffix == ".cs" and os.path.isfile(path)), None)
    if script is not None:
        return usage_error(
            f"{script} is a script, not a bundle (*.snippet.json). Its errors: unity-cli check."
        )
    missing = [path for path in paths if not os.path.lexists(path)]
    if not missing:
        return None
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    near = _nearest(missing[0])
    todo = f"Did you mean {near}?" if near else "Name bundles, or folders of them."
    return usage_error(f"{missing[0]} does not exist{more}. {todo}")


def _nearest(path: Path) -> Path | None:
    """The folder or bundle whose name is most like that of ``path``, where nothing is."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    from mcp_server.bundles.discovery import SUFFIX  # noqa: PLC0415 - not for help pages

    try:
        there = [each for each in path.parent.iterdir() if each.is_dir() or SUFFIX in each.name]
    except OSError:
        return None
    by_name = {each.name.removesuffix(SUFFIX).lower(): each for each in sorted(there)}
    name = path.name.removesuffix(".json").removesuffix(".snippet").lower()
    near = get_close_matches(name, by_name, 1, cutoff=0.7)
    return by_name[near[0]] if near else None


@dataclass(frozen=True, slots=True)
class ByProject:
    """The bundles of each project, and those that are of ``none``."""

    known: dict[Path, list[BundleFile]]
    none: Sequence[BundleFile] = ()


def bundles_by_project(
    options: GlobalOptions, bundles: Sequence[BundleFile], here: Path
) -> ByProject | ToolError:
    """The bundles by project: the one that is named, or that each lies in, or that of ``here``.

    Without any bundle, the project of ``here`` alone. Error: ``ERR_CONFIG_VALIDATION`` if all are
    of none.
    """
    from mcp_server.bundles.discovery import projects_of  # noqa: PLC0415 - not for help pages
    from mcp_server.calls.project import find_project, no_project  # noqa: PLC0415

    if options.project is not None:
        return ByProject({options.project: list(bundles)})
    found = projects_of(bundles, here) if bundles else {find_project(here): []}
    known = {project: of_it for project, of_it in found.items() if project is not None}
    none = found.get(None, ())
    if known:
        return ByProject(known, none)
    return of_no_project(none) if none else no_project()


def of_no_project(bundles: Sequence[BundleFile]) -> ToolError:
    """``ERR_CONFIG_VALIDATION``, which names the first of the bundles that no project has."""
    from mcp_server.calls.project import no_project  # noqa: PLC0415 - only where something is wrong

    more = f" (and {len(bundles) - 1} more)" if len(bundles) > 1 else ""
    return no_project(bundles[0].shown + more)


def print_finding(finding: Finding) -> None:
    """On stdout: the place in the bundle, the code, what is wrong, and the anchors to send."""
    region, level = finding.region, finding.level.value
    where = Styled(f"{finding.file}:{region.line}:{region.column}", bold=True)
    what = Styled(f"{level}: {finding.code}", fg="red" if level == "error" else "yellow")
    print_line(where, ": ", what, f": {finding.path}: {finding.message}")
    from snippet_engine.answer.error_text import places  # noqa: PLC0415 - not for help pages

    for offer in places(finding.details):
        print_line(f"    {offer}")


def usage_error(message: str) -> ToolError:
    """``ERR_INVALID_REQUEST``, as it is said to people."""
    return tool_error(ToolErrorCode.INVALID_REQUEST, message, text=message)
