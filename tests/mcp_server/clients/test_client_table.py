"""The table of clients: where the files are on each system, and what goes into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_server.clients.entries import entry
from mcp_server.clients.table import CLIENTS, Scope, Transport, config_file

HOME = Path("/home/ann")
URL = "http://127.0.0.1:48091/mcp"
APPDATA = {"APPDATA": "/appdata"}


def everywhere(path: str) -> tuple[str, str, str | None]:
    """The same path below the home folder of each system."""
    return path, path, None


def per_system(path: str) -> tuple[str, str, str | None]:
    """A path below the folder that each system has for programs' own files."""
    return f".config/{path}", f"Library/Application Support/{path}", f"/appdata/{path}"


FILES = {
    "claude-code": everywhere(".claude.json"),
    "claude-desktop": per_system("Claude/claude_desktop_config.json"),
    "codex": everywhere(".codex/config.toml"),
    "cursor": everywhere(".cursor/mcp.json"),
    "vscode": per_system("Code/User/mcp.json"),
    "windsurf": everywhere(".codeium/windsurf/mcp_config.json"),
    "cline": per_system(
        "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
    ),
    "gemini-cli": everywhere(".gemini/settings.json"),
    "copilot-cli": everywhere(".copilot/mcp-config.json"),
    "opencode": everywhere(".config/opencode/opencode.json"),
    "zed": (".config/zed/settings.json", ".config/zed/settings.json", "/appdata/Zed/settings.json"),
    "kiro": everywhere(".kiro/settings/mcp.json"),
}
"""On Linux, macOS and Windows; below the home folder, and on Windows where Linux has it if not
given."""

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
