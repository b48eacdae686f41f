"""One change of a set, planned on its own file."""

from __future__ import annotations

from dataclasses import dataclass

from snippet_engine.csharp.document import Document
from snippet_engine.single_edit.planned_edit import PlannedEdit
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import ScriptPath


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """One change of a set, planned."""

    index: int
    script: ScriptPath
    old: bytes | None
    """The file's bytes; ``None`` if the change creates it."""
    new: bytes | None
    """The bytes afterwards; ``None`` if the change deletes the file."""
    before: Document | None = None
    """``old`` as C#, if the file was read as C#."""
    after: Document | None = None
    """``new`` as C#, if the file was read as C#."""
    target: ScriptPath | None = None
    edit: PlannedEdit | None = None
    """The plan of the instructions."""
    part: float = 1.0
    """The part of the set's work that this file may take."""
    format_taken: str = ""
    """How the new file's format differs from the sent text, and which scripts have this format."""

    @property
    def place(self) -> ScriptPath:
        """Return the file's path afterwards, or its last path if it is deleted."""
        return self.target or self.script

    @property
    def status(self) -> str:
        """Return the file's status, as results name it."""
        if self.old is None:
            return "created"
        if self.new is None:
            return "deleted"
        if self.target is not None:
            return "moved"
        return "edited" if self.old != self.new else "unchanged"

    def to_write(self) -> FileChange:
        """Return the change as whole contents."""
        return FileChange(self.script, self.old, self.new, self.target)
