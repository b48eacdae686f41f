"""The common MCP clients, as data, and where their files are on this machine.

Implements docs/design/command-line.md ``client``. Each row follows the client's own documentation,
which ``documentation`` names. Paths start with ``~`` or ``$CONFIG``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any


class Transport(StrEnum):
    """How the client reaches the server."""

    HTTP = "http"
    STDIO = "stdio"


class Format(StrEnum):
    """The file's format. JSON may have comments and trailing commas."""

    JSON = "json"
    TOML = "toml"


class Scope(StrEnum):
    """Whose configuration it is: the user's own, or the project's, which its team shares."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Client:
    """One MCP client: where its files are, and how it writes a server's entry."""

    name: str
    title: str
    documentation: str
    user_file: str | Mapping[str, str]
    """The path on every system, or one for each of ``linux``, ``darwin``, ``win32``."""
    section: str = "mcpServers"
    """The key of the object with the file's servers, by their names."""
    http: Mapping[str, Any] | None = field(default_factory=lambda: {"url": "{url}"})
    """The HTTP entry, with ``{url}`` in it; ``None`` if the client can't do HTTP."""
    stdio: Mapping[str, Any] = field(default_factory=dict)
    """The members of a stdio entry apart from ``command`` and ``args``."""
    format: Format = Format.JSON
    project_file: str | None = None
    folder_variable: str | None = None
    """The environment variable that moves the folder of ``user_file``."""
    add_command: tuple[str, ...] | None = None
    """The client's own command that adds a server by ``{url}``."""
    headers_key: str = "headers"
    """The key of the headers in an HTTP entry."""
    variable_reference: str | None = None
    """How a value refers to an environment variable."""
    token_variable_key: str | None = None
    """The key with the name of the environment variable that has the bearer token."""
    user_skills: str | None = None
    """The folder of the user's skills, below the home folder."""
    project_skills: str | None = None
    """The folder of the project's skills, below the project."""
    skills_move: bool = False
    """Whether ``folder_variable`` also moves ``user_skills``."""
    command_is_list: bool = False
    """Whether ``command`` is a list that includes the arguments."""
    only_over: Mapping[Transport, frozenset[str]] = field(default_factory=dict)
    """For each transport, the keys that the client allows over that transport only."""

    @property
    def transports(self) -> list[Transport]:
        """The client's transports, stdio first: with stdio, the client starts the server."""
        return [Transport.STDIO, Transport.HTTP] if self.http is not None else [Transport.STDIO]

    def command_to_install(self, url: str, *, default_url: str) -> str:
        """Return our command that writes the entry into the client's configuration."""
        elsewhere = f" --url {url}" if url != default_url else ""
        return f"unity-cli client install {self.name}{elsewhere}"


_TYPED_HTTP = {"type": "http", "url": "{url}"}

