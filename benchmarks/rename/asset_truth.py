"""Check renames in real assets: what PyYAML reads before and after, there and back, every byte.

    python -m benchmarks.rename.asset_truth FOLDER [--symbols 200] [--seed 1]

FOLDER is a Unity project, or holds some. Symbols are drawn from what its assets name, as no C# is
read here. Each is renamed there and back in a copy, and the table says for each kind:

- symbols, and places found;
- missed, excess: keys that PyYAML finds in components and ``unity_assets`` doesn't, and the
  reverse;
- other: files in which anything but the name has changed, for PyYAML or between blanks;
- bytes: files that aren't the same after there and back;
- refused: conflicts. They are legitimate where an old value stands under the new name.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.rename.asset_symbols import SUFFIXES, Facts, documents_of, read_facts
from unity_assets import Assets, Renamed

KINDS = ("field", "nested field", "managed field", "method", "type", "managed type", "curve")
FOLLOWED = ("serialized value",)


def main(arguments: list[str]) -> int:
    """Check every project in the folder; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--symbols", type=int, default=200, help="of each kind and project")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    projects = sorted({each.parent for each in chosen.folder.rglob("Assets") if each.is_dir()})
    projects = [each for each in projects if "Assets" not in each.parts]
    wrong = 0
    print(f"{'project':36}{'kind':16}{'symbols':>8}{'places':>8}", end="")
    print("".join(f"{each:>9}" for each in ("missed", "excess", "other", "bytes", "refused")))
    for project in projects:
        totals = _check(project, chosen.symbols, random.Random(chosen.seed))
        for kind in KINDS:
            row = {name: totals[kind, name] for name in _COLUMNS}
            if row["symbols"]:
                name = project.relative_to(chosen.folder).as_posix()[-35:]
                print(f"{name:36}{kind:16}", end="")
                print(
                    "".join(f"{row[each]:>{8 if i < 2 else 9}}" for i, each in enumerate(_COLUMNS))
                )
                wrong += row["missed"] + row["excess"] + row["other"] + row["bytes"]
    return 1 if wrong else 0


_COLUMNS = ("symbols", "places", "missed", "excess", "other", "bytes", "refused")


def _check(project: Path, symbols: int, rng: random.Random) -> Counter[tuple[str, str]]:
    totals: Counter[tuple[str, str]] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        _copy(project, root)
        facts = read_facts(root)
        read = time.monotonic()
        assets = Assets(root, None)
        assets.refresh()
        indexed = time.monotonic()
        for kind in KINDS:
            known = sorted(_symbols(facts, kind), key=repr)
            for symbol in rng.sample(known, min(symbols, len(known))):
                totals[kind, "symbols"] += 1
                _check_symbol(root, assets, facts, kind, symbol, totals)
        ended = time.monotonic()
    seconds = f"PyYAML {read - started:.0f} s, index {indexed - read:.1f} s"
    print(
        f"# {project.name}: {facts.documents} documents, {facts.unread} that PyYAML can't read;"
        f" {seconds}, renames {ended - indexed:.0f} s",
        flush=True,
    )
    return totals


def _copy(project: Path, root: Path) -> None:
    for name in ("Assets", "Packages", "ProjectSettings"):
        if (project / name).is_dir():
            shutil.copytree(
                project / name,
                root / name,
                ignore=lambda folder, names: [
                    each
                    for each in names
                    if Path(folder, each).is_file()
                    and not each.endswith((*SUFFIXES, ".meta", ".cs", ".uxml", ".inputactions"))
                ],
            )


def _symbols(facts: Facts, kind: str) -> set[Any]:
    match kind:
        case "field":
            return {(guid, key) for guid, key, path in facts.keys if not path}
        case "nested field":
            return {each for each in facts.keys if each[2]}
        case "managed field":
            return {*facts.managed_keys}
        case "method":
            return {*facts.methods}
        case "type":
            stems = {Path(each).stem for each in facts.scripts.values()}
            return {each for each in facts.types if each[0].rpartition(".")[2] in stems}
        case "managed type":
            return {each for each in facts.triples if each[1]}
        case _:
            return {*facts.curves}


def _check_symbol(
    root: Path, assets: Assets, facts: Facts, kind: str, symbol: Any, totals: Counter[Any]
) -> None:
    there, back, name, new, expected = _asked(facts, kind, symbol)
    renamed = assets.rename(there, new, "rewrite")
    totals[kind, "places"] += len(renamed.hits)
    if renamed.conflicts:
        totals[kind, "refused"] += 1
        return
    if expected is not None:
        found = {(each.path, each.line) for each in renamed.hits if each.kind in FOLLOWED}
        files = Counter(path for path, _ in found)
        wanted = Counter(path for path, _ in expected)
        totals[kind, "missed"] += sum((wanted - files).values())
        if kind == "field":
            totals[kind, "excess"] += sum((files - wanted).values())
    elif not renamed.hits:
        totals[kind, "missed"] += 1
    for path, before, after in renamed.files:
        if not _only_the_name(before, after, name, new):
            totals[kind, "other"] += 1
            print(f"  other: {path} {name}")
        (root / path).write_bytes(after)
    returned = assets.rename(back, name, "rewrite")
    _put_back(root, renamed, returned, kind, totals)


