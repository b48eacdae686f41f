"""The engine's four tools over one Unity project.

Implements docs/design/engine.md: reads the file, lets the pure parts plan, validate and
describe the edit, and writes it. Every method takes a tool's arguments as JSON and returns
its result as JSON, or a :class:`SnippetError` with nothing written.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, cast

from snippet_engine import request as requests
from snippet_engine import work
from snippet_engine.attribution import attributed
from snippet_engine.csharp.declarations.symbols import are_readable, outline
from snippet_engine.csharp.document import MAX_CONDITIONS, Document, DocumentCache
from snippet_engine.csharp.lexical.report import MAX_STEPS, TooManyStepsError
from snippet_engine.drafts import Drafts
from snippet_engine.edits import EditSet
from snippet_engine.errors import MAX_OFFERS, ErrorCode, Offer, SnippetError
from snippet_engine.offers.closing import closed as closings
from snippet_engine.offers.elsewhere import elsewhere, same_name
from snippet_engine.offers.followed import nothing_earlier
from snippet_engine.offers.offered import offers_for, renewed
from snippet_engine.plan import Plan, make_plan
from snippet_engine.project_language import ProjectLanguage
from snippet_engine.request import EditRequest
from snippet_engine.result import edit_result, validation, workspace_edit
from snippet_engine.source_text import SourceText, content_hash, decode
from snippet_engine.storage.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.script_store import ScriptStore, Undone
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.judge import Judge, ServerValidator
from snippet_engine.validation.validator import Diagnostic, Validator, Verdict
from snippet_engine.validation.whole_file import WholeFile
from snippet_engine.warnings import collect

Result = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")

_MAX_JUDGEMENTS = 32
"""How often an apply is judged that others overtake before it is written; more than clients that
edit one file at once."""

_READING_TIMEOUT_MS = 5_000
"""What a reading tool may take where the call does not say."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """An edit that was planned and found valid, ready to be reported or written."""

    script: ScriptPath
    before: Document
    after: Document
    plan: Plan
    verdict: Verdict
    links: int
    """How many names the file has."""


class _Write(Protocol):
    """The part of a tool that writes; it announces the write through its claim, if any."""

    def __call__(self, claim: Claim | None, /) -> Result | SnippetError: ...


_Tool = Callable[Concatenate["SnippetEngine", Mapping[str, Any], P], T | SnippetError]


def _in_time(tool: _Tool[P, T]) -> _Tool[P, T]:
    """The tool, ended with an error when its call's ``timeout_ms`` is over.

    Likewise where the file takes more steps to scan than any may.
    """

    @wraps(tool)
    def bounded(
        self: SnippetEngine, params: Mapping[str, Any], *args: P.args, **kwargs: P.kwargs
    ) -> T | SnippetError:
        # Not checked yet, so that it may be anything.
        timeout_ms = params.get("timeout_ms") if isinstance(params, Mapping) else None
        is_valid = isinstance(timeout_ms, int) and timeout_ms > 0
        try:
            with work.within(timeout_ms if is_valid else None):
                return tool(self, params, *args, **kwargs)
        except work.StoppedError:
            return SnippetError(
                ErrorCode.VALIDATOR_UNAVAILABLE,
                "There was no verdict in time, and nothing was written. Send a longer timeout_ms, "
                "or fewer instructions.",
                details={"reason": "timeout_ms is over"},
            )
        except TooManyStepsError:
            return SnippetError(
                ErrorCode.FILE_TOO_LARGE,
                "The brackets, strings, comments and directives of the file, or of what it would "
                f"become, take more than {MAX_STEPS:,} steps to follow. "
                "Edit it with another tool, or split it.",
                details={"limit": MAX_STEPS},
            )

    return cast("_Tool[P, T]", bounded)


class SnippetEngine:
    """Edits the scripts of one project. May be shared by threads."""

    def __init__(self, project: Project, server: ServerValidator | None = None) -> None:
        """``server`` judges where it can."""
        self._project = project
        self._server = server
        self._store = ScriptStore(project)
        self._requests = RequestLog(project, self._store)
        self._documents = DocumentCache()
        self._validator: Validator = EmbeddedValidator(ProjectLanguage(project.root))
        self._recovered = False
        self._recovering = threading.Lock()

    @classmethod
    def open(cls, project_root: Path, server: ServerValidator | None = None) -> Self | SnippetError:
        """An engine for the Unity project at ``project_root``. Touches nothing on disk."""
        project = Project.open(project_root)
        return project if isinstance(project, SnippetError) else cls(project, server)

    def recover(self) -> list[str]:
        """Remove what crashed processes left behind; the project-relative paths removed.

        A server calls it at its start. Without it, the first apply or undo does: a preview
        changes nothing on disk, not even that.
        """
        with self._recovering:
            if self._recovered:
                return []
            self._recovered = True
            return self._store.recover()

    # -- edit_snippet --------------------------------------------------------------------

    @_in_time
    def edit_snippet(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Preview or apply up to ten edits of one file."""
        request = requests.parse(params)
        if isinstance(request, SnippetError):
            return request
        judge = self._judge_of(request)
        if not request.apply:
            judged = self._judge_on_disk(request, judge)
            if isinstance(judged, SnippetError):
                return judged
            return self._report(request, judged)
        return self._once(
            "edit_snippet",
            params,
            request.client_request_id,
            lambda c: self._apply(request, judge, c),
        )

    @_in_time
    def draft_snippet(
        self, params: Mapping[str, Any], drafts: Drafts
    ) -> tuple[Result, Drafts] | SnippetError:
        """Preview edits (whatever their mode) on what ``drafts`` holds: the result, and drafts
        that hold it too.

        A language server knows no drafts. Where another script has one, its verdict on names would
        be about something else, so the embedded validator judges.
        """
        asked = requests.parse(params)
        if isinstance(asked, SnippetError):
            return asked
        request = replace(asked, apply=False)
        script = self._writable(request.path)
        if isinstance(script, SnippetError):
            return script
        if drafts.touch_another_than(script):
            judge = Judge(self._validator, None, "embedded", request.timeout_ms)
        else:
            judge = self._judge_of(request)
        drafted = drafts.of(script)
        judged = self._judge(request, judge, script, drafted)
        if isinstance(judged, SnippetError):
            return judged
        return self._report(request, judged), drafts.with_draft(judged.script, judged.after.source)

    def _judge_of(self, request: EditRequest) -> Judge:
        return Judge(self._validator, self._server, request.validation, request.timeout_ms)

    def _judge_on_disk(self, request: EditRequest, judge: Judge) -> _Judged | SnippetError:
        """Judge the request on what its script holds now."""
        script = self._writable(request.path)
        if isinstance(script, SnippetError):
            return self._with_other_paths(request, script)
        return self._judge(request, judge, script)

    def _judge(
        self,
        request: EditRequest,
        judge: Judge,
        script: ScriptPath,
        drafted: SourceText | None = None,
    ) -> _Judged | SnippetError:
        """Read the script, unless it is ``drafted``; resolve and validate. Writes nothing."""
        snapshot = script.read()
        if isinstance(snapshot, SnippetError):
            return snapshot
        before = self._document(snapshot) if drafted is None else self._documents.get(drafted)
        if isinstance(before, SnippetError):
            return before
        source = before.source
        earlier = nothing_earlier if drafted is not None else partial(self._earlier, script)
        if request.expected_hash is not None and request.expected_hash != source.hash:
            stale = _stale(script, request.expected_hash, source.hash)
            return replace(stale, offers=renewed(before, request, earlier))
        plan = make_plan(before, request.instructions)
        if isinstance(plan, SnippetError):
            return replace(plan, offers=offers_for(before, request, plan, earlier))
        after = self._edited(before, plan.edits)
        if isinstance(after, SnippetError):
            return after
        verdict = judge.validate(script.relative, before, after, plan.edits)
        if isinstance(verdict, SnippetError):
            return verdict
        if verdict.diagnostics:
            refused = self._refused(script, before, plan, verdict, judge)
            return replace(refused, offers=self._closed(request, script, before, plan, judge))
        return _Judged(script, before, after, plan, verdict, snapshot.status.st_nlink)

    def _closed(
        self,
        request: EditRequest,
        script: ScriptPath,
        before: Document,
        plan: Plan,
        judge: Validator,
    ) -> tuple[Offer, ...]:
        """The request with the sign that makes it valid, if that is all that it lacks."""
        for told, closed in islice(closings(request, before.source.view, plan), MAX_OFFERS):
            tried = make_plan(before, closed.instructions)
            after = self._edited(before, tried.edits) if isinstance(tried, Plan) else None
            if not isinstance(tried, Plan) or not isinstance(after, Document):
                continue
            verdict = judge.validate(script.relative, before, after, tried.edits)
            if not isinstance(verdict, SnippetError) and not verdict.diagnostics:
                return (Offer(told, closed.to_json()),)
        return ()

    def _with_other_paths(self, request: EditRequest, error: SnippetError) -> SnippetError:
        """``file_not_found`` with the request for scripts of that name that it fits."""
        if error.code is not ErrorCode.FILE_NOT_FOUND:
            return error
        scripts: list[tuple[str, Document]] = []
        for path in same_name(request, error.details.get("nearest", ())):
            script = self._writable(path)
            snapshot = script if isinstance(script, SnippetError) else script.read()
            document = snapshot if isinstance(snapshot, SnippetError) else self._document(snapshot)
            if not isinstance(document, SnippetError):
                scripts.append((path, document))
        return replace(error, offers=elsewhere(request, scripts))

    def _earlier(self, script: ScriptPath) -> Iterator[SourceText]:
        """What the script held before its last writes, newest first."""
        for data in self._store.earlier(script):
            source = decode(data)
            if isinstance(source, SourceText):
                yield source

    def _edited(self, before: Document, edits: EditSet) -> Document | SnippetError:
        if not edits:
            return before
        data = edits.apply_to_bytes(before.source)
        if isinstance(data, SnippetError):
            return data
        source = decode(data)
        if isinstance(source, SnippetError):
            return source
        if source.view != edits.apply(before.source.view):
            return SnippetError(
                ErrorCode.INVALID_REQUEST,
                "newText would become the file's byte order mark. Leave U+FEFF out of it.",
            )
        after = self._documents.edited(before, source, edits)
        return _unreadable(after) or after

    def _refused(
        self,
        script: ScriptPath,
        before: Document,
        plan: Plan,
        verdict: Verdict,
        judge: Validator,
    ) -> SnippetError:
        """``syntax_error``, each diagnostic with the instruction that caused it."""

        def new_errors(edits: EditSet) -> tuple[Diagnostic, ...]:
            after = self._edited(before, edits)
            if isinstance(after, SnippetError):
                return ()
            alone = judge.validate(script.relative, before, after, edits)
            return () if isinstance(alone, SnippetError) else alone.diagnostics

        causes = attributed(plan, verdict.diagnostics, new_errors)
        diagnostics = [
            diagnostic.to_json(cause)
            for diagnostic, cause in zip(verdict.diagnostics, causes, strict=True)
        ]
        first, count = verdict.diagnostics[0], len(verdict.diagnostics)
        more = f" (and {count - 1} more)" if count > 1 else ""
        return SnippetError(
            ErrorCode.SYNTAX_ERROR,
            f"{first.path or 'The edited file'} would not compile: line {first.position.line + 1}: "
            f"{first.id} {first.message.rstrip('.')}{more}. Nothing was written.",
            instruction=causes[0],
            details={
                "diagnostics": diagnostics,
                "validation": validation(verdict) | {"diagnostics": diagnostics},
            },
        )

    def _report(self, request: EditRequest, judged: _Judged) -> Result:
        before, after = judged.before, judged.after
        warnings = collect(before, after, judged.plan, judged.verdict, judged.links)
        result = edit_result(
            judged.script.relative,
            judged.plan,
            before=before.source,
            after=after.source,
            verdict=judged.verdict,
            warnings=warnings,
            applied=request.apply,
        )
        if request.include_workspace_edit:
            uri = judged.script.real.as_uri()
            result["workspaceEdit"] = workspace_edit(uri, before.source, judged.plan.edits)
        return result

    def _apply(
        self, request: EditRequest, judge: Judge, claim: Claim | None
    ) -> Result | SnippetError:
        """Judge and write. Who comes second is judged again, on what the first one wrote.

        Not with an ``expected_hash``, which says that the request is for no other text.
        """
        outcome = self._judge_and_write(request, judge, claim)
        for _ in range(_MAX_JUDGEMENTS - 1):
            if request.expected_hash is not None or not _is_overtaken(outcome):
                break
            outcome = self._judge_and_write(request, judge, claim)
        return outcome

    def _judge_and_write(
        self, request: EditRequest, judge: Judge, claim: Claim | None
    ) -> Result | SnippetError:
        judged = self._judge_on_disk(request, judge)
        if isinstance(judged, SnippetError):
            return judged
        result = self._report(request, judged)
        old, new = judged.before.source, judged.after.source
        if old.data == new.data:
            return result
        work.begin_writing()
        failed = None
        if claim is not None:
            failed = claim.committing(judged.script, new.hash, result)
        if failed is None:
            ticket = claim.ticket if claim is not None else None
            failed = self._store.apply(judged.script, old.data, new.data, ticket=ticket)
        if failed is not None:
            work.give_up_writing()
            return failed
        self._tell_server(judged.script, new)
        return result

    # -- undo_snippet --------------------------------------------------------------------

    @_in_time
    def undo_snippet(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Restore what an apply replaced, if the file still has its ``hashAfter``."""
        refused = requests.check("undo_snippet", params)
        if isinstance(refused, SnippetError):
            return refused
        return self._once(
            "undo_snippet",
            params,
            params.get("client_request_id"),
            lambda claim: self._undo(params["path"], params["hashAfter"], claim),
        )

    def _undo(self, path: str, hash_after: str, claim: Claim | None) -> Result | SnippetError:
        script = self._writable(path)
        if isinstance(script, SnippetError):
            return script

        def announce(coming: Undone, takes_back: str) -> SnippetError | None:
            work.begin_writing()
            if claim is None:
                return None
            result = _undo_result(script, coming)
            return claim.committing(script, result["hashAfter"], result, takes_back)

        ticket = claim.ticket if claim is not None else None
        undone = self._store.undo(script, hash_after, ticket=ticket, announce=announce)
        if isinstance(undone, SnippetError):
            work.give_up_writing()
            return undone
        restored = decode(undone.restored)
        if not isinstance(restored, SnippetError):
            self._tell_server(script, restored)
        return _undo_result(script, undone)

    # -- reading tools -------------------------------------------------------------------

    @_in_time
    def get_symbols(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """The file's outline: symbol paths as symbol anchors take them.

        With ``filter``, only those that have it in their path, whatever the case.
        """
        opened = self._open_to_read("get_symbols", params)
        if isinstance(opened, SnippetError):
            return opened
        script, document = opened
        if self._server is not None:
            self._server.start()  # an edit is likely to follow
        if not are_readable(document):
            return SnippetError(
                ErrorCode.FILE_TOO_LARGE,
                f"{document.NOT_PARSED} Edit it with text anchors.",
            )
        wanted = params.get("filter", "").casefold()
        return {
            "path": script.relative,
            "hash": document.source.hash,
            "symbols": [
                {"symbolPath": each["path"], "kind": each["kind"], "range": each["range"]}
                for each in outline(document)
                if wanted in each["path"].casefold()
            ],
        }

    @_in_time
    def validate_script(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """The diagnostics of the file as it stands: all that an edit would be refused for."""
        opened = self._open_to_read("validate_script", params)
        if isinstance(opened, SnippetError):
            return opened
        script, document = opened
        timeout_ms = params.get("timeout_ms", _READING_TIMEOUT_MS)
        judge = Judge(WholeFile(self._validator), self._server, "auto", timeout_ms)
        verdict = judge.diagnose(script.relative, document)
        if isinstance(verdict, SnippetError):
            return verdict
        return {
            "path": script.relative,
            "hash": document.source.hash,
            "valid": not verdict.diagnostics,
            "validation": validation(verdict),
        }

    # -- shared steps --------------------------------------------------------------------

    def _open_to_read(
        self, tool: str, params: Mapping[str, Any]
    ) -> tuple[ScriptPath, Document] | SnippetError:
        refused = requests.check(tool, params)
        if isinstance(refused, SnippetError):
            return refused
        script = self._project.locate(params["path"])
        if isinstance(script, SnippetError):
            return script
        snapshot = script.read()
        if isinstance(snapshot, SnippetError):
            return snapshot
        document = self._document(snapshot)
        return document if isinstance(document, SnippetError) else (script, document)

    def _writable(self, path: str) -> ScriptPath | SnippetError:
        script = self._project.locate(path, for_writing=True)
        if isinstance(script, SnippetError):
            return script
        return script.check_writable() or script

    def _document(self, snapshot: FileSnapshot) -> Document | SnippetError:
        source = decode(snapshot.data)
        if isinstance(source, SnippetError):
            return source
        document = self._documents.get(source)
        return _unreadable(document) or document

    def _tell_server(self, script: ScriptPath, written: SourceText) -> None:
        if self._server is not None:
            self._server.saved(script.relative, written.view)

    def _once(
        self,
        tool: str,
        params: Mapping[str, Any],
        client_request_id: str | None,
        write: _Write,
    ) -> Result | SnippetError:
        """Run ``write``; a repeated ``client_request_id`` gets the first result again."""
        self.recover()
        if client_request_id is None:
            return write(None)
        claimed = self._requests.begin(client_request_id, _digest(tool, params))
        if isinstance(claimed, SnippetError):
            return claimed
        if isinstance(claimed, Replay):
            return {**claimed.result, "replayed": True}
        with claimed as claim:
            result = write(claim)
            if not isinstance(result, SnippetError):
                claim.finish(result)
            return result


def _undo_result(script: ScriptPath, undone: Undone) -> Result:
    return {
        "status": "undone",
        "path": script.relative,
        "hashBefore": content_hash(undone.replaced),
        "hashAfter": content_hash(undone.restored),
    }


def _digest(tool: str, params: Mapping[str, Any]) -> str:
    """Equal for equal requests: key order and ``timeout_ms`` do not count."""
    counted = {key: value for key, value in params.items() if key != "timeout_ms"}
    text = json.dumps([tool, counted], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _unreadable(document: Document) -> SnippetError | None:
    if not document.has_too_many_conditions:
        return None
    return SnippetError(
        ErrorCode.FILE_TOO_LARGE,
        f"The file has more than {MAX_CONDITIONS:,} preprocessor conditions. "
        "Edit it with another tool, or split the file.",
        details={"limit": MAX_CONDITIONS},
    )


def _is_overtaken(outcome: Result | SnippetError) -> bool:
    """Whether the file changed between reading and writing it."""
    return isinstance(outcome, SnippetError) and outcome.code is ErrorCode.STALE_FILE


def _stale(script: ScriptPath, expected: str, current: str) -> SnippetError:
    return SnippetError(
        ErrorCode.STALE_FILE,
        f"{script.relative} doesn't have the expectedHash: it changed since you read it. "
        "Read it again, then send the edit for its present text.",
        details={"expectedHash": expected, "currentHash": current},
    )
