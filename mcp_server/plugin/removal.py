"""Remove the Unity package from a project.

Implements ``uninstall`` of docs/design/command-line.md ``plugin``. The copied files are removed.
The settings asset belongs to the team, so it is removed only on request.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from mcp_server.plugin.installation import RECORD, Files, Refusal, files_of, status, untouchable
from mcp_server.plugin.package_manifest import PACKAGE_NAME, SETTINGS_ASSET
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.replace_file import patiently, rename_folder
from snippet_engine.storage.system.scratch_folder import scratch_folder


@dataclass(frozen=True, slots=True)
class RemovalPlan:
    """What an uninstall would remove."""

    project: Path
    version: str | None
    """The package's version; ``None`` if there is no package."""
    installed: Files
    """The files in the package's folder now."""
    settings: bool
    """Whether the settings asset is removed, too."""
    settings_stay: bool
    """Whether there is a settings asset that is kept."""

    @property
    def folder(self) -> Path:
        """The package's folder."""
        return self.project / "Packages" / PACKAGE_NAME

    @property
    def settings_asset(self) -> Path:
        """The settings asset's path."""
        return self.project / SETTINGS_ASSET

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to remove."""
        return self.version is None and not self.settings


def plan_removal(
    project: Path, *, settings: bool = False, force: bool = False
) -> RemovalPlan | Refusal:
    """Plan an uninstall. Writes nothing. ``settings`` also removes the settings asset.

    With ``force``, locally changed files are removed, too.
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
    """Carry out the plan: one rename removes the folder. If that fails, return the reason."""
    packages = plan.folder.parent
    try:
        if plan.version is not None:
            # Below Packages/, on the same file system; Unity ignores folders that begin with a dot.
            with scratch_folder(packages, f".{PACKAGE_NAME}-") as scratch:
                if files_of(plan.folder) != plan.installed:
                    why = "was changed in the meantime; nothing was done. Try again."
                    return Refusal(f"{plan.folder} {why}")
                rename_folder(plan.folder, scratch / "old")
            # An install may have created the folder. It stays if it isn't empty.
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
    """Return the files that the plan removes, relative to the project, with ``/``."""
    package = f"Packages/{PACKAGE_NAME}"
    copied = [f"{package}/{name}" for name in sorted(plan.installed)]
    if (plan.folder / RECORD).is_file():
        copied.append(f"{package}/{RECORD}")
    return (*copied, *((SETTINGS_ASSET.as_posix(),) if plan.settings else ()))
