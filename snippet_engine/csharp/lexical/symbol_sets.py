"""Preprocessor symbol sets: which symbols count as defined when C# is read.

Part of docs/design/roslyn.md §1.1 and §1.3. A file is judged first under a base set (the symbols of
a Unity Editor that compiles scripts), then under others that reach its other branches.
"""

from __future__ import annotations

from collections.abc import Callable

SymbolSet = frozenset[str]
"""The defined symbols, case-sensitive."""


SymbolsOf = Callable[[str], SymbolSet]
"""Returns the symbols that are defined for the script at a project-relative path."""


EVERY_IF = "#if"
"""Not a C# symbol: a set with it makes every condition true, to read code that no set compiles.

``#if A`` in the same set makes the condition ``A`` false, to read the branches after it.
"""


class BuildSymbols(frozenset[str]):
    """The symbols that a build of the project defines for a script.

    Sets that are derived from it are plain sets, because no known build uses those.
    """


def _versions() -> list[str]:
    """Return ``UNITY_X_Y_OR_NEWER`` up to the oldest supported release, Unity 2021.3."""
    releases = [(5, minor) for minor in range(3, 7)]
    releases += [(year, minor) for year in (2017, 2018) for minor in range(1, 5)]
    releases += [(2019, minor) for minor in range(1, 5)]
    releases += [(year, minor) for year in (2020, 2021) for minor in range(1, 4)]
    return [f"UNITY_{year}_{minor}_OR_NEWER" for year, minor in releases]


_NAMES = """
    UNITY_2021 UNITY_2021_3 UNITY_EDITOR UNITY_EDITOR_64 UNITY_EDITOR_WIN UNITY_STANDALONE
    UNITY_STANDALONE_WIN UNITY_64 UNITY_ASSERTIONS UNITY_INCLUDE_TESTS PLATFORM_ARCH_64
    PLATFORM_STANDALONE PLATFORM_STANDALONE_WIN CSHARP_7_OR_LATER CSHARP_7_3_OR_NEWER DEBUG
    TRACE ENABLE_MONO ENABLE_PROFILER ENABLE_LOCALIZATION ENABLE_BURST_AOT ENABLE_UNITYEVENTS
    ENABLE_LEGACY_INPUT_MANAGER ENABLE_WEBSOCKET_HOST ENABLE_AUDIO ENABLE_CACHING ENABLE_CLOTH
    ENABLE_MICROPHONE ENABLE_MULTIPLE_DISPLAYS ENABLE_PHYSICS ENABLE_TEXTURE_STREAMING
    ENABLE_TERRAIN ENABLE_UNITYWEBREQUEST ENABLE_VIDEO ENABLE_VR ENABLE_XR_MODULE
    NET_STANDARD_2_0 NET_STANDARD NET_STANDARD_2_1 NETSTANDARD NETSTANDARD2_1
"""
UNITY_EDITOR_SYMBOLS: SymbolSet = frozenset((*_versions(), *_NAMES.split()))
"""The symbols of a Unity 2021.3 Editor that compiles scripts for itself."""


def editor_symbols(script: str) -> SymbolSet:
    """Return the symbols of a script if no build is known: the same for each. A ``SymbolsOf``."""
    del script
    return UNITY_EDITOR_SYMBOLS
