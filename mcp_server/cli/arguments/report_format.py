"""The form of a report that ``check`` and ``lint`` print: ``--format``.

Implements docs/design/command-line.md ``lint`` and ``check``.
"""

from __future__ import annotations

from pathlib import Path

import click

from mcp_server.cli.options import GlobalOptions

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
