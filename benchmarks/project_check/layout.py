"""Unity projects laid out from real C# files, as Unity leaves them after a build.

The files are those of public packages that compile without Unity. They are put in an order in which
none uses a later one, and cut into assemblies that refer to those before them. Large projects have
each package several times, in assemblies that don't know one another.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from benchmarks.project_check.compilers import Compiler
from benchmarks.project_check.reference_compiler import CACHE, ReferenceCompiler
from benchmarks.unity_packages import PACKAGES, CSharpFile, archive, csharp_files
from roslyn_server.toolchains.packages import NpmPackage

DAG = "1900b0aE.dag"
DEFINES = ("NOT_UNITY3D", "ZEN_MULTITHREADED", "NETSTANDARD2_1", "CSHARP_7_3_OR_NEWER")
"""With these, and without Unity's own, the packages leave Unity out."""

_PLUGIN = "Assets/Plugins/Zenject-usage.dll"
"""A library that scripts of one package use; Unity has every assembly refer to it."""

EDITOR_VERSION = "2022.3.62f1"
_BUILT_S = 1_700_000_000
"""When the last build ended: the files that are laid out are a minute older."""


@dataclass(frozen=True, slots=True)
class LaidOutAssembly:
    """One assembly of a project. ``sources`` and ``plugins``, libraries that come with the project,
    are project-relative, ``references`` are names."""

    name: str
    sources: tuple[str, ...]
    references: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaidOutProject:
    """A project on disk; its assemblies, dependencies first."""

    root: Path
    assemblies: tuple[LaidOutAssembly, ...]

    @property
    def response_files(self) -> list[Path]:
        """Return how each assembly was last built, in the same order."""
        return [response_file(self.root, each.name) for each in self.assemblies]

    @property
    def sources(self) -> list[str]:
        """Return every source."""
        return [source for each in self.assemblies for source in each.sources]


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of a package's files, each at its place, in an order in which none uses a later one."""

    package: str
    groups: tuple[tuple[CSharpFile, ...], ...]
    """Files that use one another stand together."""

    @property
    def size(self) -> int:
        return sum(map(len, self.groups))


def lay_out(root: Path, compiler: Compiler, *, files: int, assemblies: int) -> LaidOutProject:
    """Return a built project of about so many files and assemblies, in an empty folder.

    Raises ``FetchError`` where the packages can't be had.
    """
    _write_plugin(root)
    parts = _parts(files, [_ordered(package, compiler) for package in PACKAGES[:3]])
    made: list[LaidOutAssembly] = []
    left, cuts_left = sum(part.size for part in parts), assemblies
    for number, part in enumerate(parts):
        cuts = max(1, round(cuts_left * part.size / left))
        left, cuts_left = left - part.size, cuts_left - cuts
        made += _write_part(root, f"{_short(part.package)}{number}", part, cuts)
    project = LaidOutProject(root, tuple(made))
    write_build(project, compiler)
    return project


def write_build(
    project: LaidOutProject,
    compiler: Compiler,
    options: Mapping[str, Sequence[str]] | None = None,
    *,
    version: str = EDITOR_VERSION,
) -> None:
    """Leave what the Unity of that ``version`` leaves of a build: definitions, response files,
    libraries, the log.

    ``options`` are further lines of an assembly's response file. Raises ``ValueError`` if a source
    does not compile.
    """
    root = project.root
    _write(root / "ProjectSettings" / "ProjectVersion.txt", f"m_EditorVersion: {version}\n")
    _write(root / "Packages" / "manifest.json", '{"dependencies": {}}\n')
    for each in project.assemblies:
        definition = {
            "name": each.name,
            "references": list(each.references),
            "allowUnsafeCode": True,  # as the response files say
        }
        file = root / "Assets" / each.name / f"{each.name}.asmdef"
        if not file.exists():
            _write(file, json.dumps(definition, indent=4) + "\n")
        lines = response_lines(each, compiler, (options or {}).get(each.name, ()))
        _write(response_file(root, each.name), "".join(f"{line}\n" for line in lines))
    ReferenceCompiler(compiler, root, project.response_files).build()
    log = {"msg": "init", "dagFile": f"Library/Bee/{DAG}"}
    _write(root / "Library" / "Bee" / "tundra.log.json", json.dumps(log) + "\n")
    age(root)


def age(root: Path) -> None:
    """Let every file be as old as after a build that ended a while ago."""
    for folder, _, names in os.walk(root):
        built = os.sep + "Library" in folder
        for name in names:
            when = _BUILT_S if built else _BUILT_S - 60
            os.utime(Path(folder) / name, (when, when))


def response_file(root: Path, assembly: str) -> Path:
    """Return the path of the assembly's response file."""
    return root / "Library" / "Bee" / "artifacts" / DAG / f"{assembly}.rsp"


