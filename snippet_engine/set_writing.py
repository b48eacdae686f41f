"""Write a judged change set, and add the outcome to its result.

Part of docs/design/change-sets.md. The caller's claim is announced right before the first file
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from snippet_engine import budget, call_context
from snippet_engine.answer.warnings import note_lost
from snippet_engine.call_context import record
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.file_origins import Returning
from snippet_engine.storage.stores.request_log import Claim

Written = Callable[[ScriptPath, SourceText], None]
"""Called for each script that gets a new text."""


def note_written(change: FileChange, written: Written) -> None:
    """Record a script that was written, and call ``written`` with its new text, if it has one."""
    if not change.place.is_script:
        return
    moved_to = None if change.target is None else change.target.relative
    record(change.script.relative, change.before, moved_to)
    if change.after is None or (moved_to is None and change.after == change.before):
        return
    source = decode(change.after)
    if isinstance(source, SourceText):
        written(change.place, source)


def write_set(
    store: ChangeStore,
    changes: Sequence[FileChange],
    result: dict[str, Any],
    claim: Claim | None,
    to_tell: Written,
    *,
    returning: Mapping[str, Returning] | None = None,
) -> SnippetError | None:
    """Write all ``changes``, or none, as the change that ``result`` names in ``changeId``.

    If a file's history is lost, ``result`` gets a warning. For ``returning`` and the error, see
    :meth:`.ChangeStore.apply`.
    """

    def announce() -> SnippetError | None:
        budget.begin_writing()
        return None if claim is None else claim.committing_change(changes, result)

    applied = store.apply(
        changes,
        client=call_context.client(),
        ticket=result["changeId"],
        announce=announce,
        on_lost=lambda lost: note_lost(result, lost.reason),
        returning=returning,
    )
    if isinstance(applied, SnippetError):
        if not applied.is_unfinished:
            budget.give_up_writing()
        return applied
    for each in changes:
        note_written(each, to_tell)
    return None
