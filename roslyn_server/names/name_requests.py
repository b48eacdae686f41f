"""Answer requests about names: this server's own, and LSP's references and renames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import to_fs_path

from roslyn_server import protocol
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.failures import RequestRefusedError, cancellable, on_thread
from roslyn_server.names.project_names import Place, ProjectNames, RenameAsked
from snippet_engine.storage.system.plain_file import read_plain


class NameRequests:
    """The requests of one client. ``open_texts`` returns its open documents."""

    def __init__(
        self,
        project: Callable[[], ProjectCheck],
        open_texts: Callable[[], Mapping[Path, str]],
    ) -> None:
        self._project = project
        self._open_texts = open_texts
        self._thread = ThreadPoolExecutor(1, "names")
        self.handlers: dict[str, Callable[[Any], Awaitable[Any]]] = {
            protocol.FIND_REFERENCES_REQUEST: self.find_references,
            protocol.RENAME_REQUEST: self.rename,
            types.TEXT_DOCUMENT_REFERENCES: self.references,
            types.TEXT_DOCUMENT_PREPARE_RENAME: self.prepare_rename,
            types.TEXT_DOCUMENT_RENAME: self.workspace_edit,
        }
        """The handler of each request."""

    async def find_references(self, params: Any) -> protocol.FoundReferences:
        """Return the references of the symbol at a place."""
        place = _place_of(params)
        names = ProjectNames(self._project(), self._unsaved())
        async with cancellable() as cancellation:
            return await on_thread(self._thread, names.references, place, cancellation)

    async def rename(self, params: Any) -> protocol.Renamed:
        """Return the edits of a rename, and its conflicts."""
        asked = _rename_of(params)
        names = ProjectNames(self._project(), self._unsaved())
        async with cancellable() as cancellation:
            return await on_thread(self._thread, names.rename, asked, cancellation)

    async def references(self, params: types.ReferenceParams) -> list[types.Location]:
        """Answer LSP's ``textDocument/references``."""
        found = await self.find_references(params)
        declares = params.context.include_declaration
        return [
            types.Location(self._uri(each["path"]), _range_of(each))
            for each in found["references"]
            if declares or each["kind"] not in _DECLARATIONS
        ]

    async def prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """Answer LSP's ``textDocument/prepareRename``: the name at the place."""
        found = await self.find_references(params)
        here = params.position
        for each in found["references"]:
            range_ = _range_of(each)
            is_here = range_.start <= here <= range_.end
            if is_here and self._uri(each["path"]) == params.text_document.uri:
                return types.PrepareRenamePlaceholder(range_, str(found["symbol"]["name"]))
        return None

    async def workspace_edit(self, params: types.RenameParams) -> types.WorkspaceEdit:
        """Answer LSP's ``textDocument/rename``. Raises ``RequestRefusedError``."""
        renamed = await self.rename(params)
        for conflict in renamed["conflicts"]:
            at = f"{conflict['path']}:{conflict['line']}: " if conflict["path"] else ""
            raise RequestRefusedError(f"{at}{conflict['message']}")
        if not renamed["complete"]:
            raise RequestRefusedError(f"not everything was searched: {renamed['reasons'][0]}")
        changes: list[Any] = [
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(self._uri(file["path"])),
                [_text_edit(each) for each in file["edits"]],
            )
            for file in renamed["edits"]
        ]
        changes += [
            types.RenameFile(old_uri=self._uri(each["from"]), new_uri=self._uri(each["to"]))
            for each in renamed["moves"]
        ]
        return types.WorkspaceEdit(document_changes=changes)

    def _uri(self, path: str) -> str:
        return (self._project().root / path).as_uri()

    def _unsaved(self) -> list[Path]:
        """Return the open documents whose text isn't the file's."""
        return [path for path, text in self._open_texts().items() if _lines(path) != _split(text)]


_DECLARATIONS = frozenset(("declaration", "override"))


def _lines(path: Path) -> list[str] | None:
    try:
        return _split(read_plain(path).decode("utf-8-sig", "replace"))
    except OSError:
        return None


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _range_of(each: protocol.Reference) -> types.Range:
    line, start = each["line"], each["character"]
    return types.Range(types.Position(line, start), types.Position(line, start + each["length"]))


def _text_edit(each: protocol.RenameEdit) -> types.TextEdit:
    start = types.Position(each["line"], each["character"])
    end = types.Position(each["endLine"], each["endCharacter"])
    return types.TextEdit(types.Range(start, end), each["newText"])


def _rename_of(params: Any) -> RenameAsked:
    """Return the rename that was asked for. Raises ``JsonRpcInvalidParams``."""
    new_name = getattr(params, "newName", None) or getattr(params, "new_name", None)
    if not isinstance(new_name, str) or len(new_name) > _LONGEST_NAME:
        raise JsonRpcInvalidParams(f"newName must be a name of at most {_LONGEST_NAME} characters")
    attributes = getattr(params, "attributes", None) is True
    force = getattr(params, "force", None) is True
    return RenameAsked(_place_of(params), new_name, attributes, force)


_LONGEST_NAME = 512


def _place_of(params: Any) -> Place:
    """Return the place that ``textDocument`` and ``position`` name.

    Raises ``JsonRpcInvalidParams``.
    """
    document = getattr(params, "textDocument", None) or getattr(params, "text_document", None)
    uri = getattr(document, "uri", None)
    path = to_fs_path(uri) if isinstance(uri, str) else None
    position = getattr(params, "position", None)
    line, character = getattr(position, "line", None), getattr(position, "character", None)
    if path is None:
        raise JsonRpcInvalidParams("textDocument.uri must be the URI of a file")
    if not _is_count(line) or not _is_count(character):
        raise JsonRpcInvalidParams("position must have a line and a character, from 0")
    return Place(Path(path), line, character)  # type: ignore[arg-type]


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
