"""MCP clients: where each keeps its servers, in which form, and how ours gets in there.

Implements docs/design/command-line.md ``client``. Imports nothing of the server. Public names here
say which clients there are, which a server tells at its start; what changes their files is imported
from its module.
"""

from __future__ import annotations

from mcp_server.clients.table import CLIENTS, Client, Format, Scope, Transport

__all__ = ["CLIENTS", "Client", "Format", "Scope", "Transport"]
