"""Ask a server for references by LSP's own request (docs/design/rename.md §2).

LSP's answer doesn't say which places were not searched, so it never counts as complete.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types

from lsp_client.outcomes import MethodUnknown
from lsp_client.protocol.connection import Connection
from lsp_client.protocol.uris import canonical
from snippet_engine.renames.symbol_server import FoundReferences, Reference
from snippet_engine.source_text import Position, SourceText, decode
from snippet_engine.storage.system.plain_file import read_plain

_NAME = re.compile(r"\w+")
_UNSURE = "{} found these by LSP's textDocument/references, which doesn't say what it left out."
_OUTSIDE = "{} more outside the project are left out."
_MOST = 20_000
"""Maximum number of places in one answer."""
_OTHER_TEXT = "The text of {} differs from what the server saw."


async def lsp_references(
    connection: Connection, root: Path, path: str, position: Position
) -> FoundReferences | None:
    """Return the references of the symbol at ``position``; ``None`` if the server finds none there.

    Raises ``MethodUnknown`` if the server has no such request, ``RequestRefused``, ``ServerLost``.
    """
    if not connection.capabilities.references_provider:
        raise MethodUnknown(types.TEXT_DOCUMENT_REFERENCES)
    texts = _Texts(root)
    source = texts.of(path)
    at = None if source is None else source.offset(position)
    name = None if source is None or at is None else _NAME.match(source.view, at)
    if source is None or name is None:
        return None
    uri = canonical((root / path).as_uri())
    async with connection.turn:
        connection.show(uri, source.view, opening=True)
        try:
            every = await _locations(connection, uri, position, with_declaration=True)
            uses = await _locations(connection, uri, position, with_declaration=False)
        finally:
            if not connection.ended.done():
                connection.close(uri)
    if (uri, position.line, position.character) not in every:
        return None
    seen_by = connection.validator_name
    return await asyncio.to_thread(_found, name[0], every, uses, texts, root, seen_by)


def _found(
    name: str,
    every: Collection[_Place],
    uses: Collection[_Place],
    texts: _Texts,
    root: Path,
    seen_by: str,
) -> FoundReferences:
    inside = canonical(root.as_uri()) + "/"
    reasons = [_UNSURE.format(seen_by)]
    found: list[Reference] = []
    places = sorted(each for each in every if _is_below(inside, each[0]))
    for where, line, character in places[:_MOST]:
        other = unquote(where.removeprefix(inside))
        text = texts.of(other)
        if text is None or text.offset(Position(line, character)) is None:
            reasons.append(_OTHER_TEXT.format(other))
            continue
        kind = "reference" if (where, line, character) in uses else "declaration"
        shown = text.line_at(text.line_starts[line]).strip()
        found.append(Reference(other, Position(line, character), kind, shown))
    if len(places) > _MOST:
        reasons.append(f"{len(places) - _MOST} more are left out.")
    if len(places) < len(every):
        reasons.append(_OUTSIDE.format(len(every) - len(places)))
    symbol = {"name": name, "display": name, "kind": "other"}
    once = tuple(dict.fromkeys(reasons))
    return FoundReferences(symbol, tuple(found), complete=False, reasons=once, is_provable=False)


def _is_below(inside: str, uri: str) -> bool:
    return uri.startswith(inside) and ".." not in uri.split("/")


_Place = tuple[str, int, int]


async def _locations(
    connection: Connection, uri: str, position: Position, *, with_declaration: bool
) -> set[_Place]:
    params = types.ReferenceParams(
        types.ReferenceContext(include_declaration=with_declaration),
        types.TextDocumentIdentifier(uri),
        types.Position(position.line, position.character),
    )
    found: Iterable[types.Location] | None = await connection.request(
        types.TEXT_DOCUMENT_REFERENCES, params
    )
    return {
        (canonical(each.uri), each.range.start.line, each.range.start.character)
        for each in found or ()
    }


class _Texts:
    """The texts of scripts, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, SourceText | None] = {}

    def of(self, path: str) -> SourceText | None:
        if path not in self._known:
            try:
                found = decode(read_plain(self._root / path))
            except OSError:
                found = None
            self._known[path] = found if isinstance(found, SourceText) else None
        return self._known[path]
