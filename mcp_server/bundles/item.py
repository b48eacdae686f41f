"""What one item of a bundle is: an ``edit_snippet`` request, which edits one script.

Implements docs/design/command-line.md "Bundles". The only module that knows it: what an item may
say, how it is previewed, drafted, applied and taken back, and which part of it an error is about.
An item of another kind is told apart here; everything else handles items as they come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from snippet_engine.checked_params import CheckedParams, checked
from snippet_engine.drafts import Drafts
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schema import EDIT_SNIPPET_INPUT
from snippet_engine.schema_check import Problem
from snippet_engine.schema_findings import JsonPath

TOOL = "edit_snippet"
"""The tool whose contract an item satisfies, and whose result it has."""

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
    """A write that an item made: what is needed to take it back."""

    path: str
    hash_after: str


def read_item(value: object) -> Item | list[Problem]:
    """``value`` as an item, or every problem that it has under the contract."""
    return checked(TOOL, EDIT_SNIPPET_INPUT, value)


def preview(engine: SnippetEngine, item: Item) -> Result | SnippetError:
    """What would come of the item on the files as they are; ``mode`` doesn't count."""
    return engine.edit_snippet(item.with_known(mode="preview"))


def draft(
    engine: SnippetEngine, item: Item, drafts: Drafts
) -> tuple[Result, Drafts] | SnippetError:
    """What would come of the item on ``drafts``, and the drafts with it."""
    return engine.draft_snippet(item, drafts)


def apply(engine: SnippetEngine, item: Item, rehearsed: Result) -> Result | SnippetError:
    """Write the item, if what it edits is what it was when ``rehearsed`` was its result.

    ``mode`` doesn't count, nor does ``client_request_id``: that is for who sends a request again,
    and would answer for a write that has been taken back since.
    """
    values = {key: value for key, value in item.items() if key != "client_request_id"}
    pinned = {"mode": "apply", "expectedHash": rehearsed["hashBefore"]}
    return engine.edit_snippet(CheckedParams(TOOL, {**values, **pinned}))


def written(result: Result) -> Applied | None:
    """What :func:`apply` wrote; ``None`` if there was nothing to write."""
    if not result["applied"]:
        return None
    return Applied(result["path"], result["hashAfter"])


def take_back(engine: SnippetEngine, applied: Applied) -> SnippetError | None:
    """Undo the write; the error says why it stays."""
    undone = engine.undo_snippet({"path": applied.path, "hashAfter": applied.hash_after})
    return undone if isinstance(undone, SnippetError) else None


def cause(item: Mapping[str, Any], error: SnippetError) -> JsonPath:
    """The part of the item that the error is about."""
    if error.code is ErrorCode.STALE_FILE:
        return ("expectedHash",)
    if error.code is ErrorCode.VALIDATOR_UNAVAILABLE:
        return ("validation",)
    if error.code in _OF_THE_FILE:
        return ("path",)
    if error.instruction is None:
        return ("instructions",) if error.code is ErrorCode.SYNTAX_ERROR else ()
    here: JsonPath = ("instructions", error.instruction)
    instruction = item["instructions"][error.instruction]
    if error.code is ErrorCode.SYMBOL_NOT_FOUND:
        return (*here, "anchor", "symbolPath")
    if error.code in _OF_THE_ANCHOR:
        part = "target" if "target" in instruction["anchor"] else "symbolPath"
        return (*here, "anchor", part)
    if (
        error.code in (ErrorCode.DIFF_TOO_LARGE, ErrorCode.SYNTAX_ERROR)
        and "newText" in instruction
    ):
        return (*here, "newText")
    return here
