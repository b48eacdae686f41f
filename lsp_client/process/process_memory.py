"""Measure the memory of a server's processes, on systems that report it without a library."""

from __future__ import annotations

from pathlib import Path

_PROC = Path("/proc")


def resident_mb(session: int) -> int | None:
    """Return the resident memory of a session's processes in MB; ``None`` if unknown."""
    total, seen = 0, False
    for status in _PROC.glob("[0-9]*/stat"):
        try:
            # The command's name, in parentheses, may hold anything.
            if int(status.read_text().rpartition(")")[2].split()[3]) != session:
                continue
            lines = (status.parent / "status").read_text().splitlines()
        except (OSError, IndexError, ValueError):
            continue  # it has just ended
        sizes = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
        total, seen = total + sum(map(int, sizes)), seen or bool(sizes)
    return round(total / 1024) if seen else None
