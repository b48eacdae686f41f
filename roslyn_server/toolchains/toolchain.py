"""What it takes to host Roslyn: a folder of compiler assemblies and a .NET runtime fit for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ASSEMBLIES = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")
"""The files that make a folder a compiler's."""

RUNTIME_CONFIG = "csc.runtimeconfig.json"
"""The file beside them that names the runtime which they need."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler and the runtime that it is paired with.

    ``runtime`` is the version of .NET, below ``dotnet_root``, that is to be loaded.
    """

    roslyn_dir: Path
    dotnet_root: Path
    runtime: str

    @property
    def assemblies(self) -> tuple[Path, ...]:
        """Roslyn's libraries."""
        return tuple(self.roslyn_dir / name for name in ASSEMBLIES)

    @property
    def runtime_config(self) -> Path:
        """What the compiler itself says of the runtime that it needs."""
        return self.roslyn_dir / RUNTIME_CONFIG
