"""Answers about names as a server gives them, found by words alone: for the double of a server.

Each whole word of the name is a reference, the first of a file its declaration. A rename is refused
where the new name stands already, and incomplete where a script says ``// incomplete``. A type in a
file of its name moves with it. A name in a string stays. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

INCOMPLETE = "// incomplete"
NO_SYMBOL = "no symbol is there"


def scripts() -> list[Path]:
    return sorted(Path("Assets").rglob("*.cs"))


def name_at(params: dict[str, Any]) -> str | None:
    """The word at the place that the request names."""
    path = Path(unquote(urlparse(params["textDocument"]["uri"]).path))
    position = params["position"]
    line = path.read_text(encoding="utf-8-sig").split("\n")[position["line"]]
    at = len(line.encode("utf-16-le")[: position["character"] * 2].decode("utf-16-le"))
    found = re.match(r"[^\W\d]\w*", line[at:])
    return found and found[0]


def facts(name: str) -> dict[str, Any]:
    is_type = any(f"class {name}" in path.read_text() for path in scripts())
    return {
        "name": name,
        "kind": "type" if is_type else "method",
        "display": f"Demo.{name}",
        "isMessage": name == "Update",
        "type": None,
        "declarations": [],
        "renamedTypes": [],
        "key": None,
        "holders": [],
        "targets": [],
        "parameters": None,
        "overloads": [],
        "sameName": 0,
        "keepsKey": False,
        "isVisualElement": False,
        "managed": [],
    }


def places(name: str) -> Iterator[dict[str, Any]]:
    for path in scripts():
        is_first = True
        for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n")):
            for found in re.finditer(rf"(?<![\w\"]){re.escape(name)}(?![\w\"])", line):
                yield {
                    "path": path.as_posix(),
                    "line": number,
                    "character": len(line[: found.start()].encode("utf-16-le")) // 2,
                    "length": len(name),
                    "kind": "declaration" if is_first else "call",
                    "lineText": line.strip(),
                }
                is_first = False


def reasons() -> list[str]:
    marked = [path for path in scripts() if INCOMPLETE in path.read_text()]
    return [f"{path.as_posix()} was not searched." for path in marked]


def references(params: dict[str, Any]) -> dict[str, Any] | None:
    name = name_at(params)
    if name is None:
        return None
    return {
        "symbol": facts(name),
        "references": list(places(name)),
        "complete": not reasons(),
        "reasons": reasons(),
    }


def renamed(params: dict[str, Any]) -> dict[str, Any] | None:
    name, new = name_at(params), params["newName"].removeprefix("@")
    written = f"@{new}" if iskeyword(new) else new
    if name is None:
        return None
    by_path: dict[str, list[dict[str, Any]]] = {}
    for each in places(name):
        edit = {
            "line": each["line"],
            "character": each["character"],
            "endLine": each["line"],
            "endCharacter": each["character"] + each["length"],
            "newText": written,
            "kind": each["kind"],
        }
        by_path.setdefault(each["path"], []).append(edit)
    strings = [
        {"path": path.as_posix(), "line": number, "character": 0, "length": 0}
        | {"text": f'"{name}"', "kind": "SendMessage", "offer": f"nameof({new})"}
        for path in scripts()
        for number, line in enumerate(path.read_text().split("\n"))
        if f'"{name}"' in line
    ]
    conflicts = [
        {
            "code": "exists",
            "path": each["path"],
            "line": each["line"] + 1,
            "column": each["character"] + 1,
            "message": f"{new} exists already.",
        }
        for each in places(new)
    ]
    if name == "Update" and not params["force"]:
        message = {"code": "unity_message", "message": "Unity calls Update."}
        conflicts.append({**message, "path": "", "line": 1, "column": 1})
    moves = [
        {"from": path.as_posix(), "to": path.with_name(f"{new}.cs").as_posix()}
        for path in scripts()
        if path.stem == name and f"class {name}" in path.read_text()
    ]
    return {
        "symbol": facts(name),
        "edits": [{"path": path, "edits": edits} for path, edits in by_path.items()],
        "moves": moves,
        "strings": strings,
        "conflicts": conflicts,
        "proved": {"assemblies": ["Game"], "files": len(scripts())},
        "complete": not reasons(),
        "reasons": reasons(),
    }
