"""Say which parts of changes could not be judged, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from roslyn_server import protocol, reasons

NotChecked = tuple[str, str, str]
"""An assembly, the compiler's reason, and its detail."""


def are_names_checked(assemblies: Set[str], not_checked: Iterable[NotChecked]) -> bool:
    """Return whether all names of these assemblies were judged."""
    return all(
        assembly not in assemblies or reason in _LEAVE_NAMES_CHECKED
        for assembly, reason, _ in not_checked
    )


def left_of_changes(
    not_checked: Iterable[NotChecked], project_path: Callable[[str], str]
) -> Iterator[protocol.NotCheckedAssembly]:
    """Return the compiler's reasons as sentences; ``project_path`` makes paths relative."""
    for assembly, code, detail in not_checked:
        reason = "inactive_code" if code == _INACTIVE_LINES else code
        path, tab, lines = detail.partition("\t")
        shown = f"{lines} of {project_path(path)}" if tab else detail
        if reason == "other_files":
            shown = reasons.inactive_code_of(map(project_path, detail.split("\t")))
        yield reasons.of_assembly(assembly, reason, shown)


_INACTIVE_LINES = "inactive_lines"
"""The reason ``inactive_code`` if the changes also affect compiled code."""

_LEAVE_NAMES_CHECKED = frozenset(
    ("analyzers", "other_files", "more_files", "lowering", "unused_members", _INACTIVE_LINES)
)
