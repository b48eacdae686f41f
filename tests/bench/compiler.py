"""C# to assemblies with Roslyn, kept in the user's cache by the hash of all that went in.

Implements docs/design/unity-package.md §5: language version 9, warnings as errors, against the .NET
Framework 4.7.1 and .NET Standard 2.1. An :class:`Assembly` names its sources and what it
references; the compiler builds what is not in the cache, in one Roslyn process.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from benchmarks.shared_toolchains import VARIABLE as TOOLCHAINS_VARIABLE
from tests.bench import toolchains

_COMPILE_TIMEOUT_S = 300


class Profile(Enum):
    """What is compiled against; the first two are Unity's API compatibility levels."""

    NET_FRAMEWORK = "net471"
    NET_STANDARD = "netstandard2.1"
    NET = "net8.0"

    def references(self) -> tuple[Path, ...]:
        """Its reference assemblies. Raises ``MissingToolError``."""
        if self is Profile.NET_FRAMEWORK:
            return toolchains.mono().references
        if self is Profile.NET:
            return toolchains.net_references()
        found = toolchains.net_standard_references()
        if found is None:
            raise toolchains.MissingToolError(
                "There are no .NET Standard 2.1 reference assemblies here: name a toolchains "
                f"folder in {TOOLCHAINS_VARIABLE}"
            )
        return found

    def newtonsoft(self) -> Path:
        """Newtonsoft.Json for this profile. Raises ``MissingToolError``."""
        framework = "net45" if self is Profile.NET_FRAMEWORK else "netstandard2.0"
        return toolchains.newtonsoft(framework)


@dataclass(frozen=True, slots=True)
class Assembly:
    """One assembly to build: its C# files, and what they need."""

    name: str
    sources: tuple[Path, ...]
    references: tuple[Assembly | Path, ...] = ()
    defines: tuple[str, ...] = ()
    program: bool = False
    options: tuple[str, ...] = ()
    """Further options of ``csc``."""

    @property
    def file_name(self) -> str:
        return f"{self.name}.{'exe' if self.program else 'dll'}"


class CompileError(Exception):
    """A compilation failed; the message holds the compiler's lines."""


@dataclass(frozen=True, slots=True)
class _Unit:
    assembly: Assembly
    arguments: tuple[str, ...]
    target: Path


def build(assemblies: Sequence[Assembly], profile: Profile) -> Mapping[str, Path]:
    """Build ``assemblies`` and all they reference; the file of each, by assembly name.

    Raises :class:`CompileError` with every error and warning of the first assembly that does not
    compile, and ``MissingToolError`` where the profile's references can't be had.
    """
    units = _units(assemblies, profile)
    _compile_missing(units.values())
    return {name: unit.target for name, unit in units.items()}


def build_together(wanted: Iterable[tuple[Assembly, Profile]]) -> None:
    """Build assemblies, each for its profile, and all they reference, in one Roslyn process.

    Raises as :func:`build` does.
    """
    _compile_missing(
        unit for assembly, profile in wanted for unit in _units([assembly], profile).values()
    )


def _units(assemblies: Sequence[Assembly], profile: Profile) -> dict[str, _Unit]:
    units: dict[str, _Unit] = {}
    for assembly in _in_order(assemblies):
        units[assembly.name] = _unit(assembly, profile, units)
    return units


def _compile_missing(units: Iterable[_Unit]) -> None:
    missing = {unit.target: unit for unit in units if not unit.target.is_file()}
    if missing:
        _compile(list(missing.values()))


def lay_out(folder: Path, files: Iterable[Path]) -> None:
    """Copy assemblies, with their debug information, into one folder, as a runtime wants them."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        for each in (file, file.with_suffix(".pdb")):
            if each.is_file():
                shutil.copyfile(each, folder / each.name)


def _in_order(assemblies: Sequence[Assembly]) -> Iterator[Assembly]:
    """Each assembly once, after those it references."""
    seen: set[str] = set()

    def visit(assembly: Assembly) -> Iterator[Assembly]:
        if assembly.name in seen:
            return
        seen.add(assembly.name)
        for reference in assembly.references:
            if isinstance(reference, Assembly):
                yield from visit(reference)
        yield assembly

    for assembly in assemblies:
        yield from visit(assembly)


def _unit(assembly: Assembly, profile: Profile, built: Mapping[str, _Unit]) -> _Unit:
    digest = hashlib.sha256()
    references = list(profile.references())
    for reference in assembly.references:
        path = reference if isinstance(reference, Path) else built[reference.name].target
        references.append(path)
    arguments = [
        "/nologo",
        "/nostdlib+",
        "/noconfig",
        "/deterministic+",
        "/debug:portable",
        "/langversion:9.0",
        "/warn:4",
        "/warnaserror+",
        # As every build tool has it: a newer version of a referenced assembly stands in.
        "/nowarn:1701,1702",
        f"/target:{'exe' if assembly.program else 'library'}",
        *assembly.options,
        *(f"/define:{each}" for each in assembly.defines),
        *(_reference(path) for path in references),
        *(str(source) for source in sorted(assembly.sources)),
    ]
    # Paths of outputs carry the hash of what they were made from; others are pinned by version.
    digest.update("\0".join((toolchains.roslyn().roslyn_dir.name, *arguments)).encode())
    for source in sorted(assembly.sources):
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    folder = toolchains.cache_folder() / f"{assembly.name}-{digest.hexdigest()[:20]}"
    return _Unit(assembly, tuple(arguments), folder / assembly.file_name)


def _reference(path: Path) -> str:
    # Quoted, because what stands before a '=' in a path would be taken for an alias.
    return f'/reference:"{path}"'


def _compile(units: Sequence[_Unit]) -> None:
    """Compile units in order; each appears in the cache whole or not at all.

    A unit references the final places of those before it, so each is moved there before the
    next is compiled: the compiler process answers one line a unit, and is fed unit by unit.
    """
    for unit in units:
        if not unit.assembly.sources:
            raise CompileError(f"{unit.assembly.name} has no C# files to compile")
    with tempfile.TemporaryDirectory(dir=toolchains.cache_folder(), prefix=".build-") as scratch:
        outputs = [Path(scratch) / str(number) for number in range(len(units))]
        requests = []
        for unit, output in zip(units, outputs, strict=True):
            output.mkdir()
            # What is built in this very run is not at its final place yet.
            places = {
                _reference(earlier.target): _reference(place / earlier.target.name)
                for earlier, place in zip(units, outputs, strict=True)
            }
            arguments = [places.get(each, each) for each in unit.arguments]
            requests.append([*arguments, f"/out:{output / unit.target.name}"])
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.roslyn_compile"],
            input=json.dumps(requests),
            capture_output=True,
            text=True,
            cwd=toolchains.ROOT,
            timeout=_COMPILE_TIMEOUT_S,
            check=False,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        for unit, problems in zip(units, answers, strict=False):
            if problems:
                lines = "\n".join(problems)
                raise CompileError(f"{unit.assembly.name} does not compile:\n{lines}")
        if done.returncode != 0 or len(answers) != len(units):
            raise CompileError(f"Roslyn did not run: {done.stderr.strip()[-2000:]}")
        for unit, output in zip(units, outputs, strict=True):
            if not unit.target.parent.is_dir():
                try:
                    output.rename(unit.target.parent)
                except OSError:
                    if not unit.target.is_file():  # else another process was quicker
                        raise
