"""``put_texts``: write whole texts as one change set (docs/design/engine.md §5 "Whole texts").

Each file must have the expected content, and gets its new content byte for byte. Files of any kind
and encoding are possible. The new texts are judged like an edit, unless ``validation`` is ``none``.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64Error
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from snippet_engine import budget
from snippet_engine.answer.result import validation, would_not_compile
from snippet_engine.call_context import (
    note_changes,
    record_partly_judged,
    unsaved_among,
    unsaved_refusal,
)
from snippet_engine.changes.judging import texts_after
from snippet_engine.changes.planned_change import PlannedChange
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.set_writing import Written, write_set
from snippet_engine.single_edit.foreign_text import compared
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.source_text import content_hash
from snippet_engine.storage.files import stale, taken
from snippet_engine.storage.paths.project import SCRIPT, Project, ScriptPath
from snippet_engine.storage.records.write_record import new_ticket
from snippet_engine.storage.stores.change_store import ChangeStore
from snippet_engine.storage.stores.file_origins import Returning
from snippet_engine.validation.judge import ChangesJudge
from snippet_engine.validation.validator import Verdict

Result = dict[str, Any]

_ALL_THE_SAME = "anything: the person wants it even if it breaks something"
_ONLY_BYTES = "{}: it can't be read as C#, and comes back byte for byte"


class WholeTexts:
    """Puts texts into one project. Thread-safe."""

    def __init__(
        self,
        project: Project,
        judging: ScriptJudging,
        store: ChangeStore,
        written: Written,
    ) -> None:
        self._project = project
        self._judging = judging
        self._store = store
        self._written = written

    def put(self, params: Mapping[str, Any], judge: ChangesJudge) -> Result | SnippetError:
        """Write or preview all files of checked ``params``; return the result, or all faults."""
        planned = self._planned(params["files"])
        if isinstance(planned, SnippetError):
            return planned
        returning = self._returning(planned, params["files"])
        if isinstance(returning, SnippetError):
            return returning
        planned += self._other_metas(planned, returning)
        if params.get("validation") == "none":
            verdict = Verdict("none", (), "", 1, 0.0, not_checked=(_ALL_THE_SAME,), is_partial=True)
        else:
            judged = self._judged(planned, judge)
            if isinstance(judged, SnippetError):
                return judged
            verdict = judged
        result = _result(planned, verdict, params)
        changes = [each.to_write() for each in planned]
        note_changes(lambda: changes)
        if all(each.status == "unchanged" for each in planned):
            return {**result, "status": "unchanged"}
        if params["mode"] == "preview":
            return self._store.check(changes) or result
        unsaved = unsaved_among(each.place for each in planned)
        if unsaved:
            return unsaved_refusal(unsaved)
        result |= {"status": "applied", "applied": True, "changeId": new_ticket()}
        failed = write_set(self._store, changes, result, None, self._written, returning=returning)
        if failed is not None:
            return failed
        if verdict.is_partial:
            record_partly_judged()
        return result

    # -- planning ----------------------------------------------------------------------------------

    def _planned(self, files: Sequence[Mapping[str, Any]]) -> list[PlannedChange] | SnippetError:
        planned: list[PlannedChange] = []
        seen: set[str] = set()
        for index, file in enumerate(files):
            budget.check()
            change = self._change(index, file)
            if isinstance(change, SnippetError):
                return change.for_file(index)
            for script in (change.script, change.target):
                if script is not None and script.canonical in seen:
                    return _refused(f"{show(script.relative)} is named twice.").for_file(index)
                seen |= set() if script is None else {script.canonical}
            planned.append(change)
        return planned

    def _returning(
        self, planned: Sequence[PlannedChange], files: Sequence[Mapping[str, Any]]
    ) -> dict[str, Returning] | SnippetError:
        found: dict[str, Returning] = {}
        for change, file in zip(planned, files, strict=True):
            meta = _decoded(file, "meta")
            if isinstance(meta, SnippetError):
                return meta
            if "removedHash" in file:
                removed = self._project.locate_new(file.get("removedFrom", file["path"]))
                path = removed.canonical if isinstance(removed, ScriptPath) else file["path"]
                found[change.script.canonical] = Returning(path, file["removedHash"], meta)
        return found

    def _other_metas(
        self, planned: Sequence[PlannedChange], returning: Mapping[str, Returning]
    ) -> list[PlannedChange]:
        found: list[PlannedChange] = []
        for change in planned:
            script = change.script
            if change.old is None or script.canonical not in returning:
                continue
            kept = self._store.removed_meta(returning[script.canonical])
            now = script.meta.read()
            old = None if isinstance(now, SnippetError) else now.data
            if kept is not None and kept != old:
                found.append(PlannedChange(len(planned) + len(found), script.meta, old, kept))
        return found

    def _change(self, index: int, file: Mapping[str, Any]) -> PlannedChange | SnippetError:
        path = file["path"]
        new = _decoded(file, "content")
        if isinstance(new, SnippetError):
            return new
        expected = file.get("expectedHash")
        if expected is None:
            script = self._project.locate_new(path)
            if isinstance(script, SnippetError):
                return script
            if script.is_taken:
                return taken(script)
            return self._read(PlannedChange(index, script, None, new))
        found = self._expected(path, expected)
        if isinstance(found, SnippetError):
            return found
        script, old = found
        target = None if new is None or "moveTo" not in file else file["moveTo"]
        if target is None:
            return self._read(PlannedChange(index, script, old, new))
        there = self._project.locate_new(target)
        if isinstance(there, SnippetError):
            return there
        return self._read(PlannedChange(index, script, old, new, target=there))

    def _expected(self, path: str, expected: str) -> tuple[ScriptPath, bytes] | SnippetError:
        if path.endswith(SCRIPT):
            script = self._project.locate(path, for_writing=True)
        else:
            script = self._project.locate_file(path)
        if isinstance(script, SnippetError):
            if script.code is not ErrorCode.FILE_NOT_FOUND:
                return script
            message = f"{show(path)} is no longer there; nothing was written."
            return SnippetError(ErrorCode.STALE_FILE, message, details={"expectedHash": expected})
        snapshot = script.read()
        if isinstance(snapshot, SnippetError):
            return snapshot
        if content_hash(snapshot.data) != expected:
            return stale(script, expected, snapshot.data)
        return script.refuse_read_only(snapshot.status) or (script, snapshot.data)

    def _read(self, change: PlannedChange) -> PlannedChange:
        """Return a script's change with its texts read as C#, if possible; others unchanged."""
        if not change.place.is_script:
            return change
        before, after = (self._document(data, change.place) for data in (change.old, change.new))
        return replace(change, before=before, after=after)

    def _document(self, data: bytes | None, script: ScriptPath) -> Document | None:
        found = None if data is None else self._judging.document_of(data, script)
        return found if isinstance(found, Document) else None

    # -- judging -----------------------------------------------------------------------------------

    def _judged(
        self, planned: Sequence[PlannedChange], judge: ChangesJudge
    ) -> Verdict | SnippetError:
        verdicts: dict[int, Verdict] = {}
        for each in planned:
            verdict = self._own_verdict(each, judge)
            if isinstance(verdict, SnippetError):
                return verdict.for_file(each.index)
            if verdict is not None:
                verdicts[each.index] = verdict
        judgement = judge.judge_together(verdicts, dict(texts_after(planned)))
        if isinstance(judgement, SnippetError):
            return judgement
        errors = [
            replace(found, path=found.path or planned[index].place.relative)
            for index, each in judgement.refused.items()
            for found in each.diagnostics
        ]
        errors += judgement.elsewhere
        if errors:
            verdict = replace(judgement.verdict, diagnostics=tuple(errors))
            return would_not_compile(verdict, [None] * len(errors))
        return judgement.verdict.with_notes(_not_read(planned))

    def _own_verdict(
        self, change: PlannedChange, judge: ChangesJudge
    ) -> Verdict | SnippetError | None:
        path = change.place.relative
        if change.after is None or change.new is None:
            return None
        if change.before is None:
            return judge.diagnose(path, change.after)
        found = compared(self._judging, change.before, change.new)
        if isinstance(found, SnippetError):
            return found
        return judge.validate(path, change.before, *found)


