"""The Unity package compiles unchanged: C# 9, warnings as errors, on both of Unity's API levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.assemblies import EDITOR_DEFINES, NEWER_DEFINES, package
from tests.bench.compiler import Assembly, CompileError, Profile, build
from tests.bench.toolchains import MissingToolError
from tests.unity_package.package_assemblies import package_tests

PROFILES = [Profile.NET_FRAMEWORK, Profile.NET_STANDARD]


def compiled(assembly: Assembly, profile: Profile) -> None:
    try:
        build([assembly], profile)
    except MissingToolError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.value)
@pytest.mark.parametrize(
    "defines",
    [EDITOR_DEFINES, NEWER_DEFINES, (*EDITOR_DEFINES, "UNITY_EDITOR_WIN")],
    ids=["Unity 2021.3", "Unity 6", "on Windows"],
)
def test_the_package_compiles(profile: Profile, defines: tuple[str, ...]) -> None:
    try:
        assembly = package(profile, defines)
    except MissingToolError as missing:
        pytest.skip(str(missing))
    compiled(assembly, profile)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.value)
def test_its_tests_compile(profile: Profile) -> None:
    try:
        assembly = package_tests(profile)
    except MissingToolError as missing:
        pytest.skip(str(missing))
    compiled(assembly, profile)


def test_a_warning_fails_the_build(tmp_path: Path) -> None:
    """The check can fail: an unused variable is an error here, as is newer C#."""
    file = tmp_path / "Wrong.cs"
    sources = ("class A { void B() { int unused; } }", "record struct C(int D);")
    file.write_text("\n".join(sources), encoding="utf-8")
    try:
        with pytest.raises(CompileError, match=r"CS8773(.|\n)*CS0168|CS0168(.|\n)*CS8773"):
            build([Assembly("Wrong", (file,))], Profile.NET_FRAMEWORK)
    except MissingToolError as missing:
        pytest.skip(str(missing))