def response_lines(
    assembly: LaidOutAssembly, compiler: Compiler, options: Sequence[str] = ()
) -> list[str]:
    """Return the compiler's arguments, in Unity's order."""
    artifacts = f"Library/Bee/artifacts/{DAG}"
    return [
        "-target:library",
        f'-out:"{artifacts}/{assembly.name}.dll"',
        f'-refout:"{artifacts}/{assembly.name}.ref.dll"',
        *(f"-define:{symbol}" for symbol in DEFINES),
        *(f'-r:"{library}"' for library in compiler.libraries),
        *(f'-r:"{library}"' for library in assembly.plugins),
        *(f'-r:"{artifacts}/{name}.ref.dll"' for name in assembly.references),
        *(f'"{source}"' for source in assembly.sources),
        "-langversion:9.0",
        "-unsafe+",
        "-deterministic",
        "-optimize-",
        "-debug:portable",
        "-nologo",
        "-nostdlib+",
        "-noconfig",
        "-preferreduilang:en-US",
        "-warn:0",
        *options,
    ]


# -- which files, in which order -------------------------------------------------------------------


def _parts(files: int, ordered: Sequence[_Part]) -> list[_Part]:
    """Return packages in turn, each from its beginning, until there are about so many files."""
    parts: list[_Part] = []
    left = files
    while left > 0:
        whole = ordered[len(parts) % len(ordered)]
        groups: list[tuple[CSharpFile, ...]] = []
        for group in whole.groups:
            if groups and len(group) > left:
                break
            groups.append(group)
            left -= len(group)
        parts.append(_Part(whole.package, tuple(groups)))
        left -= left if left < _SMALLEST_PART else 0
    return parts


_SMALLEST_PART = 5


@cache
def _ordered(package: NpmPackage, compiler: Compiler) -> _Part:
    files = {each.label: each for each in csharp_files(package) if not _is_of_editor(each.label)}
    graph = _graph(package, files, compiler)
    groups = [tuple(files[label] for label in group) for group in in_order(graph)]
    return _Part(package.name, tuple(groups))


def _graph(
    package: NpmPackage, files: Mapping[str, CSharpFile], compiler: Compiler
) -> dict[str, list[str]]:
    """Return which files compile, and which others each uses; cached."""
    source = Path(__file__).with_name("reference_compiler.cs").read_bytes()
    seed = sha256(source + f"{package.integrity} {DEFINES} {compiler}".encode()).hexdigest()[:24]
    kept = CACHE / f"{package.name}-{seed}.json"
    if kept.is_file():
        found: dict[str, list[str]] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for label, each in files.items():
            _write(root / label, each.data)
        _write_plugin(root)
        whole = LaidOutAssembly("Whole", tuple(files), plugins=(_PLUGIN,))
        response = response_file(root, "Whole")
        _write(response, "\n".join(response_lines(whole, compiler)))
        used = ReferenceCompiler(compiler, root, [response]).graph()

    def inside(path: str) -> str:
        return Path(path).relative_to(root).as_posix()

    graph = {inside(path): [inside(each) for each in others] for path, others in used.items()}
    kept.parent.mkdir(parents=True, exist_ok=True)
    beside = kept.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(graph), encoding="utf-8")
    beside.replace(kept)
    return graph


def in_order(graph: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return nodes in groups: those that reach one another, after those that they use."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[list[str]] = []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = [stack.pop()]
                    while group[-1] != node:
                        group.append(stack.pop())
                    on_stack.difference_update(group)
                    groups.append(sorted(group))
    return groups


def _is_of_editor(label: str) -> bool:
    return "/Editor/" in label or "/Tests/" in label


def _short(package: str) -> str:
    return package.rpartition(".")[2].capitalize()


# -- onto the disk ---------------------------------------------------------------------------------


def _write_part(root: Path, name: str, part: _Part, cuts: int) -> Iterable[LaidOutAssembly]:
    """Yield the part as assemblies, each referring to those before it."""
    pieces = _cut(part.groups, cuts)
    names = [f"{name}.{_LETTERS[number]}" for number in range(len(pieces))]
    for number, piece in enumerate(pieces):
        assembly = names[number]
        sources = []
        for file in piece:
            source = f"Assets/{assembly}/{file.label.partition('/')[2]}"
            # The same file of another copy is another text.
            _write(root / source, file.data.rstrip() + f"\n// {assembly}\n".encode())
            sources.append(source)
        friends = "".join(
            f'[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("{each}")]\n'
            for each in names[number + 1 :]
        )
        if friends:
            source = f"Assets/{assembly}/AssemblyInfo.cs"
            if source not in sources:
                _write(root / source, friends)
                sources.append(source)
        yield LaidOutAssembly(assembly, tuple(sources), tuple(names[:number]), (_PLUGIN,))


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _cut(groups: Sequence[Sequence[CSharpFile]], cuts: int) -> list[list[CSharpFile]]:
    """Return consecutive groups, joined to pieces of about equal size."""
    total = sum(map(len, groups))
    pieces: list[list[CSharpFile]] = [[]]
    done = 0
    for group in groups:
        if pieces[-1] and len(pieces) < cuts and done >= total * len(pieces) / cuts:
            pieces.append([])
        pieces[-1] += group
        done += len(group)
    return pieces


def _write_plugin(root: Path) -> None:
    with tarfile.open(archive(PACKAGES[2])) as tar:
        member = next(each for each in tar if each.name.endswith(Path(_PLUGIN).name))
        content = tar.extractfile(member)
        assert content is not None
        _write(root / _PLUGIN, content.read())


def _write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