def _not_read(planned: Sequence[PlannedChange]) -> Iterator[str]:
    for each in planned:
        if each.place.is_script and each.new is not None and each.after is None:
            yield _ONLY_BYTES.format(each.place.relative)


def _result(
    planned: Sequence[PlannedChange], verdict: Verdict, params: Mapping[str, Any]
) -> Result:
    return {
        "status": "previewed",
        "applied": False,
        "files": [_file(each) for each in planned],
        "validation": validation(verdict),
        "warnings": [],
        **({"about": params["about"]} if "about" in params else {}),
    }


def _file(change: PlannedChange) -> Result:
    target = {} if change.target is None else {"movedTo": change.target.relative}
    before = {} if change.old is None else {"hashBefore": content_hash(change.old)}
    after = {} if change.new is None else {"hashAfter": content_hash(change.new)}
    return {"path": change.script.relative, **target, "status": change.status, **before, **after}


def _decoded(file: Mapping[str, Any], key: str) -> bytes | SnippetError | None:
    try:
        return b64decode(file[key], validate=True) if key in file else None
    except NotBase64Error:
        return _refused(f"The {key} of {show(file['path'])} is not Base64.")


def _refused(message: str) -> SnippetError:
    return SnippetError(ErrorCode.INVALID_REQUEST, message)
