"""A project as Unity leaves it after a build, with all that may change later.

Definitions for all platforms, the Editor alone, another platform, and a symbol that isn't defined;
references by name and GUID; options of the project and of an assembly; libraries with all kinds of
``.meta`` files; a fetched package.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

ARTIFACTS = "Library/Bee/artifacts/1900b0aE.dag"
BUILT_S = 1_700_000_000
CACHED = "Library/PackageCache/com.x@1.2.0"
GUIDS = {"Lib": "0" * 31 + "a", "Core": "0" * 31 + "b", "X": "0" * 31 + "c"}
SETTINGS = "ProjectSettings/ProjectSettings.asset"

Files = Mapping[str, "str | bytes | None"]
"""Contents by project-relative paths; ``None``: there is no such file."""


def definition(name: str, **said: object) -> str:
    """Return the text of a definition."""
    return json.dumps({"name": name, **said}, indent=4) + "\n"


def game(**said: object) -> str:
    """Return Game's definition with other values."""
    references = ["Core", f"GUID:{GUIDS['Lib']}", "GUID:of.none", "Not.There"]
    own = {
        "references": references,
        "versionDefines": [{"name": "com.x", "expression": "1.0", "define": "HAS_X"}],
        "defineConstraints": ["UNITY_EDITOR || UNITY_IOS"],
    }
    return definition("Game", **{**own, **said})


def meta(guid: str = "1" * 32) -> str:
    """Return the ``.meta`` of a file that isn't a library."""
    return f"fileFormatVersion: 2\nguid: {guid}\n"


def library_meta(platforms: str = "Any", excluded: str = "", more: str = "") -> str:
    """Return the ``.meta`` of a library for some platforms."""
    own = "".join(
        f"  - first:\n      {each}: {each}\n    second:\n      enabled: 1\n      settings: {{}}\n"
        for each in platforms.split()
    )
    excludes = f"        Exclude {excluded}: 1\n" if excluded else "        Exclude Editor: 0\n"
    return (
        f"{meta()}PluginImporter:\n"
        f"{more or '  defineConstraints: []'}\n  platformData:\n"
        f"  - first:\n      : Any\n    second:\n      enabled: 0\n      settings:\n{excludes}{own}"
    )


def settings(**said: str) -> str:
    """Return the text of the player settings with other values."""
    own = {
        "symbols": "SHIPPING",
        "arguments": "    Standalone:\n    - -define:ARGUED\n",
        "unsafe": "0",
        "input": "0",
        "level": "6",
        "quiet": "1",
        **said,
    }
    return (
        "PlayerSettings:\n"
        f"  scriptingDefineSymbols:\n    Standalone: {own['symbols']}\n    Android: PHONE\n"
        f"  additionalCompilerArguments:\n{own['arguments']}"
        f"  allowUnsafeCode: {own['unsafe']}\n  apiCompatibilityLevel: {own['level']}\n"
        f"  activeInputHandler: {own['input']}\n  suppressCommonWarnings: {own['quiet']}\n"
    )


def lock(version: str = "1.2.0") -> str:
    """Return the text of the lock file."""
    entry = {"version": version, "depth": 0, "source": "registry", "dependencies": {}}
    return json.dumps({"dependencies": {"com.x": entry}})


def manifest(**packages: str) -> str:
    """Return the text of the manifest."""
    return json.dumps({"dependencies": packages})


FILES: Files = {
    "Assets/Core/Core.asmdef": definition("Core"),
    "Assets/Core/Core.asmdef.meta": meta(GUIDS["Core"]),
    "Assets/Core/Clock.cs": "public class Clock { }\n",
    "Assets/Lib/Lib.asmdef": definition("Lib", autoReferenced=False),
    "Assets/Lib/Lib.asmdef.meta": meta(GUIDS["Lib"]),
    "Assets/Lib/Lib.cs": "public class Lib { }\n",
    "Assets/Game/Game.asmdef": game(),
    "Assets/Game/Player.cs": "public class Player { Clock clock = new Clock(); Lib lib; }\n",
    "Assets/Game/csc.rsp": "-nullable:enable\n-define:GAME_OWN\n-warn:4\n-warnaserror+:CS0114\n",
    "Assets/More/Game.asmref": '{"reference": "Game"}\n',
    "Assets/More/Enemy.cs": "public class Enemy : Player { }\n",
    "Assets/Tools/Tools.asmdef": definition(
        "Tools", references=["Game"], includePlatforms=["Editor"]
    ),
    "Assets/Tools/Tools.cs": "public class Tools { Player player; }\n",
    "Assets/Tools/Tools.ruleset": '<RuleSet Name="T" ToolsVersion="16.0" />\n',
    "Assets/Naming/Naming.asmdef": definition(
        "Naming", overrideReferences=True, precompiledReferences=["Named.dll", "Phone.dll"]
    ),
    "Assets/Naming/Naming.cs": "public class Naming { }\n",
    "Assets/Hard/Hard.asmdef": definition("Hard", defineConstraints=["HARD_MODE"]),
    "Assets/Hard/Hard.cs": "public class Hard { Nope nope; }\n",
    "Assets/Phone/Phone.asmdef": definition("Phone", includePlatforms=["Android", "iOS"]),
    "Assets/Phone/Phone.cs": "public class Phone { Nope nope; }\n",
    "Assets/Empty/Empty.asmdef": definition("Empty"),
    "Assets/Loose.cs": "public class Loose { Player player; }\n",
    "Assets/Editor/Menu.cs": "public class Menu { Loose loose; }\n",
    "Assets/csc.rsp": "-define:PROJECT_OWN\n-nowarn:0618\n",
    "Assets/Plugins/Auto.dll.meta": library_meta(),
    "Assets/Plugins/Named.dll.meta": library_meta(more="  isExplicitlyReferenced: 1"),
    "Assets/Plugins/Phone.dll.meta": library_meta("Android"),
    "Assets/Plugins/Constrained.dll.meta": library_meta(more="  defineConstraints:\n  - HARD_MODE"),
    "Assets/Plugins/Phone/Auto.dll.meta": library_meta("iPhone"),
    SETTINGS: settings(),
    "ProjectSettings/ProjectVersion.txt": "m_EditorVersion: 2022.3.40f1\n",
    "Packages/manifest.json": manifest(**{"com.x": "1.2.0"}),
    "Packages/packages-lock.json": lock(),
    f"{CACHED}/package.json": '{"name": "com.x", "version": "1.2.0"}\n',
    f"{CACHED}/Runtime/X.asmdef": definition("X", autoReferenced=False),
    f"{CACHED}/Runtime/X.asmdef.meta": meta(GUIDS["X"]),
    f"{CACHED}/Runtime/X.cs": "public class X { }\n",
}

