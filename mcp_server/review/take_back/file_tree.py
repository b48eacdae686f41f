"""The files of a project as a plan would leave them.

Implements docs/design/review.md "Take back". A file is read only when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcp_server.review.take_back.plans import Obstacle, PlannedFile, Removed
from snippet_engine.source_text import content_hash

MetaOf = Callable[[int, str], "bytes | None"]
"""Returns the ``.meta`` that an undo removed with a file, by the event's number and the path."""

Read = Callable[[str], "bytes | Obstacle | None"]
"""Returns a file's bytes on disk, why it can't be read, or ``None`` if there is no file."""

TextOf = Callable[["str | None"], "bytes | None"]
"""Returns the text with a hash; ``None`` if it isn't stored, or the hash is ``None``."""


UNKNOWN = "unknown"
"""Stands for the hash of a text that nobody saw."""


_IN_ITS_PLACE = "another file would take its place; take the events back one by one"


@dataclass(slots=True)
class TreeFile:
    """A file as it is on disk, and as the plan would leave it."""

    now_path: str | None
    now: bytes | None
    digest: str | None
    """The hash of the text that the file would get."""
    data: bytes | None = None
    """The text that the file would get; ``None`` until it is looked up."""
    removed: Removed | None = None
    """See :class:`.PlannedFile`."""

    @property
    def now_hash(self) -> str | None:
        """The hash of the text on disk; ``None`` if there is no file."""
        return None if self.now is None else content_hash(self.now)


class FileTree:
    """The planned files by their planned paths. A change that can't be made is an obstacle."""

    def __init__(self, read: Read, text: TextOf) -> None:
        self._read = read
        self._text = text
        self._disk: dict[str, bytes | None] = {}
        self._files: dict[str, TreeFile | None] = {}
        self._gone: dict[str, TreeFile] = {}
        self._removed: dict[str, Removed] = {}
        """By path, how a file was last deleted; set by :meth:`remove` with ``comes_again``."""

    def at(self, path: str) -> TreeFile | Obstacle | None:
        """Return the file that the plan would leave at ``path``; ``None`` if it leaves none."""
        if path not in self._files:
            data = self._read(path)
            if isinstance(data, Obstacle):
                return data
            self._disk[path] = data
            self._files[path] = (
                None if data is None else TreeFile(path, data, content_hash(data), data)
            )
        return self._files[path]

    def on_disk(self, path: str) -> bytes | None:
        """Return the bytes on disk of a file that :meth:`at` has read; otherwise ``None``."""
        return self._disk.get(path)

    def text_of(self, file: TreeFile) -> bytes | None:
        """Return the text that ``file`` would get; ``None`` if it isn't stored."""
        if file.data is None and file.digest not in (None, UNKNOWN):
            file.data = self._text(file.digest)
        return file.data

    def give(self, file: TreeFile, digest: str, data: bytes | None = None) -> None:
        """Give ``file`` the text with the hash ``digest``. Without ``data``, look it up later."""
        if digest == file.now_hash:
            data = file.now
        file.digest, file.data = digest, data

    def remove(self, path: str, *, comes_again: bool = False) -> None:
        """Plan to delete the file at ``path``.

        ``comes_again`` says that an undo had brought the file back. The history no longer has the
        deletion that was undone. If the plan creates the file again, it uses the ``.meta`` of a
        later deletion.
        """
        file = self._files[path]
        if comes_again and file is not None and file.removed is not None:
            self._removed[path] = file.removed
        self._files[path] = None
        if file is not None and file.now_path is not None:
            file.digest = file.data = None
            self._gone[file.now_path] = file

    def create(self, path: str, digest: str, meta: bytes | None) -> None:
        """Plan a new file at ``path``, where the plan has none so far."""
        file = self._gone.pop(path, None) or TreeFile(None, None, None)
        file.removed = self._removed.pop(path, None) or Removed(path, digest, meta)
        self._files[path] = file
        self.give(file, digest)

    def move(self, path: str, to: str) -> None:
        """Plan to move a file to ``to``, where the plan has none so far."""
        self._files[to], self._files[path] = self._files[path], None

    def planned(self) -> Iterator[PlannedFile | Obstacle]:
        """Yield every file that would differ from the disk, or why it can't be written."""
        left: dict[str, str] = {}
        for path, file in sorted(self._files.items()):
            is_same = file is not None and (file.now_path, file.digest) == (path, file.now_hash)
            if file is None or (is_same and file.removed is None):
                continue
            then = self.text_of(file)
            if file.now_path is not None and file.now_path != path:
                left[file.now_path] = path
                if file.removed is not None:
                    yield Obstacle(path, _IN_ITS_PLACE)
                yield PlannedFile(file.now_path, file.now, then, path, is_unseen=then is None)
            else:
                yield PlannedFile(
                    path,
                    file.now,
                    then,
                    is_unseen=then is None,
                    removed=file.removed,
                )
        for path, file in sorted(self._gone.items()):
            yield PlannedFile(path, file.now, None)
        for path in (*left, *self._gone):
            if self._files.get(path) is not None:
                yield Obstacle(path, _IN_ITS_PLACE)
