"""``find_references`` and ``rename_symbol`` (docs/design/rename.md §2 and §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from snippet_engine.call_context import UNSAVED_UNKNOWN, note_changes, unsaved_among
from snippet_engine.change_request import ChangeRequest
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.renames import refusals
from snippet_engine.renames.asset_names import AssetNames
from snippet_engine.renames.planned_rename import RenamedFile, planned_files
from snippet_engine.renames.rename_result import references_result, rename_result
from snippet_engine.renames.seems_rename import (
    NOT_ASKED,
    OtherPlaces,
    other_places,
    rename_instead,
    seeming_rename,
)
from snippet_engine.renames.symbol_place import position_of, with_search
from snippet_engine.renames.symbol_server import ServerRename, SymbolServer
from snippet_engine.request import EditRequest
from snippet_engine.schemas.schema import SEEMS_RENAME
from snippet_engine.set_writing import Written, write_set
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.single_edit.planned_edit import PlannedEdit
from snippet_engine.source_text import Position
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.records.write_record import new_ticket
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.request_log import Claim
from snippet_engine.validation.judge import Deadline
from snippet_engine.validation.validator import Verdict
from unity_assets import Renamed

Result = dict[str, Any]
_DEFAULT_MS = 60_000


class RenameTool:
    """Finds and renames symbols of one project. Thread-safe."""

    def __init__(
        self,
        project: Project,
        judging: ScriptJudging,
        store: ChangeStore,
        server: object,
        assets: AssetNames,
        written: Written,
    ) -> None:
        """Ask ``server`` for names if it is a :class:`.SymbolServer`."""
        self._project = project
        self._judging = judging
        self._store = store
        self._server = server if isinstance(server, SymbolServer) else None
        self._assets = assets
        self._written = written

    def references(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return a page of the symbol's references."""
        deadline = Deadline(params.get("timeout_ms", _DEFAULT_MS))
        place = self._place(params)
        if isinstance(place, SnippetError):
            return place
        server, path, position = place
        since = self._assets.look()
        found = server.find_references(path, position, within_s=deadline.left_s())
        if isinstance(found, SnippetError):
            return found
        return references_result(found, self._assets.find(found.symbol, since=since), params)

    def instead_of(
        self,
        edited: Iterable[PlannedEdit],
        verdict: Verdict,
        request: EditRequest | ChangeRequest,
        undo: Mapping[str, Any],
        moved: Iterable[str] = (),
    ) -> Result:
        """Return ``seemsRename`` for accepted edits; empty if they aren't a rename."""
        rename = seeming_rename(edited)
        if rename is None or self._server is None:
            return {}
        if any(each != f"{rename.new_name}.cs" for each in moved):
            return {}
        if request.validation == "embedded":
            is_one = len(rename.symbol_paths) == 1
            places = OtherPlaces(None, None, (NOT_ASKED,)) if is_one else None
        elif "semantics" not in verdict.coverage:
            return {}  # A server that can't judge the script's names can't rename them, either.
        else:
            left_s = Deadline(request.timeout_ms).left_s()
            places = other_places(rename, self._server, self._assets, left_s)
        if places is None or places.are_none:
            return {}
        taken_back = undo if request.apply else None
        return {SEEMS_RENAME: rename_instead(rename, places, taken_back)}

    def preview(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return the result that the rename would have. Writes nothing."""
        planned = self._planned(params)
        if isinstance(planned, SnippetError):
            return planned
        result, files = planned
        changes = [each.change for each in files]
        note_changes(lambda: changes)
        return self._store.check(changes) or result

    def apply(self, params: Mapping[str, Any], claim: Claim | None) -> Result | SnippetError:
        """Rename. If a file was changed since the search, write nothing and return an error."""
        planned = self._planned(params)
        if isinstance(planned, SnippetError):
            return planned
        result, files = planned
        unsaved = unsaved_among(each.change.script for each in files)
        if unsaved:
            return refusals.unsaved(unsaved, params)
        if unsaved is None:
            result["warnings"].append(dict(UNSAVED_UNKNOWN))
        changes = [each.change for each in files]
        ticket = claim.ticket if claim is not None else new_ticket()
        result |= {"status": "applied", "applied": True, "changeId": ticket}
        return write_set(self._store, changes, result, claim, self._written) or result

    def _place(
        self, params: Mapping[str, Any]
    ) -> tuple[SymbolServer, str, Position] | SnippetError:
        """Return the server to ask, and the symbol's script and position."""
        script = self._judging.readable(params["path"])
        if isinstance(script, SnippetError):
            from snippet_engine.fixes.other_file import with_path_offered  # noqa: PLC0415 - only for errors

            return with_search(with_path_offered(script, params), params)
        snapshot = script.read()
        if isinstance(snapshot, SnippetError):
            return snapshot
        document = self._judging.document(snapshot, script)
        if isinstance(document, SnippetError):
            return document
        position = position_of(document, params)
        if isinstance(position, SnippetError):
            return position
        if self._server is None:
            return SnippetError(
                ErrorCode.VALIDATOR_UNAVAILABLE,
                "Names are found by a C# language server, and there is none. `unity-cli doctor` "
                "says why; search for the text instead.",
                details={"found": False},
            )
        return self._server, script.canonical, position

    def _planned(
        self, params: Mapping[str, Any]
    ) -> tuple[Result, list[RenamedFile]] | SnippetError:
        deadline = Deadline(params.get("timeout_ms", _DEFAULT_MS))
        place = self._place(params)
        if isinstance(place, SnippetError):
            return place
        server, path, position = place
        mode, force = params.get("assets", "keep"), bool(params.get("force"))
        since = self._assets.look()
        code = server.rename(
            path,
            position,
            params["newName"],
            attributes=mode == "keep",
            force=force,
            within_s=deadline.left_s(),
        )
        if isinstance(code, SnippetError):
            return code
        # The name of `@if` is `if`; assets contain the name without @.
        new_name = params["newName"].removeprefix("@")
        assets = self._assets.rename(code.symbol, new_name, mode, since)
        refused = _refused(code, assets, params, force=force)
        if refused is not None:
            return refused
        files = planned_files(self._project, code, assets)
        if isinstance(files, SnippetError):
            return files
        result = rename_result(code, assets, files, _in_code(code, new_name), applied=False)
        return result, files


def _in_code(code: ServerRename, new_name: str) -> str:
    """Return the new name as it is written in code: ``@class`` for ``class``."""
    escaped = f"@{new_name}"
    edits = chain.from_iterable(code.edits.values())
    return escaped if any(each.new_text == escaped for each in edits) else new_name


def _refused(
    code: ServerRename, assets: Renamed, params: Mapping[str, Any], *, force: bool
) -> SnippetError | None:
    kind = str(code.symbol["kind"])
    conflicts = [*code.conflicts, *refusals.asset_conflicts(kind, assets)]
    if force:
        conflicts = [each for each in conflicts if each.code not in refusals.FORCEABLE]
    if conflicts:
        return refusals.conflict(code, conflicts, params)
    if not code.edits:
        return refusals.nothing_found(code)
    if not code.complete and not force:
        return refusals.incomplete(code, params)
    return None
