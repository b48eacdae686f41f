"""What the commands that take bundles share: their paths, their project, their findings.

Implements docs/design/command-line.md "Bundles".
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from mcp_server.calls.project import find_project, no_project
from mcp_server.cli.options import GlobalOptions
from mcp_server.cli.printing.output import ExitCode, Styled, fail, print_line, refuse

if TYPE_CHECKING:
    from mcp_server.bundles.bundle import BundleFile
    from mcp_server.bundles.findings import Finding


def check_bundle_paths(context: click.Context, paths: Sequence[Path]) -> None:
    """End the command if one of the paths doesn't exist, or is a script."""
    script = next((path for path in paths if path.suffix == ".cs" and os.path.isfile(path)), None)
    if script is not None:
        message = (
            f"{script} is a script, not a bundle (*.snippet.json). To check it: unity-cli check."
        )
        refuse(context, message, ExitCode.USAGE)
    missing = [path for path in paths if not os.path.lexists(path)]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        near = _nearest(missing[0])
        hint = f"Did you mean {near}?" if near else "Name bundles, or folders of them."
        refuse(context, f"{missing[0]} does not exist{more}. {hint}", ExitCode.USAGE)


def _nearest(path: Path) -> Path | None:
    """Return the folder or bundle next to ``path`` whose name is most like its name."""
    from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake

    from mcp_server.bundles.discovery import SUFFIX  # noqa: PLC0415 - not for help pages

    try:
        there = [each for each in path.parent.iterdir() if each.is_dir() or SUFFIX in each.name]
    except OSError:
        return None
    by_name = {each.name.removesuffix(SUFFIX).lower(): each for each in sorted(there)}
    name = path.name.removesuffix(".json").removesuffix(".snippet").lower()
    near = get_close_matches(name, by_name, 1, cutoff=0.7)
    return by_name[near[0]] if near else None


def bundles_by_project(
    context: click.Context, bundles: Sequence[BundleFile]
) -> tuple[dict[Path, list[BundleFile]], list[BundleFile]]:
    """Return the bundles of each project, and those without one.

    A bundle's project is the one that is named, else the one that the bundle lies in, else that of
    the working folder. Without bundles, only the working folder's counts. Ends the command if there
    is no project at all.
    """
    from mcp_server.bundles.discovery import projects_of  # noqa: PLC0415 - not for help pages

    named, here = GlobalOptions.of(context).project, Path.cwd()
    if named is not None:
        return {named: list(bundles)}, []
    found = projects_of(bundles, here) if bundles else {find_project(here): []}
    known = {project: of_it for project, of_it in found.items() if project is not None}
    without = found.get(None, [])
    if not known:
        refuse_without_project(context, without)
    return known, without


def refuse_without_project(context: click.Context, bundles: Sequence[BundleFile]) -> NoReturn:
    """End the command, naming the first of the bundles that lie in no project."""
    more = f" (and {len(bundles) - 1} more)" if len(bundles) > 1 else ""
    fail(context, no_project(bundles[0].shown + more if bundles else ""))


def print_finding(finding: Finding) -> None:
    """Print the place in the bundle, the code, what is wrong, and the anchors to send instead."""
    from snippet_engine.answer.error_text import places  # noqa: PLC0415 - not for help pages

    region, level = finding.region, finding.level.value
    where = Styled(f"{finding.file}:{region.line}:{region.column}", bold=True)
    what = Styled(f"{level}: {finding.code}", fg="red" if level == "error" else "yellow")
    print_line(where, ": ", what, f": {finding.path}: {finding.message}")
    for offer in places(finding.details):
        print_line(f"    {offer}")


format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json", "sarif", "github")),
    help="Default: text; with --output json: json.",
)


def chosen_format(context: click.Context, form: str | None) -> str:
    """Return the report's form. Under ``json`` and ``sarif`` errors are printed as JSON, too."""
    as_json = GlobalOptions.of(context).as_json
    if form is None:
        return "json" if as_json else "text"
    if as_json and form not in ("json", "sarif"):
        raise click.UsageError(f"--output json and --format {form} exclude each other.", context)
    if form in ("json", "sarif"):
        context.find_root().ensure_object(dict)["output"] = "json"
    return form


def paths_from(form: str) -> Path:
    """Return the folder to which reported paths are relative.

    Readers of SARIF and of workflow commands take paths from the repository's root.
    """
    from mcp_server.bundles.discovery import repository_root  # noqa: PLC0415 - not for help pages

    here = Path.cwd()
    return repository_root(here) if form in ("sarif", "github") else here
