"""Our server's entry in a client's configuration: its forms, and what stays when it changes form.

Implements docs/design/command-line.md ``client install``. Pure. Old values that an install may have
written are removed; values that the user added stay. The token is written as a reference to an
environment variable, in the client's own syntax, or literally.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp_server.clients.config_files import Problem
from mcp_server.clients.table import Client, Scope, Transport

TOKEN_VARIABLE = "UNITY_CLI_TOKEN"
_HEADER = "Authorization"
_ENVIRONMENT = "env"
"""The key of an entry's environment variables, in all clients."""

_REACHED_BY = frozenset({"command", "args", "type", "url", "httpUrl", "serverUrl"})
"""Keys for reaching the server: ours in every form, whatever their values."""


def entry(client: Client, transport: Transport, *, url: str, command: list[str]) -> dict[str, Any]:
    """Return our entry: over HTTP the server's ``url``, else the ``command`` that speaks stdio."""
    if transport is Transport.HTTP and client.http is not None:
        return {key: url if value == "{url}" else value for key, value in client.http.items()}
    if client.command_is_list:
        return {**client.stdio, "command": command}
    first, *arguments = command
    return {**client.stdio, "command": first, "args": arguments}


def token_by_reference(client: Client, transport: Transport) -> dict[str, Any] | Problem:
    """Return the entry's part by which the token comes from the client's environment."""
    if transport is Transport.HTTP and client.token_variable_key is not None:
        return {client.token_variable_key: TOKEN_VARIABLE}
    if client.variable_reference is None:
        return Problem(
            f"{client.title} can't refer to an environment variable there. Use --token-file FILE."
        )
    reference = client.variable_reference.format(name=TOKEN_VARIABLE)
    if transport is Transport.STDIO:
        return {_ENVIRONMENT: {TOKEN_VARIABLE: reference}}
    return {client.headers_key: {_HEADER: f"Bearer {reference}"}}


def literal_token(client: Client, scope: Scope, token: str) -> dict[str, Any] | Problem:
    """Return the entry's part that holds ``token`` itself, over HTTP."""
    if scope is Scope.PROJECT:
        return Problem(
            "A team shares the project's configuration, so the token is not written there. "
            "Use --token-env, or --scope user."
        )
    return {client.headers_key: {_HEADER: f"Bearer {token}"}}


def merged(client: Client, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry ``new`` with what the user added to ``old``."""
    headers = new.get(client.headers_key)
    has_header = isinstance(headers, Mapping) and _HEADER in headers
    carries_token = has_header or client.token_variable_key in new
    result = dict(new)
    for key, value in _of_the_user(client, old, carries_token=carries_token):
        ours = new.get(key)
        if not isinstance(ours, Mapping):  # there, what we write is a default
            result[key] = value
        elif isinstance(value, Mapping):
            result[key] = {**value, **ours}
    return result


def _of_the_user(
    client: Client, old: Mapping[str, Any], *, carries_token: bool
) -> Iterator[tuple[str, Any]]:
    """Yield the values that no install wrote.

    Of several ways to send a token, only the newest stays.
    """
    for key, value in old.items():
        if key in _REACHED_BY:
            continue
        if key == client.token_variable_key:
            if value != TOKEN_VARIABLE and not carries_token:
                yield key, value
        elif key in (client.headers_key, _ENVIRONMENT) and isinstance(value, Mapping):
            rest = {
                name: each
                for name, each in value.items()
                if not _is_our_token(client, key, name, each)
                and not (carries_token and (key, name) == (client.headers_key, _HEADER))
            }
            if rest or not value:
                yield key, rest
        else:
            yield key, value


def _is_our_token(client: Client, key: str, name: str, value: Any) -> bool:
    """Whether an install may have written that header or variable: a token, or a reference."""
    reference = (client.variable_reference or "").format(name=TOKEN_VARIABLE)
    if key == _ENVIRONMENT:
        return name == TOKEN_VARIABLE and bool(reference) and value == reference
    if name != _HEADER or not isinstance(value, str):
        return False
    scheme, _, token = value.partition(" ")
    return scheme == "Bearer" and (token == reference or not _is_reference(token))


def _is_reference(token: str) -> bool:
    """Whether it refers to a variable or an input, in the syntax of any client."""
    return token.startswith("$")


def gone(old: Mapping[str, Any], new: Mapping[str, Any], above: str = "") -> tuple[str, ...]:
    """Return the names that only ``old`` has, such as ``headers.Authorization``."""
    names: list[str] = []
    for key, value in old.items():
        if isinstance(value, Mapping) and value:
            left = new.get(key)
            names += gone(value, left if isinstance(left, Mapping) else {}, f"{above}{key}.")
        elif key not in new:
            names.append(f"{above}{key}")
    return tuple(names)


def misfits(client: Client, entry: Mapping[str, Any]) -> tuple[Transport, list[str]]:
    """Return the keys of ``entry`` that its client refuses, and the transport that takes them."""
    other = Transport.HTTP if "command" in entry else Transport.STDIO
    return other, [key for key in sorted(entry) if key in client.only_over.get(other, ())]


def tokens_in(client: Client, entries: Iterable[Any]) -> tuple[str, ...]:
    """Return the tokens that the entries hold, never to be shown; the longest first."""
    found = set()
    for each in entries:
        headers = each.get(client.headers_key) if isinstance(each, Mapping) else None
        value = headers.get(_HEADER) if isinstance(headers, Mapping) else None
        token = value.partition(" ")[2].strip() if isinstance(value, str) else ""
        if token and not _is_reference(token):
            found.add(token)
    return tuple(sorted(found, key=lambda token: (-len(token), token)))
