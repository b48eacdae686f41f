"""What may change of a project since Unity built it, and what Unity makes of it then.

One table, which the benchmark runs with a compiler and the tests without. Each row names where
Unity says so: a page of its manual, or a file of its public reference source (UnityCsReference).
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.project_check.project_as_built import (
    CACHED,
    FILES,
    GUIDS,
    SETTINGS,
    Files,
    definition,
    game,
    library_meta,
    lock,
    manifest,
    meta,
    settings,
)

_DATA = "CustomScriptAssembly.cs"
_LOADING = "LoadingAssemblyDefinition.cs"
_RULES = "EditorBuildRules.cs"
_COMPILING = "EditorCompilation.cs"
_RESPONSE = "ResponseFileProvider.cs"
_ASMREF = "CustomScriptAssemblyReference.cs"
_PLUGIN = "Manual: Plugin Inspector"
_NAMESAKES = "PrecompiledAssembly.cs"
_RULE_SETS = "RuleSetCache.bindings.cs"
_SYMBOLS = "Manual: Custom scripting symbols"
_PACKAGES = "Manual: Project manifest file; Lock files"
_FOLDERS = "Manual: Reserved folder names"
_STOPS = "refuses the definition, and compiles nothing"

_GAME, _LIB, _CORE = (f"Assets/{each}/{each}.asmdef" for each in ("Game", "Lib", "Core"))
_AUTO, _NAMED = "Assets/Plugins/Auto.dll.meta", "Assets/Plugins/Named.dll.meta"
_NEW = "Assets/New/New.asmdef"
_BOTH = {"includePlatforms": ["Editor"], "excludePlatforms": ["iOS"]}


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


def _text(name: str) -> str:
    found = FILES[name]
    assert isinstance(found, str)
    return found


def _and(name: str, more: str) -> Files:
    return {name: _text(name) + more}


def _core(**said: object) -> Files:
    return {_CORE: definition("Core", **said)}


def _new(text: str, name: str = _NEW) -> Files:
    return {name: text}


def _moved(before: str, after: str) -> Files:
    return {before: None, after: FILES[before]}


def _nothing(what: str, files: Files, unity: str, source: str) -> Change:
    return Change(what, files, unity, source, is_clean=True)


_LIB_ID = f"GUID:{GUIDS['Lib']}"
_CORE_ID = f"GUID:{GUIDS['Core'].upper()}"

DEFINITIONS = (
    Change("names twice", _new(game(references=["Core", "Lib", "Core"]), _GAME), _STOPS, _LOADING),
    Change(
        "GUID twice", _new(game(references=["Core", _LIB_ID, _LIB_ID]), _GAME), _STOPS, _LOADING
    ),
    Change(
        "name and GUID", _new(game(references=["Core", "Lib", _CORE_ID]), _GAME), _STOPS, _LOADING
    ),
    Change("refers to itself", _core(references=["Core"]), _STOPS, _COMPILING),
    Change("to itself by GUID", _core(references=[_CORE_ID]), _STOPS, _COMPILING),
    Change("a circle", _core(references=["Game"]), _STOPS, _COMPILING),
    Change("without a name", _new('{"references": []}', _CORE), _STOPS, _DATA),
    Change("an empty name", _new('{"name": ""}'), _STOPS, _DATA),
    Change("empty", _new(""), _STOPS, _DATA),
    Change("null", _new("null"), _STOPS, _DATA),
    Change("broken JSON without scripts", _new('{"name": "New",'), _STOPS, _DATA),
    Change("broken JSON", _new('{"name": "Core"', _CORE), _STOPS, _DATA),
    Change("references no list", _core(references="Lib"), "doesn't read it as a list", _DATA),
    Change("a predefined name", _new(definition("Assembly-CSharp")), _STOPS, _LOADING),
    Change("a reserved name", _new(definition("netstandard")), _STOPS, _LOADING),
    Change("another's name", _new(definition("Core")), _STOPS, _LOADING),
    Change("in other letters", _new(definition("CORE")), _STOPS, _LOADING),
    Change("a package's name", _new(definition("X")), _STOPS, _LOADING),
    Change("a broken reference file", _new("{", "Assets/New/New.asmref"), _STOPS, _ASMREF),
    Change("two in one folder", _new(definition("B"), "Assets/Core/B.asmdef"), _STOPS, _LOADING),
    Change("both lists of platforms", _core(**_BOTH), _STOPS, _DATA),
    Change("no such platform", _core(includePlatforms=["Editor", "Gameboy"]), _STOPS, _DATA),
    Change(
        "generates code",
        _new(definition("Unity.New.CodeGen")),
        "refuses one that is referred to by itself",
        _DATA,
    ),
    Change("removed", {_CORE: None}, "compiles its scripts in Assembly-CSharp", _RULES),
    Change("renamed", _new(definition("Heart"), _CORE), "compiles another assembly", _RULES),
    Change(
        "a new one for scripts",
        {_NEW: definition("New"), "Assets/New/New.cs": "class New { }\n"},
        "compiles it, and lets Assembly-CSharp use it",
        _RULES,
    ),
    Change("a reference more", _core(references=["Lib"]), "passes it to the compiler", _RULES),
    Change("a reference less", _new(game(references=[_LIB_ID]), _GAME), "takes it away", _RULES),
    Change("a GUID less", _new(game(references=["Core"]), _GAME), "takes it away", _LOADING),
    Change("the GUID's .meta gone", {f"{_LIB}.meta": None}, "gives it a new GUID", _LOADING),
    Change("another GUID", _new(meta("2" * 32), f"{_LIB}.meta"), "knows nothing of it", _LOADING),
    Change("the Editor left out", _core(excludePlatforms=["Editor"]), "doesn't compile it", _DATA),
    Change("another platform alone", _core(includePlatforms=["iOS"]), "doesn't compile it", _DATA),
    Change("the Editor alone", _core(includePlatforms=["Editor"]), "takes it from players", _RULES),
    Change(
        "no longer the Editor alone",
        _new(definition("Tools", references=["Game"]), "Assets/Tools/Tools.asmdef"),
        "compiles it against what players have",
        _RULES,
    ),
    Change("an unmet constraint", _core(defineConstraints=["HARD_MODE"]), "leaves it out", _DATA),
    Change(
        "a constraint against itself",
        _core(defineConstraints=["!HARD || HARD"]),
        "takes it for invalid, and leaves it out",
        "DefineConstraintsHelper.cs",
    ),
    Change(
        "a constraint that holds now",
        _new(definition("Hard", defineConstraints=["SHIPPING"]), "Assets/Hard/Hard.asmdef"),
        "compiles it",
        _DATA,
    ),
    Change(
        "a platform more",
        _new(definition("Phone", includePlatforms=["iOS", "Editor"]), "Assets/Phone/Phone.asmdef"),
        "compiles it",
        _DATA,
    ),
    Change("unsafe code", _core(allowUnsafeCode=True), "lets the compiler take it", _DATA),
    Change("auto reference off", _core(autoReferenced=False), "takes it from scripts", _RULES),
    Change("auto reference on", _new(definition("Lib"), _LIB), "gives it to scripts", _RULES),
    Change("no engine", _core(noEngineReferences=True), "takes its libraries away", _RULES),
    Change("overridden references", _core(overrideReferences=True), "takes Auto.dll away", _RULES),
    Change(
        "a library more",
        _core(overrideReferences=True, precompiledReferences=["Auto.dll", "Named.dll"]),
        "passes it to the compiler",
        _RULES,
    ),
    Change(
        "a library less",
        _new(definition("Naming", overrideReferences=True), "Assets/Naming/Naming.asmdef"),
        "takes it away",
        _RULES,
    ),
    Change("a version define less", _new(game(versionDefines=[]), _GAME), "undefines it", _RULES),
    Change(
        "a version define more",
        _core(versionDefines=[{"name": "com.x", "expression": "[1,2)", "define": "NEW"}]),
        "defines it",
        _RULES,
    ),
    Change("a reference file gone", {"Assets/More/Game.asmref": None}, "moves scripts", _COMPILING),
    Change(
        "a reference file to another",
        _new('{"reference": "Core"}', "Assets/More/Game.asmref"),
        "moves scripts",
        _COMPILING,
    ),
    Change("moved", _moved(_CORE, "Assets/Core/Deep/Core.asmdef"), "moves scripts", _RULES),
    _nothing("written anew", _core(rootNamespace="Core"), "compiles the same", _DATA),
    _nothing("a reference to nothing", _core(references=["Not.There"]), "passes over it", _RULES),
    _nothing("a constraint that holds", _core(defineConstraints=["SHIPPING"]), "the same", _DATA),
    _nothing("a platform excluded", _core(excludePlatforms=["iOS"]), "the same here", _DATA),
    _nothing(
        "names for GUIDs", _new(game(references=["Core", "Lib"]), _GAME), "the same", _LOADING
    ),
    _nothing(
        "a version that isn't there",
        _core(versionDefines=[{"name": "com.x", "expression": "9", "define": "NEW"}]),
        "doesn't define it",
        _RULES,
    ),
    _nothing("new without scripts", _new(definition("New")), "has nothing to compile", _COMPILING),
    _nothing(
        "new for another platform",
        {
            _NEW: definition("New", includePlatforms=["Android"]),
            "Assets/New/New.cs": "class New { Nope nope; }\n",
        },
        "doesn't compile it",
        _DATA,
    ),
)

_OWN = "Assets/Game/csc.rsp"
_ARGUMENTS = "    Standalone:\n    - -define:ARGUED\n    - {}\n"
_PROFILE = "Assets/Settings/Build Profiles/Demo.asset"

OPTIONS = (
    Change("an assembly's response file gone", {_OWN: None}, "gives that of all", _RESPONSE),
    Change("an option less", _new("-nullable:enable\n", _OWN), "compiles without it", _RESPONSE),
    Change("an option more", _and(_OWN, "-checked\n"), "compiles with it", _RESPONSE),
    Change("another order", _and(_OWN, "-warnaserror-:CS0114\n"), "takes the last", _RESPONSE),
    Change("another language", _and(_OWN, "-langversion:8\n"), "compiles as that", _RESPONSE),
    Change("a symbol less", _new(_text(_OWN).replace("GAME_OWN", "X"), _OWN), "as told", _RESPONSE),
    Change("all's response file gone", {"Assets/csc.rsp": None}, "compiles without", _RESPONSE),
    Change("an option of all more", _and("Assets/csc.rsp", "-warnaserror\n"), "as told", _RESPONSE),
    Change(
        "a library of .NET",
        _and("Assets/csc.rsp", "-r:System.Management.dll\n"),
        "as told",
        _RESPONSE,
    ),
    Change(
        "a response file of an assembly's",
        _new("-unsafe\n", "Assets/Core/csc.rsp"),
        "as told",
        _RESPONSE,
    ),
    Change(
        "errors for warnings",
        _new(settings(arguments=_ARGUMENTS.format("-warnaserror+")), SETTINGS),
        "gives it to each assembly",
        _COMPILING,
    ),
    Change(
        "an older language",
        _new(settings(arguments=_ARGUMENTS.format("'-langversion:8'")), SETTINGS),
        "gives it to each assembly",
        _COMPILING,
    ),
    Change(
        "an argument's symbol",
        _new(settings(arguments=_ARGUMENTS.format("-define:NEW")), SETTINGS),
        "gives it to each assembly",
        _COMPILING,
    ),
    Change("no arguments", _new(settings(arguments=""), SETTINGS), "undefines ARGUED", _COMPILING),
    Change(
        "a symbol more", _new(settings(symbols="SHIPPING;NEW"), SETTINGS), "defines it", _SYMBOLS
    ),
    Change(
        "a symbol of settings less", _new(settings(symbols=""), SETTINGS), "undefines it", _SYMBOLS
    ),
    Change("settings gone", {SETTINGS: None}, "has those of a new project", _SYMBOLS),
    Change("unsafe code of all", _new(settings(unsafe="1"), SETTINGS), "allows it", _COMPILING),
    Change("the new input", _new(settings(input="1"), SETTINGS), "has other symbols", _SYMBOLS),
    Change("all warnings", _new(settings(quiet="0"), SETTINGS), "suppresses none", _COMPILING),
    Change("another API", _new(settings(level="3"), SETTINGS), "has other libraries", _COMPILING),
    Change(
        "a profile's symbol",
        _new("MonoBehaviour:\n  m_ScriptingDefines:\n  - DEMO\n", _PROFILE),
        "defines it while the profile is in use",
        "Manual: Build profiles; BuildProfileContext.cs",
    ),
    Change(
        "a rule set", _new("<RuleSet />", "Assets/Default.ruleset"), "gives it to all", _RULE_SETS
    ),
    Change(
        "an assembly's rule set",
        _new("<RuleSet />", "Assets/Core/A.ruleset"),
        "uses it",
        _RULE_SETS,
    ),
    Change("its rule set gone", {"Assets/Tools/Tools.ruleset": None}, "goes without", _RULE_SETS),
    Change(
        "a configuration",
        _new("is_global = true\n", "Assets/Default.globalconfig"),
        "gives it to all",
        "RoslynAnalyzerConfig.binding.cs",
    ),
    Change(
        "Unity's version",
        _new("m_EditorVersion: 2022.3.41f1\n", "ProjectSettings/ProjectVersion.txt"),
        "defines other symbols",
        "Manual: Unity scripting symbol reference",
    ),
    _nothing(
        "the same in other words",
        _new("/nullable+ /d:GAME_OWN\n/w:4 -warnaserror:0114 # so\n", _OWN),
        "the same",
        _RESPONSE,
    ),
    _nothing(
        "a warning shown again",
        _new("-define:PROJECT_OWN\n", "Assets/csc.rsp"),
        "shows it",
        _RESPONSE,
    ),
    _nothing("what is said already", _and(_OWN, "-langversion:9.0\n"), "the same", _RESPONSE),
    _nothing(
        "another platform's symbol",
        _new(_text(SETTINGS).replace("PHONE", "PAD"), SETTINGS),
        "the same here",
        _SYMBOLS,
    ),
    _nothing(
        "in the project's root", _new("-warnaserror\n", "csc.rsp"), "reads none there", _RESPONSE
    ),
)

_CONSTRAINT = "  defineConstraints:\n  - HARD_MODE"
_LABEL = "labels:\n- RoslynAnalyzer\n"

LIBRARIES = (
    Change(
        "the Editor left out",
        _new(library_meta(excluded="Editor"), _AUTO),
        "takes it away",
        _PLUGIN,
    ),
    Change(
        "another platform alone", _new(library_meta("Android"), _AUTO), "takes it away", _PLUGIN
    ),
    Change(
        "auto reference off",
        _new(library_meta(more="  isExplicitlyReferenced: 1"), _AUTO),
        "takes it away",
        _PLUGIN,
    ),
    Change("auto reference on", _new(library_meta(), _NAMED), "gives it to all", _PLUGIN),
    Change(
        "a constraint that isn't met",
        _new(library_meta(more=_CONSTRAINT), _AUTO),
        "takes it away",
        _PLUGIN,
    ),
    Change(
        "a constraint that is met now",
        _new(
            library_meta(more=_CONSTRAINT.replace("HARD_MODE", "SHIPPING")),
            "Assets/Plugins/Constrained.dll.meta",
        ),
        "gives it to all",
        _PLUGIN,
    ),
    Change(
        "now for the Editor",
        _new(library_meta("Android Editor"), "Assets/Plugins/Phone.dll.meta"),
        "gives it to all",
        _PLUGIN,
    ),
    Change(
        "a namesake",
        {"Assets/B/Auto.dll": b"MZ BSJB", "Assets/B/Auto.dll.meta": library_meta()},
        "takes one, or refuses both",
        _NAMESAKES,
    ),
    Change(
        "the namesake for the Editor",
        _new(library_meta("iPhone Editor"), "Assets/Plugins/Phone/Auto.dll.meta"),
        "takes one, or refuses both",
        _NAMESAKES,
    ),
    Change(
        "an assembly's namesake",
        {"Assets/B/Core.dll": b"MZ BSJB"},
        "takes one, or refuses both",
        _LOADING,
    ),
    Change(
        "a new one",
        {"Assets/B/B.dll": b"MZ BSJB", "Assets/B/B.dll.meta": library_meta()},
        "gives it to all",
        _PLUGIN,
    ),
    Change("a new one without .meta", {"Assets/B/B.dll": b"MZ BSJB"}, "gives it to all", _PLUGIN),
    Change(
        "an analyzer",
        {"Assets/B/B.dll": b"MZ BSJB", "Assets/B/B.dll.meta": _LABEL + library_meta("Android")},
        "runs it",
        "RoslynAnalyzers.cs",
    ),
    Change("gone", {"Assets/Plugins/Auto.dll": None}, "has none", _PLUGIN, is_compiled=True),
    _nothing(
        "a new one for a phone",
        {"Assets/B/B.dll": b"MZ BSJB", "Assets/B/B.dll.meta": library_meta("Android")},
        "the same here",
        _PLUGIN,
    ),
    _nothing("a new native one", {"Assets/B/B.dll": b"MZ"}, "gives it to no compiler", _PLUGIN),
    _nothing(
        "a phone excluded", _new(library_meta(excluded="Android"), _AUTO), "the same here", _PLUGIN
    ),
    _nothing(
        "a constraint that holds",
        _new(library_meta(more="  defineConstraints:\n  - SHIPPING"), _AUTO),
        "the same",
        _PLUGIN,
    ),
)

PACKAGES = (
    Change(
        "one asked for",
        _new(manifest(**{"com.x": "1.2.0", "com.y": "1.0.0"}), "Packages/manifest.json"),
        "resolves it",
        _PACKAGES,
    ),
    Change(
        "another version",
        {
            "Packages/manifest.json": manifest(**{"com.x": "1.3.0"}),
            "Packages/packages-lock.json": lock("1.3.0"),
        },
        "fetches it",
        _PACKAGES,
    ),
    Change(
        "one gone",
        {
            "Packages/manifest.json": manifest(),
            "Packages/packages-lock.json": '{"dependencies": {}}',
        },
        "removes it",
        _PACKAGES,
    ),
    Change("broken manifest", _new("{", "Packages/manifest.json"), "resolves nothing", _PACKAGES),
    Change(
        "in the project, in another version",
        {
            "Packages/com.x/package.json": '{"name": "com.x", "version": "2.0.0"}',
            "Packages/com.x/X.asmdef": definition("X"),
        },
        "takes that",
        "Manual: Embedded packages",
    ),
    _nothing(
        "in the project, the same",
        {
            f"Packages/com.x/{name.removeprefix(f'{CACHED}/')}": text
            for name, text in FILES.items()
            if name.startswith(CACHED)
        },
        "takes that",
        "Manual: Embedded packages",
    ),
)

FOLDERS = (
    Change(
        "scripts into an Editor folder",
        _moved("Assets/Loose.cs", "Assets/Editor/Loose.cs"),
        "moves them",
        _FOLDERS,
        is_compiled=True,
    ),
    Change(
        "scripts hidden",
        _moved("Assets/Core/Clock.cs", "Assets/Core~/Clock.cs"),
        "compiles them no longer",
        _FOLDERS,
    ),
    Change(
        "the folder of a definition renamed with its scripts",
        {
            **_moved(_LIB, "Assets/Lib~/Lib.asmdef"),
            **_moved("Assets/Lib/Lib.cs", "Assets/Lib~/Lib.cs"),
        },
        "compiles them no longer",
        _FOLDERS,
    ),
    Change(
        "scripts to another definition",
        _moved("Assets/Core/Clock.cs", "Assets/Tools/Clock.cs"),
        "moves them",
        _RULES,
        is_compiled=True,
    ),
    _nothing(
        "a definition hidden",
        {"Assets/B~/B.asmdef": "{", "Assets/.b/B.asmdef": "{"},
        "passes over it",
        _FOLDERS,
    ),
    _nothing("a library hidden", {"Assets/B~/Auto.dll": b"MZ BSJB"}, "passes over it", _FOLDERS),
)

CHANGES = {
    "definitions": DEFINITIONS,
    "options and settings": OPTIONS,
    "libraries": LIBRARIES,
    "packages": PACKAGES,
    "folders": FOLDERS,
}
"""All, by what they are changes of."""
