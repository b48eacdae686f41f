"""How long the client waits for what, in seconds.

Part of docs/design/roslyn.md §2: no request waits longer than five seconds for a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippet_engine.validation.judge import VERDICT_S

MORE_TIME = "ask again, or give it more time (timeout_ms; --timeout of unity-cli)"
"""What to do where an answer did not come in a call's time."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Bounds on the client's waiting; tests shorten them."""

    verdict_s: float = VERDICT_S
    """After so long without an answer a server hangs."""
    silent_s: float = 4.0
    """A server that has said nothing at all for so long, since its start or about its first
    verdict, isn't waited for: it may be no language server."""
    semantics_s: float = 2.5
    """So much of ``verdict_s`` may pass until what names mean is known. The rest is for a verdict
    on the syntax, and is no longer where a caller gives more time."""
    hang_s: float = 15.0
    """A server that works on a project answers other requests all the same, within so long."""
    silence_s: float = 60.0
    """A server that never offered diagnostics is asked for some again after so long."""
    shutdown_s: float = 0.3
    """For a server's answer to ``shutdown``, and again for its exit."""
    kill_s: float = 1.0
    """For the guardian to end all of a server's processes."""
    look_again_s: float = 3.0
    """Where no server was found, it is looked for again at a call after so long at the earliest."""
    first_backoff_s: float = 0.5
    longest_backoff_s: float = 60.0
