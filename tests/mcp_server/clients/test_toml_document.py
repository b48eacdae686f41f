"""A server that is set in a TOML document and taken out again leaves it as it was."""

from __future__ import annotations

import pytest

from mcp_server.clients.toml_document import parse_toml, remove_from_toml, set_in_toml

PATH = ("mcp_servers", "unity")
ENTRY = {"command": "unity-cli", "args": ["mcp"]}

OTHER = '[mcp_servers.other]\ncommand = "y"\n'
TUI = "[tui] # mine\nnotifications = true\n"


@pytest.mark.parametrize("line", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [
        "a = 1\n",
        "a = 1",
        "a = 1\n\n",
        "a = 1\n\n\n",
        "# mine\n",
        "\n",
        TUI,
        f"{TUI}\n{OTHER}",
        OTHER.rstrip(),
        f"{OTHER}{TUI}",
        f"{OTHER}\n{TUI}",
        f"{OTHER}\n\n{TUI}",
        f"{OTHER}# its end\n\n# of the next\n{TUI}",
        f'{OTHER}[mcp_servers.other.env]\nA = "1"\n\n{TUI}[mcp_servers.last]\ncommand = "z"\n',
        "mcp_servers = {other = {command = 'y'}}\n",
    ],
)
def test_taken_out_again_every_byte_is_as_it_was(text: str, line: str) -> None:
    text = text.replace("\n", line)
    installed = set_in_toml(text, PATH, ENTRY)
    assert parse_toml(installed)["mcp_servers"]["unity"] == ENTRY
    assert remove_from_toml(installed, PATH) == text


def test_a_comment_above_the_next_table_stays() -> None:
    installed = set_in_toml("a = 1\n", PATH, ENTRY)
    later = f"{installed}\n# about it\n{TUI}"
    assert remove_from_toml(later, PATH) == f"a = 1\n\n# about it\n{TUI}"
