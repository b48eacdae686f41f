"""Compare the packages, symbols and player settings of all assemblies with the last build.

Implements docs/design/roslyn.md §3 "References". No script shows these changes. Contents are
compared; times mean nothing after a checkout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roslyn_server.projects.build import BuildSet, Unknown, first_few
from roslyn_server.projects.changes.definition_changes import Snapshot, defined_symbols
from roslyn_server.projects.changes.package_changes import package_changes
from roslyn_server.projects.definitions.assembly_definitions import PREDEFINED
from roslyn_server.projects.files import (
    Remembered,
    bounded_text,
    is_plain_file,
    is_unmerged,
    stamp_of,
    why_unreadable,
)
from roslyn_server.projects.options.command_lines import (
    RESPONSE_FILE,
    file_options,
    response_file_symbols,
    settings_arguments,
)
from roslyn_server.projects.options.project_symbols import (
    SETTINGS,
    is_of_unity,
    platform_of,
    player_settings,
    settings_symbols,
)
from roslyn_server.projects.packages.libraries import namesakes
from roslyn_server.projects.packages.manifests import CACHE, Packages
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.project_settings import VERSION_FILE, version_numbers

_RESPONSE_FILE = "Assets/csc.rsp"
_SAY_IT = (SETTINGS, _RESPONSE_FILE, VERSION_FILE)


class ProjectChanges:
    """Looks at the project at ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found = Remembered[tuple[Unknown, ...]]()

    def since(self, snapshot: Snapshot, stamps: tuple[object, ...]) -> tuple[Unknown, ...]:
        """Return the changes since the last build that may affect the whole project.

        ``stamps`` are those of definitions and of the response files next to them.
        """
        builds, packages = snapshot.builds, snapshot.packages
        profiles = build_profiles(self._root)
        files = (*(self._root / each for each in _SAY_IT), *profiles)
        unread = tuple(_why_unread(self._root, file) for file in files)
        of = (
            snapshot.scripts,
            snapshot.libraries,
            builds,
            packages,
            stamps,
            profiles,
            tuple(map(stamp_of, files)),
            [stamp_of(f"{self._root}/{CACHE}/{each}") for each in packages.cached],
            unread,
        )
        return self._found.get(
            of, lambda: self._changes(snapshot, dict(zip(files, unread, strict=True)))
        )

    def _changes(
        self, snapshot: Snapshot, unread: Mapping[Path, str | None]
    ) -> tuple[Unknown, ...]:
        found: list[Unknown] = []
        for file, why in unread.items():
            unmerged = why is None and is_unmerged(bounded_text(file, _MAX_BYTES))
            reason = "it has conflict markers of a merge" if unmerged else why
            if reason is not None:
                shown = file.relative_to(self._root).as_posix()
                message = (
                    f"Code was not checked by the settings in {shown}: it can't be read ({reason})."
                )
                found.insert(0, Unknown("unreadable", message))
        changes = (
            *_namesakes(snapshot),
            *package_changes(snapshot),
            *symbol_changes(
                self._root, snapshot.builds, snapshot.packages, defined_symbols(snapshot)
            ),
        )
        return (*found, *(Unknown("references_stale", each) for each in changes))


def _namesakes(snapshot: Snapshot) -> Iterator[str]:
    defined = snapshot.scripts.all_definitions
    names = [each.name for each in defined if each.name and not each.is_asmref]
    yield from namesakes(snapshot.libraries, snapshot.builds, names)
    for each in defined:
        built = snapshot.definitions.get(each.name or "")
        if built is None or each.is_asmref or built in defined or built.name != each.name:
            continue
        if built.file.is_file() and not built.is_asmref:
            here, there = (os.path.relpath(file, snapshot.root) for file in (each.file, built.file))
            yield f"Unity compiles nothing as it is: {here} and {there} both define {each.name}."


def _why_unread(root: Path, file: Path) -> str | None:
    """Return why a file can't be read, also if a folder is in the place of a required file."""
    if file != root / _RESPONSE_FILE and file.is_dir():
        return "it is a folder"
    return why_unreadable(file)


