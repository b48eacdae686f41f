import sys
from pathlib import Path

import pytest
from npm_archives import archive_of, integrity_of

from benchmarks.unity_packages import archive, csharp_files, unpack
from roslyn_server.toolchains import packages
from roslyn_server.toolchains.packages import NpmPackage

_FILES = {
    "package/package.json": b"{}",
    "package/Runtime/A.cs": b"\xef\xbb\xbfclass A { }\r\n",
    "package/../../outside.cs": b"class Outside { }",
}


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one archive that a stand-in for npm gives out; an empty cache."""
    served = tmp_path / "served.tgz"
    served.write_bytes(archive_of(_FILES))
    call = (
        "import shutil, sys; folder = sys.argv[sys.argv.index('--pack-destination') + 1]; "
        f"shutil.copy({str(served)!r}, folder + '/a-1.0.0.tgz')"
    )
    monkeypatch.setattr(packages, "npm_command", lambda: [sys.executable, "-c", call])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return served


def test_a_package_is_fetched_once_and_then_taken_from_the_cache(registry: Path) -> None:
    package = NpmPackage("a", "1.0.0", integrity_of(registry.read_bytes()))

    first = archive(package)
    registry.unlink()

    assert archive(package) == first
    files = {file.label: file.data for file in csharp_files(package)}
    assert files["a/Runtime/A.cs"] == _FILES["package/Runtime/A.cs"]


def test_a_damaged_copy_in_the_cache_is_fetched_again(registry: Path) -> None:
    package = NpmPackage("a", "1.0.0", integrity_of(registry.read_bytes()))
    archive(package).write_bytes(b"damaged")

    assert archive(package).read_bytes() == registry.read_bytes()


def test_unpacking_writes_inside_the_folder_only(registry: Path, tmp_path: Path) -> None:
    package = NpmPackage("a", "1.0.0", integrity_of(registry.read_bytes()))
    folder = tmp_path / "deep" / "project"

    unpack(package, folder)

    written = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert written == [Path("Runtime/A.cs"), Path("package.json")]
    assert not list(tmp_path.rglob("outside.cs"))
