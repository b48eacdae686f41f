"""``python -m roslyn_server --stdio``: the server's command line.

Part of spec 04-roslyn §3. Standard output is LSP's alone; everything human goes to stderr.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from roslyn_server import protocol
from roslyn_server.judge import Judge
from roslyn_server.parent_watch import exit_with_parent
from roslyn_server.roslyn import Roslyn
from roslyn_server.server import RoslynLanguageServer
from roslyn_server.toolchain import Toolchain


def main(arguments: list[str]) -> int:
    """Serve one client over stdin and stdout until either side ends; the exit code."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(
        stream=sys.stderr,
        level=options.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("pygls").setLevel(max(logging.WARNING, logging.getLogger().level))
    exit_with_parent()

    def load(root: Path | None) -> Judge:
        return Judge(Roslyn(Toolchain(options.roslyn_dir, options.dotnet_root, 8)), root)

    server = RoslynLanguageServer(_version(), load, options.project)
    server.start_io()
    if server.failure is not None:
        print(f"roslyn_server: {server.failure}", file=sys.stderr)
        return protocol.EXIT_NO_TOOLCHAIN
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {protocol.MODULE}",
        description="A language server that hosts the Roslyn compiler which Unity brings along.",
    )
    parser.add_argument("--stdio", action="store_true", help="speak LSP on stdin and stdout")
    parser.add_argument("--project", type=Path, metavar="PATH", help="the Unity project")
    parser.add_argument("--roslyn-dir", type=Path, metavar="DIR", help="folder of Roslyn's DLLs")
    parser.add_argument("--dotnet-root", type=Path, metavar="DIR", help=".NET to load it on")
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=["debug", "info", "warning", "error"],
        help="how much goes to stderr",
    )
    return parser


def _version() -> str:
    try:
        return version("unity-snippet")
    except PackageNotFoundError:
        return "0+unknown"


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # The runtime's own threads must not keep the process from ending.
    os._exit(code)
