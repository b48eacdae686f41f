"""``unity-cli hook``: the help of a command that runs without loading this module.

Implements docs/design/guard.md "The hook's process".
"""

from __future__ import annotations

import sys

import click

from mcp_server.cli.options import global_options_shown
from mcp_server.hook.carrier import carry


@click.command(short_help="Check an edit, when an agent's hook asks.")
@click.argument("client")
@global_options_shown()
def hook_command(client: str) -> None:
    """Answer one event of a coding agent's hook, given on standard input.

    CLIENT is the agent's name, such as claude-code. The project's running server
    answers. Where none runs, or anything else goes wrong, the answer is empty, the
    exit code is 0, and the reason is in a log, so that the agent can go on.

    "unity-cli client install CLIENT --guard" sets this up.

    \b
    Examples:
      unity-cli hook claude-code < event.json
    """
    sys.exit(carry(client))
