"""The engines that judge bundles, one for each outcome of ``--lsp``.

Part of docs/design/command-line.md ``lint``: a language server judges only if ``--lsp`` says so, or
a request asks for one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_server.bundles.item import timeout_s
from mcp_server.calls.language_server import (
    lsp_of_calls,
    server_validator,
    warm_up,
    why_embedded,
)
from mcp_server.calls.project import open_engine
from mcp_server.contract.errors import ToolError
from snippet_engine.engine import SnippetEngine
from snippet_engine.validation.judge import NO_SERVER

if TYPE_CHECKING:
    from lsp_client.validator import LanguageServerValidator
    from mcp_server.calls.server.shared_compiler import SharedCompiler

_log = logging.getLogger("mcp_server.bundles")


class Engines:
    """Engines of one project, each opened at its first use. Made by :func:`opened`."""

    def __init__(
        self, project: Path, lsp: str | None, closing: ExitStack, *, of_locked: bool
    ) -> None:
        self._project = project
        self._lsp = lsp
        self._closing = closing
        self._of_locked = of_locked
        self._engines: dict[str, SnippetEngine] = {}
        self._cold: dict[str, LanguageServerValidator | SharedCompiler] = {}
        """Servers that start with the first request for their verdict."""
        self._logged: set[str] = set()
        self._logged_embedded = False

    def for_request(self, request: object) -> SnippetEngine:
        """Return the engine for a request; the same one for requests that are judged alike."""
        lsp = lsp_of_calls(self._lsp, [request])
        assert not isinstance(lsp, ToolError), "the option was checked before"
        if lsp not in self._engines:
            server = _validator(lsp, self._project)
            if server is not None:
                self._closing.callback(server.close)
                self._cold[lsp] = server
            engine = open_engine(self._project, server, of_locked=self._of_locked)
            assert not isinstance(engine, ToolError), "the project was checked before"
            self._engines[lsp] = engine
        if lsp in self._cold and not _is_embedded(request):
            asked = request if isinstance(request, Mapping) else {}
            # With a timeout, as for a call: a server may run and never answer.
            warm_up(self._cold.pop(lsp), self._project, asked, timeout_s(asked))
        return self._engines[lsp]

    def take_note(self, request: object, result: Mapping[str, Any]) -> None:
        """Log why a request was judged without the server that it asked for, each reason once."""
        lsp = lsp_of_calls(self._lsp, [request])
        if not (self._logged_embedded or isinstance(lsp, ToolError) or _is_embedded(request)):
            why = why_embedded(lsp, self._project, result)
            if why is not None:
                self._logged_embedded = True
                _log.warning("%s", why)
        for note in result.get("validation", {}).get("notChecked", ()):
            if note.startswith(NO_SERVER) and note not in self._logged:
                self._logged.add(note)
                _log.warning("judged without a %s", note)


def _is_embedded(request: object) -> bool:
    return isinstance(request, Mapping) and request.get("validation") == "embedded"


def _validator(lsp: str, project: Path) -> LanguageServerValidator | SharedCompiler | None:
    """Return the validator for ``lsp``, the running server's compiler if there is one.

    ``None`` for ``off``.
    """
    own = server_validator(lsp, project)
    if own is None:
        return None
    from mcp_server.calls.server.project_server import own_address  # noqa: PLC0415 - asks a server
    from mcp_server.calls.server.shared_compiler import SharedCompiler  # noqa: PLC0415
    from mcp_server.calls.server.warm_server import warm_server  # noqa: PLC0415

    running = warm_server(project.resolve(), lsp, lambda: own_address(project))
    return own if running is None else SharedCompiler(running, own)


@contextmanager
def opened(project: Path, lsp: str | None, *, of_locked: bool = False) -> Iterator[Engines]:
    """Open engines for the block; ``project`` and ``lsp`` were checked by :func:`unusable`.

    With ``of_locked``, edits of read-only files are judged, too, since nothing is written.
    """
    with ExitStack() as closing:
        yield Engines(project, lsp, closing, of_locked=of_locked)


def unusable(project: Path, lsp: str | None) -> ToolError | None:
    """Return ``ERR_CONFIG_VALIDATION`` if the project or ``--lsp`` can't be used."""
    choice = lsp_of_calls(lsp, ())
    if isinstance(choice, ToolError):
        return choice
    engine = open_engine(project)
    return engine if isinstance(engine, ToolError) else None
