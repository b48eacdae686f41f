"""A change set on disk: first the journal of its write, later the data for its undo.

Implements docs/design/engine.md §5 "Change sets". A set consists of *slots*: scripts and ``.meta``
files, each with its content before and after, or none. The record holds every content before.

It ends in a seal of fixed length, which is overwritten in place: a digest, then a mark for the
progress since. An empty digest means that only temporary files were made. The digest of the header
means **committed**. Any other digest means that the record is damaged, unless it is a part of the
right one: then a power cut stopped its write.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.files import KeptStatus
from snippet_engine.storage.paths.project import MAX_ASSET_BYTES, META
from snippet_engine.storage.records.write_record import (
    YEAR_10000_S,
    ChangedFile,
    ends_of,
    is_hash,
    is_ticket,
)
from snippet_engine.storage.state_folder import lock_key
from snippet_engine.storage.system.folder import FolderIdentity

MAX_CHANGE_FILES = 500
"""Most files of a set: the name of a history entry has room for that many bits."""

MAX_CHANGE_HEADER_BYTES = 4 * 1024 * 1024
MAX_CHANGE_BYTES = 41 * MAX_FILE_BYTES + MAX_CHANGE_HEADER_BYTES
"""Largest record that is read: the largest set with contents that can't be packed."""

MAX_CHANGE_CONTENT_BYTES = 256 * 1024 * 1024
"""Most bytes that all files of a set have together before it."""

_PACKED_FROM = 64 * 1024
"""Size from which a content is packed. A scene takes a tenth of its size then."""

_DIGEST_LENGTH = 64
_UNSEALED = b"\n" + b" " * (_DIGEST_LENGTH + 1)
_SEALS = re.compile(rb"[0-9a-f ]{64}")
_LEAST_TORN = 2
"""Fewest missing bytes in a seal that was cut off; a single missing byte may be damage."""


class Stage(StrEnum):
    """The progress of a change set."""

    PREPARED = "prepared"
    STAGED = "staged"
    """Its folders are made, and temporary files may be in them."""
    COMMITTED = "committed"
    BACK = "back"
    RETURNED = "returned"
    """Every file is rolled back; only traces must still be removed."""
    RETURNED_CLEAN = "returned clean"
    """No temporary file is left; the folders that it made may already be removed."""
    DONE = "done"
    DONE_CLEAN = "done clean"
    """No temporary file is left; folders that it drops may already be removed."""
    CUT_SHORT = "cut short"
    """The record isn't whole: its writer died while writing it, or it was damaged later."""
    DAMAGED = "damaged"


class Mark:
    """The progress since the seal: one byte, with an odd number of set bits.

    So one flipped bit never turns a mark into another.
    """

    NONE = b" "
    STAGED = b"m"
    BACK = b"b"
    RETURNED = b"u"
    RETURNED_CLEAN = b"R"
    DONE = b"d"
    DONE_CLEAN = b"C"


_UNSEALED_MARKS = {
    Mark.NONE: Stage.PREPARED,
    Mark.STAGED: Stage.STAGED,
    # The writer couldn't write the seal, and rolled the set back.
    Mark.BACK: Stage.STAGED,
    Mark.RETURNED: Stage.STAGED,
    Mark.RETURNED_CLEAN: Stage.PREPARED,
}
_MARKS = {
    Mark.NONE: Stage.COMMITTED,
    Mark.BACK: Stage.BACK,
    Mark.RETURNED: Stage.RETURNED,
    Mark.RETURNED_CLEAN: Stage.RETURNED_CLEAN,
    Mark.DONE: Stage.DONE,
    Mark.DONE_CLEAN: Stage.DONE_CLEAN,
}


