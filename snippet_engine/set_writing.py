"""Write a judged change set, and add the outcome to its result.

Part of docs/design/change-sets.md. A caller's claim is announced right before the first file
changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippet_engine import budget, client_identity
from snippet_engine.answer.warnings import note_lost
from snippet_engine.errors import SnippetError
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.file_origins import Returning
from snippet_engine.storage.stores.request_log import Claim


def write_set(
    store: ChangeStore,
    changes: Sequence[FileChange],
    result: dict[str, Any],
    claim: Claim | None,
    *,
    returning: Mapping[str, Returning] | None = None,
) -> SnippetError | None:
    """Write all ``changes``, or none, as the change that ``result`` names in ``changeId``.

    A file whose history is lost is a warning in ``result``.
    """

    def announce() -> SnippetError | None:
        budget.begin_writing()
        return None if claim is None else claim.committing_change(changes, result)

    written = store.apply(
        changes,
        client=client_identity.client(),
        ticket=result["changeId"],
        announce=announce,
        on_lost=lambda lost: note_lost(result, lost.reason),
        returning=returning,
    )
    if not isinstance(written, SnippetError):
        return None
    if not written.is_unfinished:
        budget.give_up_writing()
    return written
