"""The manifests of the channels, generated from ``pyproject.toml``, the skill and the hooks.

    python -m channels.manifests            write them
    python -m channels.manifests --check    exit code 1 if one differs

Each follows its owner's documentation: ``server.json`` the MCP registry, ``agent-plugin/`` the
plugin formats of Claude Code, Codex, Cursor, and the open Agent Plugins format that VS Code and
others read.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_server.guard.clients.table import ADAPTERS

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = "agent-plugin"
SKILL = "mcp_server/clients/skill/SKILL.md"
SKILL_NAME = "unity-scripts"
SERVER = "unity"
"""What the server is called in clients' configurations; ``client install`` says the same."""

SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
TITLE = "Unity snippet"
MARKETPLACE = "unity-snippet"


def project() -> dict[str, Any]:
    """The table ``[project]`` of ``pyproject.toml``: the one place of name and version."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = document["project"]
    return found


def registry_name(project: Mapping[str, Any]) -> str:
    """The server's name in the MCP registry, which the README repeats after ``mcp-name:``."""
    owner, name = str(project["urls"]["Repository"]).rstrip("/").split("/")[-2:]
    return f"io.github.{owner}/{name}"


def manifests() -> dict[str, str]:
    """Every generated file: its path in the repository, and its text."""
    about = project()
    documents: dict[str, object] = {
        "server.json": _server(about),
        ".claude-plugin/marketplace.json": _marketplace(about),
        f"{PLUGIN}/.claude-plugin/plugin.json": {**_common(about), "hooks": _hooks_of("claude")},
        f"{PLUGIN}/.mcp.json": {"mcpServers": {SERVER: _command(about)}},
        f"{PLUGIN}/.codex-plugin/plugin.json": {
            **_common(about),
            "skills": "./skills/",
            "mcpServers": "./.mcp.json",
            "hooks": _hooks_of("codex"),
        },
        f"{PLUGIN}/.cursor-plugin/plugin.json": {
            **_common(about),
            "displayName": TITLE,
            "skills": "./skills/",
            "mcpServers": "./.mcp.json",
            "hooks": _hooks_of("cursor"),
        },
        # The open format, and VS Code's.
        f"{PLUGIN}/plugin.json": _common(about),
        f"{PLUGIN}/mcp.json": {"mcpServers": {SERVER: _command(about)}},
        "channels/mcpb/manifest.json": _bundle(about),
    }
    for name, client in (("claude", "claude-code"), ("codex", "codex"), ("cursor", "cursor")):
        file = ADAPTERS[client].files[0]  # a plugin is the same on all systems
        documents[f"{PLUGIN}/guard/{name}.json"] = file.on_windows or file.content
    texts = {path: json.dumps(each, indent=2) + "\n" for path, each in documents.items()}
    texts[f"{PLUGIN}/skills/{SKILL_NAME}/SKILL.md"] = (ROOT / SKILL).read_text(encoding="utf-8")
    return texts


def _hooks_of(client: str) -> str:
    """The hooks of a manifest, below the plugin's folder.

    Each manifest names its own. There is no ``hooks/hooks.json``: several clients would load it
    whatever their manifest says, and none reads another's form.
    """
    return f"./guard/{client}.json"


def _common(about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": about["name"],
        "version": about["version"],
        "description": about["description"],
        "author": {"name": about["name"]},
        "homepage": about["urls"]["Repository"],
        "repository": about["urls"]["Repository"],
        "license": about["license"],
        "keywords": list(about["keywords"]),
    }


def _command(about: Mapping[str, Any]) -> dict[str, Any]:
    """How a plugin starts the server: fetched by uv, bound to the folder that the client is in."""
    return {"command": "uvx", "args": [f"{about['name']}@{about['version']}", "mcp"]}


def _server(about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "$schema": SERVER_SCHEMA,
        "name": registry_name(about),
        "title": TITLE,
        "description": about["description"],
        "version": about["version"],
        "repository": {"url": about["urls"]["Repository"], "source": "github"},
        "packages": [
            {
                "registryType": "pypi",
                "identifier": about["name"],
                "version": about["version"],
                "runtimeHint": "uvx",
                "packageArguments": [
                    {"type": "positional", "value": "mcp"},
                    {
                        "type": "named",
                        "name": "--project",
                        "description": "The folder of the Unity project: the one with Assets.",
                        "format": "filepath",
                        "isRequired": True,
                    },
                ],
                "transport": {"type": "stdio"},
            }
        ],
    }


def _marketplace(about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": MARKETPLACE,
        "owner": {"name": about["name"]},
        "description": about["description"],
        "plugins": [
            {
                "name": about["name"],
                "source": f"./{PLUGIN}",
                "description": about["description"],
                "version": about["version"],
            }
        ],
    }


def _bundle(about: Mapping[str, Any]) -> dict[str, Any]:
    arguments = ["run", "--directory", "${__dirname}", "server.py", "${user_config.project}"]
    return {
        "manifest_version": "0.4",
        "name": about["name"],
        "display_name": TITLE,
        "version": about["version"],
        "description": about["description"],
        "author": {"name": about["name"]},
        "repository": {"type": "git", "url": about["urls"]["Repository"]},
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {"command": "uv", "args": arguments},
        },
        "tools_generated": True,
        "keywords": list(about["keywords"]),
        "license": about["license"],
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": about["requires-python"]},
        },
        "user_config": {
            "project": {
                "type": "directory",
                "title": "Unity project",
                "description": "The folder of the project that is worked in: the one with Assets.",
                "required": True,
            }
        },
    }


def main(arguments: list[str]) -> int:
    """Write the manifests, or with ``--check`` say which of them differ."""
    differing = [
        path
        for path, text in manifests().items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    if "--check" in arguments:
        for path in differing:
            print(f"{path} is not what python -m channels.manifests writes.", file=sys.stderr)
        return 1 if differing else 0
    for path in differing:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(manifests()[path], encoding="utf-8", newline="\n")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
