"""Apply a server's edits to a script's bytes."""

from __future__ import annotations

from collections.abc import Sequence

from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.renames.symbol_server import ServerEdit
from snippet_engine.source_text import Position, SourceText


def edits_of(
    source: SourceText, path: str, edits: Sequence[ServerEdit], name: str
) -> EditSet | SnippetError:
    """Return the edits of the script at ``path``.

    Error: ``stale_file`` if one of them replaces something without the ``name``, so that the
    server saw another text.
    """
    found = []
    for each in edits:
        start, end = _offset(source, each.start), _offset(source, each.end)
        if start is None or end is None or end < start:
            return _stale(path)
        replaced = source.view[start:end]
        # Attributes and usings come and go; all else has the old name.
        if replaced and name not in replaced and each.kind not in ("attribute", "using"):
            return _stale(path)
        found.append(TextEdit(start, end, each.new_text.replace("\r\n", "\n")))
    joined = EditSet.of(_joined(found))
    return joined if isinstance(joined, EditSet) else _stale(path)


def _joined(edits: Sequence[TextEdit]) -> list[TextEdit]:
    """Return the edits, several insertions at one place as one, in the order given."""
    insertions: dict[int, TextEdit] = {}
    others = []
    for each in edits:
        if each.start != each.end:
            others.append(each)
            continue
        before = insertions.get(each.start)
        text = each.new_text if before is None else before.new_text + each.new_text
        insertions[each.start] = TextEdit(each.start, each.end, text)
    return [*others, *insertions.values()]


def _offset(source: SourceText, position: Position) -> int | None:
    """Return the view offset of an LSP position; ``None`` if the text has no such place."""
    if position.line >= source.line_count:
        return None
    start = source.line_starts[position.line]
    line = source.line_at(start)
    if line.isascii():
        return start + position.character if position.character <= len(line) else None
    encoded = line.encode("utf-16-le")
    if position.character * 2 > len(encoded):
        return None
    return start + len(encoded[: position.character * 2].decode("utf-16-le", "ignore"))


def _stale(path: str) -> SnippetError:
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{show(path)} changed while the rename was computed; nothing was written. "
        "Send this again.",
        details={"path": path},
    )
