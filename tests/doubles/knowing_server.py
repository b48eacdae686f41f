"""A double of a server that knows names: it looks them up in the project's other files.

Pulled under ``syntax``, which finds nothing, and under ``semantics``: every ``Name.Member`` of a
text, where there is no ``Assets/Name.cs`` on the disk, is an unknown name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hostile_server import read, result, send

_NAME = re.compile(r"\b([A-Z]\w+)\.\w+")


def unknown_names(text: str) -> list[dict[str, Any]]:
    place = {"line": 0, "character": 0}
    return [
        {
            "range": {"start": place, "end": place},
            "message": f"The name '{name}' does not exist in the current context",
            "code": "CS0103",
            "severity": 1,
        }
        for name in _NAME.findall(text)
        if not Path("Assets", f"{name}.cs").exists()
    ]


def main() -> None:
    texts: dict[str, str] = {}
    while (message := read()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            result(message, {"capabilities": {"textDocumentSync": 1}})
        elif method == "initialized":
            registrations = [
                {
                    "id": name,
                    "method": "textDocument/diagnostic",
                    "registerOptions": {"identifier": name},
                }
                for name in ("syntax", "semantics")
            ]
            send(
                {
                    "jsonrpc": "2.0",
                    "id": "register",
                    "method": "client/registerCapability",
                    "params": {"registrations": registrations},
                }
            )
        elif method in ("textDocument/didOpen", "textDocument/didChange"):
            document = params["textDocument"]
            changes = params.get("contentChanges")
            texts[document["uri"]] = changes[-1]["text"] if changes else document["text"]
        elif method == "textDocument/diagnostic":
            semantics = params.get("identifier") == "semantics"
            text = texts.get(params["textDocument"]["uri"], "")
            items = unknown_names(text) if semantics else []
            result(message, {"kind": "full", "items": items})
        elif method == "shutdown":
            result(message, None)
        elif method == "exit":
            return


if __name__ == "__main__":
    main()
