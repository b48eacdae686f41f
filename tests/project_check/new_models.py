"""Run as a process: for each project named on a line of input, answer whether it compiles.

Each answer comes from a new model, which knows only what earlier ones left in files.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.compiler import hosting
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.roslyn import Roslyn
from roslyn_server.toolchains.pairing import Toolchain

_STACK_BYTES = 64 * 1024 * 1024


def main(roslyn_dir: str, dotnet_root: str, runtime: str) -> None:
    """Answer until the input ends."""
    toolchain = Toolchain(Path(roslyn_dir), Path(dotnet_root), runtime)
    roslyn = Roslyn(hosting.load(toolchain, warms_up=False))
    for line in sys.stdin:
        asked = json.loads(line)
        model = ProjectCheck(roslyn, Path(asked["root"]))
        for params in asked["checks"]:
            answer = model.check(params, None, Cancellation())
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    threading.stack_size(_STACK_BYTES)
    main_thread = threading.Thread(target=main, args=sys.argv[1:])
    main_thread.start()
    main_thread.join()
