"""One item of a bundle: a request of ``edit_snippet`` or ``edit_scripts``. Also its engines.

Implements docs/design/command-line.md "Bundles". Only this module knows how the two differ. A
language server judges only if ``--lsp`` says so, or a request asks for one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_server.calls.language_server import lsp_of_calls, server_validator, warm_up, why_embedded
from mcp_server.calls.project import open_engine
from mcp_server.contract.errors import ToolError
from mcp_server.contract.script_tools import SCRIPT_TOOLS
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import BREAKS_CODE, ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import CheckedParams, Problem, checked
from snippet_engine.schemas.schema import EDIT_SNIPPET_INPUT
from snippet_engine.schemas.schema_findings import JsonPath
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_INPUT
from snippet_engine.single_edit.versions import Drafts
from snippet_engine.validation.judge import NO_SERVER

if TYPE_CHECKING:
    from lsp_client.validator import LanguageServerValidator
    from mcp_server.calls.server.shared_compiler import SharedCompiler

SNIPPET = "edit_snippet"
CHANGE_SET = "edit_scripts"

Item = CheckedParams
Result = dict[str, Any]

_OF_THE_FILE = frozenset(
    {
        ErrorCode.PATH_NOT_ALLOWED,
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.READ_ONLY,
        ErrorCode.FILE_TOO_LARGE,
        ErrorCode.UNSUPPORTED_ENCODING,
    }
)
_OF_THE_ANCHOR = frozenset(
    {ErrorCode.ANCHOR_NOT_FOUND, ErrorCode.AMBIGUOUS_ANCHOR, ErrorCode.ANCHOR_IN_COMMENT}
)


@dataclass(frozen=True, slots=True)
class Applied:
    """A write: the ``paths`` that it changed, and the arguments of its undo."""

    paths: tuple[str, ...]
    undo: Mapping[str, str]


def is_change_set(value: Mapping[str, Any]) -> bool:
    """Return whether an item, or an item's result, is that of a change set."""
    return "changes" in value or "files" in value


def tool_of(value: Mapping[str, Any]) -> str:
    """Return the tool that takes the item, or gave the result."""
    return CHANGE_SET if is_change_set(value) else SNIPPET


def timeout_s(value: Mapping[str, Any]) -> float:
    """Return how long a call with this item may take, in seconds."""
    return SCRIPT_TOOLS[tool_of(value)].timeout_ms(value) / 1000


def read_item(value: object) -> Item | list[Problem]:
    """Return ``value`` as an item, or all of its contract violations."""
    if isinstance(value, Mapping) and is_change_set(value):
        return checked(CHANGE_SET, EDIT_SCRIPTS_INPUT, value)
    return checked(SNIPPET, EDIT_SNIPPET_INPUT, value)


def preview(engine: SnippetEngine, item: Item) -> Result | SnippetError:
    """Preview the item on the files on disk, whatever its ``mode`` says."""
    return _call(engine, item.with_known(mode="preview"))


def draft(
    engine: SnippetEngine, item: Item, drafts: Drafts
) -> tuple[Result, Drafts] | SnippetError:
    """Preview the item on ``drafts``; also return the drafts with its edits."""
    if item.tool == CHANGE_SET:
        return engine.draft_scripts(item, drafts)
    return engine.draft_snippet(item, drafts)


def apply(
    engine: SnippetEngine, item: Item, rehearsed: Result, *, pinned: bool = True
) -> Result | SnippetError:
    """Write the item, if its files are unchanged since the rehearsal that gave ``rehearsed``.

    Without ``pinned``, it is judged again instead. Ignores ``mode``, and ``client_request_id``,
    whose stored answer may be for a write that has been rolled back since.
    """
    values = {key: value for key, value in item.items() if key != "client_request_id"}
    known = _pinned(item, rehearsed) if pinned else {"mode": "apply"}
    return _call(engine, CheckedParams(item.tool, {**values, **known}))


