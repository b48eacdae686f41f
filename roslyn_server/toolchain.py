"""What it takes to host Roslyn: a folder of compiler assemblies and a .NET runtime fit for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ASSEMBLIES = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")
"""The files that make a folder a compiler's."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler and the runtime that it is paired with.

    ``runtime_major`` is the major version of .NET that is loaded from ``dotnet_root``.
    """

    roslyn_dir: Path
    dotnet_root: Path
    runtime_major: int
