"""The call that writes a plan: it is made like a tool's, but no list of tools has it.

Implements docs/design/review.md "Take back".
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from mcp_server.contract.tool_spec import Executor, ToolSpec
from mcp_server.review.take_back.plans import Plan, PlannedFile
from snippet_engine.schemas.rename_schemas import MAX_TIMEOUT_MS
from snippet_engine.schemas.whole_texts_schema import PUT_TEXTS_INPUT

PUT_TEXTS = ToolSpec(
    name="put_texts",
    title="Take back",
    description="Write whole texts over those that are expected, as one change set.",
    input_schema=PUT_TEXTS_INPUT,
    output_schema={"type": "object", "properties": {}},
    executor=Executor.LOCAL,
    default_timeout_ms=60_000,
    max_timeout_ms=MAX_TIMEOUT_MS,
    mutating=True,
    harmless=("mode", "preview"),
    destructive=True,
    idempotent=False,
)


def arguments_of(plan: Plan, *, all_the_same: bool) -> dict[str, Any]:
    """Return the arguments that write exactly the plan; without validation if ``all_the_same``."""
    return {
        "mode": "apply",
        "about": plan.about,
        "validation": "none" if all_the_same else "auto",
        "files": [_file(each) for each in plan.files],
    }


def _file(planned: PlannedFile) -> dict[str, Any]:
    found: dict[str, Any] = {"path": planned.path}
    if planned.now_hash is not None:
        found["expectedHash"] = planned.now_hash
    if planned.moved_to is not None:
        found["moveTo"] = planned.moved_to
    if planned.then is not None:
        found["content"] = b64encode(planned.then).decode()
    if (removed := planned.removed) is not None:
        found |= {"removedHash": removed.digest, "removedFrom": removed.path}
        if removed.meta is not None:
            found["meta"] = b64encode(removed.meta).decode()
    return found
