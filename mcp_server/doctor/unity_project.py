"""Check the Unity project, its history, and our package in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.project import half_project, projects_in
from mcp_server.doctor.check import Check
from mcp_server.plugin.installation import PackageState, Refusal, status
from mcp_server.plugin.package_manifest import PACKAGE_NAME
from mcp_server.this_installation import program, quoted_word, upgrade
from snippet_engine.errors import SnippetError, counted
from snippet_engine.project_settings import editor_version
from snippet_engine.storage.os_failure import UnusableStateError
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.records.history import PART as HISTORY
from snippet_engine.storage.records.history_entry import parse_entry
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.system.names import is_link
from snippet_engine.tools.history_tool import WHAT_TO_DO

_MOST_NAMED = 5
"""Most records or files that a check names."""
_PACKAGE = "Unity package"
_NOT_THERE = f"{PACKAGE_NAME} is not in the project"
_NO_PROJECT = (
    "Run this in a folder with Assets/ and ProjectSettings/ or below it, or give --project PATH, a "
    "folder with Assets/."
)


def check_project(project: Path | None) -> list[Check]:
    """Check whether the script tools can work in the project."""
    name = "Unity project"
    if project is None:
        half = half_project(Path.cwd())
        seen = "" if half is None else f": {half[0]} {half[1]}"
        below = projects_in(Path.cwd())
        command = f"{program()} doctor --project {quoted_word(below[0]) if below else 'PATH'}"
        why = f"none was found{seen}"
        return [Check(name, False, why, _NO_PROJECT, required=True, command=command)]
    unusable = LocalTools(project).open()
    if unusable is not None:
        return [
            Check(name, False, unusable.message, _NO_PROJECT, required=True),
        ]
    editor = editor_version(project)
    made_with = f"Unity {editor}" if editor else "of an unknown Unity version"
    summary = f"{project} ({made_with})"
    locked = why_not_writable(project)
    if locked is None:
        found = Check(name, True, summary, required=True)
    else:
        advice = f"No edit can be applied: {locked}. Reading works."
        found = Check(name, False, f"{summary} can't be edited", advice, required=True)
    return [found, *_script_writes(project)]


def _script_writes(project: Path) -> list[Check]:
    """Report writes that a killed process left unfinished. Doesn't complete any."""
    opened = Project.open(project)
    if isinstance(opened, SnippetError):
        return []
    store = ChangeStore(opened)
    try:
        records, lone = store.records(), store.orphaned_temporary_files()
    except UnusableStateError as error:
        why = error.refusal().message
        until = "Until this is corrected, no edit can be applied or undone."
        return [Check("script writes", False, why, until, required=True)]
    ends = f"{program()} --project {quoted_word(str(project))} history"
    return [
        *_report(
            "script writes",
            records,
            "running now, or interrupted (Library/SnippetEngine/pending)",
            f"Run {ends}: it completes those that it can, and says what to do about the others.",
        ),
        *_report(
            "temporary files",
            lone,
            "of interrupted writes, whose records are gone",
            WHAT_TO_DO,
        ),
    ]


def check_history(project: Path | None) -> list[Check]:
    """Check which changes can be undone, and whether that survives the deletion of ``Library``."""
    if project is None:
        return []
    state = StateFolder(project)
    try:
        entries = [parse_entry(name) for name in state.names(HISTORY)]
    except UnusableStateError:
        return []  # reported with the project
    kept = {each.name for each in entries if each is not None and each.meta is None}
    if not kept:
        return []
    lost = len(kept.difference(state.second_names.names()))
    what = f"the history keeps {counted(len(kept), 'change')}"
    if not lost:
        return [Check("undo", True, f"{what}; they survive deleting Library (.unity-snippet)")]
    linked = "The next edit hard-links them in .unity-snippet, if Library is on the same disk."
    return [Check("undo", True, f"{what}; deleting Library loses {lost}", details=(linked,))]


def _report(name: str, found: Sequence[str], what: str, advice: str) -> list[Check]:
    """Return a check that names the first of ``found``; empty if nothing was found."""
    if not found:
        return []
    return [Check(name, False, f"{len(found)} {what}", advice, details=tuple(found[:_MOST_NAMED]))]


