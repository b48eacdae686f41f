"""The table of clients: where the files are on each system, and what goes into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.clients.entries import entry
from mcp_server.clients.table import CLIENTS, Scope, Transport, config_file

HOME = Path("/home/ann")
URL = "http://127.0.0.1:48091/mcp"
APPDATA = {"APPDATA": "/appdata"}

FILES = {
    "claude-code": (".claude.json", ".claude.json", "/home/ann/.claude.json"),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "/appdata/Claude/claude_desktop_config.json",
    ),
    "codex": (".codex/config.toml", ".codex/config.toml", "/home/ann/.codex/config.toml"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json", "/home/ann/.cursor/mcp.json"),
    "vscode": (
        ".config/Code/User/mcp.json",
        "Library/Application Support/Code/User/mcp.json",
        "/appdata/Code/User/mcp.json",
    ),
    "windsurf": (
        ".codeium/windsurf/mcp_config.json",
        ".codeium/windsurf/mcp_config.json",
        "/home/ann/.codeium/windsurf/mcp_config.json",
    ),
    "cline": tuple(
        folder + "/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
        for folder in (".config", "Library/Application Support", "/appdata")
    ),
    "gemini-cli": (
        ".gemini/settings.json",
        ".gemini/settings.json",
        "/home/ann/.gemini/settings.json",
    ),
    "copilot-cli": (
        ".copilot/mcp-config.json",
        ".copilot/mcp-config.json",
        "/home/ann/.copilot/mcp-config.json",
    ),
    "opencode": (
        ".config/opencode/opencode.json",
        ".config/opencode/opencode.json",
        "/home/ann/.config/opencode/opencode.json",
    ),
    "zed": (".config/zed/settings.json", ".config/zed/settings.json", "/appdata/Zed/settings.json"),
    "kiro": (".kiro/settings/mcp.json", ".kiro/settings/mcp.json", None),
}
"""On Linux, macOS and Windows; the first two below the home folder."""

HTTP_ENTRIES = {
    "claude-code": {"type": "http", "url": URL},
    "codex": {"url": URL},
    "cursor": {"url": URL},
    "vscode": {"type": "http", "url": URL},
    "windsurf": {"serverUrl": URL},
    "cline": {"type": "streamableHttp", "url": URL},
    "gemini-cli": {"httpUrl": URL},
    "copilot-cli": {"type": "http", "url": URL, "tools": ["*"]},
    "opencode": {"type": "remote", "url": URL},
    "zed": {"url": URL},
    "kiro": {"url": URL},
}


def test_the_clients_are_those_that_are_named() -> None:
    assert list(CLIENTS) == list(FILES)


@pytest.mark.parametrize("name", CLIENTS)
def test_the_file_on_three_systems(name: str) -> None:
    for system, expected in zip(("linux", "darwin", "win32"), FILES[name], strict=True):
        found = config_file(
            CLIENTS[name],
            Scope.USER,
            system=system,
            home=HOME,
            environment=APPDATA if system == "win32" else {},
            project=None,
        )
        assert found == HOME / (expected or FILES[name][0])


@pytest.mark.parametrize(
    ("name", "variable", "expected"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/x/.claude.json"),
        ("codex", "CODEX_HOME", "/x/config.toml"),
        ("copilot-cli", "COPILOT_HOME", "/x/mcp-config.json"),
        ("zed", "XDG_CONFIG_HOME", "/x/zed/settings.json"),
    ],
)
def test_folders_that_were_moved(name: str, variable: str, expected: str) -> None:
    found = config_file(
        CLIENTS[name],
        Scope.USER,
        system="linux",
        home=HOME,
        environment={variable: "/x"},
        project=None,
    )
    assert found == Path(expected)


@pytest.mark.parametrize("name", CLIENTS)
def test_what_an_entry_holds(name: str) -> None:
    client = CLIENTS[name]
    over_http = entry(client, Transport.HTTP, url=URL, command=["x"])
    if name in HTTP_ENTRIES:
        assert over_http == HTTP_ENTRIES[name]
    else:
        assert client.transports == [Transport.STDIO]
    over_stdio = entry(client, Transport.STDIO, url=URL, command=["/bin/unity-cli", "mcp"])
    assert over_stdio.pop("type", None) == {
        "claude-code": "stdio",
        "vscode": "stdio",
        "copilot-cli": "local",
        "opencode": "local",
    }.get(name)
    assert over_stdio.pop("tools", None) == (["*"] if name == "copilot-cli" else None)
    if name == "opencode":
        assert over_stdio == {"command": ["/bin/unity-cli", "mcp"]}
        return
    assert over_stdio == {"command": "/bin/unity-cli", "args": ["mcp"]}