PROFILES = "Assets/Settings/Build Profiles"
"""Folder of Unity 6's build profiles, which may define more symbols."""

_MAX_BYTES = 4 * 1024 * 1024
_OR_NEWER = re.compile(r"^UNITY_(\d+)_(\d+)_OR_NEWER$")
_EXACT = re.compile(r"^UNITY_(\d+)_(\d+)_(\d+)$")
_OF_PROFILE = re.compile(r"^[ \t]*m_ScriptingDefines:[ \t]*\n((?:[ \t]*- .*\n)*)", re.MULTILINE)


def symbol_changes(
    root: Path, builds: BuildSet, packages: Packages, defined: Iterable[str]
) -> Iterator[str]:
    """Yield each change as a sentence. ``defined`` are the symbols of definitions and response
    files."""
    known = builds.symbols
    version = root / VERSION_FILE
    # A file that can't be read is reported elsewhere.
    if is_plain_file(version) or not os.path.lexists(version):
        yield from _editor_change(packages.editor, known, is_named=is_plain_file(version))
    settings = player_settings(root)
    platform = platform_of(known)
    if platform is None:
        return
    if "PlayerSettings:" not in settings and os.path.lexists(root / SETTINGS):
        if is_plain_file(root / SETTINGS):  # any other is reported elsewhere
            yield f"Code was not checked as {SETTINGS} says: it isn't stored as text."
        return
    for each in setting_changes(root, settings, platform, builds):
        yield f"Code was checked with the last build's player settings: {each} has changed since."
    wanted = settings_symbols(settings).get(platform, frozenset())
    new = sorted(wanted - known)
    if new:
        yield f"Code was not checked under symbols that are newer than the build: {first_few(new)}."
    profiles = {file: _of_profile(file) for file in build_profiles(root)}
    explained = {*wanted, *defined, *response_file_symbols(root / "Assets")}
    explained.update(*profiles.values())
    for each in settings_arguments(settings, platform):
        explained.add(each.removeprefix("define:"))
    yield from _profile_change(profiles, known, wanted)
    lost = sorted(each for each in builds.common_symbols - explained if not is_of_unity(each))
    if lost:
        yield f"Code was checked under symbols removed since the build: {first_few(lost)}."


def build_profiles(root: Path) -> list[Path]:
    """Return the project's build profiles; none if their folder can't be read (reported
    elsewhere)."""
    try:
        names = os.listdir(root / PROFILES)  # noqa: PTH208 - names are all that is needed
    except OSError:
        return []
    return [root / PROFILES / name for name in sorted(names) if name.endswith(".asset")]


def _editor_change(editor: str, symbols: frozenset[str], *, is_named: bool) -> Iterator[str]:
    """Yield a change if another version of Unity may compile the project.

    ``is_named`` says whether the project has a file that names the version.
    """
    now = version_numbers(editor)
    newest = max((_numbers(each) for each in map(_OR_NEWER.match, symbols) if each), default=None)
    exact = {_numbers(each) for each in map(_EXACT.match, symbols) if each}
    if now is None:
        if is_named or newest or exact:  # else nothing says that Unity has built it
            why = "names no version" if is_named else "isn't there"
            yield (
                f"Code was not checked as the project's Unity compiles it: {VERSION_FILE} {why}. "
                "Take it from version control, or let Unity write it."
            )
        return
    if (newest is not None and newest != now[:2]) or (exact and now not in exact):
        was = next(iter(exact), newest or ())
        yield (
            f"Code was not checked as Unity {editor} compiles it: "
            f"the last build was by {'.'.join(map(str, was))}."
        )


def _numbers(found: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, found.groups()))


def _profile_change(
    profiles: Mapping[Path, SymbolSet], known: SymbolSet, wanted: SymbolSet
) -> Iterator[str]:
    """Yield a change if a build profile with other symbols may be active.

    No readable file says which profile is active. A profile counts as active if the build has all
    its symbols, and one of them has no other source.
    """
    if any(symbols - wanted and symbols <= known for symbols in profiles.values()):
        return
    for file, symbols in profiles.items():
        new = sorted(symbols - known)
        if new:
            yield (
                f"Code was not checked under {first_few(new)}: the build profile {file.stem} "
                "defines them, the last build didn't. Let Unity build with the active profile."
            )


