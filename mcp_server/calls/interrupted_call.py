"""An interrupt in the middle of a call, with what is known of the call all the same.

Part of docs/design/command-line.md "Output": who presses Ctrl-C is told what was done by then.
"""

from __future__ import annotations

from mcp_server.contract.outcome import Outcome


class InterruptedCallError(KeyboardInterrupt):
    """The call ended with ``outcome``; ``None`` if that isn't known.

    It ``is_stopped`` if it surely changes nothing any more.
    """

    def __init__(self, outcome: Outcome | None, is_stopped: bool) -> None:
        super().__init__()
        self.outcome = outcome
        self.is_stopped = is_stopped


class ToldInterruptError(KeyboardInterrupt):
    """An interrupt, with what is known of the work in words; ``nothing_done``: nothing changed."""

    def __init__(self, told: str, *, nothing_done: bool) -> None:
        super().__init__(told)
        self.nothing_done = nothing_done
