"""What belongs to the call that runs in the present thread: who asks, what it writes, whom it asks.

As with :mod:`snippet_engine.budget`, functions needn't pass it on. The history records the client's
name (docs/design/engine.md §5 "Undo"). What a call writes is recorded for whoever judges or shows
it. A call asks the Editor which assets it has open with unsaved changes: its next save would
overwrite what was written to them. Without an Editor nothing is unsaved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from snippet_engine.budget import Having
from snippet_engine.errors import NEEDS_ACTION, ErrorCode, SnippetError, show

if TYPE_CHECKING:
    from snippet_engine.storage.change_sets.change_plan import FileChange
    from snippet_engine.storage.paths.project import ScriptPath


@dataclass(slots=True)
class RecordedWrites:
    """What one call has written."""

    earlier: dict[str, bytes | None] = field(default_factory=dict)
    """The content of each file before the call by project-relative path; ``None`` for no file."""
    is_partly_judged: bool = False
    """Whether a compiler given more time would report more about it."""

    def add(self, path: str, before: bytes | None, moved_to: str | None = None) -> None:
        """Add a file that was written, or moved."""
        self.earlier.setdefault(path, before)
        if moved_to is not None:
            self.earlier.setdefault(moved_to, None)


_writes: ContextVar[RecordedWrites | None] = ContextVar("recorded writes", default=None)


@contextmanager
def recording() -> Iterator[RecordedWrites]:
    """Record what is written in this context."""
    writes = RecordedWrites()
    with Having(_writes, writes):
        yield writes


def record(path: str, before: bytes | None, moved_to: str | None = None) -> None:
    """Record a file that was written; ``before`` is what it held."""
    writes = _writes.get()
    if writes is not None:
        writes.add(path, before, moved_to)


def record_partly_judged() -> None:
    """Record that what is written was not judged in full, for want of time."""
    writes = _writes.get()
    if writes is not None:
        writes.is_partly_judged = True


_changes: ContextVar[list[FileChange] | None] = ContextVar("changes of a call", default=None)


def begin_noting_changes() -> list[FileChange]:
    """Return a list that gets what a call in this context writes, or its preview would write."""
    changes: list[FileChange] = []
    _changes.set(changes)
    return changes


def noting_nothing() -> AbstractContextManager[object]:
    """Note no changes in this context, because they are not the call's own."""
    return Having(_changes, None)


def note_changes(changes: Callable[[], Sequence[FileChange]]) -> None:
    """Note what is about to be written, or shown, in place of what was noted before."""
    noted = _changes.get()
    if noted is not None:
        noted[:] = changes()


MAX_CLIENT_NAME = 64
"""Most code points of a client's name that are kept."""

_client: ContextVar[str | None] = ContextVar("client", default=None)


def client() -> str | None:
    """Return the name that the client gives itself, if it is known."""
    return _client.get()


def as_client(name: str | None) -> AbstractContextManager[object]:
    """Record the client ``name`` for everything that runs in this context."""
    cleaned = "".join(each for each in name or "" if each.isprintable())[:MAX_CLIENT_NAME]
    return Having(_client, cleaned.strip() or None)


AskEditor: TypeAlias = Callable[[], Collection[str] | None]
"""Returns project-relative paths; ``None`` if the Editor doesn't report them. May block."""

UNSAVED_UNKNOWN = {
    "code": "unsaved_unknown",
    "message": "The connected Editor didn't report whether it has unsaved changes in these "
    "assets. If it has, saving them in the Editor overwrites what was written.",
}
"""The warning of a write whose assets the Editor said nothing about."""

_ask: ContextVar[AskEditor] = ContextVar("unsaved assets", default=tuple)


def asking_for_unsaved(ask: AskEditor) -> AbstractContextManager[object]:
    """Let the calls in this context ask, once they are about to write assets."""
    return Having(_ask, ask)


def unsaved_among(files: Iterable[ScriptPath]) -> list[str] | None:
    """Return the canonical paths of ``files``, no scripts, that have unsaved changes.

    Return ``None`` if the Editor doesn't report them.
    """
    assets = {each.canonical for each in files if not each.is_script}
    known = _ask.get()() if assets else ()
    return None if known is None else sorted(assets & set(known))


def unsaved_message(paths: Collection[str]) -> str:
    """Return a message about ``paths`` that have unsaved changes."""
    names = ", ".join(map(show, sorted(paths)[:3])) + (", …" if len(paths) > 3 else "")
    return (
        f"The Editor has unsaved changes in {names}. Save or discard them in Unity first; nothing "
        "was written."
    )


def unsaved_refusal(paths: Collection[str]) -> SnippetError:
    """Return ``busy``: these assets have unsaved changes."""
    details = {"unsaved": sorted(paths), NEEDS_ACTION: True}
    return SnippetError(ErrorCode.BUSY, unsaved_message(paths), details=details)
