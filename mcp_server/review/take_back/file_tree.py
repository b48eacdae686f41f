"""The files of a project as they would be after what was taken back so far.

Implements docs/design/review.md "Take back". Reads only what it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mcp_server.review.take_back.plans import Obstacle, PlannedFile, Removed
from snippet_engine.source_text import content_hash

MetaOf = Callable[[int, str], "bytes | None"]
"""Returns the ``.meta`` that the undo with that number removed with the file at a path."""

Read = Callable[[str], "bytes | Obstacle | None"]
"""Returns a file's bytes now; ``None``: there is none."""

TextOf = Callable[["str | None"], "bytes | None"]
"""Returns the text with a hash; ``None``: it is not kept, or there is none."""


UNKNOWN = "unknown"
"""In place of a hash: nobody saw that text."""


_IN_ITS_PLACE = "another file would come in its place; take the events back one by one"


@dataclass(slots=True)
class TreeFile:
    """A file of the tree."""

    now_path: str | None
    now: bytes | None
    digest: str | None
    """The hash of the text that it would have."""
    data: bytes | None = None
    """The text that it would have, once that was looked for."""
    removed: Removed | None = None
    """As in :class:`.PlannedFile`."""

    @property
    def now_hash(self) -> str | None:
        """The hash of its text on disk."""
        return None if self.now is None else content_hash(self.now)


class FileTree:
    """Files by the paths that they would have. A step that can't be made is an obstacle."""

    def __init__(self, read: Read, text: TextOf) -> None:
        self._read = read
        self._text = text
        self._disk: dict[str, bytes | None] = {}
        self._files: dict[str, TreeFile | None] = {}
        self._gone: dict[str, TreeFile] = {}
        self._removed: dict[str, Removed] = {}
        """By path how a file went last that an undo had brought back before."""

    def at(self, path: str) -> TreeFile | Obstacle | None:
        """Return what would be at a path."""
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
        """Return the bytes on disk of a file that the tree has read."""
        return self._disk.get(path)

    def text_of(self, file: TreeFile) -> bytes | None:
        """Return the text that a file would have; ``None`` if it is not kept."""
        if file.data is None and file.digest not in (None, UNKNOWN):
            file.data = self._text(file.digest)
        return file.data

    def give(self, file: TreeFile, digest: str, data: bytes | None = None) -> None:
        """Give a file the text with that hash; without ``data`` it is looked up later."""
        if digest == file.now_hash:
            data = file.now
        file.digest, file.data = digest, data

    def remove(self, path: str, *, comes_again: bool = False) -> None:
        """Remove the file at a path from the tree.

        ``comes_again`` says that an undo had brought the file back. The history no longer has the
        removal that it undid, so the ``.meta`` is that of a later removal.
        """
        file = self._files[path]
        if comes_again and file is not None and file.removed is not None:
            self._removed[path] = file.removed
        self._files[path] = None
        if file is not None and file.now_path is not None:
            file.digest = file.data = None
            self._gone[file.now_path] = file

    def create(self, path: str, digest: str, meta: bytes | None) -> None:
        """Add a file at a path that would be free."""
        file = self._gone.pop(path, None) or TreeFile(None, None, None)
        file.removed = self._removed.pop(path, None) or Removed(path, digest, meta)
        self._files[path] = file
        self.give(file, digest)

    def move(self, path: str, to: str) -> None:
        """Move a file to another path, which would be free."""
        self._files[to], self._files[path] = self._files[path], None

    def planned(self) -> Iterator[PlannedFile | Obstacle]:
        """Yield every file that differs from what is on disk."""
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
