"""How callers write a change of a set that the contract writes otherwise: more rows, as data.

Implements docs/design/server-and-bridge.md §2 "Repair", by the rule of :mod:`.table`.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_server.repair.words.table import Names

ACTION_KEYS: Names = ("type", "action", "kind", "changeType", "operation", "op", "command")
"""Keys of a change that may say by a word what becomes of its file."""


@dataclass(frozen=True, slots=True)
class FileAction:
    """``words`` that say that ``key`` of a change is meant, which has its value by other names.

    ``source`` are other names of the path beside it. ``of_edits`` are those of the words that an
    instruction has for its operation as well: where the key says such, it is asked which is meant.
    """

    words: Names
    key: str
    names: Names = ()
    source: Names = ()
    of_edits: Names = ()


FILE_ACTIONS: tuple[FileAction, ...] = (
    FileAction(
        ("create", "new", "createFile", "newFile", "add", "addFile"),
        "create",
        ("text", "newText", "code", "source", "body"),
        of_edits=("add",),
    ),
    FileAction(
        ("delete", "remove", "deleteFile", "removeFile"),
        "delete",
        of_edits=("delete", "remove"),
    ),
    FileAction(("edit", "update", "modify", "editFile", "updateFile"), "instructions", ("edits",)),
    FileAction(
        ("move", "rename", "moveFile", "renameFile", "moveTo"),
        "moveTo",
        ("to", "target", "dest", "toPath"),
        ("from", "source", "oldPath", "fromPath", "src"),
    ),
)
"""Each thing that becomes of a file as other tools name it: by a word, with what it takes."""

MOVE = FILE_ACTIONS[-1]
"""That which needs no word where two paths are named, of which one is the file's old one."""
