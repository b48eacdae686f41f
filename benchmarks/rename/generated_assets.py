"""Write the assets of a generated project: prefabs, scenes, data, and a ``.meta`` for each."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_HEADER = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
_WORDS = ("speed", "health", "damage", "range", "target", "owner", "offset", "color", "delay")
_FIRST_ID = 100
_FIRST_ASSET = 1_000_000
"""GUIDs below are those of scripts."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A field of a script that stands in ``count`` assets; scripts have the first GUIDs."""

    name: str
    script: int
    count: int


def write_assets(
    root: Path, fields: Sequence[Stored], scripts: int, assets: int, size: int
) -> None:
    """Write so many assets of so many bytes.

    Half of the assets of a field have it in a component, half in an override of one.
    """
    rng = random.Random(7)
    pieces: dict[int, list[str]] = {}
    prefabs = [each for each in range(assets) if _kind(each) == "prefab"]
    for at, field in enumerate(fields):
        source = rng.choice(prefabs)
        file_id = _FIRST_ID + at
        others = rng.sample([each for each in range(assets) if each != source], field.count - 1)
        for number, asset in enumerate((source, *others)):
            if number % 2 == 0:
                piece = _component(rng, file_id, field.script, [field.name])
            else:
                piece = _instance(rng, file_id, source, [(file_id, field.name)])
            pieces.setdefault(asset, []).append(piece)
    # A tenth are scenes, which have half of all bytes; one in twenty is mere data.
    for number in range(assets):
        kind = _kind(number)
        share = {"unity": 0.5 / 0.1, "asset": 0.2 / 0.05, "prefab": 0.3 / 0.85}[kind]
        path = root / "Assets" / f"Folder{number % 100}" / f"Asset{number}.{kind}"
        path.parent.mkdir(exist_ok=True)
        wanted = int(size / assets * share * rng.uniform(0.5, 1.5))
        path.write_text(_asset(rng, kind, wanted, assets, scripts, pieces.get(number, [])))
        write_meta(path, _FIRST_ASSET + number)


def write_meta(path: Path, number: int) -> None:
    """Write the ``.meta`` of a file; its GUID is one more than ``number``."""
    importer = "MonoImporter" if path.suffix == ".cs" else "PrefabImporter"
    extra = "  defaultReferences: []\n" if path.suffix == ".cs" else ""
    text = f"fileFormatVersion: 2\nguid: {number + 1:032x}\n{importer}:\n{extra}  userData: \n"
    path.with_name(f"{path.name}.meta").write_text(text)


def _kind(number: int) -> str:
    return "unity" if number % 10 == 0 else "asset" if number % 20 == 1 else "prefab"


def _asset(
    rng: random.Random, kind: str, wanted: int, assets: int, scripts: int, sought: list[str]
) -> str:
    pieces = [_HEADER, *sought]
    length = sum(map(len, pieces))
    while length < wanted:
        file_id = rng.getrandbits(62)
        if kind == "asset":
            data = f"{rng.getrandbits(2000):0500x}"
            piece = f"--- !u!43 &{file_id}\nMesh:\n  m_Name: mesh\n  _typelessdata: {data * 40}\n"
        elif kind == "unity" and rng.random() < 0.2:
            paths = [f"{rng.choice(_WORDS)}.Array.data[{number}].x" for number in range(12)]
            overrides = [(rng.getrandbits(62), path) for path in paths]
            piece = _instance(rng, file_id, rng.randrange(assets), overrides)
        elif rng.random() < 0.5:
            piece = _transform(rng, file_id)
        else:
            keys = [f"{rng.choice(_WORDS)}{rng.choice(_WORDS).title()}" for _ in range(8)]
            piece = _component(rng, file_id, rng.randrange(scripts), keys)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces)


def _transform(rng: random.Random, file_id: int) -> str:
    numbers = ", ".join(f"{axis}: {rng.uniform(-9, 9):.6f}" for axis in "xyz")
    return (
        f"--- !u!4 &{file_id}\nTransform:\n  m_ObjectHideFlags: 0\n"
        "  m_CorrespondingSourceObject: {fileID: 0}\n  m_PrefabInstance: {fileID: 0}\n"
        f"  m_PrefabAsset: {{fileID: 0}}\n  m_GameObject: {{fileID: {rng.getrandbits(62)}}}\n"
        f"  m_LocalPosition: {{{numbers}}}\n  m_LocalScale: {{x: 1, y: 1, z: 1}}\n"
        f"  m_Children: []\n  m_Father: {{fileID: {rng.getrandbits(62)}}}\n"
    )


def _component(rng: random.Random, file_id: int, script: int, keys: list[str]) -> str:
    fields = "".join(f"  {key}: {rng.randrange(1000)}\n" for key in keys)
    return (
        f"--- !u!114 &{file_id}\nMonoBehaviour:\n  m_ObjectHideFlags: 0\n"
        "  m_CorrespondingSourceObject: {fileID: 0}\n  m_PrefabInstance: {fileID: 0}\n"
        f"  m_PrefabAsset: {{fileID: 0}}\n  m_GameObject: {{fileID: {rng.getrandbits(62)}}}\n"
        "  m_Enabled: 1\n  m_EditorHideFlags: 0\n"
        f"  m_Script: {{fileID: 11500000, guid: {script + 1:032x}, type: 3}}\n"
        f"  m_Name: \n  m_EditorClassIdentifier: \n{fields}"
    )


def _instance(
    rng: random.Random, file_id: int, source: int, overrides: list[tuple[int, str]]
) -> str:
    guid = f"{_FIRST_ASSET + source + 1:032x}"
    rows = "".join(
        f"    - target: {{fileID: {target}, guid: {guid},\n"
        f"        type: 3}}\n      propertyPath: {path}\n"
        f"      value: {rng.randrange(100)}\n      objectReference: {{fileID: 0}}\n"
        for target, path in overrides
    )
    return (
        f"--- !u!1001 &{file_id}\nPrefabInstance:\n  m_ObjectHideFlags: 0\n"
        "  serializedVersion: 2\n  m_Modification:\n    m_TransformParent: {fileID: 0}\n"
        f"    m_Modifications:\n{rows}    m_RemovedComponents: []\n"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {guid}, type: 3}}\n"
    )
