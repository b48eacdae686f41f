"""Which preprocessor symbols a project's scripts are compiled with, where no build tells.

Part of docs/design/roslyn.md §3 "Preprocessor symbols": what the Editor of the project's version
defines, the symbols of its player settings, and those of response files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from roslyn_server.projects.files import bounded_text
from roslyn_server.projects.options.command_lines import one_a_line
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet
from snippet_engine.project_settings import editor_version, version_numbers

SETTINGS = "ProjectSettings/ProjectSettings.asset"

_MAX_SETTINGS_BYTES = 4 * 1024 * 1024
_MAX_RESPONSE_BYTES = 64 * 1024
_BY_PLATFORM = re.compile(
    r"^(?P<indent>[ \t]*)scriptingDefineSymbols:[ \t]*\n(?P<lines>(?:(?P=indent)[ \t]+.*\n)*)",
    re.MULTILINE,
)
_OF_PLATFORM = re.compile(r"^[ \t]+(\w[\w ]*):[ \t]*(.*)$", re.MULTILINE)
_NUMBERED = {"1": "Standalone", "4": "iPhone", "7": "Android", "13": "WebGL"}
"""What older settings call platforms."""

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
"""The symbol that each platform's builds have, and what settings call it."""

_DEFINE = re.compile(r'^[ \t]*[-/]d(?:efine)?:"?([^"\n]*)"?[ \t]*$', re.MULTILINE | re.IGNORECASE)

_OF_UNITY = re.compile(
    r"(UNITY|ENABLE|PLATFORM|CSHARP|NET|GFXDEVICE|TEXTCORE|INCLUDE|EDITOR_ONLY|RENDER_SOFTWARE"
    r"|USE_(SEARCH|QUICK_SEARCH|PROPERTY)|SCENE_TEMPLATE|SCRIPTING|SUPPORTS?|DEVELOPMENT)_"
    r"|NETSTANDARD|(DEBUG|TRACE)$"
)

_LINES = {2021: 3, 2022: 3, 2023: 2}
"""How many release lines there were in each year."""

_UNITY_6 = 6000


def is_of_unity(symbol: str) -> bool:
    """Whether Unity defines a symbol by itself, as its name tells."""
    return _OF_UNITY.match(symbol) is not None


def project_symbols(root: Path) -> SymbolSet:
    """The symbols that the Editor of the project at ``root`` defines for itself."""
    version = version_numbers(editor_version(root)) or (2021, 3, 0)
    of_platforms = settings_symbols(player_settings(root))
    own = of_platforms.get("Standalone", frozenset()) | response_file_symbols(root / "Assets")
    return UNITY_EDITOR_SYMBOLS - _OF_2021 | {*_of_version(*version), *own}


def platform_of(symbols: SymbolSet) -> str | None:
    """What settings call the platform that a build with these symbols is for, if that is known."""
    return next((name for symbol, name in _PLATFORMS if symbol in symbols), None)


def player_settings(root: Path) -> str:
    """The text of the player settings; empty where there are none."""
    return bounded_text(root / SETTINGS, _MAX_SETTINGS_BYTES)


def response_file_symbols(folder: Path) -> SymbolSet:
    """Those that the response file in a folder defines, where Unity would read it."""
    return defined_in(one_a_line(bounded_text(folder / "csc.rsp", _MAX_RESPONSE_BYTES)))


def defined_in(response_file: str) -> SymbolSet:
    """Those that a response file's text defines."""
    found = _DEFINE.finditer(response_file)
    return frozenset(name for match in found for name in _names(match[1]))


def settings_symbols(text: str) -> Mapping[str, SymbolSet]:
    """Those of the player settings, by what the settings call each platform."""
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
