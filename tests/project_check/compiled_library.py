"""Libraries that extend the compiler, compiled by the Roslyn that runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from roslyn_server.toolchains.pairing import Toolchain

_COMPILING = """
import sys
from pathlib import Path
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.compiler.hosting import start
from roslyn_server.toolchains.pairing import Toolchain

roslyn, root, runtime, source, folder = sys.argv[1:]
start(Toolchain(Path(roslyn), Path(root), runtime))
load_compiled(Path(source).stem, [Path(source)], Path(roslyn), keep_in=Path(folder))
"""


def compiled_library(source: Path, folder: Path, toolchain: Toolchain) -> Path:
    """The library of one C# file, made in ``folder`` by a process of its own: it hosts a Roslyn."""
    at = (toolchain.roslyn_dir, toolchain.dotnet_root, toolchain.runtime)
    arguments = [*map(str, at), str(source), str(folder)]
    subprocess.run([sys.executable, "-c", _COMPILING, *arguments], check=True)
    (made,) = folder.rglob(f"{source.stem}.dll")
    return made.rename(folder / f"{source.stem}.dll")  # the compiler looks for it by its name
