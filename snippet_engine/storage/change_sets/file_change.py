"""One file of a change set, as whole contents: what is judged and what is written.

Implements docs/design/engine.md §5 "Change sets".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from snippet_engine.storage.paths.project import FileSnapshot, ScriptPath


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a change set: what it was, what it shall be, and where.

    ``script`` is where it is now, or shall be if it is created. ``before`` is its whole content,
    ``None`` if nothing may be there; ``after`` the new content, ``None`` if it is deleted together
    with its ``.meta``. ``target`` is its new place, if it moves; the ``.meta`` goes along.
    ``seen`` is what was read of it a moment ago, with nothing done since.
    """

    script: ScriptPath
    before: bytes | None
    after: bytes | None
    target: ScriptPath | None = None
    seen: FileSnapshot | None = field(default=None, compare=False, repr=False)

    @property
    def place(self) -> ScriptPath:
        """Where the file is after the change."""
        return self.target or self.script
