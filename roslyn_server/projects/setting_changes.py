"""Player settings, besides symbols of the user's own, that the last build shows otherwise.

Part of docs/design/roslyn.md §3 "References". Each has a trace in the command lines: a symbol, or
an option of the assemblies that have no definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from roslyn_server.projects.assembly_definitions import PREDEFINED
from roslyn_server.projects.builds import BuildSet
from roslyn_server.projects.user_options import RESPONSE_FILE, file_options

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
"""What levels of the API are called by, in settings and in symbols."""


def setting_changes(root: Path, settings: str, platform: str, builds: BuildSet) -> Iterator[str]:
    """What the text of the player ``settings`` says otherwise; each as what a sentence is of."""
    without = [each for name, each in builds.by_assembly.items() if name in PREDEFINED]
    unsafe = _UNSAFE.search(settings)
    told = file_options(root / "Assets" / RESPONSE_FILE)
    if (
        unsafe
        and "unsafe+" not in told
        and any(each.allows_unsafe != (unsafe[1] == "1") for each in without)
    ):
        yield "allowUnsafeCode"
    quiet = _QUIET.search(settings)
    is_quiet = any("nowarn:169" in each.options for each in builds.by_assembly.values())
    if quiet and not (quiet[1] == "0" and "nowarn:169" in told) and is_quiet != (quiet[1] == "1"):
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
