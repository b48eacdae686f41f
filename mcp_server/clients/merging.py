"""What stays of an entry when a new one of ours takes its place, and what goes.

For docs/design/command-line.md ``client install``. Pure. What an install may write in any form goes
where the new form doesn't have it; what the user added stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp_server.clients.table import (
    AUTHORIZATION,
    ENVIRONMENT,
    TOKEN_VARIABLE,
    Client,
    Transport,
)

_REACHED_BY = frozenset({"command", "args", "type", "url", "httpUrl", "serverUrl"})
"""Keys of an entry that say how the server is reached: ours in every form, whatever they say."""


def merged(client: Client, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The entry ``new`` with what the user added to ``old``."""
    result = dict(new)
    for key, value in _of_the_user(client, old, carries_token=_carries_token(client, new)):
        ours = new.get(key)
        if not isinstance(ours, Mapping):  # of the rest, what we write is a default
            result[key] = value
        elif isinstance(value, Mapping):
            result[key] = {**value, **ours}
    return result


def _of_the_user(
    client: Client, old: Mapping[str, Any], *, carries_token: bool
) -> Iterator[tuple[str, Any]]:
    """What of ``old`` no install wrote. Of several ways to send a token only the newest stays."""
    for key, value in old.items():
        if key in _REACHED_BY:
            continue
        if key == client.token_variable_key:
            if value != TOKEN_VARIABLE and not carries_token:
                yield key, value
        elif key in (client.headers_key, ENVIRONMENT) and isinstance(value, Mapping):
            rest = {
                name: each
                for name, each in value.items()
                if not _is_our_token(client, key, name, each)
                and not (carries_token and (key, name) == (client.headers_key, AUTHORIZATION))
            }
            if rest or not value:
                yield key, rest
        else:
            yield key, value


def _carries_token(client: Client, entry: Mapping[str, Any]) -> bool:
    """Whether requests over HTTP have a token by this entry."""
    headers = entry.get(client.headers_key)
    has_header = isinstance(headers, Mapping) and AUTHORIZATION in headers
    return has_header or client.token_variable_key in entry


def _is_our_token(client: Client, key: str, name: str, value: Any) -> bool:
    """Whether an install may have written that header, or variable: the token, or what names it."""
    reference = (client.variable_reference or "").format(name=TOKEN_VARIABLE)
    if key == ENVIRONMENT:
        return name == TOKEN_VARIABLE and bool(reference) and value == reference
    if name != AUTHORIZATION or not isinstance(value, str):
        return False
    scheme, _, token = value.partition(" ")
    return scheme == "Bearer" and (token == reference or not _is_reference(token))


def _is_reference(token: str) -> bool:
    """Whether it names something that holds the token, a variable or an input, as clients do."""
    return token.startswith("$")


def gone(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """What ``old`` has and ``new`` hasn't, as ``headers.Authorization``: names, and no values."""
    return tuple(_gone(old, new, ""))


def _gone(old: Mapping[str, Any], new: Mapping[str, Any], above: str) -> Iterator[str]:
    for key, value in old.items():
        if isinstance(value, Mapping) and value:
            left = new.get(key)
            yield from _gone(value, left if isinstance(left, Mapping) else {}, f"{above}{key}.")
        elif key not in new:
            yield f"{above}{key}"


def misfits(client: Client, entry: Mapping[str, Any]) -> tuple[Transport, list[str]]:
    """Keys of ``entry`` for which the client would refuse it, and the transport that has them."""
    other = Transport.HTTP if "command" in entry else Transport.STDIO
    return other, [key for key in sorted(entry) if key in client.only_over.get(other, ())]


def tokens_in(client: Client, entries: Iterable[Any]) -> tuple[str, ...]:
    """The tokens that are written in any of the entries: never to be shown. The longest first."""
    found = set()
    for entry in entries:
        headers = entry.get(client.headers_key) if isinstance(entry, Mapping) else None
        value = headers.get(AUTHORIZATION) if isinstance(headers, Mapping) else None
        token = value.partition(" ")[2].strip() if isinstance(value, str) else ""
        if token and not _is_reference(token):
            found.add(token)
    return tuple(sorted(found, key=lambda token: (-len(token), token)))
