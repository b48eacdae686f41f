"""``unity-cli``: the project on a command line, for people, agents without MCP, and CI.

Implements docs/design/command-line.md. ``entry`` runs the command line, ``command_table`` lists the
``commands``, ``options`` has the options of every command. The commands share ``arguments`` (with
``params`` and ``client_choice``), ``printing``, ``progress``, ``calling``, ``undo_advice`` and
``client_guard``. A command imports what it needs when it runs, so that help
pages and local calls are fast.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run ``unity-cli`` and exit: 0 ok, 1 failed, 2 wrong usage, 3 unreachable, 130 interrupted."""
    if arguments is None and sys.argv[1:2] == ["hook"] and len(sys.argv) == 3:
        _answer_hook(sys.argv[2])
    # An interrupt may come while this is loading.
    try:
        from mcp_server.garbage import collect_seldom  # noqa: PLC0415

        collect_seldom()
        from mcp_server.cli.entry import main as run  # noqa: PLC0415

        run(arguments)
    except KeyboardInterrupt:
        from mcp_server.interrupt_signals import ignore_interrupts  # noqa: PLC0415

        ignore_interrupts()
        from mcp_server.cli.entry import end_interrupted  # noqa: PLC0415

        end_interrupted(arguments)


def _answer_hook(client: str) -> None:
    """Answer an agent's hook and end the process. Return only if the help page is wanted."""
    if not client.startswith("-"):
        from mcp_server.hook.carrier import carry  # noqa: PLC0415

        os._exit(carry(client))  # skips the interpreter's cleanup
