"""One item of a bundle: a request of ``edit_snippet``, or of ``edit_scripts``.

Implements docs/design/command-line.md "Bundles". Only this module knows the difference: how an item
is previewed, drafted, applied and undone, and which part of it an error is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp_server.contract.script_tools import SCRIPT_TOOLS
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import BREAKS_CODE, ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import CheckedParams, checked
from snippet_engine.schemas.schema import EDIT_SNIPPET_INPUT
from snippet_engine.schemas.schema_check import Problem
from snippet_engine.schemas.schema_findings import JsonPath
from snippet_engine.schemas.tool_schemas import EDIT_SCRIPTS_INPUT
from snippet_engine.single_edit.versions import Drafts

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
    """A write: the ``paths`` that it changed, and the arguments that undo it."""

    paths: tuple[str, ...]
    undo: Mapping[str, str]


def is_change_set(value: Mapping[str, Any]) -> bool:
    """Whether an item, or the result of one, is of a change set."""
    return "changes" in value or "files" in value


def tool_of(value: Mapping[str, Any]) -> str:
    """The tool whose contract an item satisfies, or whose result it is."""
    return CHANGE_SET if is_change_set(value) else SNIPPET


def timeout_s(value: Mapping[str, Any]) -> float:
    """Return how long a call with the item as its arguments may take, in seconds."""
    return SCRIPT_TOOLS[tool_of(value)].timeout_ms(value) / 1000


def read_item(value: object) -> Item | list[Problem]:
    """Return ``value`` as an item, or every way in which it breaks the contract."""
    if isinstance(value, Mapping) and is_change_set(value):
        return checked(CHANGE_SET, EDIT_SCRIPTS_INPUT, value)
    return checked(SNIPPET, EDIT_SNIPPET_INPUT, value)


def preview(engine: SnippetEngine, item: Item) -> Result | SnippetError:
    """Preview the item on the files as they are, whatever its ``mode``."""
    return _call(engine, item.with_known(mode="preview"))


def draft(
    engine: SnippetEngine, item: Item, drafts: Drafts
) -> tuple[Result, Drafts] | SnippetError:
    """Preview the item on ``drafts``, and return the drafts with it."""
    if item.tool == CHANGE_SET:
        return engine.draft_scripts(item, drafts)
    return engine.draft_snippet(item, drafts)


def apply(
    engine: SnippetEngine, item: Item, rehearsed: Result, *, pinned: bool = True
) -> Result | SnippetError:
    """Write the item, if its files are unchanged since its result was ``rehearsed``.

    Without ``pinned``, it is judged again instead. Ignores ``mode``, and ``client_request_id``,
    whose stored answer may be for a write that has been rolled back since.
    """
    values = {key: value for key, value in item.items() if key != "client_request_id"}
    known = _pinned(item, rehearsed) if pinned else {"mode": "apply"}
    return _call(engine, CheckedParams(item.tool, {**values, **known}))


def expects_hashes(value: Mapping[str, Any]) -> bool:
    """Whether the item names the hash of one of its files."""
    return any("expectedHash" in each for each in (value, *value.get("changes", ())))


def pinned_to(item: Item, hashes: Mapping[int | None, str]) -> Item:
    """Return the item with ``hashes`` as the ``expectedHash`` of its files.

    They are by the index of the change; that of a small edit is under ``None``.
    """
    if item.tool == SNIPPET:
        return item.with_known(expectedHash=hashes[None])
    changes = [
        {**change, "expectedHash": hashes[index]} if index in hashes else change
        for index, change in enumerate(item["changes"])
    ]
    return item.with_known(changes=changes)


def written(result: Result) -> Applied | None:
    """Return what :func:`apply` wrote; ``None`` if there was nothing to write."""
    if not result["applied"]:
        return None
    if not is_change_set(result):
        path, hash_after = result["path"], result["hashAfter"]
        return Applied((path,), {"path": path, "hashAfter": hash_after})
    paths = tuple(each.get("movedTo", each["path"]) for each in result["files"])
    return Applied(paths, {"changeId": result["changeId"]})


def take_back(engine: SnippetEngine, applied: Applied) -> SnippetError | None:
    """Undo the write; an error says why it stays."""
    undone = engine.undo_snippet(dict(applied.undo))
    return undone if isinstance(undone, SnippetError) else None


def cause(item: Mapping[str, Any], error: SnippetError) -> JsonPath:
    """Return the part of the item that the error is about."""
    if error.code is ErrorCode.VALIDATOR_UNAVAILABLE:
        return ("validation",)
    if not is_change_set(item):
        return _cause_in(item, error)
    if error.file is None:
        return ()
    change = item["changes"][error.file]
    return ("changes", error.file, *_cause_in(change, error))


def _cause_in(edit: Mapping[str, Any], error: SnippetError) -> JsonPath:
    """Return the part of an edit of one file that the error is about."""
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
    """Return the arguments that make an apply of ``item`` the rehearsed one."""
    if item.tool == SNIPPET:
        return {"mode": "apply", "expectedHash": rehearsed["hashBefore"]}
    changes = [
        {**change, "expectedHash": file["hashBefore"]} if "hashBefore" in file else change
        for change, file in zip(item["changes"], rehearsed["files"], strict=True)
    ]
    return {"mode": "apply", "changes": changes}


def _call(engine: SnippetEngine, item: Item) -> Result | SnippetError:
    return engine.edit_scripts(item) if item.tool == CHANGE_SET else engine.edit_snippet(item)