_TABLE = (
    Client(
        name="claude-code",
        title="Claude Code",
        documentation="https://code.claude.com/docs/en/mcp",
        user_file="~/.claude.json",
        project_file=".mcp.json",
        folder_variable="CLAUDE_CONFIG_DIR",
        http=_TYPED_HTTP,
        stdio={"type": "stdio"},
        add_command=(
            *("claude", "mcp", "add", "--scope", "user"),
            *("--transport", "http", "{name}", "{url}"),
        ),
        variable_reference="${{{name}}}",
        user_skills=".claude/skills",
        project_skills=".claude/skills",
        skills_move=True,
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        documentation="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
        user_file="$CONFIG/Claude/claude_desktop_config.json",
        http=None,
    ),
    Client(
        name="codex",
        title="Codex",
        documentation="https://developers.openai.com/codex/mcp",
        user_file="~/.codex/config.toml",
        project_file=".codex/config.toml",
        folder_variable="CODEX_HOME",
        section="mcp_servers",
        format=Format.TOML,
        add_command=("codex", "mcp", "add", "{name}", "--url", "{url}"),
        headers_key="http_headers",
        token_variable_key="bearer_token_env_var",
        user_skills=".agents/skills",
        project_skills=".agents/skills",
        only_over={
            Transport.STDIO: frozenset({"command", "args", "env", "env_vars", "cwd"}),
            Transport.HTTP: frozenset(
                {"url", "bearer_token", "bearer_token_env_var", "http_headers"}
                | {"env_http_headers", "oauth", "oauth_resource"}
            ),
        },
    ),
    Client(
        name="cursor",
        title="Cursor",
        documentation="https://cursor.com/docs/mcp",
        user_file="~/.cursor/mcp.json",
        project_file=".cursor/mcp.json",
        variable_reference="${{env:{name}}}",
        user_skills=".cursor/skills",
        project_skills=".cursor/skills",
    ),
    Client(
        name="vscode",
        title="VS Code",
        documentation="https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        user_file="$CONFIG/Code/User/mcp.json",
        project_file=".vscode/mcp.json",
        section="servers",
        http=_TYPED_HTTP,
        stdio={"type": "stdio"},
        variable_reference="${{env:{name}}}",
        user_skills=".copilot/skills",
        project_skills=".github/skills",
    ),
    Client(
        name="windsurf",
        title="Windsurf",
        documentation="https://docs.windsurf.com/windsurf/cascade/mcp",
        user_file="~/.codeium/windsurf/mcp_config.json",
        http={"serverUrl": "{url}"},
        variable_reference="${{env:{name}}}",
        user_skills=".codeium/windsurf/skills",
        project_skills=".windsurf/skills",
    ),
    Client(
        name="cline",
        title="Cline",
        documentation="https://docs.cline.bot/mcp/mcp-overview",
        user_file=(
            "$CONFIG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
            "cline_mcp_settings.json"
        ),
        http={"type": "streamableHttp", "url": "{url}"},
        user_skills=".cline/skills",
        project_skills=".cline/skills",
    ),
    Client(
        name="gemini-cli",
        title="Gemini CLI",
        documentation="https://geminicli.com/docs/tools/mcp-server",
        user_file="~/.gemini/settings.json",
        project_file=".gemini/settings.json",
        http={"httpUrl": "{url}"},
        add_command=(
            *("gemini", "mcp", "add", "--scope", "user"),
            *("--transport", "http", "{name}", "{url}"),
        ),
        variable_reference="${{{name}}}",
        user_skills=".gemini/skills",
        project_skills=".gemini/skills",
    ),
    Client(
        name="copilot-cli",
        title="Copilot CLI",
        documentation=(
            "https://docs.github.com/en/copilot/how-tos/copilot-cli/"
            "customize-copilot/add-mcp-servers"
        ),
        user_file="~/.copilot/mcp-config.json",
        project_file=".github/mcp.json",
        folder_variable="COPILOT_HOME",
        http={**_TYPED_HTTP, "tools": ["*"]},
        stdio={"type": "local", "tools": ["*"]},
        user_skills=".copilot/skills",
        project_skills=".github/skills",
        skills_move=True,
    ),
    Client(
        name="opencode",
        title="opencode",
        documentation="https://opencode.ai/docs/mcp-servers",
        user_file={
            "linux": "$CONFIG/opencode/opencode.json",
            "darwin": "~/.config/opencode/opencode.json",
            "win32": "~/.config/opencode/opencode.json",
        },
        project_file="opencode.json",
        section="mcp",
        http={"type": "remote", "url": "{url}"},
        stdio={"type": "local"},
        command_is_list=True,
    ),
    Client(
        name="zed",
        title="Zed",
        documentation="https://zed.dev/docs/ai/mcp",
        user_file={
            "linux": "$CONFIG/zed/settings.json",
            "darwin": "~/.config/zed/settings.json",
            "win32": "$CONFIG/Zed/settings.json",
        },
        project_file=".zed/settings.json",
        section="context_servers",
    ),
    Client(
        name="kiro",
        title="Kiro",
        documentation="https://kiro.dev/docs/mcp/configuration",
        user_file="~/.kiro/settings/mcp.json",
        project_file=".kiro/settings/mcp.json",
        variable_reference="${{{name}}}",
        user_skills=".kiro/skills",
        project_skills=".kiro/skills",
    ),
)

