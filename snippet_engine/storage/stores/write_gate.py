"""Show a caller exactly the changes that a call is about to write, and let it refuse them.

A gate belongs to the call in the current context. The stores ask the gate under their locks, after
every comparison and before anything is written or announced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from snippet_engine.budget import Having
from snippet_engine.call_context import note_changes
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.storage.files import stale, taken
from snippet_engine.storage.paths.project import FileSnapshot

if TYPE_CHECKING:
    from snippet_engine.storage.change_sets.change_plan import FileChange

Gate: TypeAlias = "Callable[[Sequence[FileChange]], SnippetError | None]"
"""Gets the changes to be written; an error that it returns is the call's answer."""

_gate: ContextVar[Gate | None] = ContextVar("gate in front of writes", default=None)


def asking(gate: Gate | None) -> AbstractContextManager[object]:
    """Ask ``gate`` before each write in this context; with ``None``, write without asking."""
    return Having(_gate, gate)


def refusal(changes: Sequence[FileChange]) -> SnippetError | None:
    """Return the error with which the gate refuses the changes; ``None`` if they may be written."""
    note_changes(lambda: changes)
    gate = _gate.get()
    return None if gate is None else gate(changes)


def is_bound() -> bool:
    """Return whether the gate lets only the shown changes through, even if judged again."""
    return isinstance(_gate.get(), OnlyAsShown)


class Rehearsal:
    """A gate that refuses every write and records the changes."""

    def __init__(self, is_wanted: Callable[[], bool] = lambda: True) -> None:
        """If ``is_wanted`` returns false right before a write, the write goes through."""
        self._is_wanted = is_wanted
        self.coming: tuple[FileChange, ...] | None = None
        """The changes that the call would write; ``None`` if the call didn't get that far."""

    def __call__(self, changes: Sequence[FileChange]) -> SnippetError | None:
        """Note the changes and refuse them."""
        if not self._is_wanted():
            return None
        self.coming = tuple(replace(each, seen=None) for each in changes)
        message = "This was a rehearsal; nothing was written."
        return SnippetError(ErrorCode.APPROVAL_REFUSED, message)


@dataclass(frozen=True, slots=True)
class OnlyAsShown:
    """A gate that lets through only the changes that were ``shown``, byte for byte."""

    shown: tuple[FileChange, ...]

    def __call__(self, changes: Sequence[FileChange]) -> SnippetError | None:
        """Return ``stale_file`` unless the changes are those that were shown."""
        if list(map(_content, changes)) == list(map(_content, self.shown)):
            return None
        return self.stale_now() or SnippetError(
            ErrorCode.STALE_FILE,
            f"The change of {show(changes[0].script.relative)} is no longer the one that was "
            "shown and approved; nothing was written. Send the request again.",
        )

    def stale_now(self) -> SnippetError | None:
        """Return ``stale_file`` if a file isn't as it was when the changes were shown."""
        for each in self.shown:
            now = each.script.read()
            if each.before is None:
                if isinstance(now, FileSnapshot):
                    return taken(each.script)
            elif isinstance(now, SnippetError):
                return now
            elif now.data != each.before:
                return stale(each.script, each.before, now.data)
        return None


def _content(change: FileChange) -> tuple[str, str | None, bytes | None, bytes | None]:
    target = None if change.target is None else change.target.canonical
    return change.script.canonical, target, change.before, change.after
