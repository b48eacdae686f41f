"""The corpus: real Unity C# files, one parameter of every test that takes ``files`` a package."""

import os

import pytest

from benchmarks.unity_packages import (
    EXTRA_FOLDERS_VARIABLE,
    PACKAGES,
    CSharpFile,
    FetchError,
    NpmPackage,
    csharp_files,
    extra_files,
)

_SOURCES: tuple[NpmPackage | None, ...] = (
    (*PACKAGES, None) if os.environ.get(EXTRA_FOLDERS_VARIABLE) else PACKAGES
)


@pytest.fixture(
    scope="session",
    params=_SOURCES,
    ids=[package.spec if package else EXTRA_FOLDERS_VARIABLE for package in _SOURCES],
)
def files(request: pytest.FixtureRequest) -> list[CSharpFile]:
    """Every C# file of one package, or of the folders that the environment names.

    Where a package can't be had, the test fails in CI and is skipped elsewhere.
    """
    package: NpmPackage | None = request.param
    if package is None:
        return list(extra_files())
    try:
        return list(csharp_files(package))
    except FetchError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
