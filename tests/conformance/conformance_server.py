"""The server with the one more tool that the conformance suite's schema scenario looks for.

``conformance_server.py`` prints its URL and serves until it is told to stop. The tool goes
through the same catalog and endpoint as every other.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any, cast

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.tool_spec import Executor, ToolSpec
from mcp_server.host.config import ServerConfig, bind
from mcp_server.host.serve import UnityServer
from mcp_server.host.stopping import StopSignal

SCHEMA_TOOL = ToolSpec(
    name="json_schema_2020_12_tool",
    title="JSON Schema 2020-12",
    description="Tool with JSON Schema 2020-12 features",
    input_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": False,
    },
    output_schema={"type": "object", "properties": {}},
    executor=Executor.CONTROL,
    default_timeout_ms=1_000,
    max_timeout_ms=1_000,
    mutating=False,
    execution_error_retryable=False,
)


def main() -> None:
    cast(dict[str, Any], CATALOG)[SCHEMA_TOOL.name] = SCHEMA_TOOL
    listener = bind(0)
    assert isinstance(listener, socket.socket), listener
    config = ServerConfig(port=listener.getsockname()[1])
    stop_signal = StopSignal()
    stop_signal.listen()
    server = UnityServer(config, stop_signal, lambda: print(config.url, flush=True))
    asyncio.run(server.serve_until_stopped(listener))


if __name__ == "__main__":
    main()
