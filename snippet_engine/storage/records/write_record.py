"""One write on disk: first the data to clean up after a crash, later the data for its undo.

Implements docs/design/engine.md §5. The record is durable before the write leaves any other trace.
It is in ``pending`` while the write runs, and is then renamed into ``history``.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from snippet_engine.edits import common_prefix_length
from snippet_engine.source_text import SourceText, content_hash, decode
from snippet_engine.storage.system.folder import FolderIdentity

_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_TICKET = re.compile(r"[0-9a-f]{16}")

_TEXTS = ("consumes", "client", "firstLine", "source", "session")
"""Optional keys of the header; records of earlier versions don't have all of them."""

YEAR_10000_S = 253_402_300_800
"""The first time, in seconds since 1970, that can't be written as a date."""

MAX_HEADER_BYTES = 64 * 1024
"""Largest header of a record that is read; paths are far shorter."""


def new_ticket() -> str:
    """Return a unique name for one write: 16 hex digits."""
    return os.urandom(8).hex()


def ticket_of(record: str) -> str:
    """Return the ticket in a record's name: ``KEY-TICKET``, or ``KEY-TICKET.set`` for a set."""
    return record.partition("-")[2].removesuffix(".set")


def _now() -> float:
    return time.time()


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a change set as the history lists it; paths are canonical."""

    path: str
    target: str | None
    before: str | None
    after: str | None
    first_line: str = ""
    had_meta: bool = False
    """Whether its ``.meta`` existed before the file was created."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Return its old and new path."""
        return (self.path,) if self.target is None else (self.path, self.target)


def ends_of(files: Iterable[ChangedFile]) -> dict[str, str | None]:
    """Return the hash that each path has after the change; ``None`` if the file is gone."""
    listed = tuple(files)
    left: dict[str, str | None] = {each.path: None for each in listed if each.target is not None}
    return left | {each.target or each.path: each.after for each in listed}


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """A write of the file at the canonical ``path``; ``before`` and ``after`` are hashes."""

    path: str
    ticket: str
    before: str
    after: str
    image: bytes | None
    """The content before; ``None`` for an undo."""
    consumes: str | None = None
    """The name of the history entry that an undo reverts."""
    client: str | None = None
    first_line: str | None = None
    folder: FolderIdentity | None = None
    time_s: float | None = field(default_factory=_now)
    """As of ``time.time``."""
    source: str | None = None
    """Who wrote the file, if it wasn't this product."""
    session: str | None = None

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        """Return the one file, in the form of a change set's files."""
        return (ChangedFile(self.path, None, self.before, self.after, self.first_line or ""),)

    @property
    def ends(self) -> dict[str, str | None]:
        """Return each path's hash after the change; ``None`` if the file is gone."""
        return ends_of(self.files)

    def changes(self, path: str) -> bool:
        """Return whether it belongs to the file at the canonical ``path``."""
        return path == self.path

    def kept(self, path: str) -> bytes | None:
        """Return the earlier content of the file at the canonical ``path``, if it was recorded."""
        return self.image if path == self.path else None

    image_of = kept

    def encode(self) -> bytes:
        """Return one line of JSON, then the before-image."""
        header = {
            "path": self.path,
            "ticket": self.ticket,
            "before": self.before,
            "after": self.after,
            "imageBytes": None if self.image is None else len(self.image),
            "consumes": self.consumes,
            "client": self.client,
            "firstLine": self.first_line,
            "folder": self.folder,
            "time": self.time_s,
        }
        if self.source is not None:
            header |= {"source": self.source, "session": self.session}
        return json.dumps(header).encode() + b"\n" + (self.image or b"")

    @classmethod
    def decode(cls, data: bytes) -> WriteRecord | None:
        """Return the record, or ``None`` if ``data`` is not exactly what :meth:`encode` made."""
        line, newline, image = data.partition(b"\n")
        parsed = _parsed(line) if newline else None
        if parsed is None:
            return None
        record, size = parsed
        if len(image) != (size or 0):
            return None
        if size is None:
            return record
        return replace(record, image=image) if content_hash(image) == record.before else None

    @classmethod
    def decode_damaged(cls, data: bytes) -> WriteRecord | None:
        """Return the record without its image, if the header can be read."""
        line, newline, _ = data.partition(b"\n")
        return cls.decode_header(line) if newline else None

    @classmethod
    def decode_header(cls, line: bytes) -> WriteRecord | None:
        """Return the record without its image, from its first line."""
        parsed = _parsed(line)
        return None if parsed is None else parsed[0]


