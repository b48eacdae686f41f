"""Read builds from the project files that Unity writes for code editors.

Implements docs/design/roslyn.md §3 "References", for projects without ``Library/Bee``. A file
written by hand may have wildcards and remove scripts again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from roslyn_server.projects.build import Build, BuildSet, assembly_name, plugins_among, script_paths
from roslyn_server.projects.files import Stamp, plain_bytes, stamp_of
from roslyn_server.projects.options.analyzers import unreadable
from roslyn_server.projects.options.command_lines import build_options
from snippet_engine.storage.os_failure import reason_of

_MAX_BYTES = 16 * 1024 * 1024


class CsprojBuilds:
    """The assemblies that the project files in ``root`` describe."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[Path, tuple[Stamp, _Described]] = {}
        self._set: tuple[object, BuildSet | None] = None, None

    def read(self) -> BuildSet | None:
        """Return the builds now; ``None`` if there are no project files.

        A file that can't be read becomes a build with a fault.
        """
        files = sorted(self._root.glob("*.csproj"))
        found = [build for build in map(self._build, files) if build is not None]
        stamps = [(build.origin, build.stamp, build.sources, build.fault) for build in found]
        if self._set[0] != stamps:
            self._set = stamps, BuildSet(found)
        return self._set[1] if found else None

    def _build(self, file: Path) -> Build | None:
        stamp = stamp_of(file)
        if stamp is None:
            return None
        known = self._read.get(file)
        if known is None or known[0] != stamp:
            try:
                known = self._read[file] = stamp, _described(file, stamp)
            except (OSError, _NoProjectError) as error:
                # Not kept: what keeps it from being read may go without a new time or size.
                return _unread(file, stamp, error)
        return known[1].now()


@dataclass(frozen=True, slots=True)
class _Described:
    """A build that a project file describes."""

    build: Build
    wildcards: tuple[CompileItem, ...] = ()
    """The wildcards for its scripts."""
    configurations: tuple[Path, ...] = ()
    """The configurations that it names."""

    def now(self) -> Build:
        """Return the build with the scripts and configurations that exist now."""
        fault = unreadable(self.configurations)
        if fault is not None:
            return replace(self.build, arguments=(), fault=fault)
        configured = (stamp_of(each) or (0,) for each in self.configurations)
        stamp = (*self.build.stamp, *(number for each in configured for number in each))
        return replace(self._with_scripts(), stamp=stamp)

    def _with_scripts(self) -> Build:
        if not self.wildcards:
            return self.build
        name = self.build.origin.name
        try:
            sources = scripts_of(self.wildcards, self.build.folder)
            fault = f"{name} has wildcards over too many files"
        except OSError as error:
            sources = None
            where = os.path.relpath(error.filename, self.build.folder).replace(os.sep, "/")
            why = reason_of(error).lower()
            fault = f"{name} has a wildcard over {where}, which can't be looked into ({why})"
        if sources is None:
            return replace(self.build, arguments=(), fault=fault)
        sources = script_paths(self.build.folder, sources)
        arguments = (*self.build.arguments, *sources)
        return replace(self.build, arguments=arguments, sources=sources)


class _NoProjectError(Exception):
    """The file describes no project; the message says why."""


def _unread(file: Path, stamp: Stamp, error: Exception) -> Build:
    """Return a build whose fault is that its project file can't be read."""
    why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    fault = f"{file.name} can't be read ({why}); let Unity or the code editor write it again"
    return Build(file.stem, file, stamp, file.parent, (), frozenset(), False, (), (), fault)


def _parsed(file: Path, size: int) -> ElementTree.Element:
    """Parse the XML. Raises ``OSError``, :class:`_NoProjectError`."""
    if size > _MAX_BYTES:
        raise _NoProjectError(f"it has more than {_MAX_BYTES:,} bytes")
    data = plain_bytes(file, _MAX_BYTES)
    if not data.strip():
        raise _NoProjectError("it is empty")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # or of its encoding
        raise _NoProjectError(f"it isn't XML: {error}") from error


