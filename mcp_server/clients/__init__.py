"""MCP clients: where each keeps its servers, in which form, and how ours gets in there.

Implements docs/design/command-line.md ``client``. Imports nothing of the server. Public names:
:data:`CLIENTS`, :func:`carry_out`, :func:`config_file`, :func:`has_server`, :func:`has_skill`,
:func:`is_of`, :func:`plan`, :func:`plan_removal`, :func:`plan_skill`, :func:`remove_skill`,
:func:`skill_file`, :func:`take_turn`, :func:`write`.
"""

from __future__ import annotations

from mcp_server.clients.installation import Plan, Problem, plan, write
from mcp_server.clients.locations import config_file
from mcp_server.clients.removal import has_server, is_of, plan_removal, remove_empty_folders
from mcp_server.clients.skill_file import has_skill, plan_skill, remove_skill, skill_file
from mcp_server.clients.table import CLIENTS, Client, Format, Scope, Transport
from mcp_server.clients.turns import carry_out, take_turn

__all__ = [
    "CLIENTS",
    "Client",
    "Format",
    "Plan",
    "Problem",
    "Scope",
    "Transport",
    "carry_out",
    "config_file",
    "has_server",
    "has_skill",
    "is_of",
    "plan",
    "plan_removal",
    "plan_skill",
    "remove_empty_folders",
    "remove_skill",
    "skill_file",
    "take_turn",
    "write",
]
