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
