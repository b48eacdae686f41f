"""One run: every case put to both judges, every unchanged file put to the embedded one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from benchmarks.agreement.cases import Case, draw
from benchmarks.agreement.confusion import Confusion, Disagreement
from benchmarks.agreement.oracle import Oracle, RoslynVerdict, Truth
from benchmarks.agreement.packages import CorpusFile
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.document_cache import DocumentCache
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator
from snippet_engine.validation.validator import Diagnostic

_NO_EDITS = EditSet(())


@dataclass(slots=True)
class Run:
    """What a run found."""

    confusion: Confusion = field(default_factory=Confusion)
    files: int = 0
    unreadable: int = 0
    """Files that Roslyn finds errors in as they are, written for a newer C#: not edited."""
    unchanged_alarms: list[tuple[str, str]] = field(default_factory=list)
    """Unchanged files that were reported as newly broken against themselves: label, error."""
    standing_alarms: list[tuple[str, str]] = field(default_factory=list)
    """Files that Roslyn takes under every symbol set and the embedded validator does not."""
    anew_alarms: list[tuple[str, str]] = field(default_factory=list)
    """Files that Roslyn takes, and that are refused when they are written into an empty one."""
    incremental_mismatches: list[tuple[str, str]] = field(default_factory=list)
    """Cases whose verdict differs when nothing is reused: label, kind."""
    embedded_seconds: float = 0
    roslyn_seconds: float = 0

    def to_json(self) -> dict[str, Any]:
        """Return the confusion table and the other checks."""
        return {
            **self.confusion.to_json(),
            "files": self.files,
            "unreadable_files": self.unreadable,
            "unchanged_alarms": self.unchanged_alarms,
            "standing_alarms": self.standing_alarms,
            "anew_alarms": self.anew_alarms,
            "incremental_mismatches": self.incremental_mismatches,
            "seconds": {
                "embedded": round(self.embedded_seconds, 1),
                "roslyn": round(self.roslyn_seconds, 1),
            },
        }


def compare(
    oracle: Oracle, files: Sequence[CorpusFile], seed: int, mistakes: int, changes: int
) -> Run:
    """Judge so many mutations and valid edits of ``files`` twice, and count."""
    run = Run(files=len(files))
    validator = EmbeddedValidator()
    for file in files:
        _check_unchanged(run, oracle, validator, file)
    readable = [file for file in files if not oracle.errors(file.source.view)]
    run.unreadable = len(files) - len(readable)
    for file, cases in draw(readable, seed, mistakes, changes):
        started = perf_counter()
        # Branches that only a certain combination of symbols reaches are to be judged as well.
        further = Document(file.source).further_sets()
        truths = oracle.judge(file.source.view, [case.edited for case in cases], further)
        run.roslyn_seconds += perf_counter() - started
        documents = DocumentCache()
        for case, truth in zip(cases, truths, strict=True):
            _judge(run, documents, file, case, truth)
    return run


def _judge(
    run: Run, documents: DocumentCache, file: CorpusFile, case: Case, truth: RoslynVerdict
) -> None:
    """Put one case to the embedded validator, twice, and count it."""
    validator = EmbeddedValidator()
    edited = case.edits.apply_to_bytes(file.source)
    source = decode(edited) if isinstance(edited, bytes) else None
    if not isinstance(source, SourceText):
        return
    path = f"Assets/{file.label}"
    started = perf_counter()
    before = documents.get(file.source)
    after = documents.edited(before, source, case.edits)
    diagnostics = validator.validate(path, before, after, case.edits).diagnostics
    run.embedded_seconds += perf_counter() - started
    anew = Document(file.source), Document(source)
    if _told(validator.validate(path, *anew, case.edits).diagnostics) != _told(diagnostics):
        run.incremental_mismatches.append((file.label, case.kind))
    run.confusion.add(case.kind, truth.truth, bool(diagnostics))
    if truth.truth is Truth.BROKEN and not diagnostics:
        run.confusion.false_accepts.append(_example(file, case, truth.errors))
    elif truth.truth is Truth.FORM and not diagnostics:
        run.confusion.form_accepts.append(_example(file, case, truth.errors))
    elif truth.truth is Truth.VALID and diagnostics:
        told = tuple(f"{each.id} {each.offset} {each.message}" for each in diagnostics)
        run.confusion.false_rejects.append(_example(file, case, told))


def _check_unchanged(
    run: Run, oracle: Oracle, validator: EmbeddedValidator, file: CorpusFile
) -> None:
    document = Document(file.source)
    path = f"Assets/{file.label}"
    new = validator.validate(path, document, Document(file.source), _NO_EDITS).diagnostics
    if new:
        run.unchanged_alarms.append((file.label, str(_told(new)[0])))
    standing = validator.diagnose(path, document).diagnostics
    if standing and not oracle.errors(file.source.view):
        run.standing_alarms.append((file.label, str(_told(standing)[0])))
    # Every check looks at the whole file here, where an edit shows it a few lines.
    empty, written = decode(b""), EditSet((TextEdit(0, 0, file.source.view),))
    assert isinstance(empty, SourceText)
    refused = validator.validate(path, Document(empty), document, written).diagnostics
    if refused and oracle.judge("", [file.source.view])[0].truth is Truth.VALID:
        run.anew_alarms.append((file.label, str(_told(refused)[0])))


def _told(diagnostics: Sequence[Diagnostic]) -> list[tuple[int, str, str]]:
    return [(each.offset, each.id, each.message) for each in diagnostics]


def _example(file: CorpusFile, case: Case, errors: tuple[str, ...]) -> Disagreement:
    edit, view = case.edit, file.source.view
    first = view.rfind("\n", 0, max(0, view.rfind("\n", 0, edit.start))) + 1
    stop = view.find("\n", min(len(view), edit.end + 1))
    last = len(view) if stop < 0 else stop
    after = view[first : edit.start] + edit.new_text + view[edit.end : last]
    return Disagreement(
        case.kind,
        file.label,
        edit.start,
        edit.end,
        edit.new_text,
        view[first:last],
        after,
        errors[:3],
    )
