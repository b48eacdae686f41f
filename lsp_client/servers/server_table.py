"""The table of known C# language servers: how each is started, and its quirks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One kind of server.

    In ``arguments``, ``{project}`` is the Unity project's folder, ``{solution}`` its solution file
    and ``{logs}`` a folder for logs.
    """

    name: str
    validator: str = ""
    """Its name in verdicts; by default ``name``."""
    names_itself: bool = False
    """Whether to use the name that it gives itself."""
    executables: tuple[str, ...] = ()
    """Names to look for on ``PATH``, the best first."""
    arguments: tuple[str, ...] = ()
    solution_arguments: tuple[str, ...] = ()
    """More arguments if the project has a solution file."""
    language_id: str = "csharp"
    needs_projects: bool = False
    """Whether it knows a project only after a request to open its solution or project files."""
    ready_notification: str | None = None
    """Says that the server is ready; diagnostics before it mean nothing."""
    start_s: float = 30.0
    """Time to be ready, in seconds."""
    syntax_identifiers: tuple[str, ...] = ()
    """Identifiers of pull diagnostics to ask for first: syntax."""
    semantic_identifiers: tuple[str, ...] = ()
    """Identifiers of pull diagnostics of names, if the project is known."""
    text_request: str | None = None
    """A request for all errors of a text that isn't opened as a document."""
    knows_projects: bool = False
    """Whether it has the requests about whole projects."""
    versionless_push: bool = False
    """Its diagnostics don't name a version. Each text then ends with an ``#error`` of its own,
    and the diagnostics with that one are about that text."""


ROSLYN_SERVER = ServerSpec(
    name="roslyn_server",
    validator="roslyn",
    arguments=("-m", "roslyn_server", "--stdio", "--project", "{project}"),
    syntax_identifiers=("syntax",),
    semantic_identifiers=("semantics",),
    text_request="unity/judgeText",
    start_s=60.0,
    knows_projects=True,
)

ROSLYN_LANGUAGE_SERVER = ServerSpec(
    name="roslyn-language-server",
    executables=("roslyn-language-server",),
    arguments=("--stdio", "--logLevel", "Warning", "--extensionLogDirectory", "{logs}"),
    needs_projects=True,
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
"""Servers to look for on ``PATH``, the best first."""

KNOWN = (ROSLYN_SERVER, *ON_PATH)


def custom(name: str) -> ServerSpec:
    """Return the row of an unknown server."""
    return ServerSpec(name=name, names_itself=True, start_s=300.0, knows_projects=True)


@dataclass(frozen=True, slots=True)
class Launch:
    """A server to start: its row of the table, and its command."""

    spec: ServerSpec
    command: tuple[str, ...]
    root: Path
    opens: tuple[Path, ...] = ()
    """Solution or project files to open."""
    env: Mapping[str, str] | None = None
    """Added to this process's environment."""
