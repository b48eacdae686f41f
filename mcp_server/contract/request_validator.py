"""Whether a call can be run: the tool exists, and the arguments satisfy its schema.

Implements docs/design/server-and-bridge.md §3 and docs/design/command-line.md "Tools": validation
comes first for every caller. A call that fails here is never queued, sent or run.
"""

from __future__ import annotations

from mcp_server.contract.errors import ToolError, ToolErrorCode, invalid_params, tool_error
from mcp_server.contract.script_tools import SCRIPT_TOOLS
from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.schemas.checked_params import CheckedParams, checked, refusal
from snippet_engine.schemas.schema_messages import nearest, quoted


def find_tool(name: str) -> ToolSpec | ToolError:
    """Return the tool of that name. Error: ``ERR_UNKNOWN_COMMAND`` with the nearest names."""
    script_tool = SCRIPT_TOOLS.get(name)
    if script_tool is not None:
        return script_tool
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - a script's needs no other

    spec = CATALOG.get(name)
    if spec is not None:
        return spec
    near = nearest(name, CATALOG)
    known = ", ".join(CATALOG)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known tools: {known}."
    return tool_error(
        ToolErrorCode.UNKNOWN_COMMAND,
        f"There is no tool {quoted(name)}. {hint}",
        details={"nearest": near, "known": list(CATALOG)},
    )


def check_arguments(spec: ToolSpec, arguments: object) -> CheckedParams | ToolError:
    """Check ``arguments`` against the tool's schema. Error: ``ERR_INVALID_PARAMS``."""
    found = checked(spec.name, spec.input_schema, arguments)
    return found if isinstance(found, CheckedParams) else invalid_params(spec.name, refusal(found))