CLIENTS: Mapping[str, Client] = {client.name: client for client in _TABLE}
"""Every client by its name."""


def wrong_variable(client: Client | None) -> str | None:
    """Return what is wrong with an environment variable for the user's files, and what to do.

    A relative path depends on the working folder, and an empty ``HOME`` is the file system's root.
    """
    home = "USERPROFILE" if sys.platform == "win32" else "HOME"
    linux = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
    names = {"win32": ("APPDATA",), "darwin": ()}.get(sys.platform, linux)
    own = () if client is None or client.folder_variable is None else (client.folder_variable,)
    kind = PureWindowsPath if sys.platform == "win32" else PurePosixPath
    for name in (home, *names, *own):
        value = os.environ.get(name)
        # Of the others, an empty one counts as not set.
        if value and not kind(value).is_absolute():
            return f"{name} is {value}, a relative path. Set it to an absolute path, or unset it."
        if value == "" and name == home:
            return f"{name} is empty. Set it to your home folder's path, or unset it."
    return None


def missing_home(file: Path) -> str | None:
    """Return the problem of a ``file`` in a home folder that does not exist."""
    home = Path.home()
    if not file.is_relative_to(home) or os.path.isdir(home):
        return None
    return (
        f"{file} can't be written: the home folder {home} does not exist. Set HOME to one that "
        "exists."
    )


def config_file(
    client: Client,
    scope: Scope,
    *,
    system: str,
    home: Path,
    environment: Mapping[str, str],
    project: Path | None,
) -> Path | None:
    """Return the file with ``client``'s servers; ``None`` if the client has no such scope.

    ``system`` is ``sys.platform``. ``project`` is needed for the project's scope.
    """
    if scope is Scope.PROJECT:
        if client.project_file is None or project is None:
            return None
        return project / client.project_file
    pattern = _on(system, client.user_file)
    moved = environment.get(client.folder_variable or "")
    if moved:
        return Path(moved) / Path(pattern).name
    return _at(pattern, system, home, environment)


def _on(system: str, pattern: str | Mapping[str, str]) -> str:
    return pattern if isinstance(pattern, str) else pattern.get(system, pattern["linux"])


def _at(pattern: str, system: str, home: Path, environment: Mapping[str, str]) -> Path:
    first, _, rest = pattern.partition("/")
    return (home if first == "~" else _config_folder(system, home, environment)) / rest


def _config_folder(system: str, home: Path, environment: Mapping[str, str]) -> Path:
    if system == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    if system == "darwin":
        return home / "Library" / "Application Support"
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


def user_file(pattern: str | Mapping[str, str], variable: str | None) -> Path:
    """Return the path of a user's file. ``variable`` moves the folder right below ``~``."""
    pattern = _on(sys.platform, pattern)
    moved = os.environ.get(variable or "")
    if moved:
        return Path(moved, *pattern.split("/")[2:])
    return _at(pattern, sys.platform, Path.home(), os.environ)


def skills_folder(client: Client, scope: Scope, project: Path | None) -> Path | None:
    """Return the client's folder of skills in that scope; ``None`` if it has none."""
    if scope is Scope.PROJECT:
        if client.project_skills is None or project is None:
            return None
        return project / client.project_skills
    if client.user_skills is None:
        return None
    moved = os.environ.get(client.folder_variable or "")
    if moved and client.skills_move:
        return Path(moved) / Path(client.user_skills).name
    return Path.home() / client.user_skills
