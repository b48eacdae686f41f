"""Report what a call would do, without doing it.

Implements docs/design/command-line.md ``--dry-run``: only calls that change things are held back;
an ``edit_snippet`` apply is answered with its preview.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.outcome import Outcome
from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.schemas.checked_params import CheckedParams


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A call that a dry run held back."""

    spec: ToolSpec
    params: Mapping[str, Any]
    preview: Outcome | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the result of a call that was held back."""
        body: dict[str, Any] = {
            "dry_run": True,
            "executed": False,
            "tool": self.spec.name,
            "params": dict(self.params),
            "reason": "mutating_tool_blocked_by_dry_run",
        }
        if self.preview is not None:
            body["preview"] = self.preview.to_json()
        return body


def suppress(spec: ToolSpec, params: CheckedParams, local_tools: LocalTools) -> Suppressed:
    """Return what a call would do, without executing it."""
    if spec.harmless is None:
        return Suppressed(spec, params)
    argument, value = spec.harmless
    preview = params.with_known(**{argument: value})
    return Suppressed(spec, params, local_tools.call_in_time(spec, preview))
