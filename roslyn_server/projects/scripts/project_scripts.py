"""Find the scripts in the project, and the assembly each belongs to by its folder.

Implements docs/design/roslyn.md §3 "References": a script newer than the build belongs to the
nearest assembly definition. Only changed folders and definitions are read again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import ELOOP
from pathlib import Path
from threading import Lock
from time import time_ns

from roslyn_server.projects.definitions.all_definitions import DefinitionGuids, conflicts
from roslyn_server.projects.definitions.assembly_definitions import (
    AssemblyDefinition,
    definition_in,
    definition_of,
)
from roslyn_server.projects.files import (
    DANGLING_LINK,
    NO_PLAIN_FILE,
    bounded_text,
    is_dangling_link,
    is_missing,
    stamp_of,
)
from roslyn_server.projects.packages.manifests import PackageFiles
from roslyn_server.projects.scripts.unreadable import UNCERTAIN, UnreadableFolder
from snippet_engine.project_settings import uncompiled_name
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.names import within_reach

_ROOTS = ("Assets", "Packages")
_MAX_FOLDERS = 50_000
"""Maximum number of folders to read; the others are reported."""
_UNSETTLED_NS = 2_000_000_000
"""A folder changed this shortly before it was read may change again within its time's precision."""

_FIRST_PASS = (
    "assets/plugins/",
    "assets/standard assets/",
    "assets/pro standard assets/",
    "assets/iphone standard assets/",
)
"""Unity ignores case in these names, and in ``Editor``."""

_STREAMING_ASSETS = "Assets/StreamingAssets"
"""Unity's manual says that its case counts."""

_TEMPORARY = ".tmp/"
"""Unity ignores files with this ending; its manual doesn't mention folders."""

_OPTIONS = (".ruleset", ".globalconfig", ".additionalfile")

_IN_PACKAGES = re.compile(r"Packages/[^/]+")
_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Folder:
    """One folder as it was read. Two are equal if they have the same relevant names."""

    changed_ns: tuple[int, int] = field(compare=False)
    read_ns: int = field(compare=False)
    folders: tuple[str, ...]
    scripts: tuple[str, ...]
    definitions: tuple[str, ...]
    libraries: tuple[str, ...]
    options: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...] = field(compare=False)
    """Names that can't be looked at, with the reason."""
    has_links: bool = field(compare=False)
    """Whether it has links whose targets may change without this folder changing."""


class ScriptSet:
    """The scripts by assembly; the same object until one is added or removed."""

    def __init__(
        self,
        folders: Iterable[tuple[str, tuple[str, ...], AssemblyDefinition | None]],
        libraries: Iterable[str] = (),
        conflicts: Iterable[str] = (),
        unreadable: Iterable[UnreadableFolder] = (),
        options: Iterable[str] = (),
        all_definitions: Iterable[AssemblyDefinition] = (),
    ) -> None:
        self.libraries = tuple(libraries)
        """Project-relative paths of ``.dll`` files."""
        self.options = tuple(options)
        """Project-relative paths of rule sets and analyzer configurations."""
        self.all_definitions = tuple(all_definitions)
        """Also those without scripts."""
        self.conflicts = tuple(conflicts)
        """Sentences that say why Unity compiles nothing at all."""
        self.unreadable = tuple(unreadable)
        """Folders and scripts that can't be read."""
        found: dict[str, list[str]] = {}
        self.owners: dict[str, str] = {}
        """The assembly of each script, by project-relative path."""
        self.definitions: dict[str, AssemblyDefinition | None] = {}
        """The definition that each folder's scripts belong to, by project-relative path."""
        for folder, names, definition in folders:
            self.definitions[folder] = definition
            for name in names:
                script = f"{folder}/{name}"
                assembly = self.owners[script] = assembly_of(script, definition)
                found.setdefault(assembly, []).append(script)
        self.by_assembly: Mapping[str, tuple[str, ...]] = {
            assembly: tuple(sorted(scripts)) for assembly, scripts in found.items()
        }
        """The scripts of each assembly, sorted; ``""`` has those of unknown assemblies."""


