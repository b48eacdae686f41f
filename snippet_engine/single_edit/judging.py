"""Plan and judge one script's edit, or refuse it (docs/design/engine.md §2 to §4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from snippet_engine.answer.result import TOGETHER, would_not_compile
from snippet_engine.csharp.document import MAX_CONDITIONS, Document, has_conditions
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolsOf
from snippet_engine.edits import EditSet
from snippet_engine.errors import ErrorCode, Offer, SnippetError, show
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.limits import CHANGE_SET, SNIPPET
from snippet_engine.request import EditRequest
from snippet_engine.single_edit.anchor_drift import about_drift
from snippet_engine.single_edit.planned_edit import (
    JudgedEdit,
    PlannedEdit,
    PlannedText,
    Unplanned,
    stale_file,
)
from snippet_engine.single_edit.versions import NO_DRAFTS, Drafts, EarlierVersions
from snippet_engine.source_text import SourceText, decode
from snippet_engine.storage.paths.project import META, FileSnapshot, Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.validation.validator import Diagnostic, Validator, Verdict

NOT_CLOSED = "whether a cleaned newText is right: the file is too large to try it"
"""The note of an answer if no correction of a new text was tried."""


class ScriptJudging:
    """Plans and judges edits of one project's scripts. Thread-safe."""

    def __init__(
        self,
        project: Project,
        earlier: Callable[[ScriptPath], Iterable[bytes]],
        departed: Callable[[SnippetError, str], SnippetError],
        is_as_last_written: Callable[[ScriptPath, str], bool],
        symbols_of: SymbolsOf,
        *,
        of_locked: bool = False,
    ) -> None:
        """``earlier`` yields earlier contents of a script.

        ``departed`` adds to ``file_not_found`` which write removed the script.
        ``is_as_last_written`` returns whether the last known write left that hash. With
        ``of_locked``, read-only files are judged.
        """
        self._project = project
        self._earlier = earlier
        self._add_departure = departed
        self._is_as_last_written = is_as_last_written
        self._of_locked = of_locked
        self._symbols_of = symbols_of
        self._documents = DocumentCache()
        self._planned: PlannedText | None = None
        """The latest plan for a request for one script, as it was on disk."""

    @property
    def root(self) -> Path:
        """Return the project's folder."""
        return self._project.root

    def writable(self, path: str) -> ScriptPath | SnippetError:
        """Return the script at a request's path, if it may be written or is only judged."""
        script = self.readable(path, for_writing=True)
        if isinstance(script, SnippetError):
            return script
        refused = script.check_writable()
        if refused is None or (self._of_locked and refused.code is ErrorCode.READ_ONLY):
            return script
        return refused

    def readable(self, path: str, *, for_writing: bool = False) -> ScriptPath | SnippetError:
        """Return the script at a request's path."""
        script = self._project.locate(path, for_writing=for_writing)
        if isinstance(script, SnippetError) and script.code is ErrorCode.FILE_NOT_FOUND:
            return self._add_departure(script, path)
        return script

    def document(self, snapshot: FileSnapshot, script: ScriptPath) -> Document | SnippetError:
        """Return a script's content, if it can be read as C#."""
        return self.document_of(snapshot.data, script)

    def document_of(
        self, data: bytes, script: ScriptPath, *, gets_conditions: bool = False
    ) -> Document | SnippetError:
        """Return bytes as C#, if possible. Set ``gets_conditions`` if an edit may add ``#if``."""
        source = decode(data)
        if isinstance(source, SnippetError):
            return source
        symbols = UNITY_EDITOR_SYMBOLS
        if gets_conditions or has_conditions(source.view):
            symbols = self._symbols_of(script.relative)
        document = self._documents.get(source, symbols)
        return _unreadable(document) or document

    def rewritten(
        self, before: Document, after: SourceText, edits: EditSet
    ) -> Document | SnippetError:
        """Return ``after``, the text ``before`` with ``edits``, if it can be read as C#."""
        document = self._documents.edited(before, after, edits)
        return _unreadable(document) or document

    def on_disk(self, request: EditRequest, judge: Validator) -> JudgedEdit | SnippetError:
        """Judge the request on the script's present content."""
        script = self.located(request)
        if isinstance(script, SnippetError):
            return script
        return self.judged(request, judge, script)

    def located(
        self, request: EditRequest, drafts: Drafts = NO_DRAFTS
    ) -> ScriptPath | SnippetError:
        """Return the request's script. The error offers scripts where the anchors match."""
        script = self.writable(request.path)
        if isinstance(script, SnippetError):
            made = self._drafted(request.path, drafts, script)
            return made or self._with_other_paths(request, script)
        if drafts.is_gone(script):
            return SnippetError(
                ErrorCode.FILE_NOT_FOUND,
                f"{show(script.relative)} no longer exists then: an earlier edit removes it.",
                details={"nearest": []},
            )
        return script

    def _drafted(self, path: str, drafts: Drafts, error: SnippetError) -> ScriptPath | None:
        if not drafts or error.code is not ErrorCode.FILE_NOT_FOUND:
            return None
        script = self._project.locate_new(path)
        if isinstance(script, SnippetError) or drafts.of(script) is None:
            return None
        return script

    def judged(
        self,
        request: EditRequest,
        judge: Validator,
        script: ScriptPath,
        drafted: bytes | None = None,
    ) -> JudgedEdit | SnippetError:
        """Read the script, unless it is ``drafted``; plan the request and validate the result."""
        planned = self.planned(request, script, drafted)
        if isinstance(planned, Unplanned):
            error = planned.with_offers()
            if error.code is not ErrorCode.DIFF_TOO_LARGE:
                return error
            return self._with_new_errors(error, request, judge, script, drafted)
        verdict = judge.validate(script.relative, planned.before, planned.after, planned.plan.edits)
        if isinstance(verdict, SnippetError):
            return verdict
        if verdict.diagnostics:
            return self.refused(request, planned, verdict, judge)
        return JudgedEdit(planned, verdict)

    def _with_new_errors(
        self,
        error: SnippetError,
        request: EditRequest,
        judge: Validator,
        script: ScriptPath,
        drafted: bytes | None,
    ) -> SnippetError:
        """Judge the change set that ``error`` offers in place of a request that is too large.

        If the set would cause new errors, it isn't offered. Then the errors are reported, with the
        offers that fix them.
        """
        from snippet_engine.fixes.choose_tool import as_offer_of_set, as_set  # noqa: PLC0415 - only for errors

        if [each.arguments for each in error.offers] != [as_set(request)]:
            return error
        larger = replace(request, limits=CHANGE_SET)
        judged = self.judged(larger, judge, script, drafted)
        if not isinstance(judged, SnippetError):
            return error
        others = [*error.details.get("otherErrors", ()), replace(judged, offers=()).to_json()]
        return replace(
            error,
            details={**error.details, "otherErrors": others},
            offers=tuple(
                each if each.tool else as_offer_of_set(larger, each) for each in judged.offers
            ),
        )

    def planned(
        self, request: EditRequest, script: ScriptPath, drafted: bytes | None = None
    ) -> PlannedEdit | Unplanned:
        """Read the script, unless it is ``drafted``, and plan the request."""
        snapshot = script.read() if drafted is None or script.is_taken else None
        if isinstance(snapshot, SnippetError):
            return Unplanned(snapshot)
        data = drafted
        if data is None:
            assert snapshot is not None
            data = snapshot.data
        brings_sign = any("#" in each.new_text for each in request.instructions)
        before = self.document_of(data, script, gets_conditions=brings_sign)
        if isinstance(before, SnippetError):
            return Unplanned(before)
        source = before.source
        # A draft has no history: the recorded writes belong to the file on disk.
        earlier = EarlierVersions(lambda: () if drafted is not None else self._earlier(script))
        if request.expected_hash is not None and request.expected_hash != source.hash:
            from snippet_engine.fixes.history.known_edits import is_request_applied  # noqa: PLC0415 - only for errors
            from snippet_engine.fixes.whole_request import renewed  # noqa: PLC0415

            stale = stale_file(script, request.expected_hash, source.hash)
            return Unplanned(
                stale,
                lambda: self._doubt_reverting_offers(
                    script, source.hash, renewed(before, request, earlier)
                ),
                lambda: is_request_applied(before, request, stale, earlier),
            )
        is_snippet = drafted is None and request.limits == SNIPPET
        text = self._planned if is_snippet else None
        if text is None or not text.is_of(before, script.relative, request):
            plan = plan_or_explain(before, request.instructions, request.limits)
            if isinstance(plan, SnippetError):
                from snippet_engine.fixes.choose_tool import best_offers  # noqa: PLC0415 - only for errors
                from snippet_engine.fixes.history.known_edits import (  # noqa: PLC0415
                    corrected_by_history,
                    is_request_applied,
                )

                error = corrected_by_history(before, request, plan, earlier)
                return Unplanned(
                    error,
                    lambda: self._doubt_reverting_offers(
                        script, source.hash, best_offers(before, request, error, earlier)
                    ),
                    lambda: is_request_applied(before, request, error, earlier),
                )
            after = self._edited(before, plan.edits)
            if isinstance(after, SnippetError):
                return Unplanned(after)
            if any("\\" in each.new_text for each in plan.edits):
                from snippet_engine.fixes.commented_out import commented_out  # noqa: PLC0415 - rare

                lost = commented_out(before, after, plan, request)
                if lost is not None:
                    return Unplanned(lost)
            text = PlannedText(script.relative, before, plan, after)
            if is_snippet:
                self._planned = text
        links = 1 if snapshot is None else snapshot.status.st_nlink
        drifted = about_drift(
            before, text.plan, earlier, lambda old: self._documents.known(old, before)
        )
        return PlannedEdit(script, text, links, drifted)

    def _doubt_reverting_offers(
        self, script: ScriptPath, hash_now: str, offers: tuple[Offer, ...]
    ) -> tuple[Offer, ...]:
        """Make an offer a choice if it would revert a write that may be someone else's."""
        if not any(each.takes_back for each in offers) or self._is_as_last_written(
            script, hash_now
        ):
            return offers
        theirs = "that change should stay: someone else may have made it"
        return tuple(
            replace(each, unless="; ".join(filter(None, (each.unless, theirs))))
            if each.takes_back
            else each
            for each in offers
        )

    def refused(
        self, request: EditRequest, planned: PlannedEdit, verdict: Verdict, judge: Validator
    ) -> SnippetError:
        """Return the refusal for a verdict's errors, each with the instruction that causes it."""
        from snippet_engine.single_edit.new_errors import (  # noqa: PLC0415 - only for errors
            NOT_ATTRIBUTED,
            attributed,
            new_error_offers,
        )

        script, before, plan = planned.script, planned.before, planned.plan

        def new_errors(edits: EditSet) -> tuple[Diagnostic, ...]:
            after = self._edited(before, edits)
            if isinstance(after, SnippetError):
                return ()
            alone = judge.validate(script.relative, before, after, edits)
            return () if isinstance(alone, SnippetError) else alone.diagnostics

        texts = before.source, planned.after.source
        told = attributed(plan, verdict.diagnostics, new_errors, *texts)
        if told is None:
            told = [(each, None) for each in verdict.diagnostics]
            verdict = verdict.with_notes((NOT_ATTRIBUTED,))
        verdict = replace(verdict, diagnostics=tuple(each for each, _ in told))
        causes = [cause for _, cause in told]
        offers = new_error_offers(request, planned, verdict, causes, judge, self._edited)
        if offers is None:
            verdict = verdict.with_notes((NOT_CLOSED,))
        is_elsewhere = any(each.path not in ("", script.relative) for each in verdict.diagnostics)
        beside = TOGETHER if is_elsewhere and request.limits.is_small else ""
        error = would_not_compile(verdict, [cause for _, cause in told], beside)
        return replace(error, offers=offers or ())

    def _with_other_paths(self, request: EditRequest, error: SnippetError) -> SnippetError:
        """Offer the same request for the suggested path, or for the script's new path."""
        if "suggestion" in error.details:
            return replace(error, offers=self._at_suggestion(request, error.details["suggestion"]))
        if error.code is not ErrorCode.FILE_NOT_FOUND:
            return error
        error = self._with_temporary_files(request, error)
        moved = error.details.get("movedTo")
        if moved is None:
            return error
        meant = replace(request, path=moved)
        script = self.writable(moved)
        if isinstance(script, SnippetError) or isinstance(self.planned(meant, script), Unplanned):
            return error
        doubt = "another script has taken that path" if "changedSince" in error.details else ""
        return replace(error, offers=(Offer(f"path {moved}", meant.to_json(), unless=doubt),))

    def _at_suggestion(self, request: EditRequest, path: str) -> tuple[Offer, ...]:
        meant = replace(request, path=path)
        told = f"path {path}"
        alone = (Offer(told, meant.to_json()),)
        script = self.located(meant)
        if isinstance(script, SnippetError):
            return script.offers or alone
        planned = self.planned(meant, script)
        found = planned.with_offers().offers if isinstance(planned, Unplanned) else ()
        if not found:
            return alone
        return tuple(replace(each, what=f"{told}; {each.what}", changed=()) for each in found)

    def _with_temporary_files(self, request: EditRequest, error: SnippetError) -> SnippetError:
        from snippet_engine.storage.recovery.temporary_files import orphans_next_to  # noqa: PLC0415 - only for errors

        script = self._project.locate_new(request.path)
        if isinstance(script, SnippetError):
            return error
        state = StateFolder(self._project.root)
        left = orphans_next_to(script, lambda: state.names("pending"))
        if not any(f"{META}." not in name for name in left):
            return error
        folder = script.relative.rpartition("/")[0]
        message = (
            f"{show(script.relative)} does not exist; {show(left[0])} next to it has its text: "
            "rename it back."
        )
        files = [f"{folder}/{name}" for name in left]
        return replace(error, message=message, details={**error.details, "temporaryFiles": files})

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


def _unreadable(document: Document) -> SnippetError | None:
    if not document.has_too_many_conditions:
        return None
    return SnippetError(
        ErrorCode.FILE_TOO_LARGE,
        f"The file has more than {MAX_CONDITIONS:,} preprocessor conditions, or more than "
        f"{document.most_of_conditions:,} characters of them. "
        "Edit it with another tool, or split the file.",
        details={"limit": MAX_CONDITIONS},
    )
