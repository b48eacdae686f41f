"""What a compiler that was cancelled says is nothing that was found."""

import subprocess
import sys
from pathlib import Path

from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.toolchains.pairing import Toolchain

_SOURCE = Path(__file__).with_name("Cancelled.cs")


def test_being_cancelled_is_no_failure_to_write_documentation(roslyn_4_8: Toolchain) -> None:
    folders = [roslyn_4_8.roslyn_dir, roslyn_4_8.dotnet_root]
    command = [sys.executable, __file__, *map(str, folders), roslyn_4_8.runtime]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    by_the_compiler, by_us = done.stdout.split()
    assert by_the_compiler == "CS1569"
    assert by_us == "cancelled"


def _main(roslyn_dir: str, dotnet_root: str, runtime: str) -> None:
    toolchain = Toolchain(Path(roslyn_dir), Path(dotnet_root), runtime)
    hosting.start(toolchain)
    load_compiled("RoslynServer", [*hosting.SOURCES, _SOURCE], toolchain.roslyn_dir)
    from RoslynServer import Cancelled  # type: ignore[import-not-found]

    libraries = next((toolchain.dotnet_root / "shared" / "Microsoft.NETCore.App").iterdir())
    print(Cancelled.Told(str(libraries / "System.Private.CoreLib.dll")))


if __name__ == "__main__":
    _main(*sys.argv[1:])
