"""How a client's entry carries the server's bearer token: by reference, or as it is.

For docs/design/command-line.md ``client install``. A reference names the environment variable, in
the client's own spelling, so that no secret is written.
"""

from __future__ import annotations

from typing import Any

from mcp_server.clients.installation import Problem
from mcp_server.clients.table import (
    AUTHORIZATION,
    ENVIRONMENT,
    TOKEN_VARIABLE,
    Client,
    Scope,
    Transport,
)


def by_reference(client: Client, transport: Transport) -> dict[str, Any] | Problem:
    """What the entry needs so that the token comes from the client's environment."""
    if transport is Transport.HTTP and client.token_variable_key is not None:
        return {client.token_variable_key: TOKEN_VARIABLE}
    if client.variable_reference is None:
        return Problem(
            f"{client.title} has no way to name an environment variable there. "
            "Use --token-file FILE."
        )
    reference = client.variable_reference.format(name=TOKEN_VARIABLE)
    if transport is Transport.STDIO:
        return {ENVIRONMENT: {TOKEN_VARIABLE: reference}}
    return {client.headers_key: {AUTHORIZATION: f"Bearer {reference}"}}


def as_it_is(client: Client, scope: Scope, token: str) -> dict[str, Any] | Problem:
    """What the entry needs over HTTP to hold ``token`` itself."""
    if scope is Scope.PROJECT:
        return Problem(
            "A team shares the project's configuration: the token is not written there. "
            "Use --token-env, or --scope user."
        )
    return {client.headers_key: {AUTHORIZATION: f"Bearer {token}"}}
