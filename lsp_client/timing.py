"""Time limits of the client, in seconds.

No request waits longer than five seconds for a verdict: docs/design/roslyn.md §2.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippet_engine.validation.judge import VERDICT_S

MORE_TIME = "ask again, or give it more time (timeout_ms; --timeout of unity-cli)"
"""Advice if an answer did not come in time."""
LATER = '"validation": "lsp" waits for it, and check_project reports afterwards'
"""Advice if an edit was judged without a server that is still starting."""


def without_advice(reason: str) -> str:
    """Return a reason without advice to a caller: nobody waits for a verdict in the background."""
    return reason.removesuffix(f"; {MORE_TIME}").removesuffix(f"; {LATER}")


@dataclass(frozen=True, slots=True)
class Timing:
    """Time limits; tests shorten them."""

    verdict_s: float = VERDICT_S
    """How long a server may take to answer before it counts as hanging."""
    silent_s: float = 4.0
    """How long a server may send nothing, since its start or during its first verdict, before
    callers stop waiting for it: it may be no language server.
    """
    semantics_s: float = 2.5
    """Share of ``verdict_s`` for semantics. The rest is for a verdict on the syntax, and doesn't
    grow with a caller's time limit."""
    hang_s: float = 15.0
    """A server that checks a project must still answer other requests within this."""
    silence_s: float = 60.0
    """A server that never offered diagnostics is asked again after this."""
    shutdown_s: float = 0.3
    """For a server's answer to ``shutdown``, and again for its exit."""
    kill_s: float = 1.0
    """For the guardian to end all of a server's processes."""
    look_again_s: float = 3.0
    """If no server was found, a call looks again after this at the earliest."""
    first_backoff_s: float = 0.5
    longest_backoff_s: float = 60.0
