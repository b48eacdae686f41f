"""Builds as the project files say that Unity writes for code editors.

Implements docs/design/roslyn.md §3 "References", for projects whose ``Library/Bee`` isn't there:
the ``.csproj`` files in the project's root.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from roslyn_server.projects.builds import Build, Dependency, assembly_name, modified_ns, stamp_of

_MAX_BYTES = 16 * 1024 * 1024


class CsprojBuilds:
    """The assemblies that the project files in ``root`` describe, by their scripts."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[Path, tuple[tuple[int, int], _ProjectFile | None]] = {}

    def build_of(self, script: str) -> Build | None:
        """The build of the project file that lists the script, if one does."""
        for file in self.files():
            project = self._project(file)
            if project is not None and script in project.sources:
                return project.build
        return None

    def files(self) -> list[Path]:
        """The project files, none where Unity wrote none."""
        return sorted(self._root.glob("*.csproj"))

    def dependencies(self, build: Build) -> Iterator[Dependency]:
        """The other project files that ``build`` refers to, by what Unity last made of them."""
        for assembly in build.references:
            project = self._project(self._root / f"{assembly}.csproj")
            if project is not None:
                library = _library(self._root, assembly)
                yield Dependency(assembly, modified_ns(library), project.sources)

    def _project(self, file: Path) -> _ProjectFile | None:
        stamp = stamp_of(file)
        if stamp is None:
            return None
        known = self._read.get(file)
        if known is None or known[0] != stamp:
            known = self._read[file] = stamp, _ProjectFile.read(file, stamp)
        return known[1]


class _ProjectFile:
    """One project file: the scripts that it lists, and its assembly's build."""

    def __init__(self, sources: frozenset[str], build: Build) -> None:
        self.sources = sources
        self.build = build

    @classmethod
    def read(cls, file: Path, stamp: tuple[int, int]) -> _ProjectFile | None:
        """``None`` where it can't be read as one."""
        try:
            if stamp[1] > _MAX_BYTES:
                return None
            root = ElementTree.fromstring(file.read_bytes())
        except (OSError, ElementTree.ParseError):
            return None
        folder = file.parent
        sources = [name.replace("\\", "/") for name in _attributes(root, "Compile", "Include")]
        references = list(_references(root, folder))
        arguments = ["-target:library", "-nostdlib", *_options(root)]
        arguments += [f"-r:{path}" for path in references]
        analyzers = _attributes(root, "Analyzer", "Include")
        build = Build(
            _first(root, "AssemblyName") or file.stem,
            file,
            stamp,
            folder,
            (*arguments, *sources),
            frozenset(map(assembly_name, references)),
            "-unsafe" in arguments,
            tuple(folder / path.replace("\\", "/") for path in analyzers),
        )
        return cls(frozenset(sources), build)


def _options(root: ElementTree.Element) -> Iterator[str]:
    symbols = _first(root, "DefineConstants")
    if symbols:
        yield f"-define:{';'.join(part.strip() for part in symbols.split(';') if part.strip())}"
    version = _first(root, "LangVersion")
    if version:
        yield f"-langversion:{version}"
    if (_first(root, "AllowUnsafeBlocks") or "").lower() == "true":
        yield "-unsafe"
    nullable = _first(root, "Nullable")
    if nullable:
        yield f"-nullable:{nullable}"
    ignored = _first(root, "NoWarn")
    if ignored:
        yield f"-nowarn:{ignored.replace(' ', '')}"


def _references(root: ElementTree.Element, folder: Path) -> Iterator[str]:
    """Libraries by their paths, and other project files by what Unity last made of them."""
    for path in (each.text for each in _elements(root, "HintPath")):
        if path:
            yield path.strip().replace("\\", "/")
    for project in _attributes(root, "ProjectReference", "Include"):
        yield str(_library(folder, Path(project.replace("\\", "/")).stem))


def _library(root: Path, assembly: str) -> Path:
    return root / "Library" / "ScriptAssemblies" / f"{assembly}.dll"


def _elements(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """The elements of that name, in whatever XML namespace."""
    for element in root.iter():
        if element.tag.rpartition("}")[2] == name:
            yield element


def _attributes(root: ElementTree.Element, name: str, attribute: str) -> Iterator[str]:
    for element in _elements(root, name):
        value = element.get(attribute)
        if value:
            yield value


def _first(root: ElementTree.Element, name: str) -> str | None:
    for element in _elements(root, name):
        if element.text and element.text.strip():
            return element.text.strip()
    return None