@dataclass(frozen=True, slots=True)
class Slot:
    """One file to write: the script at the canonical ``path``, or its ``.meta``."""

    file: int
    """The index of its change."""
    path: str
    is_meta: bool
    before: str | None
    """The hash before; ``None`` for no file."""
    after: str | None
    """The hash after; ``None`` for no file."""
    image: bytes | None = None
    """The content before; ``None`` if there was no file, or it isn't kept."""
    status: KeptStatus | None = None

    @property
    def name(self) -> str:
        """Its project-relative path."""
        return self.path + META if self.is_meta else self.path

    def to_json(self, kept_bytes: int | None) -> dict[str, Any]:
        """Return all fields as JSON, with the image's length in the record, ``kept_bytes``."""
        status = self.status
        packed_from = None if self.image is None else len(self.image)
        is_packed = packed_from is not None and packed_from != kept_bytes
        return {
            "file": self.file,
            "path": self.path,
            "isMeta": self.is_meta,
            "before": self.before,
            "after": self.after,
            "imageBytes": kept_bytes,
            "status": status and [status.st_mode, status.st_uid, status.st_gid],
            **({"packedFrom": packed_from} if is_packed else {}),
        }

    @property
    def kept_image(self) -> bytes | None:
        """Return the image as the record stores it: packed if it is large and becomes smaller."""
        if self.image is None or len(self.image) < _PACKED_FROM:
            return self.image
        packed = zlib.compress(self.image, 1)
        return packed if len(packed) < len(self.image) else self.image


@dataclass(frozen=True, slots=True)
class _KeptImage:
    length: int
    packed_from: int | None = None
    """The length before packing, if the image is packed."""

    def read(self, data: bytes) -> bytes:
        """Return the image. If ``data`` is damaged, the result doesn't match the image's hash."""
        if self.packed_from is None:
            return data
        with suppress(zlib.error):
            return zlib.decompressobj().decompress(data, self.packed_from)
        return b""


