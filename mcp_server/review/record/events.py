"""The events of the review page as values, and their JSON.

Implements docs/design/review.md "Events".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import NoneType
from typing import Any


class Outcome(StrEnum):
    """The outcome of a call, or the kind of an event that is no call."""

    PREVIEWED = "previewed"
    APPLIED = "applied"
    REFUSED = "refused"
    """Nothing was changed, and the caller can do something about the reason."""
    FAILED = "failed"
    """The call didn't end as it should. The event's detail says what is known of its effect."""
    UNDONE = "undone"
    DONE = "done"
    """The call succeeded and changed no file: a compile, a check, a test run."""
    CHANGED = "changed"
    """Something other than a recorded call changed files."""
    GUARDED = "guarded"
    """The guard refused a write by an agent's own tool."""


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file that an event is about, at a project-relative ``path``."""

    path: str
    moved_to: str | None = None
    before: str | None = None
    """The hash of the text before; ``None`` if there was no file."""
    after: str | None = None
    """The hash of the text after; ``None`` if there is no file."""
    is_unknown: bool = False
    """Whether nobody saw the texts. Then ``None`` doesn't mean that there is no file."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at ``time_s``, as of ``time.time``."""

    number: int
    """Rises in the order in which events are added. 0 before it is added."""
    time_s: float
    client: str | None
    session: str | None
    tool: str
    """The tool that was called; empty if the event is no call."""
    outcome: Outcome
    files: tuple[EventFile, ...] = ()
    line: str = ""
    duration_ms: float | None = None
    errors: int = 0
    warnings: int = 0
    undo: Mapping[str, Any] | None = None
    """The arguments for ``undo_snippet``; ``None`` if nothing can be undone."""
    code: str | None = None
    job: str | None = None
    is_own: bool = False
    """Whether this product changed the files, but no recorded call did."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that :meth:`from_json` reads. Empty values are left out."""
        found = {name: getattr(self, name) for name in self.__slots__}
        found["files"] = [
            {name: getattr(each, name) for name in each.__slots__ if getattr(each, name)}
            for each in self.files
        ]
        return {name: value for name, value in found.items() if value not in (None, "", [], 0)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Event:
        """Read an event. Fields that only a newer version knows are left out.

        Raises ``KeyError``, ``TypeError`` or ``ValueError`` for any other document.
        """
        found = {"client": None, "session": None, "tool": "", **_known(document, _EVENT)}
        if not 0 <= found["time_s"] < MAX_TIME_S:
            raise ValueError("time_s")
        files = tuple(EventFile(**_known(each, _FILE)) for each in document.get("files", ()))
        return cls(outcome=Outcome(document["outcome"]), files=files, **found)


MAX_TIME_S = 250_000_000_000.0

_TEXT, _TEXT_OR_NONE = (str,), (str, NoneType)
_EVENT: Mapping[str, tuple[type, ...]] = {
    "number": (int,),
    "time_s": (int, float),
    "line": _TEXT,
    "tool": _TEXT,
    **dict.fromkeys(("client", "session", "code", "job"), _TEXT_OR_NONE),
    "duration_ms": (int, float, NoneType),
    **dict.fromkeys(("errors", "warnings"), (int,)),
    "undo": (dict, NoneType),
    "is_own": (bool,),
}
_FILE: Mapping[str, tuple[type, ...]] = {
    "path": _TEXT,
    **dict.fromkeys(("moved_to", "before", "after"), _TEXT_OR_NONE),
    "is_unknown": (bool,),
}


def _known(document: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """Return those values of an object whose key is in ``kinds``.

    Raises ``TypeError`` if a value's type doesn't fit.
    """
    found = {name: document[name] for name in kinds if name in document}
    for name, value in found.items():
        if type(value) not in kinds[name]:
            raise TypeError(name)
    return found


@dataclass(frozen=True, slots=True)
class LateError:
    """An error that was found after its event's answer."""

    file: str
    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to add, with its files and detail."""

    event: Event
    files: tuple[FileTexts, ...] = ()
    """The files with their texts. They replace the event's own ``files``."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """The request and its outcome, as JSON."""
    texts: tuple[bytes, ...] = ()
    """More texts to store, found by their hashes."""


@dataclass(frozen=True, slots=True)
class FileTexts:
    """An event's file with its bytes before and after."""

    path: str
    before: bytes | None = None
    """``None`` if there was no file."""
    after: bytes | None = None
    """``None`` if there is no file."""
    moved_to: str | None = None
    is_unknown: bool = False
    """Whether nobody saw the bytes."""


WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNDONE, Outcome.CHANGED})
"""The outcomes of events that changed files."""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Accepts the events that match every field that is set."""

    file: str = ""
    """A part of a path, in any case of letters."""
    client: str = ""
    """A client's whole name."""
    outcome: Outcome | None = None
    text: str = ""
    """A part of the event's line, a path or the tool's name, in any case of letters."""
    after: int = 0
    """Only events with a larger number match."""
    is_written: bool = False
    """Only events that changed files match."""

    def fits(self, event: Event) -> bool:
        """Return whether the filter accepts ``event``."""
        if event.number <= self.after or (self.outcome and event.outcome is not self.outcome):
            return False
        if self.client and event.client != self.client:
            return False
        if self.is_written and event.outcome not in WRITTEN:
            return False
        paths = [path for each in event.files for path in (each.path, each.moved_to) if path]
        if self.file and not any(self.file.lower() in path.lower() for path in paths):
            return False
        searched = (event.line, event.tool, *paths)
        return not self.text or any(self.text.lower() in each.lower() for each in searched)


ALL = EventFilter()
