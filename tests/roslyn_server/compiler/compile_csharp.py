"""Compile the C# of ``roslyn_server`` with a compiler of this machine; exit code 1 if that fails.

A step of ``dev.py check``: it shows a broken C# file in seconds.
"""

from __future__ import annotations

import os
import sys

from roslyn_server.compiler import hosting
from roslyn_server.compiler.host_assembly import load_compiled
from roslyn_server.toolchains.candidates import discover
from roslyn_server.toolchains.machine import this_machine


def main() -> int:
    found = discover(None, this_machine())
    if found.chosen is None or found.chosen.toolchain is None:
        print(f"The C# of roslyn_server was not compiled. {found.failure}")
        return 0
    toolchain = found.chosen.toolchain
    try:
        hosting.start(toolchain)
        load_compiled("RoslynServerHost", hosting.SOURCES, toolchain.roslyn_dir)
    except (RuntimeError, hosting.HostingError) as error:
        print(f"The C# of roslyn_server does not compile:\n{error}", file=sys.stderr)
        return 1
    print(f"The C# of roslyn_server compiles ({found.chosen.name}).")
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # .NET's threads don't keep the process
