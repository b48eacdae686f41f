"""Taking the Unity package out of a project again: what that would remove, and the removal.

Implements ``uninstall`` of docs/design/command-line.md ``plugin``. What an install has copied goes;
the project's manifest was never touched, so it isn't now. The settings asset is the team's: it
goes only where that is asked for.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from mcp_server.plugin.installation import (
    RECORD,
    Files,
    Refusal,
    files_of,
    status,
    untouchable,
)
from mcp_server.plugin.package_manifest import PACKAGE_NAME
from mcp_server.plugin.settings_asset import SETTINGS_ASSET
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.replace_file import patiently, rename_folder
from snippet_engine.storage.system.scratch_folder import scratch_folder


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What an uninstall would remove; ``version`` is ``None`` where there is no package."""

    project: Path
    version: str | None
    installed: Files
    """What is in the package's folder now."""
    settings: bool
    """The settings asset goes, too."""
    settings_stay: bool
    """There is a settings asset, and it stays."""

    @property
    def folder(self) -> Path:
        """Where the package is."""
        return self.project / "Packages" / PACKAGE_NAME

    @property
    def settings_asset(self) -> Path:
        """Where the settings asset is."""
        return self.project / SETTINGS_ASSET

    @property
    def nothing(self) -> bool:
        """There is nothing to remove."""
        return self.version is None and not self.settings


def plan_removal(
    project: Path, *, settings: bool = False, force: bool = False
) -> RemovalPlan | Refusal:
    """What an uninstall would remove. Reads only.

    ``settings``: the settings asset, too. ``force``: also what was changed since the install.
    """
    found = status(project)
    if isinstance(found, Refusal):
        return found
    folder = project / "Packages" / PACKAGE_NAME
    refused = untouchable(folder, found, force=force)
    if refused is not None:
        return refused
    there = os.path.lexists(project / SETTINGS_ASSET)
    return RemovalPlan(
        project,
        found.installed_version,
        files_of(folder) if os.path.lexists(folder) else {},
        settings=settings and there,
        settings_stay=there and not settings,
    )


def remove(plan: RemovalPlan) -> Refusal | None:
    """Do what ``plan`` says. The folder goes by one rename; a failure is returned."""
    packages = plan.folder.parent
    try:
        if plan.version is not None:
            # Below Packages/, so that the rename stays on one file system; Unity ignores it there.
            with scratch_folder(packages, f".{PACKAGE_NAME}-") as scratch:
                if files_of(plan.folder) != plan.installed:
                    message = f"{plan.folder} was changed just now; nothing was done. Try again."
                    return Refusal(message)
                rename_folder(plan.folder, scratch / "old")
            # An install may have made it; where it holds anything else, it stays.
            with contextlib.suppress(OSError):
                packages.rmdir()
        if plan.settings:
            asset = plan.settings_asset
            patiently(lambda: asset.unlink(missing_ok=True), (asset,))
    except OSError as error:
        where = error.filename or plan.folder
        return Refusal(f"{where}: {reason_of(error)}. Not all of it was removed.")
    return None


def removed_files(plan: RemovalPlan) -> tuple[str, ...]:
    """The files that go, from the project's folder, with ``/``."""
    package = f"Packages/{PACKAGE_NAME}"
    copied = [f"{package}/{name}" for name in sorted(plan.installed)]
    if (plan.folder / RECORD).is_file():
        copied.append(f"{package}/{RECORD}")
    return (*copied, *((SETTINGS_ASSET.as_posix(),) if plan.settings else ()))
