"""Texts of a script other than the text on disk: drafts of edits, and earlier versions.

Part of docs/design/command-line.md "Bundles" and docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from snippet_engine.source_text import SourceText, decode
from snippet_engine.storage.paths.project import ScriptPath


class Drafts:
    """The drafted scripts of one project. Immutable: :meth:`with_draft` makes a new value."""

    __slots__ = ("_files",)

    def __init__(self, files: Mapping[str, bytes | None] | None = None) -> None:
        self._files = dict(files or {})

    def of(self, script: ScriptPath) -> bytes | None:
        """Return the script's draft; ``None`` if it has none, or the draft deletes it."""
        return self._files.get(script.canonical)

    def is_gone(self, script: ScriptPath) -> bool:
        """Return whether the draft deletes the script."""
        return script.canonical in self._files and self._files[script.canonical] is None

    def with_draft(self, script: ScriptPath, data: bytes | None) -> Drafts:
        """Return a copy in which ``script`` has the content ``data``, or is deleted."""
        return Drafts({**self._files, script.canonical: data})

    def touch_another_than(self, script: ScriptPath) -> bool:
        """Return whether any script other than ``script`` has a draft."""
        return any(canonical != script.canonical for canonical in self._files)

    def __len__(self) -> int:
        return len(self._files)


NO_DRAFTS = Drafts()


class EarlierVersions:
    """The earlier versions of one script, newest first, for one request. Not thread-safe."""

    def __init__(self, contents: Callable[[], Iterable[bytes]]) -> None:
        """``contents`` is called once, when the first version is needed."""
        self._contents = contents
        self._unread: Iterator[bytes] | None = None
        self._read: list[SourceText] = []

    def __call__(self) -> Iterator[SourceText]:
        """Yield the versions that can be decoded, newest first."""
        at = 0
        while at < len(self._read) or self._read_another():
            yield self._read[at]
            at += 1

    def _read_another(self) -> bool:
        if self._unread is None:
            self._unread = iter(self._contents())
        for data in self._unread:
            source = decode(data)
            if isinstance(source, SourceText):
                self._read.append(source)
                return True
        return False
