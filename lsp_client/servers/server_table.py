"""The table of known C# language servers: how each is started, and its quirks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Opening(Enum):
    """What a server has to be told before it knows a project."""

    BY_ITSELF = "by itself"
    SOLUTION_OR_PROJECTS = "solution/open or project/open"


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One kind of server: how it is found and started, and what is particular about it.

    In ``arguments``, ``{project}`` stands for the Unity project's folder, ``{solution}`` for its
    solution file, ``{logs}`` for a folder for logs and ``{pid}`` for the client's process id.
    """

    name: str
    validator: str = ""
    """What a verdict calls it; else its name."""
    names_itself: bool = False
    """Whether the name that it gives itself says more than this table's."""
    executables: tuple[str, ...] = ()
    """Names to look for on ``PATH``, the best first."""
    arguments: tuple[str, ...] = ()
    solution_arguments: tuple[str, ...] = ()
    """Further arguments where the project has a solution file."""
    language_id: str = "csharp"
    opening: Opening = Opening.BY_ITSELF
    ready_notification: str | None = None
    """Diagnostics mean nothing before it has come."""
    start_s: float = 30.0
    """How long it may take to be ready, in seconds."""
    syntax_identifiers: tuple[str, ...] = ()
    """Pull diagnostics that are asked for first: they tell what would not parse."""
    semantic_identifiers: tuple[str, ...] = ()
    """Pull diagnostics that tell what names mean, where the project is known."""
    parsing_identifiers: tuple[str, ...] = ()
    """What is asked in the place of the syntax where semantics are asked for as well. Unless the
    coverage says that these were judged, the syntax is asked for after all."""
    coverage_request: str | None = None
    """A request that tells what the diagnostics of a document stand for."""
    text_request: str | None = None
    """A request that tells all of a text that isn't shown to it as a document's."""
    knows_projects: bool = False
    """Whether it may be asked of whole projects, beyond LSP."""
    versionless_push: bool = False
    """It doesn't say which text its diagnostics are about. Each text then ends with an
    ``#error`` of its own, and what comes with that one is about that text."""


ROSLYN_SERVER = ServerSpec(
    name="roslyn_server",
    validator="roslyn",
    arguments=("-m", "roslyn_server", "--stdio", "--project", "{project}"),
    syntax_identifiers=("syntax",),
    semantic_identifiers=("semantics",),
    parsing_identifiers=("parsing",),
    coverage_request="roslynServer/coverage",
    text_request="unity/judgeText",
    start_s=60.0,
    knows_projects=True,
)

ROSLYN_LANGUAGE_SERVER = ServerSpec(
    name="roslyn-language-server",
    executables=("roslyn-language-server",),
    arguments=("--stdio", "--logLevel", "Warning", "--extensionLogDirectory", "{logs}"),
    opening=Opening.SOLUTION_OR_PROJECTS,
    ready_notification="workspace/projectInitializationComplete",
    start_s=300.0,
    syntax_identifiers=("syntax",),
    semantic_identifiers=("DocumentCompilerSemantic",),
)

CSHARP_LS = ServerSpec(
    name="csharp-ls",
    executables=("csharp-ls",),
    solution_arguments=("--solution", "{solution}"),
    start_s=300.0,
)

DOTRUSH = ServerSpec(
    name="DotRush", executables=("dotrush", "DotRush.Server", "DotRush"), start_s=300.0
)

OMNISHARP = ServerSpec(
    name="OmniSharp",
    executables=("OmniSharp", "omnisharp"),
    arguments=("-lsp", "-z"),
    solution_arguments=("-s", "{solution}"),
    start_s=300.0,
    versionless_push=True,
)

ON_PATH = (ROSLYN_LANGUAGE_SERVER, CSHARP_LS, DOTRUSH, OMNISHARP)
"""Servers that are looked for on ``PATH``, the best first."""

KNOWN = (ROSLYN_SERVER, *ON_PATH)


def custom(name: str) -> ServerSpec:
    """A server of which nothing is known but the command."""
    return ServerSpec(name=name, names_itself=True, start_s=300.0, knows_projects=True)


@dataclass(frozen=True, slots=True)
class Launch:
    """A server to be started: its row of the table, the command, and what to tell it to open.

    ``opens`` are solution or project files; ``env`` is added to this process's environment.
    """

    spec: ServerSpec
    command: tuple[str, ...]
    root: Path
    opens: tuple[Path, ...] = ()
    env: Mapping[str, str] | None = None
