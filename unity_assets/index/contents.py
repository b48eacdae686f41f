"""Read the kind of a file's bytes, and the words in them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unity_assets.index.project_files import META, YAML, suffix_of

if TYPE_CHECKING:
    from typing import BinaryIO

CHUNK = 4 << 20
LONGEST_WORD = 200
DIGEST = "sha1"
"""The fastest hash; it only distinguishes contents, and needn't be secure."""
LARGEST_FILE = 1 << 30

BINARY = "it is binary"
POINTER = "it is a Git LFS pointer: the file itself isn't here"
TOO_LARGE = "it is larger than 1 GiB"
UNREADABLE = "it can't be read"

JSON = "it is JSON that contains the name, and names in JSON aren't recognised"

_BOM = b"\xef\xbb\xbf"
_POINTER = b"version https://git-lfs.github.com/spec/"
_DIGITS = b"0123456789"
_SIGNS = bytes(
    byte if (chr(byte).isalpha() and byte < 0x80) or byte == 0x5F or byte >= 0x80 else 0x20
    for byte in range(256)
)
_GUID = re.compile(rb"^guid: ([0-9a-f]{32})", re.M)
_META_NAMES = (b"defaultReferences:", b"clipAnimations:", b"ScriptedImporter:")
_EMPTY_META = re.compile(rb"(?:defaultReferences|clipAnimations): (?:\[\]|\{\})")


@dataclass(frozen=True)
class Content:
    """The result of reading a file's bytes."""

    digest: bytes
    words: bytes
    """The words, which have no digits: sorted, each between line breaks.

    Digits separate words. Most of a file then has no words, so it is read several times as fast.
    """
    problem: str = ""
    guid: str = ""


def read_content(file: BinaryIO, path: str) -> Content:
    """Read a file once, in pieces, and return the result."""
    digest = hashlib.new(DIGEST, usedforsecurity=False)
    words: set[bytes] = set()
    guid, problem, rest = "", "", b""
    first = True
    while chunk := file.read(CHUNK):
        digest.update(chunk)
        if first:
            problem = _problem(chunk, path)
            guid = guid_of(chunk) if suffix_of(path) == META else ""
            first = False
        if problem:
            continue
        if suffix_of(path) == META and len(chunk) < CHUNK and not _has_names(chunk):
            continue
        signs = rest + chunk.translate(_SIGNS, _DIGITS)
        cut = signs.rfind(b" ") + 1
        # A word after the last blank may continue in the next piece.
        rest = signs[max(cut, len(signs) - LONGEST_WORD) :]
        words.update(signs[:cut].split())
    words.update(rest.split())
    return Content(digest.digest(), _joined(words), problem, guid)


def words_of(name: bytes) -> list[bytes]:
    """Return the words that a file with the name must have: its parts without digits."""
    return name.translate(_SIGNS, _DIGITS).split()


def _joined(words: set[bytes]) -> bytes:
    kept = sorted(each for each in words if len(each) <= LONGEST_WORD)
    return b"\n" + b"".join(each + b"\n" for each in kept)


def _problem(start: bytes, path: str) -> str:
    if start.startswith(_POINTER):
        return POINTER
    if b"\0" in start[:4096]:
        return BINARY
    is_yaml = start.removeprefix(_BOM).startswith(b"%YAML")
    return BINARY if suffix_of(path) in YAML and not is_yaml and not is_json(start) else ""


def is_json(data: bytes) -> bool:
    """Return whether a text is an object in JSON, as ``ProjectSettings/XRSettings.asset`` is."""
    return data.removeprefix(_BOM).lstrip().startswith(b"{")


def guid_of(meta: bytes) -> str:
    """Return the GUID that a ``.meta`` has; nothing if there is none."""
    found = _GUID.search(meta)
    return found[1].decode() if found else ""


def _has_names(chunk: bytes) -> bool:
    return any(each in _EMPTY_META.sub(b"", chunk) for each in _META_NAMES)
