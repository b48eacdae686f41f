"""Run ``python -m roslyn_server --stdio``.

Standard output carries LSP only; messages for people go to stderr.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from roslyn_server import protocol
from roslyn_server.compiler import hosting
from roslyn_server.lifecycle import exit_with_parent, show_life
from roslyn_server.toolchains.candidates import Discovery, Wish, discover
from roslyn_server.toolchains.judging_compiler import judging_compiler
from roslyn_server.toolchains.machine import this_machine

if TYPE_CHECKING:
    from roslyn_server.toolchains.pairing import Toolchain

_STACK_BYTES = 64 * 1024 * 1024
"""Threads' stack size: Roslyn binds nested code by recursion."""

_log = logging.getLogger("roslyn_server")


def main(arguments: list[str]) -> int:
    """Serve one client over stdin and stdout until either side ends; return the exit code."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(
        stream=sys.stderr,
        level=options.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("pygls").setLevel(max(logging.WARNING, logging.getLogger().level))
    threading.stack_size(_STACK_BYTES)
    exit_with_parent()
    life = show_life()

    # Import before the runtime loads: its threads and Python's imports may deadlock.
    from pygls.exceptions import JsonRpcException  # noqa: PLC0415

    from roslyn_server.compiler.roslyn import Roslyn  # noqa: PLC0415
    from roslyn_server.judge import Judge  # noqa: PLC0415
    from roslyn_server.server import RoslynLanguageServer  # noqa: PLC0415

    loaded = threading.Event()

    def load(root: Path) -> Judge:
        try:
            found, toolchain = _found(root, options)
            host = hosting.load(toolchain, warms_up=options.warm_up)
            roslyn = Roslyn(host)
            judge = Judge(roslyn, root, judging_compiler(found, roslyn.compiler))
        finally:
            loaded.set()
        if options.warm_up:
            judge.warm_up()
        return judge

    early: Future[Judge] | None = None
    if options.project is not None:
        early = ThreadPoolExecutor(1, "loading").submit(load, options.project)
        loaded.wait()

    def is_no_answer(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, JsonRpcException)

    # The client reports the errors in answers; tracebacks here would not help.
    logging.getLogger("pygls.protocol.json_rpc").addFilter(is_no_answer)
    server = RoslynLanguageServer(
        lambda root: load(root) if early is None else early.result(),
        options.project,
    )
    _log.info("waiting for a client")
    life.join()
    server.start_io()
    if server.failure is not None:
        print(f"roslyn_server: {server.failure}", file=sys.stderr)
        return protocol.EXIT_NO_TOOLCHAIN
    return 0


def _found(root: Path, options: argparse.Namespace) -> tuple[Discovery, Toolchain]:
    """Return the project's compiler and how it was found. Raises ``HostingError`` if there is
    none."""
    machine = this_machine()
    wish = Wish.of(machine, options.roslyn_dir, options.dotnet_root)
    found = discover(root, machine, wish)
    for each in found.candidates:
        _log.info("%s: %s", each.name, each.reason or "taken")
    if found.chosen is None or found.chosen.toolchain is None:
        raise hosting.HostingError(found.failure)
    return found, found.chosen.toolchain


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog=f"python -m {protocol.MODULE}",
        description="A language server that hosts Roslyn: Unity's, an SDK's or an installed one.",
    )
    parser.add_argument("--stdio", action="store_true", help="speak LSP on stdin and stdout")
    parser.add_argument("--project", type=Path, metavar="PATH", help="the Unity project")
    parser.add_argument("--roslyn-dir", type=Path, metavar="DIR", help="folder of Roslyn's DLLs")
    parser.add_argument("--dotnet-root", type=Path, metavar="DIR", help=".NET to load it on")
    parser.add_argument(
        "--no-warm-up",
        dest="warm_up",
        action="store_false",
        help="be ready sooner, with a slow first verdict",
    )
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=["debug", "info", "warning", "error"],
        help="how much goes to stderr",
    )
    return parser


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # The runtime's own threads must not keep the process from ending.
    os._exit(code)