LIBRARIES = ("Auto", "Named", "Phone", "Constrained", "Phone/Auto")

_DEFINES = (
    "UNITY_2022_3_40",
    "UNITY_2022_3_OR_NEWER",
    "UNITY_EDITOR",
    "UNITY_STANDALONE",
    "NET_STANDARD",
    "ENABLE_LEGACY_INPUT_MANAGER",
    "SHIPPING",
    "ARGUED",
)
_AUTO = "Assets/Plugins/Auto.dll"
_ALL = ("-define:PROJECT_OWN", "-nowarn:0618")
_EDITOR_ONLY = "-define:UNITY_EDITOR_ONLY_COMPILATION"
_BUILDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "X": ((f"{CACHED}/Runtime/X.cs",), (), (_AUTO,), _ALL),
    "Core": (("Assets/Core/Clock.cs",), (), (_AUTO,), _ALL),
    "Lib": (("Assets/Lib/Lib.cs",), (), (_AUTO,), _ALL),
    "Game": (
        ("Assets/Game/Player.cs", "Assets/More/Enemy.cs"),
        ("Core", "Lib"),
        (_AUTO,),
        (
            "-define:HAS_X",
            "-define:GAME_OWN",
            "-nullable:enable",
            "-warn:4",
            "-warnaserror+:CS0114",
        ),
    ),
    "Naming": (("Assets/Naming/Naming.cs",), (), ("Assets/Plugins/Named.dll",), _ALL),
    "Tools": (
        ("Assets/Tools/Tools.cs",),
        ("Game",),
        (_AUTO,),
        (*_ALL, _EDITOR_ONLY, "-ruleset:Assets/Tools/Tools.ruleset"),
    ),
    "Assembly-CSharp": (("Assets/Loose.cs",), ("Core", "Game", "Naming"), (_AUTO,), _ALL),
    "Assembly-CSharp-Editor": (
        ("Assets/Editor/Menu.cs",),
        ("Core", "Game", "Naming", "Tools", "Assembly-CSharp"),
        (_AUTO,),
        (*_ALL, _EDITOR_ONLY),
    ),
}
"""The assemblies with scripts, references, libraries of the project, and options."""


def write_project(
    root: Path, libraries: tuple[Path, ...], managed: Callable[[str], bytes] | None = None
) -> None:
    """Write it into an empty folder, everything older than the build.

    ``libraries`` are what scripts are compiled against; ``managed`` makes a library of a name.
    """
    write(root, FILES)
    for each in LIBRARIES:
        content = managed(each.replace("/", "")) if managed else b"MZ BSJB"
        write(root, {f"Assets/Plugins/{each}.dll": content})
    for name, (sources, references, plugins, options) in _BUILDS.items():
        lines = [
            "-target:library",
            f'-out:"{ARTIFACTS}/{name}.dll"',
            f'-refout:"{ARTIFACTS}/{name}.ref.dll"',
            *(f"-define:{each}" for each in _DEFINES),
            *(f'-r:"{each}"' for each in libraries),
            *(f'-r:"{each}"' for each in plugins),
            *(f'-r:"{ARTIFACTS}/{each}.ref.dll"' for each in references),
            *(f'"{each}"' for each in sources),
            *("-langversion:9.0", "/nostdlib", "/deterministic", "/nowarn:0169", "/nowarn:0649"),
            *options,
        ]
        write(root, {f"{ARTIFACTS}/{name}.rsp": "\n".join(lines) + "\n"})
    write(
        root, {"Library/Bee/tundra.log.json": '{"msg":"init","dagFile":"Library/Bee/1900b0aE.dag"}'}
    )
    stamp(root, BUILT_S)


def write(root: Path, files: Files, when: int | None = None) -> None:
    """Write or remove files, as if that had been at ``when``."""
    for name, content in files.items():
        file = root / name
        if content is None:
            file.unlink()
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        if when is not None:
            os.utime(file, (when, when))


def stamp(root: Path, when: int) -> None:
    """Let all files outside ``Library/Bee`` be of ``when``, as a checkout does."""
    for folder, _, names in os.walk(root):
        if "Bee" not in Path(folder).parts:
            for name in names:
                os.utime(Path(folder) / name, (when, when))
