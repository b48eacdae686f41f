"""Measure the assets' index and a rename in a generated project.

    python -m benchmarks.rename.assets [--assets 10000] [--megabytes 2000] [--folder FOLDER]

The project has 1,500 scripts. Its assets are generated from a seed: prefabs, scenes with instances
and overrides, and data such as meshes. Each previewed rename is in a field that five assets have,
or 500. The reference is to read all files once, without looking at them.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unity_assets import Assets

SCRIPTS = 1500
FEW, MANY = 5, 500
HEADER = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
WORDS = ("speed", "health", "damage", "range", "target", "owner", "offset", "color", "delay")


def main(arguments: list[str]) -> int:
    """Make the project unless it is there, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assets", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=2_000)
    parser.add_argument("--renames", type=int, default=40, help="of each kind")
    parser.add_argument("--folder", type=Path, help="where the project is kept (default: nowhere)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        root = (chosen.folder or Path(folder)) / "project"
        if not root.is_dir():
            _generate(root, chosen.assets, chosen.megabytes << 20)
        _measure(root, chosen.renames)
    return 0


def _measure(root: Path, renames: int) -> None:
    cache = root / "Library" / "SnippetEngine"
    (cache / "assets.index").unlink(missing_ok=True)
    files = [each for each in root.rglob("*") if each.suffix != ".cs" and each.is_file()]
    _read_all(files)
    reading = _timed(lambda: _read_all(files))
    first = Assets(root, cache)
    rows = [("read all files", reading), ("first index", _timed(first.refresh))]
    assets = Assets(root, cache)
    rows.append(("load the kept index", _timed(assets.refresh)))
    rows.append(("nothing changed", _timed(assets.refresh)))
    total = sum(each.stat().st_size for each in files)
    kept = (cache / "assets.index").stat().st_size
    print(f"{len(files)} files, {total / 2**20:.0f} MiB; the kept index has {kept / 2**20:.1f} MiB")
    for name, seconds in rows:
        print(f"{name:44}{seconds:9.3f} s {seconds / reading:8.3f} of reading all")
    for count, wanted in ((FEW, renames), (MANY, max(3, renames // 10))):
        for mode in ("keep", "rewrite"):
            taken: list[float] = []
            places = 0
            for number in range(wanted):
                facts = _facts(count, number)
                started = time.perf_counter()
                renamed = assets.rename(facts, "anotherName", mode)
                taken.append(time.perf_counter() - started)
                places += len(renamed.hits) + len(renamed.left)
            p90 = sorted(taken)[int(len(taken) * 0.9)]
            name = f"preview, {mode}, {places / wanted:.0f} places: median, p90"
            print(f"{name:44}{statistics.median(taken):9.3f} s{p90:9.3f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory: {peak / 1024:.0f} MiB")


def _timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _read_all(files: list[Path]) -> None:
    for each in files:
        with each.open("rb") as file:
            while file.read(1 << 22):
                pass


def _facts(count: int, number: int) -> dict[str, Any]:
    name = _name(count, number)
    script = number % SCRIPTS
    own = {"namespace": "", "name": f"Script{script}", "assembly": "Assembly-CSharp"}
    path = f"Assets/Scripts/Script{script}.cs"
    return {
        "name": name,
        "kind": "field",
        "type": own,
        "declarations": [],
        "renamedTypes": [],
        "key": name,
        "holders": [{"type": own, "scripts": [path], "managed": False, "paths": [""]}],
        "targets": [],
        "parameters": None,
        "overloads": [],
        "sameName": 0,
        "isVisualElement": False,
        "managed": [],
    }


def _name(count: int, number: int) -> str:
    letters = chr(65 + number // 26) + chr(97 + number % 26)
    return f"soughtBy{'Few' if count == FEW else 'Many'}{letters}"


# -- the project -----------------------------------------------------------------------------


def _generate(root: Path, assets: int, size: int) -> None:
    rng = random.Random(7)
    (root / "Assets" / "Scripts").mkdir(parents=True)
    for number in range(SCRIPTS):
        path = root / "Assets" / "Scripts" / f"Script{number}.cs"
        path.write_text(f"public class Script{number} : UnityEngine.MonoBehaviour {{ }}\n")
        _meta(path, number)
    sought = _sought(assets)
    # A tenth are scenes, which have half of all bytes; one in twenty is mere data.
    for number in range(assets):
        kind = "unity" if number % 10 == 0 else "asset" if number % 20 == 1 else "prefab"
        share = {"unity": 0.5 / 0.1, "asset": 0.2 / 0.05, "prefab": 0.3 / 0.85}[kind]
        path = root / "Assets" / f"Folder{number % 100}" / f"Asset{number}.{kind}"
        path.parent.mkdir(exist_ok=True)
        wanted = int(size / assets * share * rng.uniform(0.5, 1.5))
        path.write_text(_asset(rng, kind, wanted, assets, sought.get(number, [])))
        _meta(path, SCRIPTS + number)


def _sought(assets: int) -> dict[int, list[tuple[int, int]]]:
    """Return which sought fields each asset has: as key of a component or as override."""
    rng = random.Random(8)
    sought: dict[int, list[tuple[int, int]]] = {}
    for count, fields in ((FEW, 40), (MANY, 4)):
        for number in range(fields):
            for asset in rng.sample(range(assets), min(count, assets)):
                sought.setdefault(asset, []).append((count, number))
    return sought


def _asset(
    rng: random.Random, kind: str, wanted: int, assets: int, sought: list[tuple[int, int]]
) -> str:
    pieces = [HEADER]
    for at, (count, number) in enumerate(sought):
        pieces.append(_component(rng, 100 + at, number % SCRIPTS, [_name(count, number)]))
    length = sum(map(len, pieces))
    while length < wanted:
        file_id = rng.getrandbits(62)
        if kind == "asset":
            data = "".join(rng.choice("0123456789abcdef") for _ in range(500))
            piece = f"--- !u!43 &{file_id}\nMesh:\n  m_Name: mesh\n  _typelessdata: {data * 40}\n"
        elif kind == "unity" and rng.random() < 0.2:
            piece = _instance(rng, file_id, assets)
        elif rng.random() < 0.5:
            piece = _transform(rng, file_id)
        else:
            keys = [f"{rng.choice(WORDS)}{rng.choice(WORDS).title()}" for _ in range(8)]
            piece = _component(rng, file_id, rng.randrange(SCRIPTS), keys)
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


def _instance(rng: random.Random, file_id: int, assets: int) -> str:
    source = SCRIPTS + rng.randrange(assets)
    overrides = "".join(
        f"    - target: {{fileID: {rng.getrandbits(62)}, guid: {source + 1:032x},\n"
        f"        type: 3}}\n      propertyPath: {rng.choice(WORDS)}.Array.data[{number}].x\n"
        f"      value: {rng.randrange(100)}\n      objectReference: {{fileID: 0}}\n"
        for number in range(12)
    )
    return (
        f"--- !u!1001 &{file_id}\nPrefabInstance:\n  m_ObjectHideFlags: 0\n"
        "  serializedVersion: 2\n  m_Modification:\n    m_TransformParent: {fileID: 0}\n"
        f"    m_Modifications:\n{overrides}    m_RemovedComponents: []\n"
        f"  m_SourcePrefab: {{fileID: 100100000, guid: {source + 1:032x}, type: 3}}\n"
    )


def _meta(path: Path, number: int) -> None:
    importer = "MonoImporter" if path.suffix == ".cs" else "PrefabImporter"
    extra = "  defaultReferences: []\n" if path.suffix == ".cs" else ""
    text = f"fileFormatVersion: 2\nguid: {number + 1:032x}\n{importer}:\n{extra}  userData: \n"
    path.with_name(f"{path.name}.meta").write_text(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
