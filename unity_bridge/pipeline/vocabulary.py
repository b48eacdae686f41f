"""What the Editor's commands are called: names as data, chosen by what the Editor offers.

Implements docs/design/pipeline.md §3. Names and the spelling of parameters have changed between
versions of the package, so neither is derived from a version: the Editor's own list decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Operation(StrEnum):
    """What we ask of the Editor, whatever it is called there."""

    PLAY = "play"
    STOP = "stop"
    TOGGLE_PAUSE = "toggle_pause"
    RECOMPILE = "recompile"
    RECOMPILE_STATUS = "recompile_status"
    RUN_TESTS = "run_tests"
    CANCEL_TESTS = "cancel_tests"
    CONSOLE = "console"
    CONSOLE_LOGS = "console_logs"

    @property
    def changes_things(self) -> bool:
        """Whether to ask twice could do twice."""
        return self not in _ONLY_READS


_ONLY_READS = frozenset({Operation.RECOMPILE_STATUS, Operation.CONSOLE, Operation.CONSOLE_LOGS})

NAMES: Mapping[Operation, tuple[str, ...]] = {
    Operation.PLAY: ("editor.playmode start", "editor_play"),
    Operation.STOP: ("editor.playmode stop", "editor_stop"),
    Operation.TOGGLE_PAUSE: ("editor.playmode pause", "editor_pause"),
    Operation.RECOMPILE: ("script recompile", "recompile"),
    Operation.RECOMPILE_STATUS: ("script recompile_status", "recompile_status"),
    Operation.RUN_TESTS: ("test run", "run_tests"),
    Operation.CANCEL_TESTS: ("test cancel", "cancel_tests"),
    Operation.CONSOLE: ("editor console", "console read", "console"),
    Operation.CONSOLE_LOGS: ("get_console_logs",),
}
"""Every name that an operation has had, the newest first.

Seen in Unity's own manual (0.4 to 0.6, 0.9 and 1.0): those with an underscore, and of those with
a group ``editor.playmode start`` and ``stop``, ``script recompile`` and ``recompile_status``. The
other names with a group follow from its rule, the method's name after the group's, and weren't.
"""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The commands of one Editor: their names, each with those of its parameters, if it tells."""

    commands: Mapping[str, frozenset[str] | None] = field(default_factory=dict)

    @classmethod
    def read(cls, document: Any) -> Vocabulary:
        """What ``/api/commands`` says; what can't be understood of it isn't there."""
        return cls({name: _parameters(each) for name, each in _commands(document)})

    def name_of(self, operation: Operation) -> str | None:
        """What the operation is called here; ``None`` if there is no such command."""
        return next((name for name in NAMES[operation] if name in self.commands), None)

    def has(self, operation: Operation) -> bool:
        """Whether the Editor has a command for it."""
        return self.name_of(operation) is not None

    def spelled(self, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """``parameters``, whose names have underscores, as command ``name`` spells them.

        A name that it wouldn't know would bind nothing, silently.
        """
        known = self.commands[name]
        hyphens = " " in name if known is None else any("-" in each for each in known)
        if not hyphens:
            return dict(parameters)
        return {key.replace("_", "-"): value for key, value in parameters.items()}


def _commands(document: Any) -> Iterator[tuple[str, Any]]:
    listed = document.get("commands") if isinstance(document, Mapping) else document
    for each in listed if isinstance(listed, list) else ():
        name = each.get("name") if isinstance(each, Mapping) else each
        if not isinstance(name, str):
            continue
        yield name, each
        group = each.get("group") if isinstance(each, Mapping) else None
        if isinstance(group, str) and " " not in name:  # what a request calls it
            yield f"{group} {name}", each


def _parameters(command: Any) -> frozenset[str] | None:
    told = command.get("parameters") if isinstance(command, Mapping) else None
    if isinstance(told, Mapping):
        told = told.get("properties", told)
        return frozenset(map(str, told))
    if isinstance(told, list):
        names = (each.get("name") if isinstance(each, Mapping) else each for each in told)
        return frozenset(name for name in names if isinstance(name, str))
    return None
