"""What scripts would hold once edits that were not written had been applied, one after another.

Implements the in-order half of docs/design/command-line.md "Bundles": a later edit is judged on the
result of the earlier ones, in memory.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippet_engine.storage.paths.project import ScriptPath


class Drafts:
    """The drafted scripts of one project. A value: :meth:`with_draft` makes another."""

    __slots__ = ("_files",)

    def __init__(self, files: Mapping[str, bytes | None] | None = None) -> None:
        self._files = dict(files or {})

    def of(self, script: ScriptPath) -> bytes | None:
        """What the script would hold; ``None`` if that is what is on disk, or nothing."""
        return self._files.get(script.canonical)

    def is_gone(self, script: ScriptPath) -> bool:
        """Whether the script would be there no more."""
        return script.canonical in self._files and self._files[script.canonical] is None

    def with_draft(self, script: ScriptPath, data: bytes | None) -> Drafts:
        """The same, and ``script`` holding ``data``, or gone."""
        return Drafts({**self._files, script.canonical: data})

    def touch_another_than(self, script: ScriptPath) -> bool:
        """Whether a script besides ``script`` would hold something else than it does on disk."""
        return any(canonical != script.canonical for canonical in self._files)

    def __len__(self) -> int:
        return len(self._files)


NO_DRAFTS = Drafts()
"""Everything is as it is on disk."""
