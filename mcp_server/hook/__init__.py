"""``unity-cli hook CLIENT``: carry one event of a coding agent to the project's running server.

Each event has its own process. So this imports very little of the standard library, not even
``typing``, and nothing of the other packages. It decides nothing: the server answers in the
client's dialect. After any failure the answer is empty.

``carrier``: the process, the proof and the request. ``server_record`` finds a project's server, and
logs why an event was not answered.
"""

from __future__ import annotations

CLIENTS = (
    *("claude-code", "cline", "codex", "copilot-cli", "cursor", "gemini-cli", "kiro", "opencode"),
    *("vscode", "windsurf"),
)
"""All clients with hooks."""


class NotCarriedError(Exception):
    """The event gets an empty answer. The error's text says why, for the log."""
