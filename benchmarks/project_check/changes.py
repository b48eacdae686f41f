"""The changes of a project since Unity built it, and what Unity does about each.

One table, which the benchmark runs with a compiler and the tests without.
"""

from __future__ import annotations

from benchmarks.project_check.change import (
    AUTO,
    COMPILING,
    LIB,
    LOADING,
    NAMED,
    NAMESAKES,
    PLUGIN,
    RESERVED,
    RESPONSE,
    RULE_SETS,
    RULES,
    SYMBOLS,
    Change,
    more,
    moved,
    put,
    same,
    text_of,
)
from benchmarks.project_check.changed_definitions import DEFINITIONS
from benchmarks.project_check.changed_packages import PACKAGES
from benchmarks.project_check.project_as_built import SETTINGS, library_meta, settings

_OWN = "Assets/Game/csc.rsp"
_ARGUMENTS = "    Standalone:\n    - -define:ARGUED\n    - {}\n"
_PROFILE = "Assets/Settings/Build Profiles/Demo.asset"

OPTIONS = (
    Change("an assembly's response file gone", {_OWN: None}, "gives that of all", RESPONSE),
    Change("an option less", put("-nullable:enable\n", _OWN), "compiles without it", RESPONSE),
    Change("an option more", more(_OWN, "-checked\n"), "compiles with it", RESPONSE),
    Change("another order", more(_OWN, "-warnaserror-:CS0114\n"), "takes the last", RESPONSE),
    Change("another language", more(_OWN, "-langversion:8\n"), "compiles as that", RESPONSE),
    Change("a symbol less", put(text_of(_OWN).replace("GAME_OWN", "X"), _OWN), "as told", RESPONSE),
    Change("all's response file gone", {"Assets/csc.rsp": None}, "compiles without", RESPONSE),
    Change("an option of all more", more("Assets/csc.rsp", "-warnaserror\n"), "as told", RESPONSE),
    Change(
        "a library of .NET",
        more("Assets/csc.rsp", "-r:System.Management.dll\n"),
        "as told",
        RESPONSE,
    ),
    Change(
        "a response file of an assembly's",
        put("-unsafe\n", "Assets/Core/csc.rsp"),
        "as told",
        RESPONSE,
    ),
    Change(
        "errors for warnings",
        put(settings(arguments=_ARGUMENTS.format("-warnaserror+")), SETTINGS),
        "gives it to each assembly",
        COMPILING,
    ),
    Change(
        "an older language",
        put(settings(arguments=_ARGUMENTS.format("'-langversion:8'")), SETTINGS),
        "gives it to each assembly",
        COMPILING,
    ),
    Change(
        "an argument's symbol",
        put(settings(arguments=_ARGUMENTS.format("-define:NEW")), SETTINGS),
        "gives it to each assembly",
        COMPILING,
    ),
    Change("no arguments", put(settings(arguments=""), SETTINGS), "undefines ARGUED", COMPILING),
    Change("a symbol more", put(settings(symbols="SHIPPING;NEW"), SETTINGS), "defines it", SYMBOLS),
    Change(
        "a symbol of settings less", put(settings(symbols=""), SETTINGS), "undefines it", SYMBOLS
    ),
    Change("settings gone", {SETTINGS: None}, "has those of a new project", SYMBOLS),
    Change("unsafe code of all", put(settings(unsafe="1"), SETTINGS), "allows it", COMPILING),
    Change("the new input", put(settings(input="1"), SETTINGS), "has other symbols", SYMBOLS),
    Change("all warnings", put(settings(quiet="0"), SETTINGS), "suppresses none", COMPILING),
    Change(
        "another API for the Editor's scripts",
        put(f"{settings()}  editorAssembliesCompatibilityLevel: 2\n", SETTINGS),
        "has other libraries",
        COMPILING,
    ),
    Change(
        "a merge that isn't finished",
        put(f"<<<<<<< HEAD\n{settings()}=======\n>>>>>>> b\n", SETTINGS),
        "can't read them",
        SYMBOLS,
    ),
    Change("a script to all", more("Assets/csc.rsp", "More/Extra.cs\n"), "as told", RESPONSE),
    Change("no option", more("Assets/csc.rsp", "unsafe\n"), "misses a script so named", RESPONSE),
    Change("another API", put(settings(level="3"), SETTINGS), "has other libraries", COMPILING),
    Change(
        "a profile's symbol",
        put("MonoBehaviour:\n  m_ScriptingDefines:\n  - DEMO\n", _PROFILE),
        "defines it while the profile is in use",
        "Manual: Build profiles; BuildProfileContext.cs",
    ),
    Change(
        "a rule set", put("<RuleSet />", "Assets/Default.ruleset"), "gives it to all", RULE_SETS
    ),
    Change(
        "an assembly's rule set",
        put("<RuleSet />", "Assets/Core/A.ruleset"),
        "uses it",
        RULE_SETS,
    ),
    Change("its rule set gone", {"Assets/Tools/Tools.ruleset": None}, "goes without", RULE_SETS),
    Change(
        "a configuration",
        put("is_global = true\n", "Assets/Default.globalconfig"),
        "gives it to all",
        "RoslynAnalyzerConfig.binding.cs",
    ),
    Change(
        "Unity's version",
        put("m_EditorVersion: 2022.3.41f1\n", "ProjectSettings/ProjectVersion.txt"),
        "defines other symbols",
        "Manual: Unity scripting symbol reference",
    ),
    same(
        "the same in other words",
        put("/nullable+ /d:GAME_OWN\n/w:4 -warnaserror:0114 # so\n", _OWN),
        "the same",
        RESPONSE,
    ),
    same(
        "a warning shown again",
        put("-define:PROJECT_OWN\n", "Assets/csc.rsp"),
        "shows it",
        RESPONSE,
    ),
    same("what is said already", more(_OWN, "-langversion:9.0\n"), "the same", RESPONSE),
    same(
        "another platform's symbol",
        put(text_of(SETTINGS).replace("PHONE", "PAD"), SETTINGS),
        "the same here",
        SYMBOLS,
    ),
    same("in the project's root", put("-warnaserror\n", "csc.rsp"), "reads none there", RESPONSE),
)

