"""The context of the current call: its client, its writes, and its questions to the Editor.

As with :mod:`snippet_engine.budget`, functions needn't pass it on. The history records the client's
name (docs/design/engine.md §5 "Undo"). The code that judges or shows the writes of a call gets them
from here. A call asks the Editor which open assets have unsaved changes, because the Editor's next
save would overwrite the call's write. Without an Editor, nothing is unsaved.
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
    """The files that one call has written."""

    earlier: dict[str, bytes | None] = field(default_factory=dict)
    """The content of each file before the call, by project-relative path; ``None`` for no file."""
    is_partly_judged: bool = False
    """Whether a compiler with more time could report more about the files."""

    def add(self, path: str, before: bytes | None, moved_to: str | None = None) -> None:
        """Add a file that was written, or moved."""
        self.earlier.setdefault(path, before)
        if moved_to is not None:
            self.earlier.setdefault(moved_to, None)


_writes: ContextVar[RecordedWrites | None] = ContextVar("recorded writes", default=None)


@contextmanager
def recording() -> Iterator[RecordedWrites]:
    """Record the files that are written in this context."""
    writes = RecordedWrites()
    with Having(_writes, writes):
        yield writes


def record(path: str, before: bytes | None, moved_to: str | None = None) -> None:
    """Record a file that was written; ``before`` is its earlier content."""
    writes = _writes.get()
    if writes is not None:
        writes.add(path, before, moved_to)


def record_partly_judged() -> None:
    """Record that time ran out before the written files were fully judged."""
    writes = _writes.get()
    if writes is not None:
        writes.is_partly_judged = True


_changes: ContextVar[list[FileChange] | None] = ContextVar("changes of a call", default=None)


def begin_noting_changes() -> list[FileChange]:
    """Return a list that receives the changes that calls in this context write or preview."""
    changes: list[FileChange] = []
    _changes.set(changes)
    return changes


def noting_nothing() -> AbstractContextManager[object]:
    """Record no changes in this context, because they aren't the call's own."""
    return Having(_changes, None)


def note_changes(changes: Callable[[], Sequence[FileChange]]) -> None:
    """Replace the recorded changes by those that are about to be written or shown."""
    noted = _changes.get()
    if noted is not None:
        noted[:] = changes()


MAX_CLIENT_NAME = 64
"""Longest client name that is kept, in code points."""

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
"""The warning of a write to assets if the Editor didn't say whether they have unsaved changes."""

_ask: ContextVar[AskEditor] = ContextVar("unsaved assets", default=tuple)


def asking_for_unsaved(ask: AskEditor) -> AbstractContextManager[object]:
    """Make the calls in this context use ``ask`` when they are about to write assets."""
    return Having(_ask, ask)


def unsaved_among(files: Iterable[ScriptPath]) -> list[str] | None:
    """Return the canonical paths of those ``files`` that have unsaved changes; all are assets.

    Return ``None`` if the Editor doesn't report unsaved changes.
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
    """Return ``busy``, because these assets have unsaved changes."""
    details = {"unsaved": sorted(paths), NEEDS_ACTION: True}
    return SnippetError(ErrorCode.BUSY, unsaved_message(paths), details=details)
