"""The engines that judge bundles: one for each way in which ``--lsp`` can turn out.

Part of docs/design/command-line.md ``lint`` and its ``--lsp``: as in other one-shot commands, a
language server is asked only when the option says so, or for the requests that insist on one.
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
    """Engines of one project, each opened when it is first needed. Made by :func:`opened`."""

    def __init__(
        self, project: Path, lsp: str | None, closing: ExitStack, *, of_locked: bool
    ) -> None:
        self._project = project
        self._lsp = lsp
        self._closing = closing
        self._of_locked = of_locked
        self._engines: dict[str, SnippetEngine] = {}
        self._cold: dict[str, LanguageServerValidator | SharedCompiler] = {}
        """What has not been asked yet; it starts when the first request wants its verdict."""
        self._told: set[str] = set()
        self._told_embedded = False

    def for_request(self, request: object) -> SnippetEngine:
        """The engine for a request; the same one for requests that are to be judged alike."""
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
            # As long as for a call: a server may live, and never come to a verdict.
            warm_up(self._cold.pop(lsp), self._project, asked, timeout_s(asked))
        return self._engines[lsp]

    def take_note(self, request: object, result: Mapping[str, Any]) -> None:
        """Tell why a request was judged without the server that was asked, each reason once."""
        self._tell_if_embedded(request, result)
        for note in result.get("validation", {}).get("notChecked", ()):
            if note.startswith(NO_SERVER) and note not in self._told:
                self._told.add(note)
                _log.warning("judged without a %s", note)

    def _tell_if_embedded(self, request: object, result: Mapping[str, Any]) -> None:
        lsp = lsp_of_calls(self._lsp, [request])
        if self._told_embedded or isinstance(lsp, ToolError) or _is_embedded(request):
            return
        why = why_embedded(lsp, self._project, result)
        if why is not None:
            self._told_embedded = True
            _log.warning("%s", why)


def _is_embedded(request: object) -> bool:
    return isinstance(request, Mapping) and request.get("validation") == "embedded"


def _validator(lsp: str, project: Path) -> LanguageServerValidator | SharedCompiler | None:
    """What judges as ``lsp`` says: the compiler of the project's running server, if there is one.

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
    """Engines for as long as the block runs; ``project`` and ``lsp`` were checked before.

    ``of_locked``: edits of read-only files are judged as any other, by who writes none.
    """
    with ExitStack() as closing:
        yield Engines(project, lsp, closing, of_locked=of_locked)


def unusable(project: Path, lsp: str | None) -> ToolError | None:
    """``ERR_CONFIG_VALIDATION`` if the project or ``--lsp`` can't be used."""
    choice = lsp_of_calls(lsp, ())
    if isinstance(choice, ToolError):
        return choice
    engine = open_engine(project)
    return engine if isinstance(engine, ToolError) else None
