"""``unity-cli bundle from-git|from-history``: make bundles of earlier changes.

Implements docs/design/command-line.md ``bundle``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mcp_server.cli.arguments import project_here
from mcp_server.cli.options import GivenPath, GlobalOptions, WholeNumber, global_options_shown
from mcp_server.cli.printing import (
    ExitCode,
    fail,
    outlast_readers,
    print_json,
    print_line,
    print_text,
    refuse,
)
from mcp_server.contract.errors import ToolErrorCode, tool_error
from snippet_engine.errors import counted

if TYPE_CHECKING:
    from snippet_engine.changes.between import NotMade, ScriptChange

_SHOWN = 20
"""Most files that a message names."""


def _bundle_options(command: Callable[..., Any]) -> Callable[..., Any]:
    out = click.option(
        "--out",
        type=GivenPath(dir_okay=False),
        metavar="FILE",
        help="The new file to write, NAME.snippet.json. Default: stdout.",
    )
    partial = click.option(
        "--partial", is_flag=True, help="Leave out changes that a bundle can't make."
    )
    return out(partial(global_options_shown("dry-run", "project")(command)))


@click.group()
def bundle_command() -> None:
    """Make edit bundles of earlier changes: for review, CI, or another checkout.

    \b
    Examples:
      unity-cli bundle from-git --out Edits/wip.snippet.json
      unity-cli bundle from-history --last 5
    """


@bundle_command.command("from-git")
@click.argument("revision", metavar="[REV]", required=False)
@_bundle_options
@click.pass_context
def from_git_command(
    context: click.Context, revision: str | None, out: Path | None, *, partial: bool
) -> None:
    """Make a bundle of a commit, of A..B or A...B, or (without REV) of the working tree since HEAD.

    Applied to the scripts before the change, the bundle gives those after it, byte for byte. It
    holds C# scripts below Assets and Packages. A script that is moved or deleted takes its .meta
    along. New or changed .meta files can't be bundled; they are listed, and so are other files.
    Exit code 1: no script has changed.

    \b
    Examples:
      unity-cli bundle from-git --out Edits/wip.snippet.json
      unity-cli bundle from-git HEAD~2..HEAD
    """
    from mcp_server.bundles.git_changes import (  # noqa: PLC0415
        GitError,
        changed_scripts,
        listing_command,
        why_nothing,
    )

    project = project_here(context)
    changed = changed_scripts(project, revision)
    if isinstance(changed, GitError):
        refuse(context, changed.message, ExitCode.USAGE)
    see_all = listing_command(revision)
    _print_metas(changed.metas, see_all)
    if changed.others:
        print_line(f"not scripts, so left out: {_named(changed.others, see_all)}", err=True)
    if changed.modes:
        modes = _named(changed.modes, see_all)
        print_line(f"file modes, which a bundle can't set: {modes}", err=True)
    if not changed.scripts and not changed.unmade:
        refuse(context, why_nothing(project, revision))
    _write(context, changed.scripts, changed.unmade, out, partial=partial)


@bundle_command.command("from-history")
@click.option(
    "--last",
    type=WholeNumber(1, 200),
    metavar="N",
    default=1,
    show_default=True,
    help="How many of the newest changes, as listed by unity-cli history.",
)
@_bundle_options
@click.pass_context
def from_history_command(
    context: click.Context, last: int, out: Path | None, *, partial: bool
) -> None:
    """Make one bundle of the last changes of the scripts.

    \b
    Examples:
      unity-cli bundle from-history
      unity-cli bundle from-history --last 12 --out Edits/today.snippet.json
    """
    from snippet_engine.changes.between import NotMade  # noqa: PLC0415 - not for help pages
    from snippet_engine.changes.from_history import last_changes  # noqa: PLC0415
    from snippet_engine.errors import SnippetError  # noqa: PLC0415
    from snippet_engine.storage.os_failure import UnusableStateError  # noqa: PLC0415
    from snippet_engine.storage.paths.project import Project  # noqa: PLC0415
    from snippet_engine.storage.stores.change_store import ChangeStore  # noqa: PLC0415

    def failed(error: SnippetError) -> NoReturn:
        _print_unmade(unfinished)
        engine = tool_error(
            ToolErrorCode.SNIPPET, error.message, details=error.to_json(), text=error.message
        )
        fail(context, engine)

    unfinished: list[NotMade] = []
    project = Project.open(project_here(context))
    if isinstance(project, SnippetError):
        failed(project)
    try:
        # A change that a killed process left unfinished is newer than the history. It is only
        # reported, since making a bundle changes no script.
        for each in ChangeStore(project).look().waiting:
            names = each.files or ("some script",)
            unfinished += [NotMade(name, str(each)) for name in names]
        found = last_changes(project, last)
    except UnusableStateError as error:
        failed(error.refusal())
    if isinstance(found, SnippetError):
        failed(found)
    new = [project.named(each.place) for each in found if each.old is None]
    metas = [each.meta.canonical for each in new if each is not None and each.meta.is_taken]
    _print_metas(metas, "the .meta files of all new scripts")
    _write(context, found, unfinished, out, partial=partial)


def _write(
    context: click.Context,
    changes: Iterable[ScriptChange],
    unmade: Sequence[NotMade],
    out: Path | None,
    *,
    partial: bool,
) -> None:
    from snippet_engine.changes.between import sets_between  # noqa: PLC0415 - loads the engine

    options = GlobalOptions.of(context)
    sets, more = sets_between(changes)
    left_out = [*unmade, *more]
    _print_unmade(left_out)
    if left_out and not partial:
        scripts = counted(len(left_out), "script")
        why = f"A bundle can't make the changes of {scripts}. To leave them out: --partial."
        refuse(context, why, ExitCode.USAGE)
    if not sets:
        which = "that changed can be in a bundle" if left_out else "has changed"
        refuse(context, f"No script {which}.")
    requests = [each.to_json() for each in sets]
    bundle = requests[0] if len(requests) == 1 else requests
    if out is None:
        print_json(bundle, ensure_ascii=False)
        return
    count = sum(len(each.changes) for each in sets)
    if not options.dry_run:
        outlast_readers(context)
        wrong = _save(out, json.dumps(bundle, indent=2, ensure_ascii=False))
        if wrong is not None:
            refuse(context, wrong, ExitCode.USAGE)
    if options.as_json:
        written = {"scripts": count, "written": not options.dry_run, "dry_run": options.dry_run}
        print_json({"file": str(out), **written})
    elif options.dry_run:
        print_text(f"dry run: {out} would be written")
    elif not options.quiet:
        print_text(f"{out}: {counted(count, 'script')}")


def _print_metas(metas: Sequence[str], see_all: str) -> None:
    """Print the ``.meta`` files that no bundle can create or change, and the consequences."""
    if metas:
        print_line(
            f".meta files that are new or changed, left out: "
            f"{_named(metas, see_all)}. Copy them in another way: without its .meta a script gets "
            "a new GUID, and references to it break.",
            err=True,
        )


def _named(files: Sequence[str], see_all: str) -> str:
    """Return the first of the files, the number of the others, and how to list all."""
    from snippet_engine.errors import one_line  # noqa: PLC0415 - loads the engine

    names = ", ".join(map(one_line, files[:_SHOWN]))
    more = len(files) - _SHOWN
    return names if more <= 0 else f"{names}, and {more} more (all: {see_all})"


def _print_unmade(unmade: Iterable[NotMade]) -> None:
    from snippet_engine.errors import one_line  # noqa: PLC0415 - as above

    for each in unmade:
        other = ""
        if each.paths and each.paths[0] != each.paths[-1]:
            start, end = map(one_line, (each.paths[0], each.paths[-1]))
            other = f" (moves to {end})" if each.path == each.paths[0] else f" (moved from {start})"
        print_line(f"can't be bundled: {one_line(each.path)}{other}: {each.reason}", err=True)


def _save(out: Path, text: str) -> str | None:
    from mcp_server.bundles.discovery import SUFFIX  # noqa: PLC0415 - not for help pages
    from snippet_engine.storage.os_failure import reason_of  # noqa: PLC0415

    if not out.name.endswith(SUFFIX):
        return f"--out {out}: a bundle's name is NAME{SUFFIX}."
    if not os.path.isdir(out.parent):
        return f"--out {out}: there is no folder {out.parent}."
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text + "\n")
    except FileExistsError:
        return f"{out} exists already. Name another file, or remove it first."
    except OSError as error:
        return f"{out} can't be written: {reason_of(error)}."
    return None
