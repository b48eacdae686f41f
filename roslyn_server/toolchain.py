"""What it takes to host Roslyn: a folder of compiler assemblies and a .NET runtime fit for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ASSEMBLIES = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")
"""The files that make a folder a compiler's."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler and the runtime that it is paired with.

    ``runtime`` is the version of .NET, below ``dotnet_root``, that is to be loaded.
    """

    roslyn_dir: Path
    dotnet_root: Path
    runtime: str
