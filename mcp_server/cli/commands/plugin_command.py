"""``unity-cli plugin install|status|uninstall``: the Unity package in a project.

Implements docs/design/command-line.md ``plugin``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click

from mcp_server.cli.arguments import project_here
from mcp_server.cli.options import GlobalOptions, global_options_shown
from mcp_server.cli.printing import (
    ExitCode,
    outlast_readers,
    print_json,
    print_line,
    print_text,
    refuse,
)
from mcp_server.contract.errors import ToolErrorCode
from mcp_server.plugin.installation import (
    InstallAction,
    InstallPlan,
    PackageState,
    PackageStatus,
    Refusal,
    carry_out,
    plan_install,
    status,
)
from mcp_server.plugin.package_manifest import PACKAGE_NAME
from mcp_server.plugin.removal import RemovalPlan, plan_removal, remove, removed_files
from snippet_engine.errors import counted


@click.group("plugin")
@global_options_shown()
def plugin_command() -> None:
    """The Unity package, which connects an Editor to the server.

    \b
    Examples:
      unity-cli plugin status --project ~/Games/Tower
      unity-cli --dry-run plugin install --project ~/Games/Tower
      unity-cli plugin install --project ~/Games/Tower
      unity-cli plugin uninstall --project ~/Games/Tower
    """


@plugin_command.command("install")
@click.option("--force", is_flag=True, help="Also overwrite local changes, or a newer version.")
@global_options_shown("dry-run", "output", "project", "quiet")
@click.pass_context
def install_command(context: click.Context, force: bool) -> None:
    """Copy the package into the project's Packages folder, or bring it up to date.

    Nothing else in the project is touched: Unity itself resolves what the package needs.

    \b
    Examples:
      unity-cli --dry-run plugin install
      unity-cli plugin install --project ~/Games/Tower
    """
    options = GlobalOptions.of(context)
    plan = plan_install(_project(context), force=force)
    if isinstance(plan, Refusal):
        _refuse(context, plan)
    outlast_readers(context)
    refused = None if options.dry_run else carry_out(plan)
    if refused is not None:
        _refuse(context, refused)
    if options.as_json:
        print_json(
            {
                "dry_run": options.dry_run,
                "project": str(plan.project),
                "path": str(plan.folder),
                "action": plan.action.value,
                "version": plan.version,
                "previous_version": plan.previous_version,
                "added": list(plan.added),
                "changed": list(plan.changed),
                "removed": list(plan.removed),
                "manifest_problem": plan.manifest_problem,
            }
        )
    elif not options.quiet:
        print_text(_plan_text(plan, dry_run=options.dry_run))
        if plan.manifest_problem is not None:
            print_line(plan.manifest_problem, err=True)
        elif plan.action is not InstallAction.NOTHING and not options.dry_run:
            print_line("Unity loads it when its window gets the focus.", err=True)


@plugin_command.command("status")
@global_options_shown("output", "project", "quiet")
@click.pass_context
def status_command(context: click.Context) -> None:
    """Compare the project's version with this one. Exit code 1: they differ.

    \b
    Example:
      unity-cli plugin status --project ~/Games/Tower --output json
    """
    options = GlobalOptions.of(context)
    project = _project(context)
    found = status(project)
    if isinstance(found, Refusal):
        _refuse(context, found)
    if options.as_json:
        print_json(
            {
                "project": str(project),
                "package": PACKAGE_NAME,
                "state": found.state.value,
                "installed_version": found.installed_version,
                "shipped_version": found.shipped_version,
                "source": found.source,
                "local_changes": list(found.local_changes),
                "damage": found.damage,
                "settings_problem": found.settings_problem,
                "manifest_problem": found.manifest_problem,
            }
        )
    elif not options.quiet:
        print_text(_status_text(found))
    fine = (PackageState.CURRENT, PackageState.ELSEWHERE)
    context.exit(ExitCode.OK if found.state in fine else ExitCode.FAILED)


@plugin_command.command("uninstall")
@click.option("--force", is_flag=True, help="Remove files with local changes as well.")
@click.option("--settings", is_flag=True, help="Remove the package's settings asset, too.")
@global_options_shown("dry-run", "output", "project", "quiet")
@click.pass_context
def uninstall_command(context: click.Context, force: bool, settings: bool) -> None:
    """Remove the package from the project's Packages folder.

    The settings asset, which holds the port for the whole team, stays without --settings. Nothing
    else in the project was ever touched.

    \b
    Examples:
      unity-cli --dry-run plugin uninstall
      unity-cli plugin uninstall --settings --project ~/Games/Tower
    """
    options = GlobalOptions.of(context)
    plan = plan_removal(_project(context), settings=settings, force=force)
    if isinstance(plan, Refusal):
        _refuse(context, plan)
    files = removed_files(plan)
    outlast_readers(context)
    refused = None if options.dry_run else remove(plan)
    if refused is not None:
        _refuse(context, refused)
    if options.as_json:
        print_json(
            {
                "dry_run": options.dry_run,
                "project": str(plan.project),
                "path": str(plan.folder),
                "action": "nothing" if plan.nothing else "remove",
                "version": plan.version,
                "removed": list(files),
                "settings_stay": plan.settings_stay,
            }
        )
    elif not options.quiet:
        print_text(_removal_text(plan, dry_run=options.dry_run))
        if plan.settings_stay:
            stays = "The settings asset with the team's port stays. --settings removes it, too."
            print_line(stays, err=True)


def _project(context: click.Context) -> Path:
    return project_here(context).absolute()


def _refuse(context: click.Context, refusal: Refusal) -> NoReturn:
    if refusal.not_a_project:
        refuse(context, refusal.message, ExitCode.USAGE, ToolErrorCode.CONFIG_VALIDATION)
    refuse(context, refusal.message)


def _plan_text(plan: InstallPlan, *, dry_run: bool) -> str:
    if plan.action is InstallAction.NOTHING:
        return f"{plan.folder} is up to date ({plan.version})"
    would, done = {
        InstallAction.INSTALL: ("install", "installed"),
        InstallAction.UPGRADE: ("upgrade", "upgraded"),
        InstallAction.DOWNGRADE: ("replace", "replaced"),
        InstallAction.REPAIR: ("restore", "restored"),
    }[plan.action]
    before = plan.previous_version
    versions = plan.version if before in (None, plan.version) else f"{before} to {plan.version}"
    counts = (
        f"{len(plan.added)} files added, {len(plan.changed)} changed, {len(plan.removed)} removed"
    )
    said = f"would {would}" if dry_run else done
    return f"{said} {versions}: {plan.folder} ({counts})"


def _removal_text(plan: RemovalPlan, *, dry_run: bool) -> str:
    if plan.nothing:
        return f"{plan.folder} does not exist; there is nothing to remove"
    said = "would remove" if dry_run else "removed"
    parts = []
    if plan.version is not None:
        count = counted(len(plan.installed), "file")
        parts.append(f"{said} {plan.version}: {plan.folder} ({count})")
    if plan.settings:
        parts.append(f"{said} settings: {plan.settings_asset}")
    return "\n".join(parts)


def _status_text(found: PackageStatus) -> str:
    install, here, ours = "unity-cli plugin install", found.installed_version, found.shipped_version
    force = f"{install} --force"
    text = {
        PackageState.MISSING: f"not installed; to install {ours}: {install}",
        PackageState.CURRENT: f"{here} is installed and up to date",
        PackageState.OLDER: f"{here} is installed; to upgrade to {ours}: {install}",
        PackageState.NEWER: f"{here} is installed, newer than this unity-cli ({ours})",
        PackageState.CHANGED: f"{here} is installed with other files; to restore them: {force}",
        PackageState.DAMAGED: f"{here} is damaged: {found.damage}; to restore it: "
        + (force if found.local_changes else install),
        PackageState.ELSEWHERE: f"the project has it from {found.source}",
        PackageState.FOREIGN: f"not installed: {found.damage}.",
    }[found.state]
    changes = "".join(f"\nchanged here: {name}" for name in found.local_changes)
    problems = (found.settings_problem, found.manifest_problem)
    return text + changes + "".join(f"\n{each}" for each in problems if each is not None)
