"""``undo_snippet``: restore what an apply or a change set replaced (docs/design/engine.md §5
"Undo").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from snippet_engine import budget, call_context
from snippet_engine.errors import ErrorCode, Offer, SnippetError
from snippet_engine.source_text import content_hash, decode
from snippet_engine.storage.change_sets.change_plan import FileChange
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.stores.change_store import ChangeStore, UndoneChange
from snippet_engine.storage.stores.request_log import Claim
from snippet_engine.storage.stores.script_store import ScriptStore, Undone
from snippet_engine.tools.history_tool import file_entry

Result = dict[str, Any]
Written = Callable[[FileChange], None]
"""Called for each restored file."""


NOT_JUDGED = "whether everything compiles: an undo only restores files; run check_project"
"""The note of an undo, because an undo judges nothing."""


class UndoTool:
    """Undoes changes in one project. Thread-safe."""

    def __init__(
        self,
        scripts: ScriptStore,
        changes: ChangeStore,
        writable: Callable[[str], ScriptPath | SnippetError],
        written: Written,
    ) -> None:
        self._scripts = scripts
        self._changes = changes
        self._writable = writable
        self._written = written

    def undo(self, params: Mapping[str, Any], claim: Claim | None) -> Result | SnippetError:
        """Return the tool's result for checked parameters. ``claim`` announces the write."""
        if "changeId" in params:
            return self._undo_change(params["changeId"].lower(), claim)
        if "part" in params:
            return self._restore_format(params, params["hashAfter"], claim)
        return self._undo_write(params, params["hashAfter"], claim)

    def _undo_write(
        self, params: Mapping[str, Any], hash_after: str, claim: Claim | None
    ) -> Result | SnippetError:
        script = self._writable(params["path"])
        if isinstance(script, SnippetError):
            from snippet_engine.fixes.other_file import with_path_offered  # noqa: PLC0415 - only for errors

            return with_path_offered(script, params)

        def announce(coming: Undone, takes_back: str) -> SnippetError | None:
            budget.begin_writing()
            if claim is None:
                return None
            result = _write_result(script, coming)
            return claim.committing(script, result["hashAfter"], result, takes_back)

        ticket = claim.ticket if claim is not None else None
        undone = self._scripts.undo(script, hash_after, ticket=ticket, announce=announce)
        if isinstance(undone, SnippetError):
            budget.give_up_writing()
            return self._with_the_change(undone)
        self._written(FileChange(script, undone.replaced, undone.restored))
        return _write_result(script, undone)

    def _restore_format(
        self, params: Mapping[str, Any], hash_after: str, claim: Claim | None
    ) -> Result | SnippetError:
        """Restore the script's earlier line endings and byte order mark; the text stays.

        This is a separate write, which can be undone.
        """
        script = self._writable(params["path"])
        if isinstance(script, SnippetError):
            return script
        earlier, now = self._scripts.image_before(script, hash_after), script.read()
        if isinstance(earlier, SnippetError):
            return earlier
        if isinstance(now, SnippetError):
            return now
        restored = with_format_of(earlier, now.data)
        if isinstance(restored, SnippetError):
            return restored
        result = _write_result(script, Undone(replaced=now.data, restored=restored))

        def announce() -> SnippetError | None:
            budget.begin_writing()
            hash_now: str = result["hashAfter"]
            return None if claim is None else claim.committing(script, hash_now, result)

        failed = self._scripts.apply(
            script,
            now.data,
            restored,
            ticket=claim.ticket if claim is not None else None,
            client=call_context.client(),
            announce=announce,
        )
        if failed is not None:
            budget.give_up_writing()
            return failed
        self._written(FileChange(script, now.data, restored))
        return result

    def _undo_change(self, change_id: str, claim: Claim | None) -> Result | SnippetError:
        warnings: list[Result] = []

        def refusal(files: Sequence[ScriptPath]) -> SnippetError | None:
            unsaved = call_context.unsaved_among(files)
            if unsaved is None:
                warnings.append(dict(call_context.UNSAVED_UNKNOWN))
            return call_context.unsaved_refusal(unsaved) if unsaved else None

        def announce(coming: UndoneChange, takes_back: str) -> SnippetError | None:
            budget.begin_writing()
            if claim is None:
                return None
            result = _change_result(coming, warnings)
            return claim.committing_change(coming.files, result, takes_back)

        ticket = claim.ticket if claim is not None else None
        undone = self._changes.undo(change_id, ticket=ticket, announce=announce, refusal=refusal)
        if isinstance(undone, SnippetError):
            if not undone.is_unfinished:
                budget.give_up_writing()
            return undone
        for change in undone.files:
            self._written(change)
        return _change_result(undone, warnings)

    def _with_the_change(self, error: SnippetError) -> SnippetError:
        """Offer the undo of the set that contains the file, or say why that is refused."""
        change_id = error.details.get("changeId")
        if change_id is None:
            return error
        refused = self._changes.why_not_undone(change_id)
        if refused is not None:
            message = f"Change {change_id} led to this text. {refused.message}"
            return replace(refused, message=message, file=None)
        offer = Offer("undo the whole change, with all of its files", {"changeId": change_id})
        return replace(error, offers=(offer,))


def _write_result(script: ScriptPath, undone: Undone) -> Result:
    return {
        "status": "undone",
        "path": script.relative,
        "hashBefore": content_hash(undone.replaced),
        "hashAfter": content_hash(undone.restored),
        "notChecked": [NOT_JUDGED],
    }


def _change_result(undone: UndoneChange, warned: Sequence[Result]) -> Result:
    removed = [{"path": each.path, "kept": each.kept} for each in undone.metas]
    warnings = [*map(asdict, undone.warnings), *warned]
    return {
        "status": "undone",
        "changeId": undone.change_id,
        "files": [_file(change) for change in undone.files],
        "notChecked": [NOT_JUDGED],
        **({"removed": removed} if removed else {}),
        **({"warnings": warnings} if warnings else {}),
    }


def _file(change: FileChange) -> Result:
    target = None if change.target is None else change.target.relative
    return file_entry(change.script.relative, target, change.hash_before, change.hash_after)


MIXED = "The earlier text had several kinds of line endings. Undo the whole change instead."
NOTHING = "Line endings and byte order mark are those of the earlier text already."


def with_format_of(earlier: bytes, data: bytes) -> bytes | SnippetError:
    """Return ``data`` with the line endings, encoding and byte order mark of ``earlier``.

    Errors: ``unsupported_encoding``; ``invalid_request`` if ``earlier`` has several line endings,
    or nothing differs.
    """
    before, now = decode(earlier), decode(data)
    if isinstance(before, SnippetError):
        return before
    if isinstance(now, SnippetError):
        return now
    if len(before.line_endings) > 1:
        return SnippetError(ErrorCode.INVALID_REQUEST, MIXED)
    text = now.view
    for ending in before.line_endings:
        text = text.replace("\n", ending)
    restored = before.encoding.bom + text.encode(before.encoding.codec)
    return SnippetError(ErrorCode.INVALID_REQUEST, NOTHING) if restored == data else restored