@dataclass(frozen=True, slots=True)
class MadeFolder:
    """A folder that is made for the files of a set."""

    path: str
    had_meta: bool
    """Whether its ``.meta`` existed before it."""


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A change set, or a change that this product didn't make."""

    ticket: str
    time_s: float
    """As of ``time.time``."""
    client: str | None
    files: tuple[ChangedFile, ...]
    slots: tuple[Slot, ...]
    makes: tuple[MadeFolder, ...] = ()
    """The folders that it makes, outermost first."""
    drops: tuple[MadeFolder, ...] = ()
    """The folders that it removes at its end if they are empty."""
    consumes: str | None = None
    """The name of the history entry that an undo reverts."""
    folders: Mapping[str, FolderIdentity] = field(default_factory=dict)
    """The identities of the folders that existed before, by path."""
    source: str | None = None
    """Who made the change, if this product didn't."""
    session: str | None = None
    no_undo: str | None = None
    """Why the change can't be undone; ``None`` if it can."""
    count: int = 0
    """How many files changed, if ``files`` doesn't list all."""

    def of_bits(self, bits: int) -> tuple[ChangedFile, ...]:
        """Return the files whose bits are set; the lowest bit is the first file's."""
        return tuple(file for index, file in enumerate(self.files) if bits >> index & 1)

    def is_all(self, bits: int) -> bool:
        """Return whether the bits of all written files are set."""
        return all(bits >> slot.file & 1 for slot in self.slots)

    @property
    def undoes(self) -> str | None:
        """Return the id of the set that it reverts, if it is an undo."""
        if self.consumes is None:
            return None
        return self.consumes.rpartition("-")[2].removesuffix(".set")

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the old and new paths of its files."""
        return tuple(path for file in self.files for path in file.paths)

    @property
    def lock_keys(self) -> tuple[str, ...]:
        """Return the lock keys of all its files, in the order in which they are locked."""
        return tuple(sorted(set(map(lock_key, self.paths))))

    @property
    def ends(self) -> dict[str, str | None]:
        """Return each path's hash after the change; ``None`` if the file is gone."""
        return ends_of(self.files)

    def changes(self, path: str) -> bool:
        """Return whether one of its files is or was at the canonical ``path``."""
        return any(path in file.paths for file in self.files)

    def image_of(self, path: str) -> bytes | None:
        """Return the earlier content of the script now at the canonical ``path``, if recorded."""
        was = next((each.path for each in self.files if (each.target or each.path) == path), None)
        return None if was is None else self.kept(was)

    def kept(self, path: str) -> bytes | None:
        """Return the content at the canonical ``path`` before the change, if it was recorded."""
        images = (each.image for each in self.slots if each.path == path and not each.is_meta)
        return next(images, None)

    @property
    def has_its_images(self) -> bool:
        """Return whether every image matches its hash."""
        images = [slot for slot in self.slots if slot.image is not None]
        return all(content_hash(each.image or b"") == each.before for each in images)

    def encode(self) -> tuple[bytes, Seal]:
        """Return the bytes of the record, prepared, and its seal."""
        images = [slot.kept_image for slot in self.slots]
        header = {
            "ticket": self.ticket,
            "time": self.time_s,
            "client": self.client,
            "files": [
                [
                    *(each.path, each.target, each.before, each.after),
                    *(each.first_line, each.had_meta),
                ]
                for each in self.files
            ],
            "slots": [
                slot.to_json(None if kept is None else len(kept))
                for slot, kept in zip(self.slots, images, strict=True)
            ],
            "makes": [[each.path, each.had_meta] for each in self.makes],
            "drops": [[each.path, each.had_meta] for each in self.drops],
            "consumes": self.consumes,
            "folders": self.folders,
        }
        if self.source is not None:
            header |= {"source": self.source, "session": self.session}
            header |= {"noUndo": self.no_undo, "count": self.count}
        line = json.dumps(header).encode()
        data = b"".join([line, b"\n", *(each for each in images if each), _UNSEALED])
        return data, Seal(Seal.of(len(data)).offset, _digest(line))

    def encode_done(self) -> bytes:
        """Return the bytes of the record of a set that is already in place."""
        data, seal = self.encode()
        return data[: seal.offset] + seal.digest + Mark.DONE_CLEAN

    @classmethod
    def decode(cls, data: bytes) -> tuple[ChangeRecord, Stage] | None:
        """Return the record and its stage; no images if it is cut short, ``None`` if unreadable."""
        line, newline, rest = data.partition(b"\n")
        parsed = _parsed(line) if newline else None
        if parsed is None:
            return None
        record, kept = parsed
        images = sum(each.length for each in kept if each is not None)
        if len(rest) != images + len(_UNSEALED):
            is_short = len(rest) < images + len(_UNSEALED)
            return record, Stage.CUT_SHORT if is_short else Stage.DAMAGED
        slots, at = [], 0
        for slot, each in zip(record.slots, kept, strict=True):
            end = at if each is None else at + each.length
            slots.append(slot if each is None else replace(slot, image=each.read(rest[at:end])))
            at = end
        record = replace(record, slots=tuple(slots))
        digest, mark = rest[images + 1 : -1], rest[-1:]
        stage = _stage(_digest(line), digest, mark)
        if stage is Stage.DAMAGED and digest == _digest(data[: -len(_UNSEALED)]):
            stage = _MARKS.get(mark, stage)  # version 0.1's digest included the contents
        is_lost = stage in _MARKS.values() and not record.has_its_images
        return record, Stage.DAMAGED if is_lost else stage

    @classmethod
    def decode_header(cls, line: bytes) -> ChangeRecord | None:
        """Return the record without its images, from its first line."""
        parsed = _parsed(line)
        return None if parsed is None else parsed[0]


@dataclass(frozen=True, slots=True)
class Seal:
    """The bytes that overwrite the end of a record, and their offsets."""

    offset: int
    digest: bytes

    @classmethod
    def of(cls, size: int) -> Seal:
        """Return a seal that can only set the mark of a record of ``size`` bytes."""
        return cls(size - _DIGEST_LENGTH - 1, b"")

    @property
    def mark_offset(self) -> int:
        """Return the offset of the mark."""
        return self.offset + _DIGEST_LENGTH