class ProjectScripts:
    """The scripts below ``Assets`` and ``Packages``, and in local packages."""

    def __init__(self, root: Path, packages: PackageFiles | None = None) -> None:
        self._root = root
        self._packages = packages or PackageFiles(root)
        self._read: dict[str, _Folder] = {}
        self._definitions: dict[str, tuple[object, AssemblyDefinition | None]] = {}
        """Each folder's definition, and the stamps it was read at."""
        self._unreadable: list[UnreadableFolder] = []
        self._set: ScriptSet | None = None
        self._guids = DefinitionGuids(root)
        self._lock = Lock()

    def read(self) -> ScriptSet:
        """Return the scripts now."""
        with self._lock:
            before, definitions = self._read, dict(self._definitions)
            unreadable = self._unreadable
            walked = list(self._folders())
            folders = {
                path: each.definitions for path, each in self._read.items() if each.definitions
            }
            self._definitions = {path: self._definitions[path] for path in folders}
            seen = before, unreadable, definitions
            if self._set is None or seen != (self._read, self._unreadable, self._definitions):
                found = (each for _, each in self._definitions.values())
                self._guids.remember(each for each in found if each is not None)
                named = {
                    path: self._guids.resolve(each) for path, (_, each) in self._definitions.items()
                }
                self._set = ScriptSet(
                    ((path, names, self._guids.resolve(each)) for path, names, each in walked),
                    self._files("libraries"),
                    conflicts(folders, named),
                    self._unreadable,
                    self._files("options"),
                    filter(None, named.values()),
                )
            return self._set

    def _files(self, kind: str) -> Iterator[str]:
        for path, folder in self._read.items():
            yield from (f"{path}/{name}" for name in getattr(folder, kind))

    def definition_of(self, script: str) -> AssemblyDefinition | None:
        """Return the definition for a script at a project-relative path, which need not exist."""
        if self._set is None:
            self.read()
        return self._guids.resolve(definition_of(self._root, script))

    def _folders(self) -> Iterator[tuple[str, tuple[str, ...], AssemblyDefinition | None]]:
        """Yield each folder with scripts, their names, and their definition."""
        known, self._read, self._unreadable = self._read, {}, []
        left: list[tuple[str, AssemblyDefinition | None, tuple[_Identity, ...]]]
        roots = (*_ROOTS, *self._packages.local_folders())
        left = [(name, None, ()) for name in roots[::-1]]
        root = str(self._root)
        while left and len(self._read) < _MAX_FOLDERS:
            path, definition, around = left.pop()
            absolute = within_reach(f"{root}/{path}")
            try:
                status = os.stat(absolute)  # noqa: PTH116 - of each folder, at each question
                identity = status.st_dev, status.st_ino
                if identity in around and status.st_ino:
                    continue  # a symbolic link that leads back
                if _IN_PACKAGES.fullmatch(path) and is_missing(f"{absolute}/package.json"):
                    continue  # not a package
                folder = known.get(path)
                # A change of the folder's rights sets only ``st_ctime_ns``, and not on Windows.
                changed_ns = status.st_mtime_ns, status.st_ctime_ns
                if folder is None or not _holds(folder, changed_ns):
                    folder = _read(absolute, changed_ns)
            except (FileNotFoundError, NotADirectoryError):
                if is_dangling_link(absolute):
                    self._leave(path, definition, DANGLING_LINK)
                continue  # the folder was removed meanwhile, or never existed
            except OSError as error:
                self._leave(path, definition, reason_of(error).lower())
                continue
            self._read[path] = folder
            if folder.definitions:
                definition = self._definition(path, folder.definitions)
            for name, why in folder.unreadable:
                self._leave(f"{path}/{name}", definition, why)
            if folder.scripts and _is_uncertain(path):
                self._leave(path, definition, UNCERTAIN)
            elif folder.scripts:
                yield path, folder.scripts, definition
            left += [
                (f"{path}/{name}", definition, (*around, identity))
                for name in reversed(folder.folders)
                if f"{path}/{name}" != _STREAMING_ASSETS
            ]
        for path, definition, _ in left:
            self._leave(path, definition, f"there are more than {_MAX_FOLDERS:,} folders")

    def _leave(self, path: str, definition: AssemblyDefinition | None, why: str) -> None:
        place = "Assets" if why == UNCERTAIN else path  # assume that Unity compiles it
        owner = assembly_of(f"{place}/_.cs", self._guids.resolve(definition))
        self._unreadable.append(UnreadableFolder(path, owner, why))

    def _definition(self, path: str, names: tuple[str, ...]) -> AssemblyDefinition | None:
        folder = self._root / path
        # The ``.meta`` has the GUID by which other definitions may refer to it.
        files = (each for name in names for each in (name, f"{name}.meta"))
        of = tuple((each, stamp_of(folder / each)) for each in files)
        known = self._definitions.get(path)
        # A faulty definition may become readable without a new time or size.
        if known is None or known[0] != of or (known[1] is not None and known[1].fault):
            known = self._definitions[path] = of, definition_in(folder, names)
        return known[1]


