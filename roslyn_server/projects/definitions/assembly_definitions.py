"""Read ``.asmdef`` and ``.asmref`` files, which decide what assembly a script belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from roslyn_server.projects.files import bounded_text, json_object, why_unreadable
from snippet_engine.storage.os_failure import reason_of

_MAX_BYTES = 1024 * 1024

PREDEFINED = frozenset(
    (
        "Assembly-CSharp",
        "Assembly-CSharp-Editor",
        "Assembly-CSharp-firstpass",
        "Assembly-CSharp-Editor-firstpass",
    )
)
"""The assemblies of scripts without a definition."""


@dataclass(frozen=True, slots=True)
class AssemblyDefinition:
    """An ``.asmdef`` or ``.asmref`` file."""

    file: Path
    name: str | None
    """``None`` if an ``.asmref`` names the assembly by a GUID."""
    references: tuple[str, ...] = ()
    """Assembly names, or GUIDs with the prefix ``GUID:``."""
    allows_unsafe: bool = False
    is_for_editor: bool = True
    constraints: tuple[str, ...] = ()
    """Its define constraints."""
    target: str = ""
    """The GUID by which an ``.asmref`` names the assembly."""
    fault: str = ""
    """Why it can't be read or why Unity refuses it, as a predicate."""
    is_auto_referenced: bool = True
    is_editor_only: bool = False
    is_for_tests: bool = False
    asks_for_tests: bool = False
    has_no_engine: bool = False
    overrides_references: bool = False
    precompiled: tuple[str, ...] = ()
    """File names of libraries, used if it ``overrides_references``."""
    version_defines: tuple[tuple[str, str, str], ...] = ()
    """Packages, expressions and symbols."""

    @property
    def is_asmref(self) -> bool:
        """Whether it adds scripts to an assembly that another file defines."""
        return self.file.name.lower().endswith(".asmref")


OF_GUID = "GUID:"
"""The prefix of a reference by GUID."""

_TESTS = "UNITY_INCLUDE_TESTS"

UNREAD = "can't be read"
"""The beginning of a fault of a file that can't be read."""


def definition_of(root: Path, script: str) -> AssemblyDefinition | None:
    """Return the nearest definition above the script, if any.

    If a folder can't be listed, return a definition with that as its fault.
    """
    for folder in list(PurePosixPath(script).parents)[:-1]:
        absolute = root / folder
        try:
            names = [entry.name for entry in absolute.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:  # a definition there may claim the script
            fault = f"can't be looked into ({reason_of(error).lower()})"
            return AssemblyDefinition(absolute, None, fault=fault)
        definition = definition_in(absolute, names)
        if definition is not None:
            return definition
    return None


def definition_in(folder: Path, names: Iterable[str]) -> AssemblyDefinition | None:
    """Return the definition among a folder's files, if any."""
    for suffix in (".asmdef", ".asmref"):
        for name in sorted(names):
            if name.lower().endswith(suffix):
                return _read(folder / name, suffix)
    return None


def _read(file: Path, suffix: str) -> AssemblyDefinition:
    content, fault = json_object(bounded_text(file, _MAX_BYTES))
    unreadable = why_unreadable(file) if fault else None
    if unreadable is not None:
        fault = f"{UNREAD} ({unreadable})"
    fault = fault or _refused(content, suffix)
    if fault:
        return AssemblyDefinition(file, None, fault=fault)
    if suffix == ".asmref":
        target = str(content.get("reference", ""))
        if target.startswith(OF_GUID):
            return AssemblyDefinition(file, None, target=target.removeprefix(OF_GUID).lower())
        return AssemblyDefinition(file, target)
    tests = "TestAssemblies" in _strings(content.get("optionalUnityReferences"))
    return AssemblyDefinition(
        file,
        content["name"],
        _strings(content.get("references")),
        content.get("allowUnsafeCode") is True,
        _is_for_editor(content),
        _strings(content.get("defineConstraints")),
        is_auto_referenced=content.get("autoReferenced") is not False and not tests,
        is_editor_only=[each.lower() for each in _strings(content.get("includePlatforms"))]
        == ["editor"],
        is_for_tests=tests or _TESTS in _strings(content.get("defineConstraints")),
        asks_for_tests=tests,
        has_no_engine=content.get("noEngineReferences") is True,
        overrides_references=content.get("overrideReferences") is True or tests,
        precompiled=_strings(content.get("precompiledReferences")),
        version_defines=tuple(_version_defines(content.get("versionDefines"))),
    )


def _refused(content: dict[str, Any], suffix: str) -> str:
    """Return why Unity refuses the definition, as a predicate."""
    asks = "reference" if suffix == ".asmref" else "name"
    if not isinstance(content.get(asks), str) or not content[asks].strip():
        return f"has no {asks}"
    if suffix == ".asmref":
        return ""
    for key in _LISTS:
        listed = content.get(key)
        if listed is not None and (not isinstance(listed, list) or not _are_texts(listed)):
            return f"has something else in {key} than a list of texts"
    for key in _FLAGS:
        if not isinstance(content.get(key, False), bool | None):
            return f"has something else in {key} than true or false"
    included, excluded = (_strings(content.get(each)) for each in _PLATFORM_KEYS)
    if included and excluded:
        return f"has both {_PLATFORM_KEYS[0]} and {_PLATFORM_KEYS[1]}"
    unknown = next((each for each in (*included, *excluded) if not _PLATFORMS.fullmatch(each)), "")
    if unknown:
        return f"names the unknown platform {unknown}"
    if content.get("autoReferenced") is not False and _OF_CODE.match(content["name"]):
        return "has a code generator's name, and so may not be autoReferenced"
    return ""


_PLATFORM_KEYS = "includePlatforms", "excludePlatforms"
_LISTS = (*_PLATFORM_KEYS, "references", "defineConstraints", "precompiledReferences")
_FLAGS = ("allowUnsafeCode", "autoReferenced", "noEngineReferences", "overrideReferences")
_OF_CODE = re.compile(r"unity\..*\.(compiler|codegen)$", re.IGNORECASE)
_PLATFORMS = re.compile(
    r"android|bratwurst|cloudrendering|editor|embeddedlinux|gamecorescarlett|gamecorexboxone|"
    r"ios|linuxheadlesssimulation|linuxstandalone32|linuxstandalone64|linuxstandaloneuniversal|"
    r"lumin|macosstandalone|nintendo3ds|ps4|ps5|psmobile|psvita|qnx|stadia|switch|switch2|"
    r"tizen|tvos|visionos|webgl|wiiu|windowsstandalone32|windowsstandalone64|wsa|xboxone",
    re.IGNORECASE,
)
"""Platform names in definitions, including those of older versions of Unity."""


def _are_texts(listed: list[Any]) -> bool:
    return all(isinstance(each, str) for each in listed)


def _is_for_editor(content: dict[str, Any]) -> bool:
    included, excluded = (
        {each.lower() for each in _strings(content.get(key))} for key in _PLATFORM_KEYS
    )
    return "editor" in included if included else "editor" not in excluded


def _version_defines(listed: Any) -> Iterator[tuple[str, str, str]]:
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            values = (str(each.get(key) or "") for key in ("name", "expression", "define"))
            package, expression, symbol = values
            yield package, expression, symbol


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
