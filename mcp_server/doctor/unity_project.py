"""Checks of the Unity project, of its history, and of our package in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.project import half_project, projects_in
from mcp_server.doctor.check import Check
from mcp_server.doctor.writing_rights import why_not_writable
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
from snippet_engine.tools.history_tool import WHAT_TO_DO

_MOST_NAMED = 5
"""Most records or files that are named."""
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
    """Report writes that a killed process left unfinished, if there are any. Ends none of them."""
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
            f"Run {ends}: it finishes those that it can, and says what to do about the others.",
        ),
        *_report(
            "temporary files",
            lone,
            "of interrupted writes, whose records are gone",
            WHAT_TO_DO,
        ),
    ]


def check_history(project: Path | None) -> list[Check]:
    """Check what undo keeps, and whether it would survive the deletion of ``Library``."""
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
    """Return a check that names the first of what was ``found``, if anything was."""
    if not found:
        return []
    return [Check(name, False, f"{len(found)} {what}", advice, details=tuple(found[:_MOST_NAMED]))]


def check_package(project: Path | None) -> list[Check]:
    """Check whether the project has our package, in the version that this installation ships."""
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
    """Return ``found``; a missing package is no fault if a connected Editor has it."""
    connected = any(
        each.name == "Unity Editor" and each.ok and ", plugin " in each.summary for each in found
    )
    return [
        Check(each.name, True, f"{each.summary}, but the connected Editor has it")
        if connected and each.name == _PACKAGE and each.summary == _NOT_THERE
        else each
        for each in found
    ]
