"""Check the project's server, and the Unity Editor connected to it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from mcp_server.calls.project import problem_of
from mcp_server.calls.server.project_server import SilentServer
from mcp_server.calls.server.server_file import DEFAULT_PORT, how_to_start, read_url
from mcp_server.calls.server.server_status import (
    WRONG_TOKEN,
    NoStatus,
    ServerStatus,
    ask_status,
    how_to_serve,
    is_same_folder,
    start_in,
)
from mcp_server.contract.errors import ToolError
from mcp_server.doctor.check import Check
from mcp_server.stdio.server_process import log_path
from mcp_server.this_installation import program, quoted_word
from mcp_server.version import package_version
from roslyn_server.protocol import MEMORY_VARIABLE

_NO_SERVER = Check(
    "Unity Editor", False, "no server runs that an Editor could connect to", optional=True
)


def check_server(
    url: str | ToolError | SilentServer,
    token: str | None,
    project: Path | None,
    limit_s: float,
    *,
    named: bool = True,
) -> list[Check]:
    """Check whether a server answers at ``url``, and whether an Editor is connected to it.

    With ``named``, an option or variable gives the address. Otherwise it is the address of the
    project's own server.
    """
    if isinstance(url, SilentServer):
        why = "unknown, as the server gives no answer"
        unknown = Check("Unity Editor", False, why, optional=True)
        return [Check("server", False, url.summary, url.advice), unknown]
    understood = read_url(url, "its address") if isinstance(url, str) else url
    if isinstance(understood, ToolError):
        advice = "Correct --url, UNITY_CLI_URL or UNITY_CLI_PORT."
        return [Check("server", False, understood.message, advice), _NO_SERVER]
    url = understood
    status = ask_status(url, token, limit_s / 2, project)
    if isinstance(status, NoStatus):
        return [_none(url, status, project, named=named), _NO_SERVER]
    if project is None and not named and status.project is not None:
        summary = f"{url}: of another project, {status.project}"
        option = f"--project {quoted_word(status.project)}"
        advice = f"To use it, give {option}. Calls without a project are refused."
        return [Check("server", False, summary, advice), _NO_SERVER]
    if not named and _is_elsewhere(status, project):
        serve = how_to_serve(project, program())
        summary = f"no server runs for this project; the one at {url} works in {status.works_in}"
        advice = f"To start one: {serve}. The Editor's tools and the guard need it."
        missing = Check("server", False, summary, advice, optional=True, command=serve)
        return [missing, _NO_SERVER]
    return [_server(url, status, project), _editor(url, status, project)]


def _none(url: str, why: NoStatus, project: Path | None, *, named: bool) -> Check:
    serve = how_to_serve(project, program())
    if not why.answered:
        start = how_to_start(url, serve).rstrip(".")
        advice = f"{start}. The Editor's tools and the guard need it."
        summary = f"no answer at {url}: {why.reason}"
        command = "" if named or project is None else serve
        return Check("server", False, summary, advice, optional=not named, command=command)
    if why.advice:
        advice = why.advice
    elif why.reason == WRONG_TOKEN:
        advice = "Correct UNITY_CLI_TOKEN, or unset it."
    elif named:
        advice = "Leave out --url, UNITY_CLI_URL and UNITY_CLI_PORT: the project's server is found."
    else:
        advice = f"Start the project's own server, which takes a free port: {serve}"
    return Check("server", False, f"the program at {url} can't be used: {why.reason}", advice)


def _server(url: str, status: ServerStatus, project: Path | None) -> Check:
    where = status.project or "no project"
    summary = f"{url}: version {status.version}, {where}"
    if status.version != package_version():
        stop = f"{program()} stop --url {url}"
        advice = f"This installation is {package_version()}. Restart the server: {stop}"
        return Check("server", False, summary, advice)
    if _is_elsewhere(status, project):
        assert project is not None
        advice = (
            f"Calls from {project} are refused there. Start its own server: {start_in(project)}."
        )
        summary = f"{url}: version {status.version}, of another project: {status.works_in}"
        return Check("server", False, summary, advice)
    return Check(
        "server",
        True,
        summary,
        details=(*_origin(url, status), *_compiler(status), *_watch(status)),
    )


def _is_elsewhere(status: ServerStatus, project: Path | None) -> bool:
    """Return whether the server works in another project, and so refuses calls from ``project``."""
    served = status.works_in
    return project is not None and served is not None and not is_same_folder(served, project)


def _origin(url: str, status: ServerStatus) -> tuple[str, ...]:
    port = urlsplit(url).port
    if not status.ends_with_clients or port is None:
        return ()
    agents = status.clients
    return (f"ends with its last agent or page (agents now: {agents}); log: {log_path(port)}",)


def _watch(status: ServerStatus) -> tuple[str, ...]:
    """Return how the server notices changes by other programs."""
    if status.watch is None:
        return ()
    if status.watch == "events":
        return ("it sees changes of scripts by other programs at once (file system events)",)
    return (f"it looks for changes of scripts every few seconds and at each call: {status.watch}",)


def _compiler(status: ServerStatus) -> tuple[str, ...]:
    if status.lsp_memory_mb is None:
        return ()
    limit = status.lsp_memory_limit_mb
    most = ""
    if limit is not None:
        most = f"; limit of its compiler: {memory_words(limit)} ({MEMORY_VARIABLE})"
    return (f"its C# language server uses {memory_words(status.lsp_memory_mb)} of memory{most}",)


def memory_words(megabytes: int) -> str:
    """Return an amount of memory in MB or GB, as text."""
    return f"{megabytes:,} MB" if megabytes < 10_000 else f"{megabytes / 1024:.0f} GB"


def _editor(url: str, status: ServerStatus, project: Path | None) -> Check:
    name = "Unity Editor"
    if not status.editor_connected and _is_elsewhere(status, project):
        return _NO_SERVER
    if not status.editor_connected:
        port = urlsplit(url).port
        usual = "" if port == DEFAULT_PORT else f", or {DEFAULT_PORT}, to find the project's server"
        where = "Window > Unity MCP Settings"
        advice = f"Open the project in Unity; {where} must say port {port}{usual}."
        return Check(name, False, "none is connected", advice, optional=True)
    version = f"Unity {status.unity_version}" if status.unity_version else "Unity"
    by_plugin = status.editor_link != "pipeline"
    road = f"plugin {status.plugin_version}" if by_plugin else "by com.unity.pipeline"
    summary = f"{version}, {status.editor_state}, {road}"
    has_open = status.editor_project
    for wanted in (status.project, project):
        if has_open and wanted and not is_same_folder(has_open, Path(wanted)):
            advice = f"It has {has_open} open. Open {wanted} in Unity, with that project's server."
            return Check(name, False, f"{summary}, of another project", advice)
    if _is_elsewhere(status, project):
        advice = f"It is connected to the server of {status.works_in}."
        return Check(name, False, f"{summary}, of another project", advice)
    return Check(name, True, summary)


PIPELINE = "Unity Pipeline"


def check_pipeline(project: Path | None) -> list[Check]:
    """Check whether the project's Editor answers through ``com.unity.pipeline``."""
    import asyncio  # noqa: PLC0415 - loaded only here

    from unity_bridge.pipeline.probe import probe  # noqa: PLC0415
    from unity_bridge.pipeline.project_files import package_version  # noqa: PLC0415

    if problem_of(project) is not None:
        return [Check(PIPELINE, False, "no Unity project", "Give --project PATH.", optional=True)]
    assert project is not None
    version = package_version(project)
    found = asyncio.run(probe(project))
    named = f"com.unity.pipeline {version}" if version else "com.unity.pipeline"
    if found.live:
        return [Check(PIPELINE, True, f"{named}: {found.what}")]
    if version is None:
        advice = "Not needed with our package. For Unity 6, the package manager has it."
        return [Check(PIPELINE, False, f"{named} is not in the project", advice, optional=True)]
    return [Check(PIPELINE, False, f"{named}: {found.what}", found.advice, optional=True)]
