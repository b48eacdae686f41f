"""Read builds from the project files that Unity writes for code editors.

Implements docs/design/roslyn.md §3 "References", for projects without ``Library/Bee``. Doesn't
guess values that only MSBuild can evaluate, such as wildcards in a file written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from roslyn_server.projects.build import Build, BuildSet
from roslyn_server.projects.files import Remembered, Stamp, plain_bytes, stamp_of
from roslyn_server.projects.options.analyzers import as_configured
from roslyn_server.projects.options.command_lines import build_of

_MAX_BYTES = 16 * 1024 * 1024
_NOT_EVALUATED = ("$(", "@(", "%(", "*", "?")


class CsprojBuilds:
    """The assemblies that the project files in ``root`` describe."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._described = Remembered[Build]()
        self._set = Remembered[BuildSet]()

    def read(self) -> BuildSet | None:
        """Return the builds now; ``None`` if there are no project files.

        A file that can't be read becomes a build with a fault.
        """
        files = sorted(self._root.glob("*.csproj"))
        found = [build for build in map(self._build, files) if build is not None]
        stamps = [(build.origin, build.stamp, build.fault) for build in found]
        return self._set.get(stamps, lambda: BuildSet(found)) if found else None

    def _build(self, file: Path) -> Build | None:
        stamp = stamp_of(file)
        if stamp is None:
            return None
        try:
            build = self._described.get(stamp, lambda: _described(file, stamp), file)
        except (OSError, _NoProjectError) as error:
            # Don't keep the result: the file may become readable without a new time or size.
            why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
            what = f"{file.name} can't be read ({why})"
            fault = f"{what}; let Unity or the code editor write it again"
            return build_of(file.stem, file, stamp, file.parent, (), fault=fault)
        return as_configured(_with_present_rules(build))


class _NoProjectError(Exception):
    """The file describes no project; the message says why."""


def _parsed(file: Path, size: int) -> ElementTree.Element:
    """Parse the XML. Raises ``OSError``, :class:`_NoProjectError`."""
    if size > _MAX_BYTES:
        raise _NoProjectError(f"it has more than {_MAX_BYTES:,} bytes")
    data = plain_bytes(file, _MAX_BYTES)
    if not data.strip():
        raise _NoProjectError("it is empty")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # or a wrong encoding
        raise _NoProjectError(f"it isn't XML: {error}") from error


def _described(file: Path, stamp: Stamp) -> Build:
    """Read a project file. Raises ``OSError``, :class:`_NoProjectError`."""
    root = _parsed(file, stamp[1])
    sources, fault = _included(root, "Compile"), None
    if sources is None:
        sources, fault = [], f"only MSBuild can tell which scripts {file.name} is about"
    given, analyzers = _included(root, "AdditionalFiles"), _paths(root, "Analyzer")
    if given is None:
        if analyzers:
            fault = fault or f"only MSBuild can tell which additional files {file.name} has"
        given = []
    assembly = _first(root, "AssemblyName") or file.stem
    # Without ``-out`` the compiler needs a script, whose name it gives the output.
    named = ["-target:library", f"-out:{assembly}.dll", "-nostdlib"]
    configured = (*_paths(root, "EditorConfigFiles"), *_paths(root, "GlobalAnalyzerConfigFiles"))
    arguments = [
        *named,
        *_options(root),
        *(f"-r:{path}" for path in _references(root, file.parent)),
        *(f"-additionalfile:{path}" for path in given),
        *(f"-analyzerconfig:{path}" for path in configured),
        *sources,
    ]
    analyzed = (f'-analyzer:"{path}"' for path in analyzers)
    passed = tuple(arguments)
    return build_of(
        assembly, file, stamp, file.parent, (*arguments, *analyzed), given=passed, fault=fault
    )


def _included(root: ElementTree.Element, name: str) -> list[str] | None:
    """Return the files that elements include; ``None`` if only MSBuild can tell."""
    for element in _elements(root, name):
        if element.get("Exclude") or element.get("Remove"):
            return None
    found = _paths(root, name)
    return None if any(sign in each for each in found for sign in _NOT_EVALUATED) else found


def _paths(root: ElementTree.Element, name: str) -> list[str]:
    listed = (element.get("Include") or "" for element in _elements(root, name))
    paths = (each.strip() for some in listed for each in some.replace("\\", "/").split(";"))
    return list(dict.fromkeys(each.removeprefix("./") for each in paths if each))


def _with_present_rules(build: Build) -> Build:
    """Return the build without a rule set that isn't there now: MSBuild doesn't pass it."""
    named = (each for each in build.options if each.startswith("ruleset:"))
    gone = {each for each in named if not (build.folder / each.partition(":")[2]).is_file()}
    arguments = tuple(each for each in build.arguments if each[1:] not in gone)
    options = tuple(each for each in build.options if each not in gone)
    return replace(build, arguments=arguments, options=options) if gone else build


def _options(root: ElementTree.Element) -> Iterator[str]:
    symbols = [each.strip() for each in (_first(root, "DefineConstants") or "").split(";")]
    if any(symbols):
        yield f"-define:{';'.join(filter(None, symbols))}"
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
    if rules:
        yield f"-ruleset:{rules.replace(chr(92), '/')}"


_OF_WARNINGS = (("NoWarn", "nowarn"), ("WarningsAsErrors", "warnaserror+"))


def _ids(listed: str | None) -> str:
    """Return a list of warnings as ``csc`` takes it; MSBuild also allows semicolons and blanks."""
    parts = (listed or "").replace(";", ",").split(",")
    # A reference to another property, as `$(NoWarn)`, is empty, because Unity doesn't set it.
    return ",".join(each.strip() for each in parts if each.strip() and "$" not in each)


def _references(root: ElementTree.Element, folder: Path) -> Iterator[str]:
    """Yield libraries by path, and for other project files the assembly Unity last built."""
    for path in (each.text for each in _elements(root, "HintPath")):
        if path:
            yield path.strip().replace("\\", "/")
    for project in _paths(root, "ProjectReference"):
        yield str(folder / "Library" / "ScriptAssemblies" / f"{Path(project).stem}.dll")


def _elements(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Yield the elements of that name, in any XML namespace."""
    for element in root.iter():
        if element.tag.rpartition("}")[2] == name:
            yield element


def _first(root: ElementTree.Element, name: str) -> str | None:
    for element in _elements(root, name):
        if element.text and element.text.strip():
            return element.text.strip()
    return None
