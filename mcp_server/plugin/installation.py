"""The Unity package in a Unity project: what is there, what an install would change, the change.

Implements docs/design/command-line.md ``plugin``. The package is *embedded*: a folder below
``Packages/``, whose dependencies Unity resolves from its ``package.json``, so the project's
manifest is not touched. The folder is ours as a whole and is replaced by renames: at any instant
it is the old one, or the new one, or for a moment away. A record of what was copied tells local
changes, which are never overwritten unasked. The package's own tests are not copied: they would be
among the project's in every run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import unity_bridge
from mcp_server.plugin.package_manifest import (
    MANIFEST,
    PACKAGE_NAME,
    cut_short,
    damage_of,
    document_in,
    manifest_problem,
    version_in,
)
from mcp_server.plugin.settings_asset import settings_problem
from snippet_engine.project_settings import editor_version, version_numbers
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.path_refusal import why_no_project
from snippet_engine.storage.system.links import is_link
from snippet_engine.storage.system.replace_file import rename_folder
from snippet_engine.storage.system.scratch_folder import scratch_folder

SHIPPED = Path(unity_bridge.__file__).parent / "unity_package"
"""The package that comes with this distribution."""

RECORD = ".unity-cli-install.json"
"""What was copied, file by file; Unity ignores names that begin with a dot."""

OLDEST_UNITY = (2021, 3)

_LEFT_OUT = ("Tests/", "Tests.meta")

Files = Mapping[str, str]
"""Files by their path below a folder, with ``/``; the SHA-256 of each."""


class PackageState(StrEnum):
    """How the project's package stands to the one that is shipped."""

    MISSING = "missing"
    CURRENT = "current"
    OLDER = "older"
    NEWER = "newer"
    CHANGED = "changed"
    """The same version, and other files."""
    DAMAGED = "damaged"
    """We copied it, and by now its ``package.json`` says nothing. Where that was cut short, it is
    mended; where anything else stands in it, that is somebody's, and among the local changes."""
    FOREIGN = "foreign"
    """Something that isn't the package stands where it would be."""
    ELSEWHERE = "elsewhere"
    """The project has it by other means: from its manifest, or in a folder of another name."""


class InstallAction(StrEnum):
    """What an install does."""

    INSTALL = "install"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    REPAIR = "repair"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is done, and what to do instead, in one sentence or two.

    ``not_a_project``: the folder is none that a package could be put into.
    """

    message: str
    not_a_project: bool = False


@dataclass(frozen=True, slots=True)
class PackageStatus:
    """What is known of the package in a project; ``source`` is where it is from, if elsewhere."""

    state: PackageState
    shipped_version: str
    installed_version: str | None = None
    source: str | None = None
    local_changes: tuple[str, ...] = ()
    """Files that somebody changed, added or removed since they were copied."""
    recorded: bool = True
    """It is known what was copied, so that these are all there are."""
    damage: str | None = None
    """What is wrong with the ``package.json`` of a damaged one; what stands there of a foreign."""
    settings_problem: str | None = None
    """That Unity ignores the project's settings asset, and what to do."""
    manifest_problem: str | None = None
    """What is wrong with the project's own list of packages, and what to do."""


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """What an install would do to a project, file by file."""

    project: Path
    action: InstallAction
    version: str
    previous_version: str | None = None
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    installed: Files = field(default_factory=dict)
    """What is there now."""
    manifest_problem: str | None = None
    """What keeps Unity from loading any package, and what to do."""

    @property
    def folder(self) -> Path:
        """Where the package is, or will be."""
        return self.project / "Packages" / PACKAGE_NAME


def status(project: Path, shipped: Path = SHIPPED) -> PackageStatus | Refusal:
    """How the package stands in ``project``. Reads only."""
    problem = _unsuitable(project)
    if problem is not None:
        return problem
    try:
        return replace(_status(project, shipped), manifest_problem=manifest_problem(project))
    except OSError as error:
        return Refusal(f"{error.filename}: {reason_of(error)}.")


