"""Store the index of the project's files on disk: one file, replaced as a whole.

A damaged or unreadable file, or one of another version, is ignored; that only costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

FORMAT = b"unity-assets 3\n"
NAME = "assets.index"


@dataclass(frozen=True)
class Record:
    """A file as it was read: its size and times, and its content's words."""

    size: int
    times: tuple[int, int]
    digest: bytes
    problem: str
    guid: str
    words: bytes


def load(folder: Path | None) -> dict[str, Record]:
    """Return the stored records by path; empty if they are missing or can't be trusted."""
    if folder is None:
        return {}
    try:
        data = (folder / NAME).read_bytes()
        if not data.startswith(FORMAT):
            return {}
        at = len(FORMAT) + 32
        if hashlib.sha256(memoryview(data)[at:]).digest() != data[len(FORMAT) : at]:
            return {}
        end = data.index(b"\n", at)
        rows = json.loads(data[at:end])
        records: dict[str, Record] = {}
        at = end + 1
        for path, size, modified, changed, digest, problem, guid, length in rows:
            words = data[at : at + length]
            at += length
            records[path] = Record(
                size, (modified, changed), bytes.fromhex(digest), problem, guid, words
            )
    except (OSError, ValueError, TypeError):
        return {}
    return records


def save(folder: Path | None, records: dict[str, Record]) -> None:
    """Write the records; a failure costs only time at the next start."""
    if folder is None:
        return
    rows = [
        (path, each.size, *each.times, each.digest.hex(), each.problem, each.guid, len(each.words))
        for path, each in records.items()
    ]
    # In pieces, as the words of a large project are many megabytes.
    pieces = [json.dumps(rows).encode(), b"\n", *(each.words for each in records.values())]
    digest = hashlib.sha256()
    for each in pieces:
        digest.update(each)
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{NAME}-", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(FORMAT + digest.digest())
                file.writelines(pieces)
            Path(name).replace(folder / NAME)
        except OSError:
            with contextlib.suppress(OSError):
                Path(name).unlink()