def _described(file: Path, stamp: Stamp) -> _Described:
    """Read a project file. Raises ``OSError``, :class:`_NoProjectError`."""
    root = _parsed(file, stamp[1])
    folder = file.parent
    items = compile_items(_elements(root, "Compile"))
    fault = None
    if items is None:
        items, fault = (), f"only MSBuild can tell which scripts {file.name} is about"
    is_wild = have_wildcards(items)
    sources = () if is_wild else script_paths(folder, scripts_of(items, folder) or ())
    references = list(_references(root, folder))
    assembly = _first(root, "AssemblyName") or file.stem
    # Without its name the compiler takes that of the first script, and wants one.
    named = ["-target:library", f"-out:{assembly}.dll", "-nostdlib"]
    arguments = [*named, *_options(root, folder)]
    arguments += [f"-r:{path}" for path in references]
    analyzers = list(_attributes(root, "Analyzer", "Include"))
    additional = compile_items(_elements(root, "AdditionalFiles"))
    if analyzers and (additional is None or have_wildcards(additional)):
        fault = fault or f"only MSBuild can tell which additional files {file.name} has"
    else:
        given = scripts_of(additional or (), folder) or ()
        arguments += [f"-additionalfile:{path}" for path in given]
    configurations = [
        path.replace("\\", "/")
        for name in ("EditorConfigFiles", "GlobalAnalyzerConfigFiles")
        for path in _attributes(root, name, "Include")
    ]
    arguments += [f"-analyzerconfig:{path}" for path in configurations]
    build = Build(
        assembly,
        file,
        stamp,
        folder,
        () if fault else (*arguments, *sources),
        frozenset(map(assembly_name, references)),
        "-unsafe" in arguments,
        tuple(folder / path.replace("\\", "/") for path in analyzers),
        sources,
        fault,
        frozenset(_symbols(root)),
        plugins_among(references),
        build_options(arguments),
    )
    rules = (_first(root, "CodeAnalysisRuleSet") or "").replace("\\", "/")
    configured = tuple(folder / path for path in (*configurations, rules) if path)
    return _Described(build, items if is_wild else (), configured)


def _options(root: ElementTree.Element, folder: Path) -> Iterator[str]:
    symbols = _symbols(root)
    if symbols:
        yield f"-define:{';'.join(symbols)}"
    version = _first(root, "LangVersion")
    if version:
        yield f"-langversion:{version}"
    if (_first(root, "AllowUnsafeBlocks") or "").lower() == "true":
        yield "-unsafe"
    nullable = _first(root, "Nullable")
    if nullable:
        yield f"-nullable:{nullable}"
    for element, option in _OF_WARNINGS:
        listed = _ids(_first(root, element))
        if listed:
            yield f"-{option}:{listed}"
    if (_first(root, "TreatWarningsAsErrors") or "").lower() == "true":
        yield "-warnaserror+"
        # Exceptions come after the option that makes all warnings errors.
        excepted = _ids(_first(root, "WarningsNotAsErrors"))
        if excepted:
            yield f"-warnaserror-:{excepted}"
    level = _first(root, "WarningLevel")
    if level and level.isdecimal():
        yield f"-warn:{level}"
    rules = _first(root, "CodeAnalysisRuleSet")
    if rules and (folder / rules.replace("\\", "/")).is_file():
        yield f"-ruleset:{rules.replace(chr(92), '/')}"


def _symbols(root: ElementTree.Element) -> list[str]:
    listed = (_first(root, "DefineConstants") or "").split(";")
    return [each.strip() for each in listed if each.strip()]


_OF_WARNINGS = (("NoWarn", "nowarn"), ("WarningsAsErrors", "warnaserror+"))


def _ids(listed: str | None) -> str:
    """Return a list of warnings as ``csc`` takes it; MSBuild also allows semicolons and blanks."""
    parts = (listed or "").replace(";", ",").split(",")
    # A property that refers to another, as `$(NoWarn)`, stands for what Unity doesn't set.
    return ",".join(each.strip() for each in parts if each.strip() and "$" not in each)


def _references(root: ElementTree.Element, folder: Path) -> Iterator[str]:
    """Yield libraries by path, and for other project files the assembly Unity last built."""
    for path in (each.text for each in _elements(root, "HintPath")):
        if path:
            yield path.strip().replace("\\", "/")
    for project in _attributes(root, "ProjectReference", "Include"):
        yield str(_library(folder, Path(project.replace("\\", "/")).stem))


