"""JSON Schemas of what a client believes a server by, before it shows a token.

Implements docs/design/server-and-bridge.md §10; its code is
:mod:`mcp_server.calls.server.server_proof`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SERVER_FILE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "port": {"type": "integer", "minimum": 1, "maximum": 65535},
        "pid": {"type": "integer", "minimum": 1},
        "started": {"type": "string", "description": "RFC 3339, UTC"},
        "key": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "token": {"type": ["string", "null"], "description": "The bearer token, if there is one"},
    },
    "required": ["port", "pid", "started", "key", "token"],
}
"""``server.json``, which a running server leaves for its user alone."""

PROOF_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "server": {"const": "unity-snippet"},
        "version": {"type": "string"},
        "proof": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "HMAC-SHA256 under the key of server.json, of 'unity-snippet "
            "ADDRESS:PORT NONCE', where the client reached it and what it sent",
        },
    },
    "required": ["server", "version", "proof"],
}
"""The answer to ``GET /identity?nonce=NONCE``."""
