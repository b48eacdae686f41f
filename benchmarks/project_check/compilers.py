"""Which compiler a project is checked with: the newest that this machine has for tests.

Roslyn 5.9 as an SDK has it, with ``csc`` and the reference assemblies of .NET Standard 2.1; else
4.8 from the registries, which has neither: then projects refer to the runtime's own libraries.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.shared_toolchains import shared_toolchains
from roslyn_server.toolchains.install import (
    ROSLYN_4_8,
    install,
    installed_toolchain,
    is_installed,
    parts,
)
from roslyn_server.toolchains.machine import this_machine
from roslyn_server.toolchains.pairing import Toolchain


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler, what it is run on, and the libraries that scripts refer to.

    ``csc`` starts it as a process of its own, where it can be.
    """

    toolchain: Toolchain
    libraries: tuple[Path, ...]
    csc: tuple[str, ...] | None = None


def newest_compiler() -> Compiler:
    """Return the best of this machine's compilers. Raises ``FetchError`` if there is none."""
    shared = shared_toolchains()
    if shared is None:
        return registry_compiler()
    root = shared / "dotnet-10"
    bincore = next(root.glob("sdk/*/Roslyn/bincore"))
    runtime = next((root / "shared" / "Microsoft.NETCore.App").iterdir()).name
    csc = (str(root / "dotnet"), "exec", str(bincore / "csc.dll"))
    libraries = tuple(sorted((shared / "netstandard-2.1-ref").glob("*.dll")))
    return Compiler(Toolchain(bincore, root, runtime), libraries, csc)


def registry_compiler() -> Compiler:
    """Return Roslyn 4.8 from the registries. Raises ``FetchError``."""
    machine = this_machine()
    install([part for part in parts(machine, [ROSLYN_4_8]) if not is_installed(part)])
    toolchain = installed_toolchain(machine, ROSLYN_4_8)
    folder = toolchain.dotnet_root / "shared" / "Microsoft.NETCore.App" / toolchain.runtime
    # Native libraries lie beside those with metadata.
    managed = (each for each in sorted(folder.glob("*.dll")) if b"BSJB" in each.read_bytes())
    return Compiler(toolchain, tuple(managed))
