"""Our server's entry in a client's configuration: its forms, and merging with an older one.

Implements docs/design/command-line.md ``client install``. Pure. Old values that an install may have
written are removed; values that the user added stay. The token is written as a reference to an
environment variable, in the client's own syntax, or literally.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mcp_server.calls.server.server_file import project_of_url
from mcp_server.calls.server.server_status import is_same_folder
from mcp_server.clients.config_files import Problem
from mcp_server.clients.table import Client, Scope, Transport

TOKEN_VARIABLE = "UNITY_CLI_TOKEN"
_HEADER = "Authorization"
_ENVIRONMENT = "env"
"""The key of the environment variables in an entry, the same for all clients."""

_REACHED_BY = frozenset({"command", "args", "type", "url", "httpUrl", "serverUrl"})
"""The keys that say how to reach the server. They are ours, whatever their values."""


def entry(client: Client, transport: Transport, *, url: str, command: list[str]) -> dict[str, Any]:
    """Return our entry: over HTTP the server's ``url``, else the ``command`` that speaks stdio."""
    if transport is Transport.HTTP and client.http is not None:
        return {key: url if value == "{url}" else value for key, value in client.http.items()}
    if client.command_is_list:
        return {**client.stdio, "command": command}
    first, *arguments = command
    return {**client.stdio, "command": first, "args": arguments}


def token_by_reference(client: Client, transport: Transport) -> dict[str, Any] | Problem:
    """Return the part of the entry that refers to the token in the client's environment."""
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
    """Return the part of an HTTP entry that contains ``token`` itself."""
    if scope is Scope.PROJECT:
        return Problem(
            "A team shares the project's configuration, so the token is not written there. "
            "Use --token-env, or --scope user."
        )
    return {client.headers_key: {_HEADER: f"Bearer {token}"}}


