"""The Unity package in a project: its state, the plan of an install, and the install.

Implements docs/design/command-line.md ``plugin``. The package is *embedded*: it is a folder below
``Packages/``. Unity resolves its dependencies, so the project's manifest isn't changed. The folder
is replaced by renames. A record of the copied files shows local changes, which only ``--force``
overwrites. The package's own tests are not copied, because every test run would include them.
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
    damage_of,
    document_in,
    is_truncated,
    manifest_problem,
    settings_problem,
    version_in,
)
from snippet_engine.project_settings import editor_version, version_numbers
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.paths.path_refusal import why_no_project
from snippet_engine.storage.system.names import is_link
from snippet_engine.storage.system.replace_file import rename_folder
from snippet_engine.storage.system.scratch_folder import scratch_folder

SHIPPED = Path(unity_bridge.__file__).parent / "unity_package"
"""The package in this distribution."""

RECORD = ".unity-cli-install.json"
"""The record of the copied files. Unity ignores names that begin with a dot."""

OLDEST_UNITY = (2021, 3)

_LEFT_OUT = ("Tests/", "Tests.meta")

Files = Mapping[str, str]
"""The SHA-256 of each file, by its path below a folder, with ``/``."""


class PackageState(StrEnum):
    """The project's package, compared with the shipped one."""

    MISSING = "missing"
    CURRENT = "current"
    OLDER = "older"
    NEWER = "newer"
    CHANGED = "changed"
    """The same version, but with other files."""
    DAMAGED = "damaged"
    """Our copy, with an unreadable ``package.json``. If that is only truncated, it is repaired.

    Otherwise its text counts as a local change.
    """
    FOREIGN = "foreign"
    """Something else is at the package's place."""
    ELSEWHERE = "elsewhere"
    """The project gets the package from its manifest, or from a folder with another name."""


class InstallAction(StrEnum):
    """What an install does."""

    INSTALL = "install"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    REPAIR = "repair"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is done, and what to do instead."""

    message: str
    not_a_project: bool = False
    """Whether the reason is that the folder isn't a project."""


@dataclass(frozen=True, slots=True)
class PackageStatus:
    """The package in a project."""

    state: PackageState
    shipped_version: str
    installed_version: str | None = None
    source: str | None = None
    """Where the package comes from, if the state is ``ELSEWHERE``."""
    local_changes: tuple[str, ...] = ()
    """Files that were changed, added or removed since the install."""
    recorded: bool = True
    """Whether the record of the install exists, so that ``local_changes`` is complete."""
    damage: str | None = None
    """What is wrong with a damaged ``package.json``, or what is at the package's place."""
    settings_problem: str | None = None
    """Why Unity ignores the project's settings asset, and what to do."""
    manifest_problem: str | None = None
    """What is wrong with the project's list of packages, and what to do."""


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
    """The files that are there now."""
    manifest_problem: str | None = None
    """Why Unity can't load any package, and what to do."""

    @property
    def folder(self) -> Path:
        """The package's folder, which may not exist yet."""
        return self.project / "Packages" / PACKAGE_NAME


def status(project: Path, shipped: Path = SHIPPED) -> PackageStatus | Refusal:
    """Compare the package in ``project`` with the shipped one. Writes nothing."""
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
        if is_truncated(folder, shipped):  # the user didn't make that change
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


def plan_install(project: Path, *, force: bool = False) -> InstallPlan | Refusal:
    """Plan an install. Writes nothing.

    With ``force``, it overwrites local changes and downgrades.
    """
    found = status(project)
    if isinstance(found, Refusal):
        return found
    folder = project / "Packages" / PACKAGE_NAME
    refused = _unreplaceable(folder, found, force=force)
    if refused is not None:
        return refused
    wanted = _copied(SHIPPED)
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
    """Carry out the plan. If that fails, leave the project as before, and return the reason."""
    if plan.action is InstallAction.NOTHING:
        return None
    packages = plan.folder.parent
    try:
        packages.mkdir(exist_ok=True)
        # Below Packages/, on the same file system; Unity ignores folders that begin with a dot.
        with scratch_folder(packages, f".{PACKAGE_NAME}-") as scratch:
            fresh, old = scratch / "new", scratch / "old"
            _copy(shipped, fresh)
            if _exists(plan.folder) and files_of(plan.folder) != plan.installed:
                why = "was changed in the meantime; nothing was done. Try again."
                return Refusal(f"{plan.folder} {why}")
            if _exists(plan.folder):
                rename_folder(plan.folder, old)
            try:
                rename_folder(fresh, plan.folder)
            except OSError:
                if old.exists():
                    rename_folder(old, plan.folder)
                raise
    except OSError as error:
        where = packages if packages.exists() else packages.parent
        return Refusal(
            f"{plan.folder} can't be written: {reason_of(error)}. Make {where} writable for this "
            "user. The project is unchanged."
        )
    return None


