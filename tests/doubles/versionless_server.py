"""A double of a server that pushes diagnostics without saying of which version: OmniSharp does.

It publishes late, and sometimes for a text that has changed since: what was shown two changes
ago comes after each change, then what is shown now. Of C# it knows brackets and ``#error``.
"""

from __future__ import annotations

import re
from typing import Any

from hostile_server import read, send

_ERROR = re.compile(r"^#error (.*)$", re.MULTILINE)


def push(uri: str, text: str) -> None:
    place = {"line": 0, "character": 0}
    where = {"start": place, "end": place}
    found = [(") expected", "CS1026")] * (text.count("(") > text.count(")"))
    found += [(f"#error: '{word}'", "CS1029") for word in _ERROR.findall(text)]
    items = [{"range": where, "message": text, "code": code, "severity": 1} for text, code in found]
    params = {"uri": uri, "diagnostics": items}
    send({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})


def main() -> None:
    shown = ["", "", ""]
    while (message := read()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method in ("textDocument/didOpen", "textDocument/didChange"):
            document: dict[str, Any] = params["textDocument"]
            changes = params.get("contentChanges")
            shown.append(changes[-1]["text"] if changes else document["text"])
            push(document["uri"], shown[-3])
            push(document["uri"], shown[-1])
        elif method == "textDocument/didClose":
            send(
                {
                    "jsonrpc": "2.0",
                    "method": "textDocument/publishDiagnostics",
                    "params": {"uri": params["textDocument"]["uri"], "diagnostics": []},
                }
            )
        elif method == "initialize":
            result = {"capabilities": {"textDocumentSync": 1}}
            send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif method == "shutdown":
            send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif method == "exit":
            return


if __name__ == "__main__":
    main()
