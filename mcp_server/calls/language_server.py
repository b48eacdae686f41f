"""Choose the C# language server that judges edits, by ``--lsp``.

Implements ``--lsp auto|off|COMMAND`` of docs/design/roslyn.md §2. ``serve`` uses one by default.
One-shot commands use one only for an option or a request that asks for it (``"validation":
"lsp"``), because starting one takes longer than the call.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error

if TYPE_CHECKING:
    from lsp_client.servers.selection import Selection
    from lsp_client.validator import LanguageServerValidator

AUTO = "auto"
OFF = "off"
ENVIRONMENT_VARIABLE = "UNITY_CLI_LSP"
"""The environment variable that replaces a missing ``--lsp``."""

START_S = 30.0
"""How long a command waits for a language server's start and first verdict, in seconds.

A server without a sign of life is given up long before.
"""

_SHARE_OF_START = 0.7
"""The share of a call's time for starting a language server."""

_LATE_S = 0.25
"""How much longer the wait for a start may last on a busy machine, in seconds."""

_MAX_WARM_UP_BYTES = 1_000_000
_JUDGED = frozenset({"edit_snippet", "edit_scripts", "validate_script"})
PROJECT_TOOL = "check_project"
_NEEDS_SERVER = frozenset({PROJECT_TOOL, "find_references", "rename_symbol"})
"""Tools that do nothing without a language server."""


def lsp_of_server(option: str | None) -> str | ToolError:
    """Return the ``--lsp`` of a server. ``option`` is ``None`` if it wasn't given."""
    return _chosen(option, AUTO)


def lsp_of_calls(
    option: str | None, params: Iterable[object], tools: Collection[str] = ()
) -> str | ToolError:
    """Return the ``--lsp`` for calls of ``tools`` (``()``: any tool) with ``params``.

    If none of them uses a compiler, the environment's ``--lsp`` is ignored.
    """
    if option is None and tools and (_JUDGED | _NEEDS_SERVER).isdisjoint(tools):
        return OFF
    insists = any(isinstance(each, Mapping) and each.get("validation") == "lsp" for each in params)
    insists = insists or not _NEEDS_SERVER.isdisjoint(tools)
    fallback = AUTO if insists else OFF
    return _chosen(option, fallback)


def needs_server(tool: str) -> bool:
    """Return whether the tool needs a language server, and so may take long."""
    return tool in _NEEDS_SERVER


def wants_verdict(tool: str, params: Mapping[str, Any]) -> bool:
    """Return whether a call asks the language server for a verdict, if there is one."""
    if tool in _NEEDS_SERVER:
        return True
    return tool in _JUDGED and params.get("validation") != "embedded"


class Starting(Protocol):
    """A language server, or the server's compiler, that has to start before it can judge."""

    def start(self) -> None:
        """Start the server in the background, once. Returns at once."""
        ...

    def wait_until_ready(self, within_s: float) -> None:
        """Wait until the server is ready or can't be, ``within_s`` seconds at most."""
        ...

    def warm_up(self, path: str, text: str, within_s: float) -> None:
        """Wait until the start is over, then have ``text`` judged as the script at ``path``."""
        ...


def warm_up(
    server: Starting, project: Path, params: Mapping[str, Any], timeout_s: float | None = None
) -> None:
    """Start a single command's language server, and wait until it has judged the first script.

    Later verdicts are then fast. The wait takes a part of ``timeout_s``, the time left for the
    call; ``None`` if no limit was given.
    """
    within_s = START_S
    if timeout_s is not None:
        within_s = max(0.0, min(START_S, timeout_s * _SHARE_OF_START - _LATE_S))
    found = first_script(project, params)
    if found is None:
        return server.wait_until_ready(within_s)
    return server.warm_up(*found, within_s)


def given_s(params: Mapping[str, Any]) -> float | None:
    """Return the timeout among a call's arguments, in seconds; ``None`` without one."""
    timeout_ms = params.get("timeout_ms")
    return None if timeout_ms is None else timeout_ms / 1000


