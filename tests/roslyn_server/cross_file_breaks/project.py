"""A built Unity project of three assemblies, with a library and a user for each kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cross_file_breaks.kind import FRIEND, LIBRARY, USER, Kind

DAG = "1900b0aE.dag"
REFERENCES = {LIBRARY: (), FRIEND: (), USER: (LIBRARY, FRIEND)}


def library(kind: Kind) -> str:
    """Return the path of the kind's library."""
    return f"Assets/{kind.owner}/{kind.space}.cs"


def user(kind: Kind) -> str:
    """Return the path of the kind's user."""
    return f"Assets/{kind.used_in}/{kind.space}_Use.cs"


def lay_out(root: Path, kinds: Sequence[Kind], libraries: Path, editor: str) -> None:
    """Write the project into an empty folder; ``libraries`` has .NET's own."""
    texts = {library(each): each.library_text for each in kinds}
    texts |= {user(each): each.user_text for each in kinds}
    texts["ProjectSettings/ProjectVersion.txt"] = f"m_EditorVersion: {editor}\n"
    for name, references in REFERENCES.items():
        definition = {"name": name, "references": list(references)}
        texts[f"Assets/{name}/{name}.asmdef"] = json.dumps(definition)
    for path, text in texts.items():
        _write(root / path, text)
    managed = sorted(each for each in libraries.glob("*.dll") if _is_managed(each))
    for name, references in REFERENCES.items():
        lines = ["-target:library", f"-out:Library/Bee/artifacts/{DAG}/{name}.dll"]
        lines += ["-nostdlib", "-langversion:9.0", "-define:UNITY_EDITOR"]
        lines += [f'-r:"{each}"' for each in managed]
        lines += [f'-r:"Library/Bee/artifacts/{DAG}/{each}.ref.dll"' for each in references]
        lines += [
            f'"{path}"'
            for path in texts
            if path.startswith(f"Assets/{name}/") and path.endswith(".cs")
        ]
        _write(root / f"Library/Bee/artifacts/{DAG}/{name}.rsp", "\n".join(lines) + "\n")
    log = {"msg": "init", "dagFile": f"Library/Bee/{DAG}", "targets": ["ScriptAssemblies"]}
    _write(root / "Library/Bee/tundra.log.json", json.dumps(log) + "\n")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _is_managed(library: Path) -> bool:
    return b"BSJB" in library.read_bytes()