def check_package(project: Path | None) -> list[Check]:
    """Check whether the project has our package in the version of this installation."""
    name = _PACKAGE
    if project is None:
        return [Check(name, False, "no project", _NO_PROJECT, optional=True)]
    found = status(project)
    if isinstance(found, Refusal):
        advice = _NO_PROJECT if found.not_a_project else "Correct that, then run this again."
        return [Check(name, False, found.message, advice, optional=found.not_a_project)]
    if found.manifest_problem is not None:
        what, _, advice = found.manifest_problem.partition(". ")
        return [Check(name, False, what, advice)]
    installed, shipped = found.installed_version, found.shipped_version
    summary = {
        PackageState.MISSING: _NOT_THERE,
        PackageState.CURRENT: f"{PACKAGE_NAME} {installed}",
        PackageState.OLDER: f"{installed} is installed, {shipped} is shipped",
        PackageState.NEWER: f"{installed} is installed, only {shipped} is shipped",
        PackageState.CHANGED: f"{installed}, with local changes",
        PackageState.DAMAGED: f"{installed} is damaged: {found.damage}",
        PackageState.FOREIGN: _NOT_THERE,
        PackageState.ELSEWHERE: f"{PACKAGE_NAME} from {found.source}",
    }[found.state]
    newer = found.state is PackageState.NEWER
    if found.state is PackageState.FOREIGN:
        return [Check(name, False, summary, f"{found.damage}.")]
    # An install refuses to overwrite local changes; status names them, and says what to do.
    todo = "status" if found.local_changes or found.state is PackageState.CHANGED else "install"
    command = f"{program()} plugin {todo} --project {quoted_word(str(project))}"
    advice = upgrade() if newer else command
    fine = found.state in (PackageState.CURRENT, PackageState.ELSEWHERE)
    missing = found.state is PackageState.MISSING
    return [Check(name, fine, summary, advice, optional=missing, command=advice)]


def connected_from_elsewhere(found: Sequence[Check]) -> list[Check]:
    """Return ``found``. If the connected Editor has a package, a missing one isn't a failure."""
    connected = any(
        each.name == "Unity Editor" and each.ok and ", plugin " in each.summary for each in found
    )
    return [
        Check(each.name, True, f"{each.summary}, but the connected Editor has it")
        if connected and each.name == _PACKAGE and each.summary == _NOT_THERE
        else each
        for each in found
    ]


MAX_SCRIPTS = 200
"""Most scripts whose rights are checked."""

MAX_FOLDERS = 500
"""Most folders that are searched for scripts."""

_STATE = ("Library", "SnippetEngine")
_PARTS = ("locks", "pending", "history")
"""The folders that every edit writes to."""


def why_not_writable(project: Path) -> str | None:
    """Return why no edit can be applied in ``project``, and what to do; ``None`` if no reason is
    found.

    Checks folders by the rights of this user, and scripts by their owner's write bit, as an edit
    does.
    """
    wrong = _why_not_in(project / "Assets") or _why_nothing_is_kept(project)
    if wrong is not None:
        return wrong
    scripts = list(islice(_scripts(project / "Assets"), MAX_SCRIPTS))
    locked = {each for each in scripts if not each.stat().st_mode & stat.S_IWUSR}
    barred = {each for each in {script.parent for script in scripts} if _why_not_in(each)}
    if not scripts or any(each not in locked and each.parent not in barred for each in scripts):
        return None
    count = len(scripts)
    if not locked:
        others = ", nor in the other folders with scripts" if len(barred) > 1 else ""
        return (
            f"this user may not write in {scripts[0].parent}{others} ({count} scripts were "
            "checked): give this user the right to write there"
        )
    all_of = f"all {count} checked scripts are" if count > 1 else "the script is"
    first_locked = next(each for each in scripts if each in locked)
    where = (
        f", or in folders where this user may not write, such as {min(barred)}" if barred else ""
    )
    return (
        f"{all_of} read-only, such as {first_locked.relative_to(project).as_posix()}{where}: "
        "make the scripts writable (or check them out of version control)"
    )


def _why_not_in(folder: Path) -> str | None:
    """Return why no file can be created or replaced in the existing ``folder``."""
    # os.access is true for any folder on Windows, whatever its access list says.
    if os.access(folder, os.W_OK | os.X_OK):
        return None
    return f"this user may not write in {folder}: give this user the right to write there"


def _why_nothing_is_kept(project: Path) -> str | None:
    """Return why edits can't be recorded in the folders that exist or would be created."""
    library, ours = project / _STATE[0], project.joinpath(*_STATE)
    parts = [ours / part for part in _PARTS]
    for folder in (library, ours, *parts):
        # Below Library everything is ours, and no link is followed there.
        if os.path.lexists(folder) and (
            not folder.is_dir() or (folder != library and is_link(folder))
        ):
            return f"{folder} is not a folder: move it away, or delete it"
    there = (next(each for each in (part, *part.parents) if each.is_dir()) for part in parts)
    return next((wrong for folder in there if (wrong := _why_not_in(folder))), None)


def _scripts(assets: Path) -> Iterator[Path]:
    for folder, inner, names in islice(os.walk(assets), MAX_FOLDERS):
        inner.sort()
        for name in sorted(names):
            script = Path(folder, name)
            if name.endswith(".cs") and script.is_file():
                yield script
