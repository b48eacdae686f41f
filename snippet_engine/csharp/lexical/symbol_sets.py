"""Preprocessor symbol sets: which symbols count as defined when C# is read.

Part of docs/design/roslyn.md §1.1 and §1.3. A file is judged under a base set first (what a Unity
Editor defines when it compiles scripts), then under others that reach its other branches.
"""

from __future__ import annotations

from collections.abc import Callable

SymbolSet = frozenset[str]
"""The symbols that are defined, case-sensitive."""


SymbolsOf = Callable[[str], SymbolSet]
"""Tells which symbols are defined for the script at a project-relative path."""


EVERY_IF = "#if"
"""Not a C# symbol: in a set with it every ``#if`` holds, to read code that no set compiles."""


class BuildSymbols(frozenset[str]):
    """What a build of the project defines for a script.

    Sets that are made from it are plain ones: no build is known to use those.
    """


def _versions() -> list[str]:
    """``UNITY_X_Y_OR_NEWER`` for each release line up to the supported floor, Unity 2021.3."""
    releases = [(5, minor) for minor in range(3, 7)]
    releases += [(year, minor) for year in (2017, 2018) for minor in range(1, 5)]
    releases += [(2019, minor) for minor in range(1, 5)]
    releases += [(year, minor) for year in (2020, 2021) for minor in range(1, 4)]
    return [f"UNITY_{year}_{minor}_OR_NEWER" for year, minor in releases]


UNITY_EDITOR_SYMBOLS: SymbolSet = frozenset(
    [
        *_versions(),
        "UNITY_2021",
        "UNITY_2021_3",
        "UNITY_EDITOR",
        "UNITY_EDITOR_64",
        "UNITY_EDITOR_WIN",
        "UNITY_STANDALONE",
        "UNITY_STANDALONE_WIN",
        "UNITY_64",
        "UNITY_ASSERTIONS",
        "UNITY_INCLUDE_TESTS",
        "PLATFORM_ARCH_64",
        "PLATFORM_STANDALONE",
        "PLATFORM_STANDALONE_WIN",
        "CSHARP_7_OR_LATER",
        "CSHARP_7_3_OR_NEWER",
        "DEBUG",
        "TRACE",
        "ENABLE_MONO",
        "ENABLE_PROFILER",
        "ENABLE_LOCALIZATION",
        "ENABLE_BURST_AOT",
        "ENABLE_UNITYEVENTS",
        "ENABLE_LEGACY_INPUT_MANAGER",
        "ENABLE_WEBSOCKET_HOST",
        "ENABLE_AUDIO",
        "ENABLE_CACHING",
        "ENABLE_CLOTH",
        "ENABLE_MICROPHONE",
        "ENABLE_MULTIPLE_DISPLAYS",
        "ENABLE_PHYSICS",
        "ENABLE_TEXTURE_STREAMING",
        "ENABLE_TERRAIN",
        "ENABLE_UNITYWEBREQUEST",
        "ENABLE_VIDEO",
        "ENABLE_VR",
        "ENABLE_XR_MODULE",
        "NET_STANDARD_2_0",
        "NET_STANDARD",
        "NET_STANDARD_2_1",
        "NETSTANDARD",
        "NETSTANDARD2_1",
    ]
)
"""What a Unity 2021.3 Editor defines while it compiles scripts for itself."""


def editor_symbols(script: str) -> SymbolSet:
    """The symbols of a script where no build is known: the same for each. Is a ``SymbolsOf``."""
    del script
    return UNITY_EDITOR_SYMBOLS