def first_script(project: Path, params: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the path and roughly the text of the first existing script in a call."""
    root = project.resolve()
    found = ((path, _text(root, path)) for path in _scripts(params))
    return next(((path, text) for path, text in found if text is not None), None)


def _scripts(params: Mapping[str, Any]) -> Iterator[str]:
    changes = params.get("changes")
    for each in (params, *(changes if isinstance(changes, list | tuple) else ())):
        path = each.get("path") if isinstance(each, Mapping) else None
        if isinstance(path, str):
            yield path


def _text(root: Path, path: str) -> str | None:
    """Return a script's text, with undecodable bytes replaced; ``None`` if missing or too large."""
    try:
        file = (root / path).resolve()
        if file.suffix != ".cs" or not file.is_relative_to(root) or not file.is_file():
            return None
        if file.stat().st_size > _MAX_WARM_UP_BYTES:
            return None
        return file.read_text("utf-8-sig", "replace").replace("\r\n", "\n")
    except (OSError, ValueError):
        return None


def _chosen(option: str | None, fallback: str) -> str | ToolError:
    """Return the option, else the environment's, else ``fallback``. Errors name the source."""
    chosen = option or os.environ.get(ENVIRONMENT_VARIABLE) or fallback
    if chosen in (AUTO, OFF):
        return chosen
    from lsp_client.servers.selection import check_option  # noqa: PLC0415 - not for every command

    wrong = check_option(chosen)
    if wrong is None:
        return chosen
    if not option:
        wrong = wrong.replace("--lsp", ENVIRONMENT_VARIABLE, 1)
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, wrong)


def server_validator(
    option: str, project: Path | None, *, for_one_check: bool = False
) -> LanguageServerValidator | None:
    """Return the validator for ``--lsp``; ``None`` for ``off``. Starts nothing yet.

    ``for_one_check`` says that it will only be asked whether the project compiles.
    """
    if option == OFF or project is None:
        return None
    from lsp_client.servers import selection  # noqa: PLC0415 - not for every command
    from lsp_client.validator import LanguageServerValidator  # noqa: PLC0415
    from snippet_engine.project_settings import ProjectLanguage  # noqa: PLC0415

    root = project.resolve()

    def selected() -> Selection:
        found = selection.select(option, root, why_no_roslyn_server)
        return selection.for_one_check(found) if for_one_check else found

    return LanguageServerValidator(root, selected, ProjectLanguage(root))


def explain(option: str, project: Path) -> dict[str, Any]:
    """Return the servers that were looked for, the chosen one, and why. For ``doctor``."""
    from lsp_client.servers.selection import select  # noqa: PLC0415 - not for every command

    return select(option, project.resolve(), why_no_roslyn_server).to_json()


def why_embedded(option: str, project: Path, result: Mapping[str, Any]) -> str | None:
    """Return why no compiler judged under ``--lsp auto``: there is no language server.

    ``None`` if one judged, or if ``result`` already says why none did.
    """
    from snippet_engine.validation.judge import NO_SERVER  # noqa: PLC0415 - not for every command

    verdict = result.get("validation")
    if option != AUTO or not isinstance(verdict, Mapping) or verdict["validator"] != "embedded":
        return None
    if any(each.startswith(NO_SERVER) for each in verdict["notChecked"]):
        return None
    from lsp_client.servers.selection import select  # noqa: PLC0415 - likewise

    found = select(option, project.resolve(), why_no_roslyn_server)
    return None if found.launches else f"judged without a {NO_SERVER}{found.why_none()}"


def why_no_roslyn_server(project: Path) -> str | None:
    """Return why our own C# server can't be used for ``project``; ``None`` if it can."""
    from mcp_server.this_installation import lacks_pythonnet  # noqa: PLC0415 - not for every command
    from roslyn_server.toolchains.candidates import discover  # noqa: PLC0415
    from roslyn_server.toolchains.machine import this_machine  # noqa: PLC0415

    found = discover(project, this_machine())
    lacking = lacks_pythonnet(compiler_found=found.chosen is not None)
    if lacking is not None:
        return lacking
    return found.failure if found.chosen is None else None
