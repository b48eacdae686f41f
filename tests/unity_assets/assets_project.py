"""A small Unity project in a folder, and the facts of its symbols."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unity_assets import Assets, Found, Renamed

HEADER = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"


def guid(number: int) -> str:
    return f"{number:032x}"


class SmallProject:
    """Files of a project, written one by one; ``find`` and ``rename`` read them anew."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "Assets").mkdir()

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        file.write_bytes(data)

    def asset(self, path: str, *documents: str, number: int = 0) -> str:
        text = HEADER + "".join(documents)
        self.write(path, text)
        if number:
            self.write(f"{path}.meta", f"fileFormatVersion: 2\nguid: {guid(number)}\n")
        return text

    def script(self, path: str, number: int, extra: str = "  defaultReferences: []\n") -> None:
        self.write(path, f"public class {Path(path).stem} : UnityEngine.MonoBehaviour {{ }}\n")
        meta = f"fileFormatVersion: 2\nguid: {guid(number)}\nMonoImporter:\n{extra}"
        self.write(f"{path}.meta", meta)

    def facts(self, name: str, kind: str, **more: Any) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "name": name,
            "kind": kind,
            "display": name,
            "type": None,
            "declarations": [],
            "renamedTypes": [],
            "key": None,
            "holders": [],
            "targets": [],
            "parameters": None,
            "overloads": [],
            "sameName": 0,
            "keepsKey": True,
            "isVisualElement": False,
            "managed": [],
        }
        return empty | more

    def field(self, name: str, *holders: dict[str, Any], key: str | None = None) -> dict[str, Any]:
        return self.facts(name, "field", key=key or name, holders=list(holders))

    def method(self, name: str, *targets: dict[str, Any], **more: Any) -> dict[str, Any]:
        return self.facts(name, "method", targets=list(targets), parameters=[]) | more

    def type_named(self, before: dict[str, str], after: dict[str, str], **more: Any) -> Any:
        renamed = [{"before": before, "after": after}]
        name = before["name"].rpartition("/")[2]
        return self.facts(name, "type", type=before, renamedTypes=renamed) | more

    def find(self, facts: dict[str, Any]) -> Found:
        return Assets(self.root, None).find(facts)

    def rename(self, facts: dict[str, Any], new_name: str, mode: str = "keep") -> Renamed:
        return Assets(self.root, None).rename(facts, new_name, mode)  # type: ignore[arg-type]

    def renamed_text(self, facts: dict[str, Any], new_name: str, mode: str = "keep") -> str:
        """The one changed file after a rename without conflicts, as text."""
        renamed = self.rename(facts, new_name, mode)
        assert renamed.conflicts == []
        ((_, _, after),) = renamed.files
        return after.decode()


def type_name(full: str, assembly: str = "Game") -> dict[str, str]:
    namespace, _, name = full.rpartition(".")
    return {"namespace": namespace, "name": name, "assembly": assembly}


def holder(full: str, *paths: str, managed: bool = False, scripts: tuple[str, ...] = ()) -> Any:
    own = scripts or (f"Assets/{full.rpartition('.')[2]}.cs",)
    return {
        "type": type_name(full),
        "scripts": list(own),
        "managed": managed,
        "paths": list(paths or ("",)),
    }


def target(full: str) -> dict[str, Any]:
    name = full.rpartition(".")[2]
    return {"type": type_name(full), "scripts": [f"Assets/{name}.cs"]}


def component(number: int, file_id: int, body: str, *, stripped: bool = False) -> str:
    end = " stripped" if stripped else ""
    return (
        f"--- !u!114 &{file_id}{end}\nMonoBehaviour:\n  m_ObjectHideFlags: 0\n"
        f"  m_Script: {{fileID: 11500000, guid: {guid(number)}, type: 3}}\n"
        f"  m_Name: \n  m_EditorClassIdentifier: \n{body}"
    )


def instance(file_id: int, source: int, *overrides: str) -> str:
    return (
        f"--- !u!1001 &{file_id}\nPrefabInstance:\n  m_ObjectHideFlags: 0\n  serializedVersion: 2\n"
        "  m_Modification:\n    serializedVersion: 3\n    m_TransformParent: {fileID: 0}\n"
        "    m_Modifications:\n" + "".join(overrides) + "    m_RemovedComponents: []\n"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid(source)}, type: 3}}\n"
    )


def override(file_id: int, source: int, path: str, value: str, reference: str = "") -> str:
    return (
        f"    - target: {{fileID: {file_id}, guid: {guid(source)},\n        type: 3}}\n"
        f"      propertyPath: {path}\n      value: {value}\n"
        f"      objectReference: {reference or '{fileID: 0}'}\n"
    )
