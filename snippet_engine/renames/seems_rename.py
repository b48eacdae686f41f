"""Offer a rename in place of edits that only replace a declared name (docs/design/rename.md §6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.change_request import ChangeRequest
from snippet_engine.csharp.declarations.symbols import are_readable, declarations
from snippet_engine.csharp.document import Document
from snippet_engine.errors import Offer, SnippetError, shortened
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.single_edit.planned_edit import Unplanned

RENAME_TOOL = "rename_symbol"

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_SHOWN = 60


def with_rename_offered(
    error: SnippetError, request: EditRequest | ChangeRequest, judging: ScriptJudging
) -> SnippetError:
    """Return ``error``, with the rename that the refused edits seem to be as its last offer."""
    found = {rename: edit.path for edit in _edits(request) for rename in _renames(edit, judging)}
    names = {(path.partition("(")[0].rpartition(".")[2], new) for path, new in found}
    if len(names) != 1:
        return error
    (symbol_path, new_name), path = next(iter(found.items()))
    asked: dict[str, Any] = {"path": path, "symbolPath": symbol_path, "newName": new_name}
    offer = Offer(
        f"rename {shortened(symbol_path, _SHOWN)} everywhere, in scenes too",
        {**asked, "mode": "apply" if request.apply else "preview"},
        tool=RENAME_TOOL,
        unless="other uses should keep the old name",
    )
    return replace(error, offers=(*error.offers, offer))


def _edits(request: EditRequest | ChangeRequest) -> Iterator[EditRequest]:
    if isinstance(request, EditRequest):
        yield request
        return
    for index, change in enumerate(request.changes):
        if change.instructions:
            yield request.edit_of(index)


def _renames(edit: EditRequest, judging: ScriptJudging) -> Iterable[tuple[str, str]]:
    try:
        script = judging.writable(edit.path)
        planned = None if isinstance(script, SnippetError) else judging.planned(edit, script)
    except budget.OutOfStepsError:
        return ()
    if planned is None or isinstance(planned, Unplanned):
        return ()
    found = rename_of(planned.before, planned.after)
    return () if found is None else (found,)


def rename_of(before: Document, after: Document) -> tuple[str, str] | None:
    """Return the symbol path and the new name, if nothing but one declared name is replaced."""
    if not are_readable(before) or not are_readable(after):
        return None
    old, new = declarations(before), declarations(after)
    if [each.kind for each in old] != [each.kind for each in new]:
        return None
    pairs = [(one, other) for one, other in zip(old, new, strict=True) if one.name != other.name]
    # A type's constructors change with it.
    names = {(one.name.lstrip("~"), other.name.lstrip("~")) for one, other in pairs}
    if len(names) != 1:
        return None
    ((was, now),) = names
    if _IDENTIFIER.fullmatch(was) is None or _IDENTIFIER.fullmatch(now) is None:
        return None
    word = re.compile(rf"(?<!\w){re.escape(was)}(?!\w)")
    if word.sub(now, before.source.view) != word.sub(now, after.source.view):
        return None
    return pairs[0][0].path, now