def _holds(folder: _Folder, changed_ns: tuple[int, int]) -> bool:
    settled = folder.read_ns - max(folder.changed_ns) > _UNSETTLED_NS
    is_told_by_times = not folder.unreadable and not folder.has_links
    return settled and folder.changed_ns == changed_ns and is_told_by_times


def _read(absolute: str, changed_ns: tuple[int, int]) -> _Folder:
    """List a folder. Raises ``OSError``."""
    read_ns = time_ns()
    folders, scripts, definitions, libraries, options, unreadable = [], [], [], [], [], []
    has_links = False
    with os.scandir(absolute) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name.endswith("~") or name.lower() == "cvs":
                continue  # Unity doesn't import these
            lower = name.lower()
            is_folder, error = _is_folder(entry)
            if is_folder:
                folders.append(name)
            elif lower.endswith(".cs"):
                has_links = has_links or entry.is_symlink()
                why = _why_no_file(entry) if error is None else None
                if why is None:
                    scripts.append(name)
                else:  # such as a pipe: reading one may block for ever
                    unreadable.append((name, why))
            elif lower.endswith((".asmdef", ".asmref")):
                definitions.append(name)
            elif lower.endswith(".dll"):
                libraries.append(name)
            elif lower.endswith(_OPTIONS):
                options.append(name)
            elif error is not None and error.errno != ELOOP:  # Unity can't follow a loop either
                unreadable.append((name, reason_of(error).lower()))
            elif error is None and _why_no_file(entry) == DANGLING_LINK:
                has_links = True
                if _may_be_folder(entry):
                    unreadable.append((name, DANGLING_LINK))
    return _Folder(
        changed_ns,
        read_ns,
        tuple(sorted(folders)),
        tuple(sorted(scripts)),
        tuple(sorted(definitions)),
        tuple(sorted(libraries)),
        tuple(sorted(options)),
        tuple(sorted(unreadable)),
        has_links,
    )


def _is_uncertain(folder: str) -> bool:
    """Return whether it is unknown if Unity compiles scripts in the folder."""
    first, second, *_ = *folder.split("/", 2), ""
    nearly = f"{first}/{second}"
    is_nearly = nearly.lower() == _STREAMING_ASSETS.lower() and nearly != _STREAMING_ASSETS
    return is_nearly or _TEMPORARY in f"{folder}/".lower()


def _is_folder(entry: os.DirEntry[str]) -> tuple[bool, OSError | None]:
    """Return whether an entry is a folder, and the error if it can't be looked at."""
    try:
        return entry.is_dir(), None
    except NotADirectoryError:  # a link to a path below a file, which can't exist
        return False, None
    except OSError as error:  # a link to itself, or to a folder that this user can't read
        return False, error


def _why_no_file(entry: os.DirEntry[str]) -> str | None:
    """Return why an entry can't be read as a file; ``None`` if it is a regular file."""
    try:
        if entry.is_file():
            return None
    except NotADirectoryError:
        return DANGLING_LINK
    return DANGLING_LINK if is_dangling_link(entry.path) else NO_PLAIN_FILE


def _may_be_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether a dangling link may be a folder's, which may have scripts.

    The ``.meta`` files of Unity distinguish folders from other assets.
    """
    if entry.name.lower().endswith((".meta", ".rsp")):
        return False
    meta = bounded_text(f"{entry.path}.meta")
    return not meta or "folderAsset: yes" in meta


def assembly_of(script: str, definition: AssemblyDefinition | None) -> str:
    """Return the assembly of a script under its ``definition``, if it has one.

    ``""`` if that is unknown, or Unity compiles no such script.
    """
    if uncompiled_name(script) is not None:
        return ""
    if definition is not None:
        return definition.name or ""
    lower = script.lower()
    if not script.startswith("Assets/"):
        return ""  # scripts of packages need a definition
    first_pass = "-firstpass" if lower.startswith(_FIRST_PASS) else ""
    editor = "-Editor" if "/editor/" in lower else ""
    return f"Assembly-CSharp{editor}{first_pass}"
