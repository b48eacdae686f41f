"""What works here and what doesn't, each with what to do about it.

Implements docs/design/command-line.md ``doctor``. Reads only, and starts nothing. Public names:
:func:`examine`, :class:`Check`.
"""

from __future__ import annotations

from mcp_server.doctor.check import Check
from mcp_server.doctor.examination import examine

__all__ = ["Check", "examine"]
