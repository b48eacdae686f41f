"""Store events and texts in a few files, called segments. The oldest segment is removed whole.

Implements docs/design/review.md "Events". Each segment also has the texts of its events, so it
needs no other segment. An unreadable line, such as a killed process's last, is skipped. Methods
block and raise ``OSError``. Only one thread may use them.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

MAX_SEGMENT_EVENTS = 2_500
MAX_SEGMENT_BYTES = 16 * 1024 * 1024
MAX_SEGMENTS = 5
"""Most segments. When the oldest one is removed, the full ones have 10,000 events or 64 MiB."""

MAX_TEXT_BYTES = 4 * 1024 * 1024
MAX_DETAIL_BYTES = 64 * 1024
_MAX_LINE = 8 * 1024 * 1024
_NAME = re.compile(r"events-([0-9]{12})\.jsonl")
_TEXT = re.compile(rb'\{"text": "(sha256:[0-9a-f]{64})", ')
_DETAIL = re.compile(rb'\{"detail": ([0-9]{1,15}), ')


class Place(NamedTuple):
    """Where a line is stored: a segment's number, the offset in its file, and the size in bytes."""

    segment: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a segment: a document, a text or a detail; the other two are ``None``."""

    place: Place
    document: Mapping[str, Any] | None = None
    text: str | None = None
    """The hash of the text in the line."""
    detail: int | None = None
    """The number of the event whose detail is in the line."""


class EventFiles:
    """The segments in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._segments: list[int] = []
        self._size = 0
        self._events = 0
        self._is_torn = False
        """Whether the segment's last line is incomplete: a process was killed while writing it."""

    def load(self) -> Iterator[Line]:
        """Yield every readable line, oldest first. Also finds the segment to add to."""
        names = {each.name for each in self._folder.iterdir()} if self._folder.is_dir() else set()
        found = [int(match[1]) for each in names if (match := _NAME.fullmatch(each))]
        for number in sorted(found)[-MAX_SEGMENTS:]:
            self._segments.append(number)
            self._size = self._events = 0
            with self._path(number).open("rb") as file:
                while line := file.readline(_MAX_LINE):
                    self._is_torn = not line.endswith(b"\n")
                    read = _read(line, Place(number, self._size, len(line)))
                    self._size += len(line)
                    if read is not None:
                        self._events += read.document is not None and "event" in read.document
                        yield read

    @property
    def segment(self) -> int | None:
        """Return the number of the segment to add to; ``None`` if :meth:`begin` must make one."""
        is_full = self._events >= MAX_SEGMENT_EVENTS or self._size >= MAX_SEGMENT_BYTES
        return None if is_full or not self._segments else self._segments[-1]

    def begin(self, number: int) -> list[int]:
        """Begin the segment whose first event has ``number``. Return the segments removed now."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(number)
        path.touch(mode=0o600)
        self._segments = [each for each in self._segments if each != number] + [number]
        self._size, self._events = path.stat().st_size, 0
        self._is_torn = self._size > 0
        gone, self._segments = self._segments[:-MAX_SEGMENTS], self._segments[-MAX_SEGMENTS:]
        for each in gone:
            with suppress(FileNotFoundError):
                self._path(each).unlink()
        return gone

    def add(self, lines: list[bytes], events: int) -> list[Place]:
        """Append lines to the segment. Return their places.

        ``events`` is the number of events among the lines.
        """
        segment = self._segments[-1]
        with self._path(segment).open("ab") as file:
            if self._is_torn or file.tell() != self._size:  # an earlier write failed half way
                file.write(b"\n")
            offset = file.tell()
            file.write(b"".join(lines))
        places = []
        for line in lines:
            places.append(Place(segment, offset, len(line)))
            offset += len(line)
        self._size, self._events, self._is_torn = offset, self._events + events, False
        return places

    def text(self, place: Place) -> bytes | None:
        """Return the text at ``place``; ``None`` if its line is gone or damaged."""
        with suppress(OSError, ValueError, KeyError, TypeError, zlib.error):
            data = base64.b64decode(self._document(place)["z"])
            return zlib.decompressobj().decompress(data, MAX_TEXT_BYTES)
        return None

    def detail(self, place: Place) -> dict[str, Any] | None:
        """Return the detail at ``place``; ``None`` if its line is gone or damaged."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            found = self._document(place)["of"]
            return found if isinstance(found, dict) else None
        return None

    def _document(self, place: Place) -> Any:
        with self._path(place.segment).open("rb") as file:
            file.seek(place.offset)
            return json.loads(file.read(place.size))

    def _path(self, number: int) -> Path:
        return self._folder / f"events-{number:012d}.jsonl"


def _read(line: bytes, place: Place) -> Line | None:
    if not line.endswith(b"}\n"):
        return None
    if (text := _TEXT.match(line)) is not None:
        return Line(place, text=text[1].decode())
    if (detail := _DETAIL.match(line)) is not None:
        return Line(place, detail=int(detail[1]))
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return Line(place, document) if isinstance(document, dict) else None


def text_line(digest: str, data: bytes) -> bytes:
    """Return the line that stores the text ``data`` with its hash."""
    packed = base64.b64encode(zlib.compress(data, 1)).decode()
    return json.dumps({"text": digest, "z": packed}).encode() + b"\n"


def detail_line(number: int, detail: Mapping[str, Any]) -> bytes:
    """Return the line that stores an event's detail.

    If it is larger than :data:`MAX_DETAIL_BYTES`, its large parts are cut.
    """
    line = json.dumps({"detail": number, "of": detail}).encode() + b"\n"
    if len(line) <= MAX_DETAIL_BYTES:
        return line
    line = json.dumps({"detail": number, "of": _shortened(detail)}).encode() + b"\n"
    if len(line) <= 4 * MAX_DETAIL_BYTES:
        return line
    return json.dumps({"detail": number, "of": {"notKept": "it was too large"}}).encode() + b"\n"


def document_line(document: Mapping[str, Any]) -> bytes:
    """Return the line that stores any other document."""
    return json.dumps(document).encode() + b"\n"


_MAX_PART = 2_000


def _shortened(value: Any, depth: int = 0) -> Any:
    """Shorten long texts and lists in a JSON value. Each says how much was cut."""
    if isinstance(value, str):
        cut = len(value) - _MAX_PART
        return value if cut <= 0 else f"{value[:_MAX_PART]} … ({cut} more characters are not kept)"
    if depth > 8 and isinstance(value, (Mapping, list, tuple)):
        return "… (not kept)"
    if isinstance(value, Mapping):
        return {key: _shortened(each, depth + 1) for key, each in list(value.items())[:40]}
    if isinstance(value, list | tuple):
        most = 8
        kept = [_shortened(each, depth + 1) for each in value[:most]]
        return kept + [f"… ({len(value) - most} more are not kept)"] * (len(value) > most)
    return value