def expects_hashes(value: Mapping[str, Any]) -> bool:
    """Return whether the item gives the ``expectedHash`` of at least one file."""
    return any("expectedHash" in each for each in (value, *value.get("changes", ())))


def pinned_to(item: Item, hashes: Mapping[int | None, str]) -> Item:
    """Return the item with ``hashes`` as the ``expectedHash`` of its files.

    Their keys are the indexes of the changes; ``None`` for a single edit.
    """
    if item.tool == SNIPPET:
        return item.with_known(expectedHash=hashes[None])
    changes = [
        {**change, "expectedHash": hashes[index]} if index in hashes else change
        for index, change in enumerate(item["changes"])
    ]
    return item.with_known(changes=changes)


def written(result: Result) -> Applied | None:
    """Return the write that :func:`apply` made; ``None`` if it wrote nothing."""
    if not result["applied"]:
        return None
    if not is_change_set(result):
        path, hash_after = result["path"], result["hashAfter"]
        return Applied((path,), {"path": path, "hashAfter": hash_after})
    paths = tuple(each.get("movedTo", each["path"]) for each in result["files"])
    return Applied(paths, {"changeId": result["changeId"]})


def take_back(engine: SnippetEngine, applied: Applied) -> SnippetError | None:
    """Undo the write. An error says why the write stays."""
    undone = engine.undo_snippet(dict(applied.undo))
    return undone if isinstance(undone, SnippetError) else None


def cause(item: Mapping[str, Any], error: SnippetError) -> JsonPath:
    """Return the part of the item that caused the error."""
    if error.code is ErrorCode.VALIDATOR_UNAVAILABLE:
        return ("validation",)
    if not is_change_set(item):
        return _cause_in(item, error)
    if error.file is None:
        return ()
    change = item["changes"][error.file]
    return ("changes", error.file, *_cause_in(change, error))


def _cause_in(edit: Mapping[str, Any], error: SnippetError) -> JsonPath:
    if error.code is ErrorCode.STALE_FILE:
        return ("expectedHash" if "expectedHash" in edit else "path",)
    if error.code in _OF_THE_FILE:
        return ("path",)
    if error.instruction is None or "instructions" not in edit:
        if error.code not in BREAKS_CODE:
            return ()
        return next(((key,) for key in ("instructions", "create") if key in edit), ())
    here: JsonPath = ("instructions", error.instruction)
    instruction = edit["instructions"][error.instruction]
    if error.code is ErrorCode.SYMBOL_NOT_FOUND:
        return (*here, "anchor", "symbolPath")
    if error.code in _OF_THE_ANCHOR:
        part = "target" if "target" in instruction["anchor"] else "symbolPath"
        return (*here, "anchor", part)
    if error.code in {ErrorCode.DIFF_TOO_LARGE, *BREAKS_CODE} and "newText" in instruction:
        return (*here, "newText")
    return here


def _pinned(item: Item, rehearsed: Result) -> dict[str, Any]:
    if item.tool == SNIPPET:
        return {"mode": "apply", "expectedHash": rehearsed["hashBefore"]}
    changes = [
        {**change, "expectedHash": file["hashBefore"]} if "hashBefore" in file else change
        for change, file in zip(item["changes"], rehearsed["files"], strict=True)
    ]
    return {"mode": "apply", "changes": changes}


def _call(engine: SnippetEngine, item: Item) -> Result | SnippetError:
    return engine.edit_scripts(item) if item.tool == CHANGE_SET else engine.edit_snippet(item)


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
        """Language servers that start with the first request for their verdict."""
        self._logged: set[str] = set()
        self._logged_embedded = False

    def for_request(self, request: object) -> SnippetEngine:
        """Return the engine for a request. Requests that are judged alike share an engine."""
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

    def log_unavailable(self, request: object, result: Mapping[str, Any]) -> None:
        """Log, once for each reason, why a request was judged without its language server."""
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
    """Return the validator for ``lsp``: the running server's compiler, if there is one.

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
    """Open the engines for a ``with`` block. :func:`unusable` has checked ``project`` and ``lsp``.

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