def _of_profile(file: Path) -> SymbolSet:
    listed = _OF_PROFILE.findall(bounded_text(file, _MAX_BYTES))
    lines = (line for block in listed for line in block.splitlines())
    return frozenset(line.strip().removeprefix("- ").strip("'\" ") for line in lines)


_UNSAFE = re.compile(r"^[ \t]+allowUnsafeCode: ([01])[ \t]*$", re.MULTILINE)
_QUIET = re.compile(r"^[ \t]+suppressCommonWarnings: ([01])[ \t]*$", re.MULTILINE)
_INPUT = re.compile(r"^[ \t]+activeInputHandler: ([012])[ \t]*$", re.MULTILINE)
_LEVEL = re.compile(r"^[ \t]+apiCompatibilityLevel: (?P<level>\d)[ \t]*$", re.MULTILINE)
_OF_EDITOR = re.compile(r"^[ \t]+editorAssembliesCompatibilityLevel: ([23])[ \t]*$", re.MULTILINE)
_OF_PLATFORM = (
    r"^(?P<indent>[ \t]*)apiCompatibilityLevelPerPlatform:[ \t]*\n"
    r"(?:(?P=indent)[ \t]+.*\n)*?(?P=indent)[ \t]+{}: (?P<level>\d)[ \t]*$"
)

_OLD_INPUT, _NEW_INPUT = "ENABLE_LEGACY_INPUT_MANAGER", "ENABLE_INPUT_SYSTEM"
_INPUTS = {
    "0": frozenset((_OLD_INPUT,)),
    "1": frozenset((_NEW_INPUT,)),
    "2": frozenset((_OLD_INPUT, _NEW_INPUT)),
}
_FRAMEWORK, _STANDARD = frozenset(("NET_4_6", "NET_UNITY_4_8")), frozenset(("NET_STANDARD",))
_LEVELS = {"3": _FRAMEWORK, "6": _STANDARD}
_OF_EDITORS = {"2": _FRAMEWORK, "3": _STANDARD}
"""API levels in settings, and the symbols they define."""


def setting_changes(root: Path, settings: str, platform: str, builds: BuildSet) -> Iterator[str]:
    """Yield the names of player settings that differ from the build."""
    without = [each for name, each in builds.by_assembly.items() if name in PREDEFINED]
    unsafe = _UNSAFE.search(settings)
    defined = file_options(root / "Assets" / RESPONSE_FILE)
    if (
        unsafe
        and "unsafe+" not in defined
        and any(each.allows_unsafe != (unsafe[1] == "1") for each in without)
    ):
        yield "allowUnsafeCode"
    quiet = _QUIET.search(settings)
    is_quiet = any("nowarn:169" in each.options for each in builds.by_assembly.values())
    if (
        quiet
        and not (quiet[1] == "0" and "nowarn:169" in defined)
        and is_quiet != (quiet[1] == "1")
    ):
        yield "suppressCommonWarnings"
    handler = _INPUT.search(settings)
    built_with = builds.symbols & _INPUTS["2"]
    if handler and built_with and built_with != _INPUTS[handler[1]]:
        yield "activeInputHandler"
    own = re.search(_OF_PLATFORM.format(re.escape(platform)), settings, re.MULTILINE)
    level = own or _LEVEL.search(settings)
    runtime = builds.by_assembly.get("Assembly-CSharp")
    has = runtime.symbols & (_FRAMEWORK | _STANDARD) if runtime is not None else frozenset()
    wanted = _LEVELS.get(level["level"]) if level else None
    if has and wanted is not None and not has & wanted:
        yield "apiCompatibilityLevel"
    of_editor = _OF_EDITOR.search(settings)
    editors = builds.by_assembly.get("Assembly-CSharp-Editor")
    has = editors.symbols & (_FRAMEWORK | _STANDARD) if editors is not None else frozenset()
    if has and of_editor and not has & _OF_EDITORS[of_editor[1]]:
        yield "editorAssembliesCompatibilityLevel"
