"""Which assemblies the bench is made of, and the package's, as the compiler wants them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.bench.compiler import Assembly, Profile
from tests.bench.toolchains import ROOT

PACKAGE = ROOT / "unity_bridge" / "unity_package"
"""The Unity package's folder."""

PACKAGE_ASSEMBLY = "UnityMcpPlugin.Editor"

EDITOR_DEFINES = (
    "UNITY_EDITOR",
    "UNITY_EDITOR_64",
    "UNITY_2021_3",
    "UNITY_2021_3_OR_NEWER",
    "UNITY_5_3_OR_NEWER",
    "CSHARP_7_3_OR_NEWER",
    "DEBUG",
    "TRACE",
)
"""What Unity 2021.3 defines for Editor assemblies; the oldest version that is supported."""

NEWER_DEFINES = (
    *EDITOR_DEFINES,
    "UNITY_2022_1_OR_NEWER",
    "UNITY_2022_2_OR_NEWER",
    "UNITY_2022_3_OR_NEWER",
    "UNITY_2023_1_OR_NEWER",
    "UNITY_2023_2_OR_NEWER",
    "UNITY_6000_0_OR_NEWER",
)
"""What Unity 6 defines besides."""

_HERE = Path(__file__).parent
# Events and fields that only Unity raises, sets or reads.
_NO_WARNINGS = ("/nowarn:0067,0649,0414",)

# Lifetimes of remote objects matter on Mono; .NET calls them obsolete.
CONTRACT = Assembly(
    "UnityBench.Contract",
    tuple((_HERE / "contract").glob("*.cs")),
    options=("/nowarn:0672,SYSLIB0010",),
)


def _stand_in(name: str, *references: Assembly) -> Assembly:
    sources = tuple((_HERE / "stand_ins" / name).glob("*.cs"))
    return Assembly(name, sources, (CONTRACT, *references), options=_NO_WARNINGS)


UNITY_ENGINE = _stand_in("UnityEngine")
UNITY_EDITOR = _stand_in("UnityEditor", UNITY_ENGINE)
ENGINE_TEST_RUNNER = _stand_in("UnityEngine.TestRunner", UNITY_ENGINE)
EDITOR_TEST_RUNNER = _stand_in(
    "UnityEditor.TestRunner", UNITY_ENGINE, UNITY_EDITOR, ENGINE_TEST_RUNNER
)
STAND_INS = (UNITY_ENGINE, UNITY_EDITOR, ENGINE_TEST_RUNNER, EDITOR_TEST_RUNNER)
"""Assemblies with Unity's names and signatures, in the order of their references."""

DOMAIN = Assembly(
    "UnityBench.Domain",
    tuple((_HERE / "domain").glob("*.cs")),
    (CONTRACT, *STAND_INS),
)
"""What runs in an Editor's domain besides the stand-ins."""

PROBE = Assembly("UnityBench.Probe", tuple((_HERE / "probe").glob("*.cs")), STAND_INS)
"""What takes the package's place in tests of the bench itself."""

PROJECT_SCRIPTS = Assembly(
    "Assembly-CSharp-Editor", tuple((_HERE / "project_scripts").glob("*.cs")), STAND_INS
)
"""What a project's own scripts do beside the package, once they are told to."""


def script_identifiers() -> dict[str, str]:
    """What names the package's scripts in assets: the identifiers of their ``.meta`` files."""
    found = {}
    for meta in sorted((PACKAGE / "Editor").rglob("*.cs.meta")):
        identifier = re.search(r"^guid: ([0-9a-f]{32})$", meta.read_text("utf-8"), re.MULTILINE)
        assert identifier is not None, meta
        found[meta.name.removesuffix(".cs.meta")] = identifier[1]
    return found


def package(profile: Profile, defines: tuple[str, ...] = EDITOR_DEFINES) -> Assembly:
    """The package's Editor assembly, its sources unchanged."""
    return Assembly(
        PACKAGE_ASSEMBLY,
        tuple((PACKAGE / "Editor").rglob("*.cs")),
        (*STAND_INS, profile.newtonsoft()),
        defines,
    )


def host(profile: Profile) -> Assembly:
    """The Editor process, for Mono or for .NET."""
    folder = _HERE / "host"
    runtime = folder / ("mono" if profile is Profile.NET_FRAMEWORK else "coreclr")
    sources = (*folder.glob("*.cs"), *runtime.glob("*.cs"))
    return Assembly("UnityBench.Host", sources, (CONTRACT,), program=True)
