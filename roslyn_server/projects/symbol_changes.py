"""Symbols that a project would be compiled with now, and that its build has not; and those it lost.

Part of docs/design/roslyn.md §3 "References". Told by what player settings, response files and the
Editor's version say, as against the command lines; their times say nothing once they came out of a
repository.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roslyn_server.projects.builds import BuildSet, bounded_text, is_plain_file
from roslyn_server.projects.package_changes import some_of
from roslyn_server.projects.packages import Packages
from roslyn_server.projects.project_symbols import (
    SETTINGS,
    is_of_unity,
    platform_of,
    player_settings,
    response_file_symbols,
    settings_symbols,
)
from roslyn_server.projects.setting_changes import setting_changes
from roslyn_server.projects.user_options import settings_arguments
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.project_settings import VERSION_FILE, version_numbers

PROFILES = "Assets/Settings/Build Profiles"
"""Where Unity 6 keeps build profiles, which may define further symbols."""

_MAX_BYTES = 4 * 1024 * 1024
_OR_NEWER = re.compile(r"^UNITY_(\d+)_(\d+)_OR_NEWER$")
_EXACT = re.compile(r"^UNITY_(\d+)_(\d+)_(\d+)$")
_OF_PROFILE = re.compile(r"^[ \t]*m_ScriptingDefines:[ \t]*\n((?:[ \t]*- .*\n)*)", re.MULTILINE)


def symbol_changes(
    root: Path, builds: BuildSet, packages: Packages, told: Iterable[str]
) -> Iterator[str]:
    """Each as a sentence. ``told`` are symbols that definitions and their response files define."""
    known = builds.symbols
    version = root / VERSION_FILE
    # Of one that can't be read, that is told.
    if is_plain_file(version) or not os.path.lexists(version):
        yield from _editor_change(packages.editor, known, is_named=is_plain_file(version))
    settings = player_settings(root)
    platform = platform_of(known)
    if platform is None:
        return
    if "PlayerSettings:" not in settings and os.path.lexists(root / SETTINGS):
        if is_plain_file(root / SETTINGS):  # of another, that is told
            yield f"Code was not checked as {SETTINGS} says: it isn't kept as text."
        return
    for each in setting_changes(root, settings, platform, builds):
        yield f"Code was not checked as the player settings are: {each} changed since the build."
    wanted = settings_symbols(settings).get(platform, frozenset())
    new = sorted(wanted - known)
    if new:
        yield f"Code was not checked under symbols that are newer than the build: {some_of(new)}."
    profiles = {file: _of_profile(file) for file in build_profiles(root)}
    explained = {*wanted, *told, *response_file_symbols(root / "Assets")}
    explained.update(*profiles.values())
    for each in settings_arguments(settings, platform):
        explained.add(each.removeprefix("define:"))
    yield from _profile_change(profiles, known, wanted)
    lost = sorted(each for each in builds.common_symbols - explained if not is_of_unity(each))
    if lost:
        yield f"Code was checked under symbols that were removed since the build: {some_of(lost)}."


def build_profiles(root: Path) -> list[Path]:
    """The build profiles of the project at ``root``; none where their folder can't be looked into,
    which is told of all such folders."""
    try:
        names = os.listdir(root / PROFILES)  # noqa: PTH208 - names are all that is needed
    except OSError:
        return []
    return [root / PROFILES / name for name in sorted(names) if name.endswith(".asset")]


def _editor_change(editor: str, symbols: frozenset[str], *, is_named: bool) -> Iterator[str]:
    """That another version of Unity will compile the project than has, or may.

    ``is_named`` tells that there is a file to name the version.
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
            f"Code was not checked as Unity {editor} compiles it, which the project is for now: "
            f"the last build was of {'.'.join(map(str, was))}."
        )


def _numbers(found: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, found.groups()))


def _profile_change(
    profiles: Mapping[Path, SymbolSet], known: SymbolSet, wanted: SymbolSet
) -> Iterator[str]:
    """That a build profile may be in use whose symbols the build hasn't.

    Which one is, is kept in no file that can be read; one that alone explains a symbol surely is.
    """
    if any(symbols - wanted and symbols <= known for symbols in profiles.values()):
        return
    for file, symbols in profiles.items():
        new = sorted(symbols - known)
        if new:
            yield (
                f"Code was not checked under {some_of(new)}: the build profile {file.stem} defines "
                "them, and the last build didn't. Let Unity build with the profile that is in use."
            )


def _of_profile(file: Path) -> SymbolSet:
    """What a build profile defines."""
    listed = _OF_PROFILE.findall(bounded_text(file, _MAX_BYTES))
    lines = (line for block in listed for line in block.splitlines())
    return frozenset(line.strip().removeprefix("- ").strip("'\" ") for line in lines)
