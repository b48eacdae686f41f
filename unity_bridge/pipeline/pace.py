"""How often the Editor is looked at over the Pipeline, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """All in milliseconds."""

    idle_ms: float = 1_000
    """Between two looks at an Editor of which nothing is expected, or at where one could be."""
    busy_ms: float = 200
    """Between two looks around a compile or a reload."""
    retry_ms: float = 100
    """Before what was not run is asked for again."""
    status_file_ms: float = 250
    """Between two looks at the status file of a test run."""
    test_start_ms: float = 120_000
    """How long a test run may take to start."""
    accept_limit_ms: float = 25_000
    """How long the Editor may take to accept a test run."""
    command_limit_ms: float = 5_000
    """How long it may take for a command that nobody waits for."""