def _status(project: Path, shipped: Path) -> PackageStatus:
    version = version_in(shipped) or "unknown"
    source = _elsewhere(project)
    problem = settings_problem(project)
    if source is not None:
        return PackageStatus(
            PackageState.ELSEWHERE, version, source=source, settings_problem=problem
        )
    folder = project / "Packages" / PACKAGE_NAME
    if not _exists(folder):
        return PackageStatus(PackageState.MISSING, version, settings_problem=problem)
    installed_version, installed = version_in(folder), files_of(folder)
    recorded = _recorded(folder)
    changes = () if recorded is None else _differences(recorded, installed)
    damage = None
    if installed_version is None and recorded is not None:
        damage = damage_of(folder)
    if damage is not None:
        state = PackageState.DAMAGED
        installed_version = _recorded_version(folder)
        if cut_short(folder, shipped):  # what is mended isn't anybody's change
            changes = tuple(name for name in changes if name != MANIFEST)
    elif installed_version is None:
        state, damage, changes = PackageState.FOREIGN, _foreign(folder), ()
    elif installed_version == version:
        same = installed == _copied(shipped)
        state = PackageState.CURRENT if same else PackageState.CHANGED
    else:
        older = _order(installed_version) < _order(version)
        state = PackageState.OLDER if older else PackageState.NEWER
    return PackageStatus(
        state,
        version,
        installed_version,
        local_changes=changes,
        recorded=recorded is not None,
        damage=damage,
        settings_problem=problem,
    )


def plan_install(
    project: Path, shipped: Path = SHIPPED, *, force: bool = False
) -> InstallPlan | Refusal:
    """What an install would do. Reads only.

    ``force`` overwrites local changes and newer versions.
    """
    found = status(project, shipped)
    if isinstance(found, Refusal):
        return found
    folder = project / "Packages" / PACKAGE_NAME
    refused = _unreplaceable(folder, found, force=force)
    if refused is not None:
        return refused
    wanted = _copied(shipped)
    installed = files_of(folder) if _exists(folder) else {}
    return InstallPlan(
        project,
        _ACTIONS[found.state],
        found.shipped_version,
        found.installed_version,
        added=tuple(sorted(wanted.keys() - installed.keys())),
        changed=tuple(sorted(n for n in wanted if installed.get(n, wanted[n]) != wanted[n])),
        removed=tuple(sorted(installed.keys() - wanted.keys())),
        installed=installed,
        manifest_problem=found.manifest_problem,
    )


_ACTIONS = {
    PackageState.MISSING: InstallAction.INSTALL,
    PackageState.OLDER: InstallAction.UPGRADE,
    PackageState.NEWER: InstallAction.DOWNGRADE,
    PackageState.CHANGED: InstallAction.REPAIR,
    PackageState.DAMAGED: InstallAction.REPAIR,
    PackageState.CURRENT: InstallAction.NOTHING,
}


def carry_out(plan: InstallPlan, shipped: Path = SHIPPED) -> Refusal | None:
    """Do what ``plan`` says. A failure leaves what was there before, and is returned."""
    if plan.action is InstallAction.NOTHING:
        return None
    packages = plan.folder.parent
    try:
        packages.mkdir(exist_ok=True)
        # Below Packages/, so that the renames stay on one file system; Unity ignores dot folders.
        with scratch_folder(packages, f".{PACKAGE_NAME}-") as scratch:
            fresh, old = scratch / "new", scratch / "old"
            _copy(shipped, fresh)
            if _exists(plan.folder) and files_of(plan.folder) != plan.installed:
                return Refusal(f"{plan.folder} was changed just now; nothing was done. Try again.")
            if _exists(plan.folder):
                rename_folder(plan.folder, old)
            try:
                rename_folder(fresh, plan.folder)
            except OSError:
                if old.exists():
                    rename_folder(old, plan.folder)
                raise
    except OSError as error:
        return Refusal(
            f"{plan.folder} can't be written: {reason_of(error)}. See to it that this user may "
            f"write in {packages if packages.exists() else packages.parent}. The project is as it "
            "was."
        )
    return None


# -- what stands in the way ----------------------------------------------------------------


def _unsuitable(project: Path) -> Refusal | None:
    """Why nothing can be put into ``project``; ``None`` if it can."""
    if not _exists(project):
        return Refusal(
            f"{project} does not exist. Name a Unity project with --project PATH.",
            not_a_project=True,
        )
    if not (project / "Assets").is_dir():
        return Refusal(why_no_project(project), not_a_project=True)
    if not (project / "ProjectSettings").is_dir():
        return Refusal(
            f"{project} is not a Unity project: it has no ProjectSettings folder. "
            "Name one with --project PATH.",
            not_a_project=True,
        )
    packages = project / "Packages"
    if _exists(packages) and not packages.is_dir():
        return Refusal(f"{packages} is not a folder.", not_a_project=True)
    if is_link(packages):
        return Refusal(f"{packages} is a link; nothing outside the project is written.")
    version = version_numbers(editor_version(project))
    if version is not None and version[:2] < OLDEST_UNITY:
        return Refusal(
            f"The project is of Unity {version[0]}.{version[1]}; the package needs Unity 2021.3 "
            "or newer. Open the project with a newer Editor first."
        )
    return None


