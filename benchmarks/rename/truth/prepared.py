"""Copy a Unity project, and describe its assemblies, so that it can be bound without Unity.

Each assembly definition, and each predefined assembly, gets a ``.csproj`` for the server and a
response file for the truth. Both refer to a stand-in for Unity's libraries. Scripts are left out if
their declarations need packages that aren't in the project.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.project_check.compilers import Compiler
from benchmarks.rename.truth.declared_types import DeclaredTypes
from benchmarks.rename.unity_library import unity_library

_DEFINES = (
    *("UNITY_EDITOR", "UNITY_EDITOR_WIN", "UNITY_STANDALONE", "UNITY_INCLUDE_TESTS", "DEBUG"),
    *("UNITY_5_3_OR_NEWER", "UNITY_2017_1_OR_NEWER", "UNITY_2018_1_OR_NEWER"),
    *("UNITY_2019_1_OR_NEWER", "UNITY_2020_1_OR_NEWER", "UNITY_2021_1_OR_NEWER"),
    *("UNITY_2021_3_OR_NEWER", "UNITY_2022_1_OR_NEWER", "UNITY_2022_3_OR_NEWER"),
)
_COPIED = ("Assets", "Packages", "ProjectSettings")
_KEPT = (
    *(".cs", ".meta", ".asmdef", ".asmref", ".unity", ".prefab", ".asset", ".anim", ".controller"),
    *(".playable", ".preset", ".uxml", ".inputactions", ".xml", ".json", ".txt"),
)
_GUID = re.compile(r"^guid: ([0-9a-f]{32})", re.M)
_MAIN, _EDITORS = "Assembly-CSharp", "Assembly-CSharp-Editor"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The copy, and the response file of each of its assemblies, dependencies first.

    ``left_out`` counts scripts that need packages which aren't in the project.
    """

    root: Path
    response_files: tuple[Path, ...]
    declared: DeclaredTypes
    left_out: int


def prepare(project: Path, root: Path, compiler: Compiler) -> Prepared:
    """Copy ``project`` to ``root``, which doesn't exist yet, without what isn't text.

    An assembly whose declarations have errors would keep those above it from being bound.
    """
    root.mkdir()
    for name in _COPIED:
        if (project / name).is_dir():
            shutil.copytree(project / name, root / name, ignore=_left_out)
    (root / "Library").mkdir()
    left_out = 0
    while True:
        responses = _described(root, compiler)
        declared = DeclaredTypes(compiler, root, responses)
        undeclared = declared.undeclared()
        if not undeclared:
            return Prepared(root, responses, declared, left_out)
        left_out += len(undeclared)
        for path in undeclared:
            (root / path).unlink()


def _described(root: Path, compiler: Compiler) -> tuple[Path, ...]:
    """Write the project files; return the response files."""
    sources, references = _assemblies(root)
    libraries = [*map(str, compiler.libraries), str(unity_library(compiler))]
    folder = root.with_name(f"{root.name}.rsp")
    folder.mkdir(exist_ok=True)
    for file in root.glob("*.csproj"):
        file.unlink()
    made = []
    for name in _in_order(references):
        if name not in sources:
            continue
        others = [each for each in references[name] if each in sources]
        _write_project(root, name, sources[name], others, libraries)
        response = folder / f"{name}.rsp"
        lines = ["-target:library", "-nostdlib+", "-noconfig", "-langversion:9.0", "-unsafe+"]
        lines += [f"-out:{name}.dll", f"-define:{';'.join(_DEFINES)}", "-warn:0"]
        lines += [f'-r:"{each}"' for each in libraries]
        lines += [f'-r:"{each}.dll"' for each in others]
        lines += [f'"{each}"' for each in sources[name]]
        response.write_text("\n".join(lines), encoding="utf-8")
        made.append(response)
    return tuple(made)


def is_asset_path(path: Path) -> bool:
    """Return whether Unity imports what lies there."""
    return not any(part.startswith(".") or part.endswith("~") for part in path.parts)


def _left_out(folder: str, names: list[str]) -> list[str]:
    return [
        each
        for each in names
        if not is_asset_path(Path(each))
        or (Path(folder, each).is_file() and not each.endswith(_KEPT))
    ]


def _assemblies(root: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the scripts and the references of each assembly, by its name."""
    by_folder: dict[Path, str] = {}
    by_guid: dict[str, str] = {}
    wanted: dict[str, list[str]] = {}
    definitions: dict[Path, dict[str, object]] = {}
    for file in sorted(root.rglob("*.asmdef")):
        definition = definitions[file] = json.loads(file.read_text("utf-8-sig"))
        by_folder[file.parent] = name = definition["name"]
        wanted[name] = definition.get("references", [])
        meta = file.with_name(f"{file.name}.meta")
        found = _GUID.search(meta.read_text()) if meta.is_file() else None
        if found:
            by_guid[f"GUID:{found[1]}"] = name
    for file in sorted(root.rglob("*.asmref")):
        reference = json.loads(file.read_text("utf-8-sig"))["reference"]
        by_folder[file.parent] = by_guid.get(reference, reference)
    sources: dict[str, list[str]] = {}
    for script in sorted(root.rglob("*.cs")):
        path = script.relative_to(root)
        owner = next((by_folder[each] for each in script.parents if each in by_folder), None)
        if owner is None and path.parts[0] == "Assets":
            owner = _EDITORS if "Editor" in path.parts else _MAIN
        if owner is not None:
            sources.setdefault(owner, []).append(path.as_posix())
    references = {
        name: [by_guid.get(each, each) for each in those if by_guid.get(each, each) in wanted]
        for name, those in wanted.items()
    }
    for file, definition in definitions.items():
        # The server compares these with the last build: say what the project files say.
        name = str(definition["name"])
        kept = {"name": name, "references": references[name], "allowUnsafeCode": True}
        file.write_text(json.dumps(kept))
    references[_MAIN] = [*wanted]
    references[_EDITORS] = [*wanted, _MAIN]
    return sources, references


def _in_order(references: dict[str, list[str]]) -> Iterator[str]:
    try:
        yield from TopologicalSorter(references).static_order()
    except CycleError as error:
        raise ValueError(f"assemblies refer to one another: {error.args[1]}") from error


def _write_project(
    root: Path, name: str, sources: list[str], others: list[str], libraries: list[str]
) -> None:
    lines = ['<Project ToolsVersion="4.0">', "<PropertyGroup>"]
    lines += [f"<AssemblyName>{escape(name)}</AssemblyName><LangVersion>9.0</LangVersion>"]
    lines += [f"<DefineConstants>{';'.join(_DEFINES)}</DefineConstants>"]
    lines += ["<AllowUnsafeBlocks>True</AllowUnsafeBlocks>", "</PropertyGroup>", "<ItemGroup>"]
    lines += [f'<Compile Include="{escape(each)}" />' for each in sources]
    for each in libraries:
        library = f'<Reference Include="{Path(each).stem}">'
        lines.append(f"{library}<HintPath>{escape(each)}</HintPath></Reference>")
    lines += [f'<ProjectReference Include="{escape(each)}.csproj" />' for each in others]
    (root / f"{name}.csproj").write_text("\n".join([*lines, "</ItemGroup>", "</Project>"]))
