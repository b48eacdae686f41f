"""A double of a C# server that others made: it knows LSP's ``textDocument/references`` by words.

Made with pygls and lsprotocol, so that what it reads and sends is what LSP allows. Started as
``lsp_words_server.py [FAULT]``; ``no_references`` doesn't offer them, ``loading`` knows no symbol
yet, ``outside`` also names a place outside of the project. It finds only what is open or on disk.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

NAME = "csharp-words"
DECLARED = re.compile(r"(?:void|class)\s+$")


def references(
    server: LanguageServer, params: types.ReferenceParams, fault: str
) -> list[types.Location] | None:
    uri, at = params.text_document.uri, params.position
    document = server.workspace.get_text_document(uri)
    if fault == "loading" or document.version is None:  # It isn't open.
        return None
    line = document.lines[at.line].encode("utf-16-le")[at.character * 2 :].decode("utf-16-le")
    name = re.match(r"\w+", line)
    if name is None:
        return None
    found = [
        types.Location(path.as_uri(), types.Range(place, place))
        for path in sorted(Path(server.workspace.root_path or ".").rglob("*.cs"))
        for place in _places(path, name[0], params.context.include_declaration)
    ]
    if fault == "outside":
        zero = types.Position(0, 0)
        found.append(types.Location("file:///elsewhere/A.cs", types.Range(zero, zero)))
        found.append(types.Location("csharp:/metadata/A.cs", types.Range(zero, zero)))
    return found


def _places(path: Path, name: str, with_declaration: bool) -> list[types.Position]:
    lines = path.read_text("utf-8-sig").split("\n")
    return [
        types.Position(number, len(line[: found.start()].encode("utf-16-le")) // 2)
        for number, line in enumerate(lines)
        for found in re.finditer(rf"\b{name}\b", line)
        if with_declaration or not DECLARED.search(line[: found.start()])
    ]


def main(fault: str) -> None:
    server = LanguageServer(NAME, "1")
    if fault != "no_references":

        @server.feature(types.TEXT_DOCUMENT_REFERENCES)
        def _(params: types.ReferenceParams) -> list[types.Location] | None:
            assert to_fs_path(params.text_document.uri)
            return references(server, params, fault)

    server.start_io()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "none")
