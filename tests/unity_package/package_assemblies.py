"""The Unity package's own tests as assemblies, and what they need to run on Mono."""

from __future__ import annotations

from pathlib import Path

from benchmarks.shared_toolchains import shared_toolchains
from tests.bench.assemblies import EDITOR_DEFINES, PACKAGE, PACKAGE_ASSEMBLY, package
from tests.bench.compiler import Assembly, Profile
from tests.bench.toolchains import INSTALL_MONO, MissingToolError, mono

RUNNER = Assembly(
    "UnitRunner", (Path(__file__).parent / "unit_runner" / "UnitRunner.cs",), program=True
)


def nunit(profile: Profile) -> Path:
    """NUnit's framework for a profile. Raises ``MissingToolError``."""
    shared = shared_toolchains()
    if shared is not None:
        framework = "net45" if profile is Profile.NET_FRAMEWORK else "netstandard2.0"
        return shared / "nunit-3.14" / framework / "nunit.framework.dll"
    cli = mono().libraries.parent / "cli"
    found = sorted(cli.glob("nunit.framework-*/nunit.framework.dll"))
    if not found or profile is not Profile.NET_FRAMEWORK:
        raise MissingToolError(f"NUnit is not installed. On Debian: {INSTALL_MONO}")
    return found[-1]


def package_tests(profile: Profile) -> Assembly:
    """The package's test assembly, its sources unchanged."""
    return Assembly(
        f"{PACKAGE_ASSEMBLY}.Tests",
        tuple((PACKAGE / "Tests" / "Editor").rglob("*.cs")),
        (package(profile), profile.newtonsoft(), nunit(profile)),
        (*EDITOR_DEFINES, "UNITY_INCLUDE_TESTS"),
    )
