"""Read the parameters of requests about names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import to_fs_path


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file: line and character are zero-based, in UTF-16 code units."""

    path: Path
    line: int
    character: int

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line + 1}:{self.character + 1}"


@dataclass(frozen=True, slots=True)
class RenameAsked:
    """A rename that was asked for."""

    place: Place
    new_name: str
    attributes: bool = False
    """Whether attributes are added that keep serialized values."""
    force: bool = False
    """Whether Unity's messages are renamed, too."""


def rename_of(params: Any) -> RenameAsked:
    """Return the rename that was asked for. Raises ``JsonRpcInvalidParams``."""
    new_name = getattr(params, "newName", None) or getattr(params, "new_name", None)
    if not isinstance(new_name, str) or len(new_name) > _LONGEST_NAME:
        raise JsonRpcInvalidParams(f"newName must be a name of at most {_LONGEST_NAME} characters")
    attributes = getattr(params, "attributes", None) is True
    force = getattr(params, "force", None) is True
    return RenameAsked(place_of(params), new_name, attributes, force)


_LONGEST_NAME = 512


def place_of(params: Any) -> Place:
    """Return the place that ``textDocument`` and ``position`` name.

    Raises ``JsonRpcInvalidParams``.
    """
    document = getattr(params, "textDocument", None) or getattr(params, "text_document", None)
    uri = getattr(document, "uri", None)
    path = to_fs_path(uri) if isinstance(uri, str) else None
    position = getattr(params, "position", None)
    line, character = getattr(position, "line", None), getattr(position, "character", None)
    if path is None:
        raise JsonRpcInvalidParams("textDocument.uri must be the URI of a file")
    if not _is_count(line) or not _is_count(character):
        raise JsonRpcInvalidParams("position must have a line and a character, from 0")
    return Place(Path(path), line, character)  # type: ignore[arg-type]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
