"""Apply a server's edits to a script's bytes."""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.edits import EditSet, TextEdit, joined_insertions
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.renames.symbol_server import ServerEdit
from snippet_engine.source_text import SourceText


def edits_of(
    source: SourceText, path: str, edits: Sequence[ServerEdit], name: str
) -> EditSet | SnippetError:
    """Return the script's edits; ``stale_file`` if one replaces something without the ``name``."""
    found = []
    for each in edits:
        start, end = source.offset(each.start), source.offset(each.end)
        if start is None or end is None or end < start:
            return _stale(path)
        replaced = source.view[start:end]
        # Attributes and usings come and go; all else has the old name.
        if replaced and name not in replaced and each.kind not in ("attribute", "using"):
            return _stale(path)
        found.append(TextEdit(start, end, each.new_text.replace("\r\n", "\n")))
    joined = EditSet.of(joined_insertions(found))
    return joined if isinstance(joined, EditSet) else _stale(path)


def _stale(path: str) -> SnippetError:
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{show(path)} changed while the rename was computed; nothing was written. "
        "Send this again.",
        details={"path": path},
    )
