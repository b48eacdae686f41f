"""The names of the Editor's commands, chosen from what the Editor offers.

Implements docs/design/pipeline.md §3. Names and the spelling of parameters differ between versions
of the package. The Editor's own list decides, not its version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Operation(StrEnum):
    """An action of the Editor, under any command name."""

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
        """Return whether sending the operation twice could act twice."""
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
"""Every name of an operation, the newest first.

From Unity's manual (0.4 to 0.6, 0.9 and 1.0): the names with an underscore, and ``editor.playmode
start`` and ``stop``, ``script recompile`` and ``recompile_status``. The other grouped names follow
from its rule, and are unconfirmed.
"""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One Editor's commands, each with its parameters' names if it lists them."""

    commands: Mapping[str, frozenset[str] | None] = field(default_factory=dict)

    @classmethod
    def read(cls, document: Any) -> Vocabulary:
        """Read the answer of ``/api/commands``, and skip invalid entries."""
        return cls({name: _parameters(each) for name, each in _commands(document)})

    def name_of(self, operation: Operation) -> str | None:
        """Return the operation's name here; ``None`` if there is no such command."""
        return next((name for name in NAMES[operation] if name in self.commands), None)

    def has(self, operation: Operation) -> bool:
        """Return whether the Editor has a command for the operation."""
        return self.name_of(operation) is not None

    def spelled(self, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``parameters`` under the names that the command uses.

        The Editor would silently ignore a name that the command doesn't know.
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
        if isinstance(group, str) and " " not in name:  # the parameter's name in a request
            yield f"{group} {name}", each


def _parameters(command: Any) -> frozenset[str] | None:
    listed = command.get("parameters") if isinstance(command, Mapping) else None
    if isinstance(listed, Mapping):
        return frozenset(map(str, listed.get("properties", listed)))
    if isinstance(listed, list):
        names = (each.get("name") if isinstance(each, Mapping) else each for each in listed)
        return frozenset(name for name in names if isinstance(name, str))
    return None
