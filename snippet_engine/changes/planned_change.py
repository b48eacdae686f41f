"""One change of a set, planned on its own file."""

from __future__ import annotations

from dataclasses import dataclass

from snippet_engine.csharp.document import Document
from snippet_engine.single_edit.planned_edit import PlannedEdit
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import ScriptPath


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """One change, planned.

    ``old`` are the file's bytes, ``None`` if it is created; ``new`` the bytes afterwards, ``None``
    if it is deleted. ``before`` and ``after`` are the same as C#, if they were read as C#. ``edit``
    is the plan of the instructions, ``part`` this file's share of the set's work.
    """

    index: int
    script: ScriptPath
    old: bytes | None
    new: bytes | None
    before: Document | None = None
    after: Document | None = None
    target: ScriptPath | None = None
    edit: PlannedEdit | None = None
    part: float = 1.0
    format_taken: str = ""
    """What the new file's format adds to the text that was sent, and after which scripts."""

    @property
    def place(self) -> ScriptPath:
        """Return the file's path afterwards, or its last path if it is deleted."""
        return self.target or self.script

    @property
    def status(self) -> str:
        """Return the file's status in the contract's words."""
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