_CONSTRAINT = "  defineConstraints:\n  - HARD_MODE"
_LABEL = "labels:\n- RoslynAnalyzer\n"

LIBRARIES = (
    Change(
        "the Editor left out",
        put(library_meta(excluded="Editor"), AUTO),
        "takes it away",
        PLUGIN,
    ),
    Change("another platform alone", put(library_meta("Android"), AUTO), "takes it away", PLUGIN),
    Change(
        "auto reference off",
        put(library_meta(more="  isExplicitlyReferenced: 1"), AUTO),
        "takes it away",
        PLUGIN,
    ),
    Change(
        "a merge of its .meta that isn't finished",
        put(f"<<<<<<< HEAD\n{library_meta()}=======\n>>>>>>> b\n", AUTO),
        "can't read it",
        PLUGIN,
    ),
    Change("auto reference on", put(library_meta(), NAMED), "gives it to all", PLUGIN),
    Change(
        "a constraint that isn't met",
        put(library_meta(more=_CONSTRAINT), AUTO),
        "takes it away",
        PLUGIN,
    ),
    Change(
        "a constraint that is met now",
        put(
            library_meta(more=_CONSTRAINT.replace("HARD_MODE", "SHIPPING")),
            "Assets/Plugins/Constrained.dll.meta",
        ),
        "gives it to all",
        PLUGIN,
    ),
    Change(
        "now for the Editor",
        put(library_meta("Android Editor"), "Assets/Plugins/Phone.dll.meta"),
        "gives it to all",
        PLUGIN,
    ),
    Change(
        "a namesake",
        {"Assets/B/Auto.dll": b"MZ BSJB", "Assets/B/Auto.dll.meta": library_meta()},
        "takes one, or refuses both",
        NAMESAKES,
    ),
    Change(
        "the namesake for the Editor",
        put(library_meta("iPhone Editor"), "Assets/Plugins/Phone/Auto.dll.meta"),
        "takes one, or refuses both",
        NAMESAKES,
    ),
    Change(
        "an assembly's namesake",
        {"Assets/B/Core.dll": b"MZ BSJB"},
        "takes one, or refuses both",
        LOADING,
    ),
    Change(
        "a new one",
        {"Assets/B/B.dll": b"MZ BSJB", "Assets/B/B.dll.meta": library_meta()},
        "gives it to all",
        PLUGIN,
    ),
    Change("a new one without .meta", {"Assets/B/B.dll": b"MZ BSJB"}, "gives it to all", PLUGIN),
    Change(
        "an analyzer",
        {"Assets/B/B.dll": b"MZ BSJB", "Assets/B/B.dll.meta": _LABEL + library_meta("Android")},
        "runs it",
        "RoslynAnalyzers.cs",
    ),
    Change("gone", {"Assets/Plugins/Auto.dll": None}, "has none", PLUGIN, is_compiled=True),
    same(
        "a new one for a phone",
        {"Assets/B/B.dll": b"MZ BSJB", "Assets/B/B.dll.meta": library_meta("Android")},
        "the same here",
        PLUGIN,
    ),
    same("a new native one", {"Assets/B/B.dll": b"MZ"}, "gives it to no compiler", PLUGIN),
    same("a phone excluded", put(library_meta(excluded="Android"), AUTO), "the same here", PLUGIN),
    same(
        "a constraint that holds",
        put(library_meta(more="  defineConstraints:\n  - SHIPPING"), AUTO),
        "the same",
        PLUGIN,
    ),
)

FOLDERS = (
    Change(
        "scripts into an Editor folder",
        moved("Assets/Loose.cs", "Assets/Editor/Loose.cs"),
        "moves them",
        RESERVED,
        is_compiled=True,
    ),
    Change(
        "scripts hidden",
        moved("Assets/Core/Clock.cs", "Assets/Core~/Clock.cs"),
        "compiles them no longer",
        RESERVED,
    ),
    Change(
        "the folder of a definition renamed with its scripts",
        {
            **moved(LIB, "Assets/Lib~/Lib.asmdef"),
            **moved("Assets/Lib/Lib.cs", "Assets/Lib~/Lib.cs"),
        },
        "compiles them no longer",
        RESERVED,
    ),
    Change(
        "scripts to another definition",
        moved("Assets/Core/Clock.cs", "Assets/Tools/Clock.cs"),
        "moves them",
        RULES,
        is_compiled=True,
    ),
    same(
        "a folder renamed",
        {
            **moved("Assets/Lib/Lib.asmdef", "Assets/Kept/Lib.asmdef"),
            **moved("Assets/Lib/Lib.asmdef.meta", "Assets/Kept/Lib.asmdef.meta"),
            **moved("Assets/Lib/Lib.cs", "Assets/Kept/Lib.cs"),
        },
        "compiles the same",
        RULES,
    ),
    same(
        "a definition hidden",
        {"Assets/B~/B.asmdef": "{", "Assets/.b/B.asmdef": "{"},
        "passes over it",
        RESERVED,
    ),
    same("a library hidden", {"Assets/B~/Auto.dll": b"MZ BSJB"}, "passes over it", RESERVED),
)

CHANGES = {
    "definitions": DEFINITIONS,
    "options and settings": OPTIONS,
    "libraries": LIBRARIES,
    "packages": PACKAGES,
    "folders": FOLDERS,
}
"""All, by what they are changes of."""