def merged(client: Client, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry ``new``, with the values that the user added to ``old``."""
    headers = new.get(client.headers_key)
    has_header = isinstance(headers, Mapping) and _HEADER in headers
    carries_token = has_header or client.token_variable_key in new
    result = dict(new)
    for key, value in _of_the_user(client, old, carries_token=carries_token):
        ours = new.get(key)
        if not isinstance(ours, Mapping):  # our value here is only a default
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
    """Return whether the header or variable has a token in a form that an install writes."""
    reference = (client.variable_reference or "").format(name=TOKEN_VARIABLE)
    if key == _ENVIRONMENT:
        return name == TOKEN_VARIABLE and bool(reference) and value == reference
    if name != _HEADER or not isinstance(value, str):
        return False
    scheme, _, token = value.partition(" ")
    return scheme == "Bearer" and (token == reference or not _is_reference(token))


def _is_reference(token: str) -> bool:
    """Return whether a token's value refers to a variable or an input, in any client's syntax."""
    return token.startswith("$")


def gone(old: Mapping[str, Any], new: Mapping[str, Any], above: str = "") -> tuple[str, ...]:
    """Return the names that ``old`` has and ``new`` doesn't, such as ``headers.Authorization``."""
    names: list[str] = []
    for key, value in old.items():
        if isinstance(value, Mapping) and value:
            left = new.get(key)
            names += gone(value, left if isinstance(left, Mapping) else {}, f"{above}{key}.")
        elif key not in new:
            names.append(f"{above}{key}")
    return tuple(names)


def misfits(client: Client, entry: Mapping[str, Any]) -> tuple[Transport, list[str]]:
    """Return the transport that ``entry`` doesn't use, and its keys that need that transport."""
    other = Transport.HTTP if "command" in entry else Transport.STDIO
    return other, [key for key in sorted(entry) if key in client.only_over.get(other, ())]


def tokens_in(client: Client, entries: Iterable[Any]) -> tuple[str, ...]:
    """Return the tokens in the entries, the longest first. They must never be shown."""
    found = set()
    for each in entries:
        headers = each.get(client.headers_key) if isinstance(each, Mapping) else None
        value = headers.get(_HEADER) if isinstance(headers, Mapping) else None
        token = value.partition(" ")[2].strip() if isinstance(value, str) else ""
        if token and not _is_reference(token):
            found.add(token)
    return tuple(sorted(found, key=lambda token: (-len(token), token)))


_PROGRAM = "unity-cli"
_PACKAGE = "unity-snippet"
_MODULE = "mcp_server.cli"
_COMMAND = "mcp"
_HERE = ("127.0.0.1", "localhost", "::1")
_DEFAULT_PORT = "48091"


def is_ours(entry: Any) -> bool:
    """Return whether an entry starts this program, or reaches an MCP endpoint on this machine."""
    if not isinstance(entry, Mapping):
        return False
    words = _words(entry)
    if words and _is_program(words[0]):
        return True
    # A launcher's arguments: the program, and behind it our command.
    if any(_is_program(word) and _COMMAND in words[at:] for at, word in enumerate(words, 1)):
        return True
    url = _url(entry)
    return url is not None and _is_endpoint(url)


def conflict(old: Any, new: Mapping[str, Any]) -> str | None:
    """Return, in one clause, why ``new`` must not replace ``old``; ``None`` if it may.

    An entry that leads where the new one leads may be updated.
    """
    if isinstance(old, Mapping) and _url(old) is not None and _url(old) == _url(new):
        return None
    if not is_ours(old):
        return "is another server"
    before, after = _project(old), _project(new)
    if after is not None and is_for_another(old, after):
        return f"is for the project {before}"
    if before is not None and after is None and _url(new) is None:
        return f"is for the project {before}, and this one would be for none"
    if _port(old) != _port(new):
        return f"leads to port {_port(old)}, and this one to {_port(new)}"
    return None


def is_for_another(entry: Any, project: str | None) -> str | None:
    """Return the other project that an entry is for; ``None`` if it is for ``project``."""
    named = _project(entry) if isinstance(entry, Mapping) else None
    if named is None or project is None:
        return named
    # The paths are compared, too: the folder may not exist any more.
    is_same = is_same_folder(named, Path(project))
    return None if is_same or os.path.realpath(named) == os.path.realpath(project) else named


def _option(entry: Mapping[str, Any], name: str) -> str | None:
    words = [word for word in _words(entry) if isinstance(word, str)]
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def _project(entry: Mapping[str, Any]) -> str | None:
    url = _url(entry)
    try:
        of_url = project_of_url(url) if url is not None else None
    except ValueError:
        of_url = None
    return of_url or _option(entry, "--project")


def _port(entry: Mapping[str, Any]) -> str:
    url = _url(entry) or _option(entry, "--url")
    try:
        of_url = urlsplit(url).port if url is not None else None
    except ValueError:
        of_url = None
    return str(of_url) if of_url is not None else _option(entry, "--port") or _DEFAULT_PORT


def _url(entry: Mapping[str, Any]) -> str | None:
    urls = (value for key, value in entry.items() if key.lower().endswith("url"))
    return next((url for url in urls if isinstance(url, str)), None)


def _is_endpoint(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.hostname in _HERE and parts.path.rstrip("/") == "/mcp"


def _is_program(word: Any) -> bool:
    """Return whether a word is our program's name or path, or a requirement of our package."""
    if not isinstance(word, str):
        return False
    last = re.split(r"[\\/]", word)[-1]
    name = re.split(r"[@=<>~!\[ ]", last)[0].removesuffix(".exe").removesuffix(".cmd")
    return name in (_PROGRAM, _PACKAGE) or word == _MODULE


def _words(entry: Mapping[str, Any]) -> list[Any]:
    """Return the command with its arguments. Some clients keep both in one list."""
    command, arguments = entry.get("command"), entry.get("args")
    first = command if isinstance(command, list) else [command]
    return [*first, *arguments] if isinstance(arguments, list) else first
