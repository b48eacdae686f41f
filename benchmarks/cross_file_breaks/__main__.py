"""Print what each kind of break, and each valid edit, is answered with.

    python -m benchmarks.cross_file_breaks [--only TEXT]

A real server with a real compiler. *now*: the edit is applied. *later*: an undo brings it, which is
never judged within the call. Needs the toolchain that ``unity-cli roslyn install`` fetches.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from mcp import Client

from benchmarks.cross_file_breaks import project
from benchmarks.cross_file_breaks.kind import Kind
from benchmarks.cross_file_breaks.kinds import KINDS
from benchmarks.cross_file_breaks.told import Caller, Told
from roslyn_server.toolchains.install import ROSLYN_4_8, installed_toolchain
from roslyn_server.toolchains.machine import this_machine

EDITOR = "2022.3.62f1"
UNITY_CLI = Path(sysconfig.get_path("scripts")) / "unity-cli"


async def measured(url: str, root: Path, kinds: list[Kind]) -> None:
    """Try the kinds in four passes, and print a row of each."""
    async with Client(url, mode="legacy") as client:

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            answer = (await client.call_tool(tool, arguments)).structured_content
            assert isinstance(answer, dict), tool
            return answer

        checked = await call("check_project", {})
        print(f"{len(kinds)} kinds; the project is {checked['status']}")
        print("| edits | when | refused | news | told twice | wrong | s each |")
        print("|---|---|--:|--:|--:|--:|--:|")
        caller = Caller(call, root)
        for is_valid in (False, True):
            for when in ("now", "later"):
                attempt = caller.now if when == "now" else caller.later
                began = perf_counter()
                told = {
                    each.name: await attempt(each, each.valid_new if is_valid else each.new)
                    for each in kinds
                }
                print(_row(told, when, perf_counter() - began, is_valid=is_valid), flush=True)


def _row(told: dict[str, Told], when: str, took_s: float, *, is_valid: bool) -> str:
    wrong = [name for name, each in told.items() if each.is_told == is_valid or each.unknown]
    cells = [
        "valid" if is_valid else "breaks",
        when,
        str(sum(each.is_refused for each in told.values())),
        str(sum(bool(each.news) for each in told.values())),
        str(sum(each.is_twice for each in told.values())),
        f"{len(wrong)}{': ' if wrong else ''}{', '.join(wrong)}",
        f"{took_s / max(1, len(told)):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Lay out the project, start the server, measure, and end it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="kinds with this in their names")
    only = parser.parse_args().only
    # All are laid out, as an assembly without files wouldn't be built.
    kinds = [each for each in KINDS if only in each.name]
    toolchain = installed_toolchain(this_machine(), ROSLYN_4_8)
    shared = toolchain.dotnet_root / "shared" / "Microsoft.NETCore.App" / toolchain.runtime
    with TemporaryDirectory() as folder, socket.socket() as probe:
        root = Path(folder)
        project.lay_out(root, KINDS, shared, EDITOR)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        command = [str(UNITY_CLI), "serve", "--port", str(port), "--lsp", "auto"]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        server = subprocess.Popen(command, cwd=root, text=True, **streams)  # type: ignore[call-overload]
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            if not url:
                sys.exit("the server did not start")
            asyncio.run(measured(url, root, kinds))
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
