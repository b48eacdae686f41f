"""The tools of the engine, for one Unity project (docs/design/engine.md).

Every method takes a tool's arguments as JSON. It returns the result as JSON. Or it returns a
:class:`SnippetError`, and has written nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from snippet_engine import budget, call_context
from snippet_engine import request as requests
from snippet_engine.answer.call_notes import with_unfinished
from snippet_engine.answer.warnings import note_lost
from snippet_engine.call_context import note_changes, record, record_partly_judged
from snippet_engine.csharp.lexical.symbol_sets import SymbolsOf, editor_symbols
from snippet_engine.errors import BREAKS_CODE, SnippetError
from snippet_engine.project_settings import ProjectLanguage
from snippet_engine.renames.replaced_name import replaces_name
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.single_edit.planned_edit import JudgedEdit, until_not_overtaken
from snippet_engine.single_edit.versions import NO_DRAFTS, Drafts
from snippet_engine.source_text import SourceText, content_hash
from snippet_engine.storage.os_failure import UnusableStateError
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.tools.hash_prefix import is_whole, whole_hash
from snippet_engine.tools.reading_tools import ReadingTools
from snippet_engine.tools.tool_bounds import bounded, in_time
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.judge import Judge, ServerValidator
from snippet_engine.validation.validator import Validator, Verdict

# Change sets, undo and the request log are imported at their first use. A preview, the most
# frequent command, needs none of them.
if TYPE_CHECKING:
    from snippet_engine.change_request import ChangeRequest
    from snippet_engine.changes.carrying_out import ChangeSets
    from snippet_engine.changes.judging import JudgedSet
    from snippet_engine.csharp.document import Document
    from snippet_engine.renames.rename_tool import RenameTool
    from snippet_engine.storage.change_sets.change_plan import FileChange
    from snippet_engine.storage.recovery.unfinished import UnfinishedError
    from snippet_engine.storage.stores.change_store import ChangeStore
    from snippet_engine.storage.stores.request_log import Claim, RequestLog
    from snippet_engine.storage.stores.script_locks import Recovery
    from snippet_engine.storage.stores.script_store import ScriptStore
    from snippet_engine.tools.undo_tool import UndoTool

Result = dict[str, Any]


class SnippetEngine:
    """Edits the scripts of one project. Thread-safe."""

    def __init__(
        self,
        project: Project,
        server: ServerValidator | None = None,
        *,
        of_locked: bool = False,
        symbols_of: SymbolsOf = editor_symbols,
    ) -> None:
        """``server`` judges if it can. With ``of_locked``, read-only files are judged, too."""
        self._project = project
        self._server = server
        self._judging = ScriptJudging(
            project,
            self._earlier,
            self._departed,
            self._is_as_last_written,
            symbols_of,
            of_locked=of_locked,
        )
        self._validator: Validator = EmbeddedValidator(ProjectLanguage(project.root))
        self._reading = ReadingTools(self._judging, self._validator, server)
        self._state = StateFolder(project.root)
        self._recovered = False
        self._recovering = threading.Lock()
        self._written: Document | None = None
        """The last written document, which isn't analysed yet."""

    @cached_property
    def _store(self) -> ScriptStore:
        from snippet_engine.storage.stores.script_store import ScriptStore  # noqa: PLC0415

        return ScriptStore(self._project)

    def _earlier(self, script: ScriptPath) -> Iterator[bytes]:
        # The history is optional. If it can't be read, an edit is judged without it.
        with suppress(OSError):
            # Before a project's first write, a preview needn't load the modules that write.
            if "_store" in self.__dict__ or self._state.names("history"):
                yield from self._store.earlier(script)

    def _is_as_last_written(self, script: ScriptPath, hash_now: str) -> bool:
        try:
            return not self._state.names("history") or self._store.is_as_last_written(
                script, hash_now
            )
        except OSError:
            return False

    def _departed(self, error: SnippetError, path: str) -> SnippetError:
        with suppress(OSError):
            if self._state.names("history"):
                return self._change_store.with_departure(error, path)
        return error

    @cached_property
    def _change_store(self) -> ChangeStore:
        from snippet_engine.storage.stores.change_store import ChangeStore  # noqa: PLC0415

        return ChangeStore(self._project)

    @cached_property
    def _requests(self) -> RequestLog:
        from snippet_engine.storage.stores.request_log import RequestLog  # noqa: PLC0415

        return RequestLog(self._project, self._store)

    @cached_property
    def _changes(self) -> ChangeSets:
        from snippet_engine.changes.carrying_out import ChangeSets  # noqa: PLC0415
        from snippet_engine.changes.judging import ChangeJudging  # noqa: PLC0415
        from snippet_engine.changes.planning import ChangePlanning  # noqa: PLC0415

        judging = ChangeJudging(ChangePlanning(self._project, self._judging), self._judging)
        return ChangeSets(
            self._project.root, judging, self._change_store, self._notify_server, self._of_a_set
        )

    @cached_property
    def _renames(self) -> RenameTool:
        from snippet_engine.renames.asset_names import AssetNames  # noqa: PLC0415
        from snippet_engine.renames.rename_tool import RenameTool  # noqa: PLC0415

        return RenameTool(
            self._project,
            self._judging,
            self._change_store,
            self._server,
            AssetNames(self._project.root),
            self._notify_server,
        )

    @cached_property
    def _undo(self) -> UndoTool:
        from snippet_engine.tools.undo_tool import UndoTool  # noqa: PLC0415

        return UndoTool(self._store, self._change_store, self._judging.writable, self._put_back)

    @classmethod
    def open(
        cls,
        project_root: Path,
        server: ServerValidator | None = None,
        *,
        of_locked: bool = False,
        symbols_of: SymbolsOf = editor_symbols,
    ) -> Self | SnippetError:
        """Return an engine for the Unity project at ``project_root``. Touches nothing on disk.

        ``of_locked`` is for callers that only judge: read-only files are judged, too.
        """
        project = Project.open(project_root)
        if isinstance(project, SnippetError):
            return project
        return cls(project, server, of_locked=of_locked, symbols_of=symbols_of)

    def recover(self, *, again: bool = False) -> list[str]:
        """Remove the leftovers of crashed processes, and finish their change sets.

        Return the removed project-relative paths, and a sentence for each set and each write that
        is still pending. A server calls this when it starts; otherwise the first apply or undo
        does. Later calls do nothing, unless ``again``.
        """
        with self._recovering:
            if self._recovered and not again:
                return []
            try:
                found = self._recover(())
            except UnusableStateError as error:
                return [str(error)]
            return [*found.removed, *map(str, found.settled), *map(str, found.waiting)]

    def _recover(self, paths: Collection[str]) -> Recovery:
        self._recovered = True
        return self._change_store.recover(paths)

    def end_unfinished(self, params: Mapping[str, Any]) -> list[str]:
        """Finish the writes of dead processes before a write reads anything.

        Return the writes that can't be finished. If another process is finishing a set with a
        script of ``params`` now, wait for it.
        """
        if self._recovered and not self._state.names("pending"):
            return []
        named = [params, *params.get("changes", ())]
        paths = {each[key] for each in named for key in ("path", "moveTo") if key in each}
        with self._recovering:
            return [str(each) for each in self._recover(paths).waiting]

    @in_time
    def edit_snippet(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Preview or apply up to ten edits of one file."""
        request = requests.parse(params)
        if isinstance(request, SnippetError):
            return request
        expected = self._whole_hash(request.path, "expectedHash", request.expected_hash)
        if isinstance(expected, SnippetError):
            return expected
        request = replace(request, expected_hash=expected)
        judge = self._judge_of(request)
        if not request.apply:
            judged = self._judging.on_disk(request, judge)
            if isinstance(judged, SnippetError):
                return self._with_rename(judged, request)
            note_changes(judged.planned.changes)
            return judged.report(request) | self._instead(judged, request, {})
        written = self._once(
            "edit_snippet",
            params,
            request.client_request_id,
            lambda claim: until_not_overtaken(
                lambda: self._judge_and_write(request, judge, claim),
                may_repeat=request.expected_hash is None,
            ),
            lambda: self._judging.on_disk(request, judge),
        )
        return self._with_rename(written, request)

    def _with_rename(
        self, outcome: Result | SnippetError, request: EditRequest | ChangeRequest
    ) -> Result | SnippetError:
        if not isinstance(outcome, SnippetError) or outcome.code not in BREAKS_CODE:
            return outcome
        if self._server is None:
            return outcome
        from snippet_engine.renames.seems_rename import with_rename_offered  # noqa: PLC0415 - for errors

        return with_rename_offered(outcome, request, self._judging)

    def _instead(self, judged: JudgedEdit, request: EditRequest, undo: Mapping[str, Any]) -> Result:
        edit = judged.planned
        if self._server is None or not replaces_name(edit.before, edit.plan.edits):
            return {}
        return self._renames.instead_of([edit], judged.verdict, request, undo)

    def _of_a_set(
        self, judged: JudgedSet, request: ChangeRequest, undo: Mapping[str, Any]
    ) -> Result:
        edits = [each.edit for each in judged.changes if each.edit is not None]
        is_all = len(edits) == len(judged.changes)
        if self._server is None or not is_all:
            return {}
        if not all(replaces_name(each.before, each.plan.edits) for each in edits):
            return {}
        moved = [each.target.name for each in judged.changes if each.target is not None]
        return self._renames.instead_of(edits, judged.verdict, request, undo, moved)

    @in_time
    def draft_snippet(
        self, params: Mapping[str, Any], drafts: Drafts
    ) -> tuple[Result, Drafts] | SnippetError:
        """Preview edits on ``drafts``; return the result, and drafts that include it.

        A language server doesn't see drafts. So the embedded validator judges if another script has
        a draft.
        """
        asked = requests.parse(params)
        if isinstance(asked, SnippetError):
            return asked
        request = replace(asked, apply=False)
        script = self._judging.located(request, drafts)
        if isinstance(script, SnippetError):
            return script
        drafted = drafts.of(script)
        expected = self._whole_hash(request.path, "expectedHash", request.expected_hash, drafted)
        if isinstance(expected, SnippetError):
            return expected
        request = replace(request, expected_hash=expected)
        if drafts.touch_another_than(script):
            judge = Judge(self._validator, None, "embedded", request.timeout_ms)
        else:
            judge = self._judge_of(request)
        judged = self._judging.judged(request, judge, script, drafted)
        if isinstance(judged, SnippetError):
            return judged
        return judged.report(request), drafts.with_draft(script, judged.planned.after.source.data)

    def _judge_of(self, request: EditRequest) -> Judge:
        return Judge(self._validator, self._server, request.validation, request.timeout_ms)

    def _judge_and_write(
        self, request: EditRequest, judge: Judge, claim: Claim | None
    ) -> Result | SnippetError:
        judged = self._judging.on_disk(request, judge)
        if isinstance(judged, SnippetError):
            return judged
        result = judged.report(request)
        script = judged.planned.script
        old, new = judged.planned.before.source, judged.planned.after.source
        if old.data == new.data:
            return result
        undo = {"path": script.relative, "hashAfter": new.hash}
        result |= self._instead(judged, request, undo)

        def announce() -> SnippetError | None:
            budget.begin_writing()
            return None if claim is None else claim.committing(script, new.hash, result)

        failed = self._store.apply(
            script,
            old.data,
            new.data,
            hashes=(old.hash, new.hash),
            ticket=claim.ticket if claim is not None else None,
            client=call_context.client(),
            announce=announce,
            on_lost=lambda lost: note_lost(result, lost.reason),
        )
        if failed is not None:
            budget.give_up_writing()
            return failed
        record(script.relative, old.data)
        if judged.verdict.is_partial:
            record_partly_judged()
        self._notify_server(script, new)
        self._written = judged.planned.after
        return result

    def judge_text(
        self, path: str, before: bytes | None, after: bytes, within_ms: int
    ) -> Verdict | SnippetError:
        """Return the embedded validator's verdict on ``after``, another program's text of a script.

        ``before`` is the script's earlier text, if it had one. Writes nothing. Return an error if
        no script can have the path, if the text can't be read as C#, or if time is over.
        """
        from snippet_engine.single_edit.foreign_text import judge_text  # noqa: PLC0415 - seldom

        find = self._project.locate_new if before is None else self._project.locate
        script = find(path)
        if isinstance(script, SnippetError):
            return script
        return bounded(
            lambda: judge_text(self._judging, self._validator, script, before, after), within_ms
        )

    def look_ahead(self) -> None:
        """Analyse the last written document for the next request. No answer depends on it."""
        written, self._written = self._written, None
        if written is not None:
            written.look_ahead()

    @in_time
    def edit_scripts(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Preview or apply a change of several files: all of it or nothing."""
        from snippet_engine import change_request as change_requests  # noqa: PLC0415
        from snippet_engine.validation.judge import ChangesJudge  # noqa: PLC0415

        request = self._with_whole_hashes(change_requests.parse(params))
        if isinstance(request, SnippetError):
            return request
        judge = ChangesJudge(self._validator, self._server, request.validation, request.timeout_ms)
        if not request.apply:
            return self._with_rename(self._changes.preview(request, judge), request)
        written = self._once(
            "edit_scripts",
            params,
            request.client_request_id,
            lambda claim: self._changes.apply(request, judge, claim),
            lambda: self._changes.preview(request, judge),
        )
        return self._with_rename(written, request)

    @in_time
    def draft_scripts(
        self, params: Mapping[str, Any], drafts: Drafts
    ) -> tuple[Result, Drafts] | SnippetError:
        """Preview a change set on ``drafts``, as :meth:`draft_snippet` does for one file."""
        from snippet_engine import change_request as change_requests  # noqa: PLC0415
        from snippet_engine.validation.judge import ChangesJudge  # noqa: PLC0415

        request = self._with_whole_hashes(change_requests.parse(params), drafts)
        if isinstance(request, SnippetError):
            return request
        server, mode = (None, "embedded") if drafts else (self._server, request.validation)
        judge = ChangesJudge(self._validator, server, mode, request.timeout_ms)
        return self._changes.draft(request, judge, drafts)

    @in_time
    def find_references(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return the places that refer to a symbol, in scripts and assets."""
        refused = requests.check("find_references", params)
        return refused if isinstance(refused, SnippetError) else self._renames.references(params)

    @in_time
    def rename_symbol(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Preview or apply a rename whose places the compiler proved: all of it or nothing."""
        refused = requests.check_edit("rename_symbol", params)
        if isinstance(refused, SnippetError):
            return refused
        if params["mode"] != "apply":
            return self._renames.preview(params)
        return self._once(
            "rename_symbol",
            params,
            params.get("client_request_id"),
            lambda claim: self._renames.apply(params, claim),
            lambda: self._renames.preview(params),
        )

    @in_time
    def put_texts(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Preview or apply a replacement of whole texts: all of them or none.

        Each file must have the text that the request expects. The review page calls this to take
        changes back. No list of tools contains it.
        """
        from snippet_engine.changes.whole_texts import WholeTexts  # noqa: PLC0415
        from snippet_engine.schemas.checked_params import CheckedParams, checked, refusal  # noqa: PLC0415
        from snippet_engine.schemas.whole_texts_schema import PUT_TEXTS_INPUT  # noqa: PLC0415
        from snippet_engine.validation.judge import ChangesJudge  # noqa: PLC0415

        named = checked("put_texts", PUT_TEXTS_INPUT, params)
        if not isinstance(named, CheckedParams):
            return refusal(named)
        judge = ChangesJudge(self._validator, self._server, "auto", named.get("timeout_ms"))
        texts = WholeTexts(self._project, self._judging, self._change_store, self._notify_server)
        unfinished = self.end_unfinished(named) if named["mode"] == "apply" else []
        return with_unfinished(texts.put(named, judge), unfinished)

    @in_time
    def undo_snippet(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Restore what an apply replaced, if the files have not changed since."""
        refused = requests.check("undo_snippet", params)
        if isinstance(refused, SnippetError):
            return refused
        path, hash_after = params.get("path", ""), params.get("hashAfter")
        whole = self._whole_hash(path, "hashAfter", hash_after)
        if isinstance(whole, SnippetError):
            return whole
        named = params if whole is None else {**params, "hashAfter": whole}
        return self._once(
            "undo_snippet",
            params,
            params.get("client_request_id"),
            lambda claim: self._undo.undo(named, claim),
            lambda: None if self._state.names("history") else self._undo.undo(named, None),
        )

    def _whole_hash(
        self, path: str, key: str, given: str | None, drafted: bytes | None = None
    ) -> str | SnippetError | None:
        """Return the whole hash whose first digits a request gives as ``key``."""
        if given is None:
            return None
        if is_whole(given):
            return given.lower()
        versions: set[str] = set()
        script = self._judging.readable(path)
        if isinstance(script, ScriptPath):
            with suppress(OSError):  # Without its history, the present text is its only version.
                versions = self._store.hashes(script) if self._state.names("history") else set()
            found = script.read() if drafted is None else None
            data = drafted if found is None or isinstance(found, SnippetError) else found.data
            versions |= set() if data is None else {content_hash(data)}
        return whole_hash(path, key, given, versions)

    def _with_whole_hashes(
        self, request: ChangeRequest | SnippetError, drafts: Drafts = NO_DRAFTS
    ) -> ChangeRequest | SnippetError:
        if isinstance(request, SnippetError):
            return request
        changes = []
        for index, change in enumerate(request.changes):
            script = self._judging.readable(change.path) if drafts else None
            drafted = drafts.of(script) if isinstance(script, ScriptPath) else None
            whole = self._whole_hash(change.path, "expectedHash", change.expected_hash, drafted)
            if isinstance(whole, SnippetError):
                return whole.for_file(index)
            changes.append(replace(change, expected_hash=whole))
        return replace(request, changes=tuple(changes))

    def _put_back(self, change: FileChange) -> None:
        from snippet_engine.set_writing import note_written  # noqa: PLC0415

        if change.script.is_script:
            note_written(change, self._notify_server)
            record_partly_judged()

    @in_time
    def get_history(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return the recorded changes of the scripts, newest first."""
        from snippet_engine.tools.history_tool import get_history  # noqa: PLC0415

        refused = requests.check("get_history", params)
        if isinstance(refused, SnippetError):
            return refused
        # Reading finishes no writes. So the unfinished set of a killed process is listed as the
        # newest change. Otherwise an undo of "the last one" would revert an older change.
        found = self._change_store.look()
        waiting: list[UnfinishedError] = [*found.waiting, *found.under_way]
        return get_history(self._project, self._change_store, params, waiting)

    @in_time
    def get_symbols(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return the file's outline, with symbol paths as symbol anchors take them."""
        return self._reading.symbols(params)

    @in_time
    def validate_script(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return all diagnostics of the file. An edit that adds one is refused."""
        return self._reading.validated(params)

    def read_ahead(self, path: str) -> None:
        """Prepare the embedded verdict on the script, while a language server works."""
        self._reading.read_ahead(path)

    def amend(self, client_request_id: str, result: Mapping[str, Any] | None) -> None:
        """See :meth:`.RequestLog.amend`."""
        self._requests.amend(client_request_id, result)

    def _notify_server(self, script: ScriptPath, written: SourceText) -> None:
        if self._server is not None:
            self._server.saved(script.relative, written.view)

    def _once(
        self,
        tool: str,
        params: Mapping[str, Any],
        client_request_id: str | None,
        write: Callable[[Claim | None], Result | SnippetError],
        look: Callable[[], object],
    ) -> Result | SnippetError:
        """Run ``write``; for a repeated ``client_request_id``, return the first result again.

        ``look`` writes nothing, and returns the error with which ``write`` would be refused.
        """
        unfinished = self.end_unfinished(params)
        if client_request_id is None:
            return with_unfinished(write(None), unfinished)
        from snippet_engine.tools.replay import applied_once, digest_of  # noqa: PLC0415

        digest = digest_of(tool, params)
        return applied_once(self._requests, (client_request_id, digest), write, look, unfinished)
