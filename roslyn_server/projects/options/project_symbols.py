"""Find a project's preprocessor symbols without a build.

Implements docs/design/roslyn.md §3 "Preprocessor symbols": symbols of the Editor's version, of the
player settings and of response files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from roslyn_server.projects.files import bounded_text
from roslyn_server.projects.options.command_lines import response_file_symbols
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet
from snippet_engine.project_settings import editor_version, version_numbers

SETTINGS = "ProjectSettings/ProjectSettings.asset"

_MAX_SETTINGS_BYTES = 4 * 1024 * 1024
_BY_PLATFORM = re.compile(
    r"^(?P<indent>[ \t]*)scriptingDefineSymbols:[ \t]*\n(?P<lines>(?:(?P=indent)[ \t]+.*\n)*)",
    re.MULTILINE,
)
_OF_PLATFORM = re.compile(r"^[ \t]+(\w[\w ]*):[ \t]*(.*)$", re.MULTILINE)
_NUMBERED = {"1": "Standalone", "4": "iPhone", "7": "Android", "13": "WebGL"}
"""Platform numbers in older settings."""

_PLATFORMS = (
    ("UNITY_SERVER", "Server"),
    ("UNITY_ANDROID", "Android"),
    ("UNITY_IOS", "iPhone"),
    ("UNITY_TVOS", "tvOS"),
    ("UNITY_VISIONOS", "VisionOS"),
    ("UNITY_WEBGL", "WebGL"),
    ("UNITY_WSA", "Windows Store Apps"),
    ("UNITY_PS4", "PS4"),
    ("UNITY_PS5", "PS5"),
    ("UNITY_GAMECORE", "GameCoreScarlett"),
    ("UNITY_SWITCH", "Nintendo Switch"),
    ("UNITY_STANDALONE", "Standalone"),
)
"""Each platform's symbol, and its name in settings."""

_OF_UNITY = re.compile(
    r"(UNITY|ENABLE|PLATFORM|CSHARP|NET|GFXDEVICE|TEXTCORE|INCLUDE|EDITOR_ONLY|RENDER_SOFTWARE"
    r"|USE_(SEARCH|QUICK_SEARCH|PROPERTY)|SCENE_TEMPLATE|SCRIPTING|SUPPORTS?|DEVELOPMENT)_"
    r"|NETSTANDARD|(DEBUG|TRACE)$"
)

_LINES = {2021: 3, 2022: 3, 2023: 2}
"""Number of release lines in each year."""

_UNITY_6 = 6000


def is_of_unity(symbol: str) -> bool:
    """Return whether Unity defines the symbol itself, judging by its name."""
    return _OF_UNITY.match(symbol) is not None


def project_symbols(root: Path) -> SymbolSet:
    """Return the symbols that the project's Editor defines for scripts."""
    version = version_numbers(editor_version(root)) or (2021, 3, 0)
    of_platforms = settings_symbols(player_settings(root))
    own = of_platforms.get("Standalone", frozenset()) | response_file_symbols(root / "Assets")
    return UNITY_EDITOR_SYMBOLS - _OF_2021 | {*_of_version(*version), *own}


def platform_of(symbols: SymbolSet) -> str | None:
    """Return the platform of a build with these symbols, by its name in the player settings."""
    return next((name for symbol, name in _PLATFORMS if symbol in symbols), None)


def player_settings(root: Path) -> str:
    """Return the text of the player settings; empty if there are none."""
    return bounded_text(root / SETTINGS, _MAX_SETTINGS_BYTES)


def settings_symbols(text: str) -> Mapping[str, SymbolSet]:
    """Return the symbols in the player settings, by platform."""
    found: dict[str, SymbolSet] = {}
    for block in _BY_PLATFORM.finditer(text):
        for match in _OF_PLATFORM.finditer(block["lines"]):
            found[_NUMBERED.get(match[1], match[1])] = frozenset(_names(match[2]))
    return found


_OF_2021 = frozenset(("UNITY_2021", "UNITY_2021_3"))


def _of_version(major: int, minor: int, patch: int) -> Iterator[str]:
    yield from (f"UNITY_{major}", f"UNITY_{major}_{minor}", f"UNITY_{major}_{minor}_{patch}")
    for year, lines in _LINES.items():
        for line in range(1, lines + 1):
            if (year, line) <= (major, minor):
                yield f"UNITY_{year}_{line}_OR_NEWER"
    for first in range(_UNITY_6, major + 1, 1000):
        for line in range((minor if first == major else 0) + 1):
            yield f"UNITY_{first}_{line}_OR_NEWER"


def _names(listed: str) -> Iterator[str]:
    yield from (name for each in re.split(r"[;,]", listed) if (name := each.strip().strip("'\"")))
