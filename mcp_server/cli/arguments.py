"""Read the arguments of commands: scripts, folders, bundles, servers, tokens.

Implements docs/design/command-line.md "Global options" and "Bundles". Scripts are named from the
working folder; tools take paths from the project's. An option beats the environment. A token comes
from a file or the environment, never from an argument, which every process could read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from mcp_server.calls.project import find_project, no_project
from mcp_server.cli.options import GivenPath, GlobalOptions
from mcp_server.cli.printing import ExitCode, Styled, fail, print_line, refuse
from mcp_server.contract.errors import ToolError

if TYPE_CHECKING:
    from mcp_server.bundles.bundle import BundleFile
    from mcp_server.bundles.findings import Finding


def project_here(context: click.Context) -> Path:
    """Return the named project, or else the working folder's. Ends the command without one."""
    found = GlobalOptions.of(context).found_project
    return fail(context, no_project()) if found is None else found


def project_of(context: click.Context, paths: Sequence[Path]) -> Path:
    """Return the named project, or the nearest one at or above the working folder or a path.

    Ends the command if a path doesn't exist, or if there is no project.
    """
    given = GlobalOptions.of(context).project
    starts = (Path.cwd(), *(Path(os.path.abspath(path)) for path in paths))  # noqa: PTH100
    found = (find_project(start) for start in starts)
    project = given or next((each for each in found if each is not None), None)
    missing = next((path for path in paths if not os.path.lexists(path)), None)
    if missing is not None:
        near = _nearest_script(missing, given)
        if near is None and project is None:  # the folder is wrong, not the name
            fail(context, no_project())
        hint = f"; did you mean {near}?" if near is not None else "."
        refuse(context, f"{missing} does not exist{hint}", ExitCode.USAGE)
    return project or fail(context, no_project())


def _nearest_script(path: Path, project: Path | None) -> Path | None:
    """Return the existing file that the missing ``path`` probably means."""
    from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake

    from snippet_engine.storage.paths.path_refusal import (  # noqa: PLC0415
        nearest_scripts,
    )
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
    """Return ``path`` below the project, ``.`` for the project. Another path ends the command."""
    for root, absolute in (
        # First as written, so that a link in the project keeps its name.
        (Path(os.path.abspath(project)), Path(os.path.abspath(path))),  # noqa: PTH100
        (project.resolve(), path.resolve()),
    ):
        if absolute.is_relative_to(root):
            return absolute.relative_to(root).as_posix()
    return refuse(context, f"{path} is not in the project {project}.", ExitCode.USAGE)


def check_bundle_paths(context: click.Context, paths: Sequence[Path]) -> None:
    """End the command if a path doesn't exist, or is a script."""
    script = next((path for path in paths if path.suffix == ".cs" and os.path.isfile(path)), None)
    if script is not None:
        message = (
            f"{script} is a script, not a bundle (*.snippet.json). To check it: unity-cli check."
        )
        refuse(context, message, ExitCode.USAGE)
    missing = [path for path in paths if not os.path.lexists(path)]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        near = _nearest_bundle(missing[0])
        hint = f"Did you mean {near}?" if near else "Name bundles, or folders of them."
        refuse(context, f"{missing[0]} does not exist{more}. {hint}", ExitCode.USAGE)


def _nearest_bundle(path: Path) -> Path | None:
    """Return the folder or bundle whose name is most like the missing ``path``."""
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
    """Return the bundles of each project, and the bundles in no project.

    A bundle's project is the named one, else the one around the bundle, else that of the working
    folder. Without bundles, return the working folder's project. Ends the command if there is no
    project at all.
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
    """End the command with the name of the first bundle that lies in no project."""
    more = f" (and {len(bundles) - 1} more)" if len(bundles) > 1 else ""
    fail(context, no_project(bundles[0].shown + more if bundles else ""))


def print_finding(finding: Finding) -> None:
    """Print a finding: its place, code and message, and the anchors to send instead."""
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
    """Return the report's format. Under ``json`` and ``sarif``, errors are printed as JSON."""
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


_Command = TypeVar("_Command", bound=Callable[..., Any])

PORT_VARIABLE = "UNITY_CLI_PORT"
URL_VARIABLE = "UNITY_CLI_URL"


def server_port(
    port: str | None, url: str | None, environment: Mapping[str, str] = os.environ
) -> int | ToolError | None:
    """Return the port of ``--port`` or ``--url``, else of the environment; ``None`` without one.

    Error: ``ERR_CONFIG_VALIDATION`` if it is invalid, on another machine, or contradictory.
    """
    from mcp_server.host.config import config_error, parse_port  # noqa: PLC0415 - not for help

    levels = (
        ("--port", port, "--url", url),
        (
            PORT_VARIABLE,
            environment.get(PORT_VARIABLE) or None,  # an empty variable is as good as none
            URL_VARIABLE,
            environment.get(URL_VARIABLE) or None,
        ),
    )
    for port_name, port_text, url_name, url_text in levels:
        by_port = None if port_text is None else parse_port(port_text, port_name)
        by_url = None if url_text is None else _port_of(url_text, url_name)
        for found in (by_port, by_url):
            if isinstance(found, ToolError):
                return found
        if by_port and by_url and by_port != by_url:
            return config_error(
                f"{port_name} says {by_port}, {url_name} says {by_url}. Give one of them."
            )
        chosen = by_port or by_url
        if isinstance(chosen, int):
            return chosen
    return None


def _port_of(text: str, name: str) -> int | ToolError:
    from mcp_server.calls.server.server_file import port_here, read_url  # noqa: PLC0415
    from mcp_server.host.config import config_error  # noqa: PLC0415

    url = read_url(text, name)
    if isinstance(url, ToolError):
        return url
    return port_here(url) or config_error(
        f"{name} is {url}, which is not on this machine. A server listens on http://127.0.0.1 "
        "only. Name a port with --port."
    )


def token_options(command: _Command) -> _Command:
    """Give ``command`` the options for the server's token, which :func:`token_given` reads."""
    refused = click.option("--token", hidden=True, help="Refused: every process sees it.")
    file = click.option(
        "--token-file",
        type=GivenPath(dir_okay=False),
        metavar="FILE",
        help="The file with the server's bearer token. Default: $UNITY_CLI_TOKEN, if it is set.",
    )
    return file(refused(command))


def token_given(
    context: click.Context, token: str | None, token_file: Path | None, *, make: bool = False
) -> str | None:
    """Return the server's token; ``None`` without one. An invalid token ends the command.

    With ``make``, a missing file is created, with a new token.
    """
    from mcp_server.host import config  # noqa: PLC0415 - not for help pages

    if token is not None:
        fail(context, config.config_error(config.TOKEN_IN_SIGHT))
    given = config.token_of(token_file, make=make)
    return fail(context, given) if isinstance(given, ToolError) else given
