"""The Unity package compiles unchanged: C# 9, warnings as errors, on both of Unity's API levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.assemblies import EDITOR_DEFINES, NEWER_DEFINES, package
from tests.bench.compiler import Assembly, CompileError, Profile, build
from tests.bench.toolchains import MissingToolError
from tests.unity_package.package_assemblies import package_tests


@pytest.mark.parametrize(
    ("profile", "defines"),
    [
        (Profile.NET_FRAMEWORK, EDITOR_DEFINES),
        (Profile.NET_FRAMEWORK, NEWER_DEFINES),
        (Profile.NET_FRAMEWORK, (*EDITOR_DEFINES, "UNITY_EDITOR_WIN")),
        (Profile.NET_STANDARD, EDITOR_DEFINES),
        (Profile.NET_STANDARD, NEWER_DEFINES),
        (Profile.NET_STANDARD, None),
    ],
    ids=["2021.3", "6", "on Windows", "2021.3 by .NET Standard", "6 by .NET Standard", "its tests"],
)
def test_the_package_compiles(profile: Profile, defines: tuple[str, ...] | None) -> None:
    """For .NET Framework its tests are compiled where they are run."""
    try:
        build([package_tests(profile) if defines is None else package(profile, defines)], profile)
    except MissingToolError as missing:
        pytest.skip(str(missing))


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