def _parsed(line: bytes) -> tuple[WriteRecord, int | None] | None:
    """Return the record without its image, and the image's length; ``None`` if unreadable."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not _is_header(header):
        return None
    record = WriteRecord(
        header["path"],
        header["ticket"],
        header["before"],
        header["after"],
        None,
        header.get("consumes"),
        header.get("client"),
        header.get("firstLine"),
        _identity(header.get("folder")),
        _time_s(header.get("time")),
        header.get("source"),
        header.get("session"),
    )
    return record, header["imageBytes"]


def _identity(value: object) -> FolderIdentity | None:
    match value:
        case [int() as device, int() as number]:
            return device, number
    return None


def _time_s(value: object) -> float | None:
    return value if isinstance(value, float) and 0 <= value < YEAR_10000_S else None


def is_ticket(value: object) -> bool:
    """Return whether it is a name made by :func:`new_ticket`."""
    return _matches(_TICKET, value)


def is_hash(value: object) -> bool:
    """Return whether it is a content's hash."""
    return _matches(_HASH, value)


def _is_header(header: Any) -> bool:
    return (
        isinstance(header, dict)
        and isinstance(header.get("path"), str)
        and is_ticket(header.get("ticket"))
        and is_hash(header.get("before"))
        and is_hash(header.get("after"))
        and "imageBytes" in header
        and (header["imageBytes"] is None or isinstance(header["imageBytes"], int))
        and all(header.get(key) is None or isinstance(header[key], str) for key in _TEXTS)
    )


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


_SHOWN_CODE_POINTS = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def first_changed_line(before: bytes | None, after: bytes | None) -> str:
    """Return the first line that a diff would show, after ``-`` or ``+``; empty if nothing differs.

    For a replaced line both lines are returned. A line has at most 100 code points.
    """
    old, new = _lines(before), _lines(after)
    start = common_prefix_length(old, new)
    if len(old) == len(new) == start:
        return ""
    start = old.rfind(b"\n", 0, start) + 1
    rest = len(old) - start
    # An insertion of whole lines: the rest of the old text follows them.
    is_insertion = len(new) - start > rest and (
        not rest or (new.endswith(old[start:]) and new[-rest - 1 : -rest] == b"\n")
    )
    if is_insertion:
        return _line("+", new, start)
    left = len(new) - start
    # A deletion of whole lines: the rest of the new text follows them.
    is_deletion = not left or (
        rest > left and old.endswith(new[start:]) and old[-left - 1 : -left] == b"\n"
    )
    first = "delete" if is_deletion else _first_change(old, new, start)
    removed, added = _line("-", old, start), _line("+", new, start)
    return {"insert": added, "delete": removed}.get(first, f"{removed}\n{added}")


def _first_change(old: bytes, new: bytes, start: int) -> str:
    """Return how the first lines from ``start`` on begin to differ, in ``difflib``'s words."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - not every write needs it

    lines, other = (text[start:].split(b"\n", _COMPARED)[:_COMPARED] for text in (old, new))
    return SequenceMatcher(None, lines, other).get_opcodes()[0][0]


_COMPARED = 40
"""Most lines that are compared to distinguish an insertion from a replaced line."""


def _line(sign: str, text: bytes, start: int) -> str:
    end = text.find(b"\n", start)
    line = text[start : end if end >= 0 else None].decode("utf-8", "replace")
    return sign + _CONTROL.sub(" ", line.rstrip("\r"))[: _SHOWN_CODE_POINTS - 1]


def _lines(content: bytes | None) -> bytes:
    source = decode(content or b"")
    return source.utf8 if isinstance(source, SourceText) else content or b""