def is_whole(data: bytes) -> bool:
    """Return whether ``data`` ends like a completely written record, whatever its header."""
    tail = data[-len(_UNSEALED) :]
    digest = tail[1:-1]
    return (
        tail[:1] == b"\n" and len(digest) == _DIGEST_LENGTH and _SEALS.fullmatch(digest) is not None
    )


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _stage(right: bytes, digest: bytes, mark: bytes) -> Stage:
    """Return the set's progress from its seal; ``right`` is the digest of its header."""
    if not digest.strip(b" "):
        return _UNSEALED_MARKS.get(mark, Stage.DAMAGED)
    if digest == right:
        return _MARKS.get(mark, Stage.DAMAGED)
    # A power cut can stop the seal's write between two sectors, with one half on the disk.
    written = digest.strip(b" ")
    is_half = right.startswith(written) or right.endswith(written)
    is_torn = is_half and len(written) <= _DIGEST_LENGTH - _LEAST_TORN
    return _UNSEALED_MARKS.get(mark, Stage.DAMAGED) if is_torn else Stage.DAMAGED


def _parsed(line: bytes) -> tuple[ChangeRecord, list[_KeptImage | None]] | None:
    """Return the record without its images, and how each is stored; ``None`` if unreadable."""
    try:
        header = json.loads(line)
        slots = [_slot(each) for each in header["slots"]]
        record = ChangeRecord(
            ticket=header["ticket"],
            time_s=float(header["time"]),
            client=_optional(header["client"]),
            files=tuple(_files(header["files"])),
            slots=tuple(slot for slot, _ in slots),
            makes=tuple(_folders(header["makes"])),
            drops=tuple(_folders(header["drops"])),
            consumes=_optional(header["consumes"]),
            folders=dict(_identities(header.get("folders") or {})),
            source=_optional(header.get("source")),
            session=_optional(header.get("session")),
            no_undo=_optional(header.get("noUndo")),
            count=int(header.get("count") or 0),
        )
    except (ValueError, RecursionError, TypeError, KeyError, OverflowError, AttributeError):
        return None
    is_ours = is_ticket(record.ticket) and 0 <= record.time_s < YEAR_10000_S
    return (record, [kept for _, kept in slots]) if is_ours else None


def _files(items: Sequence[Any]) -> Iterator[ChangedFile]:
    for path, target, before, after, first_line, had_meta in items:
        yield ChangedFile(
            _text(path),
            _optional(target),
            _hash(before),
            _hash(after),
            _text(first_line),
            bool(had_meta),
        )


def _folders(items: Sequence[Any]) -> Iterator[MadeFolder]:
    for path, had_meta in items:
        yield MadeFolder(_text(path), bool(had_meta))


def _identities(items: Mapping[str, Any]) -> Iterator[tuple[str, FolderIdentity]]:
    for path, (device, number) in items.items():
        yield path, (int(device), int(number))


def _slot(item: Mapping[str, Any]) -> tuple[Slot, _KeptImage | None]:
    size, packed_from, status = item["imageBytes"], item.get("packedFrom"), item["status"]
    if size is not None and (not isinstance(size, int) or size < 0):
        raise ValueError(size)
    if packed_from is not None and not (0 < packed_from <= MAX_ASSET_BYTES):
        raise ValueError(packed_from)
    slot = Slot(
        file=int(item["file"]),
        path=_text(item["path"]),
        is_meta=bool(item["isMeta"]),
        before=_hash(item["before"]),
        after=_hash(item["after"]),
        status=None if status is None else KeptStatus(*map(int, status)),
    )
    return slot, None if size is None else _KeptImage(size, packed_from)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


def _hash(value: object) -> str | None:
    if value is not None and not is_hash(value):
        raise ValueError(value)
    return _optional(value)
