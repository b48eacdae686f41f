"""The Unity project, and our package in it."""

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
from snippet_engine.errors import SnippetError
from snippet_engine.project_settings import editor_version
from snippet_engine.storage.os_failure import UnusableStateError
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.records.history import PART as HISTORY
from snippet_engine.storage.records.history import parse_entry
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.tools.history_tool import WHAT_TO_DO

_MOST_TOLD = 5
"""Records, or files, that are named."""
_PACKAGE = "Unity package"
_NOT_THERE = f"{PACKAGE_NAME} is not in the project"
_NO_PROJECT = (
    "Run this below a folder with Assets/ and ProjectSettings/, or give --project PATH, a folder "
    "with Assets/."
)


def check_project(project: Path | None) -> list[Check]:
    """Whether the script tools can work in the project."""
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
        advice = f"No edit can be applied: {locked}. Questions work."
        found = Check(name, False, f"{summary} can't be edited", advice, required=True)
    return [found, *_script_writes(project)]


def _script_writes(project: Path) -> list[Check]:
    """What was being written when a process died, if anything; that is only looked at here."""
    opened = Project.open(project)
    if isinstance(opened, SnippetError):
        return []
    store = ChangeStore(opened)
    try:
        records, lone = store.records(), store.orphaned_temporary_files()
    except UnusableStateError as error:
        why = error.refusal().message
        until = "Until then no edit can be applied, or undone."
        return [Check("script writes", False, why, until, required=True)]
    ends = f"{program()} --project {quoted_word(str(project))} history"
    return [
        *_told(
            "script writes",
            records,
            "being written now, or cut short (Library/SnippetEngine/pending)",
            f"Run {ends}: it ends what can be ended, and tells of the others what to do.",
        ),
        *_told(
            "temporary files",
            lone,
            "of writes that were cut short, whose records are gone",
            WHAT_TO_DO,
        ),
    ]


def check_history(project: Path | None) -> list[Check]:
    """What undo keeps, and whether deleting ``Library``, which people do, takes it away."""
    if project is None:
        return []
    state = StateFolder(project)
    try:
        entries = [parse_entry(name) for name in state.names(HISTORY)]
    except UnusableStateError:
        return []  # told with the project
    kept = {each.name for each in entries if each is not None and each.meta is None}
    if not kept:
        return []
    lost = len(kept.difference(state.second_names.names()))
    what = f"the history keeps {len(kept)} change{'s' if len(kept) > 1 else ''}"
    if not lost:
        return [Check("undo", True, f"{what}; deleting Library leaves it (.unity-snippet)")]
    return [
        Check("undo", True, f"{what}; deleting Library takes {lost} away", details=(_ONE_NAME,))
    ]


_ONE_NAME = (
    "The next edit gives them a hard link in .unity-snippet, if Library lies on the same disk."
)


def _told(name: str, found: Sequence[str], what: str, advice: str) -> list[Check]:
    """A check that names the first of what was ``found``, if anything was."""
    if not found:
        return []
    return [Check(name, False, f"{len(found)} {what}", advice, details=tuple(found[:_MOST_TOLD]))]


def check_package(project: Path | None) -> list[Check]:
    """Whether the project has our package, in the version that this installation ships."""
    name = _PACKAGE
    if project is None:
        return [Check(name, False, "no project to look in", _NO_PROJECT, optional=True)]
    found = status(project)
    if isinstance(found, Refusal):
        advice = _NO_PROJECT if found.not_a_project else "Do what it says, then run this again."
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
        PackageState.CHANGED: f"{installed}, with files that were changed here",
        PackageState.DAMAGED: f"{installed} is damaged: {found.damage}",
        PackageState.FOREIGN: f"{PACKAGE_NAME} is not in the project",
        PackageState.ELSEWHERE: f"{PACKAGE_NAME} from {found.source}",
    }[found.state]
    newer = found.state is PackageState.NEWER
    if found.state is PackageState.FOREIGN:
        return [Check(name, False, summary, f"{found.damage}.")]
    # An install refuses to overwrite what was changed here; status names it, and says how to.
    todo = "status" if found.local_changes or found.state is PackageState.CHANGED else "install"
    command = f"{program()} plugin {todo} --project {quoted_word(str(project))}"
    advice = upgrade() if newer else command
    fine = found.state in (PackageState.CURRENT, PackageState.ELSEWHERE)
    missing = found.state is PackageState.MISSING
    return [Check(name, fine, summary, advice, optional=missing, command=advice)]


def connected_from_elsewhere(found: Sequence[Check]) -> list[Check]:
    """``found``, where a package that isn't in the project is no fault if an Editor that has it is
    connected: it came there by another way."""
    connected = any(
        each.name == "Unity Editor" and each.ok and ", plugin " in each.summary for each in found
    )
    return [
        Check(each.name, True, f"{each.summary}; the Editor that is connected has it all the same")
        if connected and each.name == _PACKAGE and each.summary == _NOT_THERE
        else each
        for each in found
    ]