def _library(root: Path, assembly: str) -> Path:
    return root / "Library" / "ScriptAssemblies" / f"{assembly}.dll"


def _elements(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Yield the elements of that name, in any XML namespace."""
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


_MAX_FOLDERS = 20_000
_MAX_FILES = 100_000
_WILDCARDS = frozenset("*?")
_NOT_EVALUATED = ("$(", "@(", "%(")


@dataclass(frozen=True, slots=True)
class CompileItem:
    """One ``Compile`` element's patterns: included, excluded, and removed from earlier ones."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    remove: tuple[str, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """All of its patterns."""
        return (*self.include, *self.exclude, *self.remove)


def compile_items(elements: Iterator[ElementTree.Element]) -> tuple[CompileItem, ...] | None:
    """Return the elements in order; ``None`` if one uses MSBuild expressions."""
    items = tuple(
        CompileItem(*(_patterns(each, name) for name in ("Include", "Exclude", "Remove")))
        for each in elements
    )
    named = (pattern for item in items for pattern in item.patterns)
    return None if any(sign in each for each in named for sign in _NOT_EVALUATED) else items


def have_wildcards(items: Sequence[CompileItem]) -> bool:
    """Return whether the included scripts depend on which files exist."""
    return any(map(_is_wild, (pattern for item in items for pattern in item.include)))


def scripts_of(items: Sequence[CompileItem], folder: Path) -> tuple[str, ...] | None:
    """Return the paths that the items include, each once; those of a wildcard sorted.

    ``None`` if there are too many files to look through. Raises ``OSError`` if a folder can't be
    listed.
    """
    found: dict[str, None] = {}
    for item in items:
        named: list[str] = []
        for pattern in item.include:
            matching = _matching(pattern, folder) if _is_wild(pattern) else [pattern]
            if matching is None:
                return None
            named += matching
        excluded, removed = _any_of(item.exclude), _any_of(item.remove)
        found.update((each, None) for each in named if not excluded.fullmatch(each))
        for each in [each for each in found if removed.fullmatch(each)]:
            del found[each]
    return tuple(found)


def _patterns(element: ElementTree.Element, name: str) -> tuple[str, ...]:
    listed = (element.get(name) or "").replace("\\", "/").split(";")
    return tuple(each.strip().removeprefix("./") for each in listed if each.strip())


def _is_wild(pattern: str) -> bool:
    return not _WILDCARDS.isdisjoint(pattern)


def _matching(pattern: str, folder: Path) -> list[str] | None:
    """Return the files that match ``pattern``, below its folders before any wildcard."""
    steps = pattern.split("/")
    fixed = next(number for number, step in enumerate(steps) if _is_wild(step))
    above = "/".join(steps[:fixed])
    fits = _any_of((pattern,))
    found: list[str] = []
    files_seen = 0
    for seen, (path, _, names) in enumerate(os.walk(folder / above, onerror=_raise)):
        files_seen += len(names)
        if seen > _MAX_FOLDERS or files_seen > _MAX_FILES:
            return None
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        start = "" if inside == "." else f"{inside}/"
        found += [f"{start}{name}" for name in names if fits.fullmatch(f"{start}{name}")]
    return sorted(found)


def _raise(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return an expression that matches any of ``patterns``, ignoring case."""
    return re.compile("|".join(map(_expression, patterns)) or r"(?!)", re.IGNORECASE)


def _expression(pattern: str) -> str:
    *folders, name = pattern.split("/")
    within = "".join(
        "(?:[^/]+/)*" if each == "**" else f"{_step(each)}/"
        for number, each in enumerate(folders)
        if each != "**" or folders[number - 1 : number] != ["**"]
    )
    return within + ("(?:[^/]+/)*[^/]*" if name == "**" else _step(name))


def _step(text: str) -> str:
    known = {"*": "[^/]*", "?": "[^/]"}
    # Stars side by side say what one says, and would be tried in every combination.
    return "".join(known.get(sign) or re.escape(sign) for sign in re.sub(r"\*+", "*", text))
