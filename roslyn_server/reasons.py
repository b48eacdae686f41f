"""The sentences that say what was not checked, and why, for projects and for single texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path

from roslyn_server import protocol
from roslyn_server.compiler.answers import TextSemantics
from roslyn_server.projects.build import Unknown, first_few
from snippet_engine.project_settings import uncompiled_name

LATE = "Names and types were not checked in time."

_NAMES = "Names and types were not checked"

_WHY = {
    "blocked": "{0} was not checked: {1}.",
    "references_missing": "Names and types in {0} were not checked: its reference {1}.",
    "source_generators": (
        "Names and types in {0} were not checked, because its generated sources are unknown: {1}."
    ),
    "analyzers": "Analyzers could not run on {0}: {1}.",
    "circular": "Names and types in {0} were not checked: {1}.",
    "inactive_code": "In {0}, names in code that #if excludes were not checked: {1}.",
    "unused_members": (
        "In {0}, unused members, which its options make errors (CS0067, CS0169, CS0414, CS0649), "
        "were not looked for: check_project finds them."
    ),
    "lowering": "Errors of {0} that appear only when code is generated were not checked: {1}.",
    "other_files": "In {0}, {1}, which the change affects, was not checked.",
    "more_files": "In {0}, {1} that the change affects were not checked.",
}
_INACTIVE = "Names and types were not checked in code that #if excludes: {}."
_UNUSED = (
    "Unused members, which this project's options make errors (CS0067, CS0169, CS0414, CS0649), "
    "were not looked for: a check of the project finds them."
)
_NOT_LOWERED = (
    "Errors that appear only when code is generated were not checked: the assembly is too large "
    "for that at each edit."
)
_UNHEARD = (
    "The project's analyzers, which may report errors, did not run: a check of the project runs "
    "them."
)
_SHOWN = 3
"""Number of names to list."""


def list_once(left: list[protocol.NotCheckedAssembly]) -> list[protocol.NotCheckedAssembly]:
    """List a reason that applies to several assemblies once.

    It names the assemblies unless it applies to all of those without references.
    """
    whose: dict[str, list[str]] = {}
    for each in left:
        if each["reason"] == "no_references":
            whose.setdefault(each["message"], []).append(each["assembly"])
    found: dict[str, protocol.NotCheckedAssembly] = {}
    for each in left:
        message = each["message"]
        names = whose.get(message, [])
        if each["reason"] != "no_references" or len(names) < 2:
            found.setdefault(f"{each['assembly']}\n{message}", each)
            continue
        sentence = message if len(whose) == 1 else f"{first_few(names)}: {message}"
        found.setdefault(message, {**each, "assembly": "", "message": sentence})
    return list(found.values())


def unchecked(assembly: str, unknown: Unknown) -> protocol.NotCheckedAssembly:
    """Return why an assembly, or ``""`` for all, can't be judged."""
    return {"assembly": assembly, "reason": unknown.reason, "message": unknown.message}


def not_compiled(script: str) -> Unknown | None:
    """Return why the script isn't judged; ``None`` if Unity compiles scripts in its folder."""
    name = uncompiled_name(script)
    if name is None:
        return None
    message = f"Names and types in {script} were not checked: Unity compiles nothing in {name}."
    return Unknown("not_compiled", message)


def of_assembly(assembly: str, reason: str, detail: str) -> protocol.NotCheckedAssembly:
    """Return why an assembly was not checked, from the compiler's reason."""
    message = _WHY[reason].format(assembly, detail)
    return {"assembly": assembly, "reason": reason, "message": message}


def of_text(assembly: str, reason: str, detail: str) -> Unknown:
    """Return why the names in one text were not checked, from the compiler's reason."""
    match reason:
        case "references_missing":
            return Unknown(reason, f"{_NAMES}: the reference {detail}.")
        case "blocked" | "circular":
            return Unknown(reason, f"{_NAMES}: {detail}.", detail)
        case "source_generators":
            why = f"{_NAMES}, because its generated sources are unknown: {detail}."
            return Unknown(reason, why, detail)
    return Unknown("references_stale", f"{_NAMES}: {assembly} can't be judged, {detail}.")


def of_changes(
    semantics: TextSemantics, assemblies: Sequence[str], root: Path
) -> Iterator[Unknown]:
    """Yield the unjudged parts of the text, or of the assemblies that its changes affect, in the
    project at ``root``."""
    shown = _shown(semantics.changed_names) or "the change"
    if semantics.inactive_lines:
        lines = semantics.inactive_lines
        yield Unknown("inactive_code", _INACTIVE.format(lines), lines)
    if semantics.leaves_unused:
        yield Unknown("unused_members", _UNUSED)
    if semantics.is_not_lowered:
        yield Unknown("lowering", _NOT_LOWERED)
    if semantics.are_analyzers_unheard:
        yield Unknown("analyzers", _UNHEARD)
    if semantics.not_judged:
        yield _elsewhere("more_files", f"{semantics.not_judged} more that {shown} affects")
    if semantics.inactive_mentions:
        files = (_in_project(each, root) for each in semantics.inactive_mentions)
        yield _elsewhere("other_files", f"{inactive_code_of(files)}, which mentions {shown}")
    if assemblies:
        yield _elsewhere("other_assemblies", _shown(assemblies))


def inactive_code_of(files: Iterable[str]) -> str:
    """Return the excluded code of some files in words."""
    return f"inactive #if code of {first_few(sorted(files))}"


def _in_project(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def _elsewhere(reason: protocol.NotCheckedReason, detail: str) -> Unknown:
    return Unknown(reason, f"The change's effect elsewhere was not checked: {detail}.", detail)


def are_names_checked(assemblies: Set[str], not_checked: Iterable[tuple[str, str, str]]) -> bool:
    """Return whether all names of these assemblies were judged.

    ``not_checked`` are assemblies, each with the compiler's reason and its detail.
    """
    return all(
        assembly not in assemblies or reason in _LEAVE_NAMES_CHECKED
        for assembly, reason, _ in not_checked
    )


def left_of_changes(
    not_checked: Iterable[tuple[str, str, str]], project_path: Callable[[str], str]
) -> Iterator[protocol.NotCheckedAssembly]:
    """Return the compiler's reasons as sentences; ``project_path`` makes paths relative."""
    for assembly, code, detail in not_checked:
        reason = "inactive_code" if code == _INACTIVE_LINES else code
        path, tab, lines = detail.partition("\t")
        shown = f"{lines} of {project_path(path)}" if tab else detail
        if reason == "other_files":
            shown = inactive_code_of(map(project_path, detail.split("\t")))
        yield of_assembly(assembly, reason, shown)


_INACTIVE_LINES = "inactive_lines"
"""The reason ``inactive_code`` if the changes also affect compiled code."""

_LEAVE_NAMES_CHECKED = frozenset(
    ("analyzers", "other_files", "more_files", "lowering", "unused_members", _INACTIVE_LINES)
)
