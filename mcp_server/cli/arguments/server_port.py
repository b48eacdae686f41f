"""Which port ``serve`` listens on and ``mcp`` goes to, from all that can name one.

Implements docs/design/command-line.md "Global options": an option beats the environment, ``--port``
and ``--url`` say the same or are refused, and nothing that was said is passed over in silence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from mcp_server.calls.server.server_address import port_here, read_url
from mcp_server.contract.errors import ToolError
from mcp_server.host.config import config_error, parse_port

PORT_VARIABLE = "UNITY_CLI_PORT"
URL_VARIABLE = "UNITY_CLI_URL"


def server_port(
    port: str | None, url: str | None, environment: Mapping[str, str] = os.environ
) -> int | ToolError | None:
    """The port that ``--port`` or ``--url`` says; else what the environment does; else ``None``.

    Error: ``ERR_CONFIG_VALIDATION`` for what is no port, is elsewhere, or contradicts itself.
    """
    levels = (
        ("--port", port, "--url", url),
        (
            PORT_VARIABLE,
            environment.get(PORT_VARIABLE) or None,  # an empty variable is as good as none
            URL_VARIABLE,
            environment.get(URL_VARIABLE) or None,
        ),
    )
    for port_name, port_text, url_name, url_text in levels:
        by_port = None if port_text is None else parse_port(port_text, port_name)
        by_url = None if url_text is None else _port_of(url_text, url_name)
        for found in (by_port, by_url):
            if isinstance(found, ToolError):
                return found
        if by_port and by_url and by_port != by_url:
            return config_error(
                f"{port_name} says {by_port}, {url_name} says {by_url}. Give one of them."
            )
        chosen = by_port or by_url
        if isinstance(chosen, int):
            return chosen
    return None


def _port_of(text: str, name: str) -> int | ToolError:
    url = read_url(text, name)
    if isinstance(url, ToolError):
        return url
    here = port_here(url)
    return here or config_error(
        f"{name} is {url}, which is not on this machine: a server of one's own listens on "
        "http://127.0.0.1 only. Name a port with --port."
    )
