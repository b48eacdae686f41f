"""A change of a project since Unity built it, and what Unity does about it.

Each names where Unity says so: a page of its manual, or a file of its public reference source
(UnityCsReference).
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.project_check.project_as_built import FILES, Files, definition

DATA = "CustomScriptAssembly.cs"
LOADING = "LoadingAssemblyDefinition.cs"
RULES = "EditorBuildRules.cs"
COMPILING = "EditorCompilation.cs"
RESPONSE = "ResponseFileProvider.cs"
ASMREF = "CustomScriptAssemblyReference.cs"
PLUGIN = "Manual: Plugin Inspector"
NAMESAKES = "PrecompiledAssembly.cs"
RULE_SETS = "RuleSetCache.bindings.cs"
SYMBOLS = "Manual: Custom scripting symbols"
RESOLVED = "Manual: Project manifest file; Lock files"
RESERVED = "Manual: Reserved folder names"
STOPS = "refuses the definition, and compiles nothing"

GAME, LIB, CORE = (f"Assets/{each}/{each}.asmdef" for each in ("Game", "Lib", "Core"))
AUTO, NAMED = "Assets/Plugins/Auto.dll.meta", "Assets/Plugins/Named.dll.meta"
NEW = "Assets/New/New.asmdef"
BOTH = {"includePlatforms": ["Editor"], "excludePlatforms": ["iOS"]}


@dataclass(frozen=True, slots=True)
class Change:
    """What is changed, what Unity does then, and where that is said.

    ``is_clean`` tells that the project compiles as it did. ``is_compiled``: only a compiler tells.
    """

    what: str
    files: Files
    unity: str
    source: str
    is_clean: bool = False
    is_compiled: bool = False


def text_of(name: str) -> str:
    """Return the text of a file of the project."""
    found = FILES[name]
    assert isinstance(found, str)
    return found


def more(name: str, text: str) -> Files:
    """Return a file of the project with an addition."""
    return {name: text_of(name) + text}


def core(**said: object) -> Files:
    """Return the definition of Core with other values."""
    return {CORE: definition("Core", **said)}


def put(text: str, name: str = NEW) -> Files:
    """Return a file with that content."""
    return {name: text}


def moved(before: str, after: str) -> Files:
    """Return a file of the project at another place."""
    return {before: None, after: FILES[before]}


def same(what: str, files: Files, unity: str, source: str) -> Change:
    """Return a change that affects nothing that is compiled."""
    return Change(what, files, unity, source, is_clean=True)
