"""Answer requests about names: this server's own, and LSP's references and renames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lsprotocol import types

from roslyn_server import protocol
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.failures import RequestRefusedError, cancellable, on_thread
from roslyn_server.names.name_params import place_of, rename_of
from roslyn_server.names.project_names import ProjectNames
from snippet_engine.storage.system.plain_file import read_plain


class NameRequests:
    """The requests of one client. ``open_texts`` returns its open documents."""

    def __init__(
        self,
        project: Callable[[], ProjectCheck],
        root: Callable[[], Path | None],
        open_texts: Callable[[], Mapping[Path, str]],
    ) -> None:
        self._project = project
        self._root = root
        self._open_texts = open_texts
        self._thread = ThreadPoolExecutor(1, "names")
        self.handlers: dict[str, Callable[[Any], Awaitable[Any]]] = {
            protocol.FIND_REFERENCES_REQUEST: self.find_references,
            protocol.RENAME_REQUEST: self.rename,
            types.TEXT_DOCUMENT_REFERENCES: self.references,
            types.TEXT_DOCUMENT_PREPARE_RENAME: self.prepare_rename,
            types.TEXT_DOCUMENT_RENAME: self.workspace_edit,
        }
        """What answers each request."""

    async def find_references(self, params: Any) -> protocol.FoundReferences:
        """Return the references of the symbol at a place."""
        place = place_of(params)
        names = ProjectNames(self._project(), self._unsaved())
        async with cancellable() as cancellation:
            return await on_thread(self._thread, names.references, place, cancellation)

    async def rename(self, params: Any) -> protocol.Renamed:
        """Return the edits of a rename, and its conflicts."""
        asked = rename_of(params)
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
        return ((self._root() or Path()) / path).as_uri()

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
