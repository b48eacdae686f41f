"""``unity-cli``: the project on a command line, for people, agents without MCP, and CI.

Implements docs/design/command-line.md. Commands import what they need when they run: a help page or
a local tool call must not wait for the MCP SDK. Public name: :func:`main`.
"""

from __future__ import annotations

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run ``unity-cli`` and exit: 0 ok, 1 failed, 2 wrong usage, 3 unreachable, 130 interrupted.

    ``arguments`` are the command line's, by default the process's.
    """
    # Loading alone takes long enough to be interrupted in.
    try:
        from mcp_server.garbage import look_seldom  # noqa: PLC0415

        look_seldom()
        from mcp_server.cli.entry import main as run  # noqa: PLC0415

        run(arguments)
    except KeyboardInterrupt:
        from mcp_server.interrupt_signals import ignore_interrupts  # noqa: PLC0415

        ignore_interrupts()
        from mcp_server.cli.entry import end_interrupted  # noqa: PLC0415

        end_interrupted(arguments)
