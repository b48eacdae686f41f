"""``unity-cli bundle from-git|from-history``: bundles made of what was done already.

Implements docs/design/command-line.md ``bundle``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing.lasting_output import outlast_readers
from mcp_server.cli.printing.output import ExitCode, fail, print_json, print_line, print_text
from mcp_server.cli.value_types import GivenPath, WholeNumber
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from snippet_engine.changes.between import NotMade, ScriptChange
    from snippet_engine.storage.paths.project import Project

_SHOWN = 20

_out_option = click.option(
    "--out",
    type=GivenPath(dir_okay=False),
    metavar="FILE",
    help="Where to write it: a new file, NAME.snippet.json. Default: stdout.",
)
_partial_option = click.option(
    "--partial", is_flag=True, help="Write it also where a script's change can't be in it."
)


@click.group()
def bundle_group() -> None:
    """Make edit bundles of what was done already: for review, for CI, for other trees.

    \b
    Examples:
      unity-cli bundle from-git --out Edits/wip.snippet.json
      unity-cli bundle from-history --last 5
    """


@bundle_group.command("from-git")
@click.argument("revision", metavar="[REV]", required=False)
@_out_option
@_partial_option
@global_options_shown("dry-run", "project")
@click.pass_context
def from_git_command(
    context: click.Context, revision: str | None, out: Path | None, *, partial: bool
) -> None:
    """A bundle of what a commit, A..B or A...B changed; without REV, the working tree since HEAD.

    Applied to the tree before, it gives the scripts after, byte for byte. Only C# scripts below
    Assets and Packages are in it. A script that moves, or is deleted, takes its .meta along; one
    that is new or changed can't be in it, so it is named, as other files are.
    Exit code 1: no script has changed.

    \b
    Examples:
      unity-cli bundle from-git --out Edits/wip.snippet.json
      unity-cli bundle from-git HEAD~2..HEAD
    """
    from mcp_server.bundles.git_changes import (  # noqa: PLC0415 - not for help pages
        GitError,
        changed_scripts,
        listing_command,
        why_nothing,
    )

    project = _project(context)
    changed = changed_scripts(project, revision)
    if isinstance(changed, GitError):
        fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, changed.message))
    all_of_it = f"all of them: {listing_command(revision)}"
    _tell_metas(changed.metas, all_of_it)
    if changed.others:
        print_line(f"not scripts, so not in it: {_named(changed.others, all_of_it)}", err=True)
    if changed.modes:
        modes = _named(changed.modes, all_of_it)
        print_line(f"modes that a bundle can't set, so not in it: {modes}", err=True)
    if changed.converted:
        deleted = _named(changed.converted, all_of_it)
        print_line(
            f"deleted with the hash that a checkout here has, as git converts it (core.autocrlf, "
            f".gitattributes): {deleted}. Where git converts otherwise, apply says stale_file.",
            err=True,
        )
    if not changed.scripts and not changed.unmade:
        message = why_nothing(project, revision)
        fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message), ExitCode.FAILED)
    _write(context, changed.scripts, changed.unmade, out, partial=partial)


@bundle_group.command("from-history")
@click.option(
    "--last",
    type=WholeNumber(1, 200),
    metavar="N",
    default=1,
    show_default=True,
    help="How many changes, counted from the newest, as unity-cli history lists them.",
)
@_out_option
@_partial_option
@global_options_shown("dry-run", "project")
@click.pass_context
def from_history_command(
    context: click.Context, last: int, out: Path | None, *, partial: bool
) -> None:
    """A bundle of what the last changes of the scripts came to, all in all.

    \b
    Examples:
      unity-cli bundle from-history
      unity-cli bundle from-history --last 12 --out Edits/today.snippet.json
    """
    from snippet_engine.changes.between import NotMade  # noqa: PLC0415
    from snippet_engine.changes.from_history import last_changes  # noqa: PLC0415
    from snippet_engine.errors import SnippetError  # noqa: PLC0415
    from snippet_engine.storage.os_failure import UnusableStateError  # noqa: PLC0415
    from snippet_engine.storage.paths.project import Project  # noqa: PLC0415
    from snippet_engine.storage.stores.change_store import ChangeStore  # noqa: PLC0415

    project = Project.open(_project(context))
    unfinished: list[NotMade] = []
    found: list[ScriptChange] | SnippetError
    try:
        if not isinstance(project, SnippetError):
            # A set that a killed process left unfinished counts, too: it is the newest. It is only
            # told: who makes a bundle writes no script.
            for each in ChangeStore(project).look().waiting:
                names = each.files or ("some script",)
                unfinished += [NotMade(name, str(each)) for name in names]
        found = project if isinstance(project, SnippetError) else last_changes(project, last)
    except UnusableStateError as error:
        found = error.refusal()
    if isinstance(found, SnippetError):
        _tell(unfinished)
        fail(context, tool_error(ToolErrorCode.SNIPPET, found.message, details=found.to_json()))
    assert not isinstance(project, SnippetError)
    _tell_metas(_metas_of_new(project, found), "those of all scripts that are new")
    _write(context, found, unfinished, out, partial=partial)


def _project(context: click.Context) -> Path:
    from mcp_server.calls.project import find_project, no_project  # noqa: PLC0415 - not for help pages

    project = GlobalOptions.of(context).project or find_project(Path.cwd())
    if project is None:
        fail(context, no_project())
    return project


def _write(
    context: click.Context,
    changes: Iterable[ScriptChange],
    unmade: Sequence[NotMade],
    out: Path | None,
    *,
    partial: bool,
) -> None:
    """Print the bundle or put it into its file; without it all, unless ``partial``, it is none."""
    from snippet_engine.changes.between import sets_between  # noqa: PLC0415 - loads the engine

    sets, more = sets_between(changes)
    lacking = [*unmade, *more]
    _tell(lacking)
    if lacking and not partial:
        message = f"{len(lacking)} of the scripts can't be in a bundle. Leave them out: --partial."
        fail(context, tool_error(ToolErrorCode.INVALID_REQUEST, message))
    if not sets:
        which = "that changed can be in a bundle" if lacking else "has changed"
        nothing = tool_error(ToolErrorCode.INVALID_REQUEST, f"No script {which}.")
        fail(context, nothing, ExitCode.FAILED)
    requests = [each.to_json() for each in sets]
    bundle = requests[0] if len(requests) == 1 else requests
    if out is None:
        print_json(bundle, ensure_ascii=False)
        context.exit(ExitCode.OK)
    options = GlobalOptions.of(context)
    count = sum(len(each.changes) for each in sets)
    if not options.dry_run:
        outlast_readers(context)
        refused = _saved(out, json.dumps(bundle, indent=2, ensure_ascii=False))
        if refused is not None:
            fail(context, refused)
    if options.as_json:
        written = not options.dry_run
        document = {"file": str(out), "scripts": count, "written": written}
        print_json({**document, "dry_run": options.dry_run})
    elif options.dry_run:
        print_text(f"dry run: {out} would be written")
    elif not options.quiet:
        print_text(f"{out}: {count} script{'' if count == 1 else 's'}")
    context.exit(ExitCode.OK)


def _metas_of_new(project: Project, changes: Iterable[ScriptChange]) -> list[str]:
    """The ``.meta`` files that new scripts have by now, from Unity or from somebody else."""
    made = [project.named(each.place) for each in changes if each.old is None]
    return [each.meta.canonical for each in made if each is not None and each.meta.is_taken]


def _tell_metas(metas: Sequence[str], all_of_it: str) -> None:
    """Which ``.meta`` files no bundle makes as they are, and what that comes to."""
    if metas:
        print_line(
            f".meta files that a bundle can't make or change, so not in it: "
            f"{_named(metas, all_of_it)}. Bring them along by another way: Unity gives a script "
            "without its .meta a new GUID, and references to it are lost.",
            err=True,
        )


def _named(files: Sequence[str], all_of_it: str) -> str:
    """The first of the files, and where there are more, how many, and how to see all."""
    from snippet_engine.errors import one_line  # noqa: PLC0415 - loads the engine

    names = ", ".join(map(one_line, files[:_SHOWN]))
    more = len(files) - _SHOWN
    return names if more <= 0 else f"{names}, and {more} more ({all_of_it})"


def _tell(lacking: Iterable[NotMade]) -> None:
    from snippet_engine.errors import one_line  # noqa: PLC0415 - as above

    for each in lacking:
        other = ""
        if each.paths and each.paths[0] != each.paths[-1]:
            start, end = map(one_line, (each.paths[0], each.paths[-1]))
            other = f" (moves to {end})" if each.path == each.paths[0] else f" (moved from {start})"
        print_line(f"can't be in it: {one_line(each.path)}{other}: {each.reason}", err=True)


def _saved(out: Path, text: str) -> ToolError | None:
    """Write the bundle into a file that isn't there yet: whatever stands there stays."""
    from mcp_server.bundles.discovery import SUFFIX  # noqa: PLC0415 - not for help pages

    if not out.name.endswith(SUFFIX):
        message = f"{out} isn't named like a bundle: NAME{SUFFIX}"
        return tool_error(ToolErrorCode.INVALID_REQUEST, message)
    if not os.path.isdir(out.parent):
        message = f"--out {out}: there is no folder {out.parent}."
        return tool_error(ToolErrorCode.INVALID_REQUEST, message)
    try:
        with out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text + "\n")
    except FileExistsError:
        message = f"{out} is there already. Name another file, or remove it first."
        return tool_error(ToolErrorCode.INVALID_REQUEST, message)
    except OSError as error:
        why = error.strerror or type(error).__name__
        return tool_error(ToolErrorCode.INVALID_REQUEST, f"{out} can't be written: {why}")
    return None
