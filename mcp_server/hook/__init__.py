"""``unity-cli hook CLIENT``: carry one event of a coding agent to the project's running server.

Each event has a process of its own, so this imports very little of the standard library, not even
``typing``, and nothing of the other packages. It decides nothing: the server answers in the
client's dialect, and any failure is the empty answer.

``carrier``: the process, the proof and the request. ``server_record``: finds the server of a
project, and logs why an event was not answered.
"""

from __future__ import annotations

CLIENTS = (
    *("claude-code", "cline", "codex", "copilot-cli", "cursor", "gemini-cli", "kiro", "opencode"),
    *("vscode", "windsurf"),
)
"""The names of all clients with hooks."""


class NotCarriedError(Exception):
    """The event gets the empty answer. Its text says why, for the log."""