def _unreplaceable(folder: Path, found: PackageStatus, *, force: bool) -> Refusal | None:
    """Why the package in ``folder`` is not replaced; ``None`` if it may be."""
    refused = untouchable(folder, found, force=force)
    if refused is None and found.state is PackageState.NEWER and not force:
        return Refusal(
            f"The project has version {found.installed_version}, this is {found.shipped_version}. "
            "Upgrade unity-snippet, or go back with --force."
        )
    return refused


def untouchable(folder: Path, found: PackageStatus, *, force: bool) -> Refusal | None:
    """Why the package in ``folder`` is neither replaced nor removed; ``None`` if it may be.

    ``force``: not for what was changed since the install.
    """
    if found.state is PackageState.ELSEWHERE:
        return Refusal(
            f"The project has {PACKAGE_NAME} from {found.source}. Keep that one, or remove it "
            "there and run this again."
        )
    if is_link(folder):
        return Refusal(f"{folder} is a link, to a working copy it seems; it is left alone.")
    if found.state is PackageState.FOREIGN:
        return Refusal(f"{found.damage}.")
    # Without a record, a file that differs may be a change of somebody's as well.
    unknown = found.state is PackageState.CHANGED and not found.recorded
    changed = found.local_changes or ((RECORD,) if unknown else ())
    if changed and not force:
        named = ", ".join(changed[:2]) + (f" and {len(changed) - 2} more" if changed[2:] else "")
        what = "Files" if changed == (RECORD,) else named
        broken = f"; {found.damage}" if found.damage is not None and MANIFEST in changed else ""
        return Refusal(
            f"{what} in Packages/{PACKAGE_NAME} changed since the install{broken}. Keep what was "
            "changed, or lose it with --force."
        )
    return None


def _elsewhere(project: Path) -> str | None:
    """Where the project gets the package from, other than from our folder."""
    packages = project / "Packages"
    dependencies = document_in(packages / "manifest.json").get("dependencies")
    # Where there are both, Unity takes the embedded one.
    embedded = _exists(packages / PACKAGE_NAME)
    if isinstance(dependencies, dict) and PACKAGE_NAME in dependencies and not embedded:
        return f"Packages/manifest.json ({dependencies[PACKAGE_NAME]})"
    for manifest in sorted(packages.glob("*/package.json")):
        if manifest.parent.name != PACKAGE_NAME and version_in(manifest.parent) is not None:
            return f"Packages/{manifest.parent.name}"
    return None


# -- reading and copying -------------------------------------------------------------------


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _order(version: str | None) -> tuple[int, ...]:
    """Something to compare versions by; what is no version comes first."""
    return tuple(int(part) for part in re.findall(r"\d+", version or "")[:3])


def files_of(folder: Path) -> Files:
    """Every file below ``folder`` but our record. Raises ``OSError``."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != RECORD
    }


def _copied(shipped: Path) -> Files:
    """What an install copies of the package in ``shipped``."""
    return {
        name: digest for name, digest in files_of(shipped).items() if not name.startswith(_LEFT_OUT)
    }


def _foreign(folder: Path) -> str:
    """What stands in the package's place, and what to do."""
    damage = damage_of(folder)
    why = f", as far as can be told: {damage}" if damage is not None else ""
    return f"{folder} is there and is not the package{why}. Move it away, then try again"


def _recorded(folder: Path) -> Files | None:
    """What was copied into ``folder``; ``None`` if that is not known."""
    files = document_in(folder / RECORD).get("files")
    return files if isinstance(files, dict) else None


def _recorded_version(folder: Path) -> str:
    """The version that was copied into ``folder``."""
    found = document_in(folder / RECORD).get("version")
    return found if isinstance(found, str) else "unknown"


def _differences(before: Files, now: Files) -> tuple[str, ...]:
    names = before.keys() | now.keys()
    return tuple(sorted(name for name in names if before.get(name) != now.get(name)))


def _copy(shipped: Path, target: Path) -> None:
    """Copy the package and record what was copied; contents only, so that all is writable."""
    files = _copied(shipped)
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shipped / name, target / name)
    record = {"version": version_in(shipped), "files": files}
    (target / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