def _put_back(
    root: Path, renamed: Renamed, returned: Renamed, kind: str, totals: Counter[Any]
) -> None:
    originals = {path: before for path, before, _ in renamed.files}
    results = {path: after for path, _, after in returned.files}
    for path, before in originals.items():
        if results.get(path) != before:
            totals[kind, "bytes"] += 1
            print(f"  bytes: {path}")
        (root / path).write_bytes(before)
    totals[kind, "bytes"] += len(results.keys() - originals.keys())


def _asked(facts: Facts, kind: str, symbol: Any) -> tuple[Any, Any, str, str, Any]:
    """Return facts there and back, both names, and the documents that have the key."""
    empty = _empty()
    if kind in ("field", "nested field", "curve", "managed field"):
        if kind == "curve":
            path_text, guid = symbol
            parts = tuple(path_text.split("."))
            key, path, expected = parts[0], (), None
        elif kind == "field":
            guid, key = symbol
            path, expected = (), facts.keys[guid, key, ()]
        else:
            guid, key, path = symbol
            expected = (facts.managed_keys if kind == "managed field" else facts.keys)[symbol]
        name = key.removeprefix("<").partition(">")[0]
        new = name[:3] + "Renamed" + name[3:] if len(name) % 2 else name[: len(name) // 2 + 1] + "Q"
        holder = {
            "paths": [".".join(path).replace(".[]", "[]")],
            "managed": kind == "managed field",
        }
        if kind == "managed field":
            holder |= {"type": _type(*guid), "scripts": []}
        else:
            script = facts.scripts[guid]
            holder |= {"type": _type("", Path(script).stem, "A"), "scripts": [script]}
        there = empty | {"name": name, "kind": "field", "key": key, "holders": [holder]}
        return there, there | {"name": new, "key": key.replace(name, new)}, name, new, expected
    if kind == "method":
        name, guid = symbol
        script = facts.scripts[guid]
        setter = name.startswith("set_")
        plain = name.removeprefix("set_") if setter else name
        new = plain + "AndSoOn"
        there = empty | {
            "name": plain,
            "kind": "property" if setter else "method",
            "targets": [{"type": _type("", Path(script).stem, "A"), "scripts": [script]}],
        }
        return there, there | {"name": new}, plain, new, None
    if kind == "type":
        full, assembly = symbol
        namespace, _, own = full.rpartition(".")
        before = _type(namespace, own.replace("+", "/"), assembly)
    else:
        before = _type(symbol[0], symbol[1].partition("[[")[0], symbol[2])
    outer, _, last = before["name"].rpartition("/")
    bare, tick, arity = last.partition("`")
    new = f"{bare}OfAnotherNameThatIsLonger"
    after = before | {"name": (outer + "/" if outer else "") + new + tick + arity}
    there = empty | {
        "name": bare,
        "kind": "type",
        "type": before,
        "renamedTypes": [{"before": before, "after": after}],
    }
    back = there | {
        "name": new,
        "type": after,
        "renamedTypes": [{"before": after, "after": before}],
    }
    return there, back, bare, new, None


def _empty() -> dict[str, Any]:
    return {
        "name": "",
        "kind": "",
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


def _type(namespace: str, name: str, assembly: str) -> dict[str, str]:
    return {"namespace": namespace, "name": name, "assembly": assembly}


def _only_the_name(before: bytes, after: bytes, name: str, new: str) -> bool:
    """Return whether the texts between blanks, and what PyYAML reads, differ in the name alone."""
    old_words, new_words = before.split(), after.split()
    if len(old_words) != len(new_words):
        return False
    for was, now in zip(old_words, new_words, strict=True):
        # Of two occurrences in one word, only one may be the name: so compare backwards, too.
        there = was.replace(name.encode(), new.encode()) == now
        back = now.replace(new.encode(), name.encode()) == was
        if was != now and not there and not back and not _is_hash(was, now):
            return False
    olds, news = documents_of(before), documents_of(after)
    return len(olds) == len(news) and all(
        old_id == new_id and _same(old, read, name, new)
        for (_, old_id, old), (_, new_id, read) in zip(olds, news, strict=True)
    )


def _is_hash(was: bytes, now: bytes) -> bool:
    return was.isdigit() and now.isdigit() and max(int(was), int(now)) < 1 << 32


def _same(old: Any, read: Any, name: str, new: str) -> bool:
    if isinstance(old, dict) and isinstance(read, dict):
        return len(old) == len(read) and all(
            _same(key, other, name, new) and _same(old[key], read[other], name, new)
            for key, other in zip(old, read, strict=True)
        )
    if isinstance(old, list) and isinstance(read, list):
        return len(old) == len(read) and all(
            _same(a, b, name, new) for a, b in zip(old, read, strict=True)
        )
    if old == read:
        return True
    if not (isinstance(old, str) and isinstance(read, str)):
        return False
    return read.replace(new, name) == old or (old.isdigit() and read.isdigit())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