# -- obstacles -----------------------------------------------------------------------------


def _unsuitable(project: Path) -> Refusal | None:
    """Return why nothing can be installed into ``project``; ``None`` if it can."""
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
            "Name a project with --project PATH.",
            not_a_project=True,
        )
    packages = project / "Packages"
    if _exists(packages) and not packages.is_dir():
        return Refusal(f"{packages} is not a folder.", not_a_project=True)
    if is_link(packages):
        return Refusal(f"{packages} is a link; nothing is written outside of the project.")
    version = version_numbers(editor_version(project))
    if version is not None and version[:2] < OLDEST_UNITY:
        return Refusal(
            f"The project is of Unity {version[0]}.{version[1]}; the package needs Unity 2021.3 "
            "or newer. First open the project with a newer Editor."
        )
    return None


def _unreplaceable(folder: Path, found: PackageStatus, *, force: bool) -> Refusal | None:
    """Return why the package must not be replaced; ``None`` if it may be."""
    refused = untouchable(folder, found, force=force)
    if refused is None and found.state is PackageState.NEWER and not force:
        return Refusal(
            f"The project has version {found.installed_version}, this is {found.shipped_version}. "
            "Upgrade unity-snippet, or downgrade the package with --force."
        )
    return refused


def untouchable(folder: Path, found: PackageStatus, *, force: bool) -> Refusal | None:
    """Return why the package must stay as it is. With ``force``, local changes are no reason."""
    if found.state is PackageState.ELSEWHERE:
        return Refusal(
            f"The project has {PACKAGE_NAME} from {found.source}. Keep that one, or remove it and "
            "run this again."
        )
    if is_link(folder):
        return Refusal(f"{folder} is a link, probably to a working copy. It stays as it is.")
    if found.state is PackageState.FOREIGN:
        return Refusal(f"{found.damage}.")
    # Without a record, a file that differs may be a local change.
    unknown = found.state is PackageState.CHANGED and not found.recorded
    changed = found.local_changes or ((RECORD,) if unknown else ())
    if changed and not force:
        named = ", ".join(changed[:2]) + (f" and {len(changed) - 2} more" if changed[2:] else "")
        what = "Files" if changed == (RECORD,) else named
        broken = f"; {found.damage}" if found.damage is not None and MANIFEST in changed else ""
        return Refusal(
            f"{what} in Packages/{PACKAGE_NAME} changed since the install{broken}. To discard the "
            "changes, give --force."
        )
    return None


def _elsewhere(project: Path) -> str | None:
    """Return where else the project gets the package from; ``None`` if nowhere."""
    packages = project / "Packages"
    dependencies = document_in(packages / "manifest.json").get("dependencies")
    # If the project has both, Unity uses the embedded one.
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
    """Return a sort key for versions. A text that isn't a version comes first."""
    return tuple(int(part) for part in re.findall(r"\d+", version or "")[:3])


def files_of(folder: Path) -> Files:
    """Return every file below ``folder`` except our record. Raises ``OSError``."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != RECORD
    }


def _copied(shipped: Path) -> Files:
    """Return the files in ``shipped`` that an install copies."""
    return {
        name: digest for name, digest in files_of(shipped).items() if not name.startswith(_LEFT_OUT)
    }


def _foreign(folder: Path) -> str:
    damage = damage_of(folder)
    why = f" ({damage})" if damage is not None else ""
    return f"{folder} exists and is not the package{why}. Move it away, then try again"


def _recorded(folder: Path) -> Files | None:
    """Return the files in the record of ``folder``; ``None`` without a record."""
    files = document_in(folder / RECORD).get("files")
    return files if isinstance(files, dict) else None


def _recorded_version(folder: Path) -> str:
    found = document_in(folder / RECORD).get("version")
    return found if isinstance(found, str) else "unknown"


def _differences(before: Files, now: Files) -> tuple[str, ...]:
    names = before.keys() | now.keys()
    return tuple(sorted(name for name in names if before.get(name) != now.get(name)))


def _copy(shipped: Path, target: Path) -> None:
    """Copy the package and write the record.

    Only contents are copied, so all files are writable.
    """
    files = _copied(shipped)
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shipped / name, target / name)
    record = {"version": version_in(shipped), "files": files}
    (target / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
