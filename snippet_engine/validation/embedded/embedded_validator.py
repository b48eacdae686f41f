"""The embedded validator: compare scan and tree before and after, under several symbol sets.

Implements docs/design/roslyn.md §1.1–1.3: no process, milliseconds, always available. Only new
errors of the edited text count, not those that the original has, too.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from snippet_engine import budget
from snippet_engine.csharp.document import Document, ScanError
from snippet_engine.csharp.lexical.language_version import UNITY_LANGUAGE_VERSION, LanguageVersion
from snippet_engine.csharp.lexical.symbol_sets import SymbolSet
from snippet_engine.csharp.tree.newer_gaps import readable
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.embedded.aliases import undeclared_aliases
from snippet_engine.validation.embedded.checks.structural_checks import TABLE, check_errors
from snippet_engine.validation.embedded.checks.tree_patterns import is_beyond_patterns, new_finds
from snippet_engine.validation.embedded.names import name_errors
from snippet_engine.validation.embedded.new_errors import (
    are_all_old,
    new_scan_errors,
    scan_diagnostics,
    tree_diagnostics,
)
from snippet_engine.validation.embedded.tree_errors import tree_errors
from snippet_engine.validation.validator import (
    MOST_DIAGNOSTICS,
    NOT_ALL_BRANCHES,
    NOT_ALL_ERRORS,
    NOT_CURED,
    NOT_GATED_ON_TREE,
    NOT_PARSED,
    NOT_STRUCTURE,
    Diagnostic,
    Verdict,
)

_MAX_READ = 4_000_000
"""Most code points that are read for one request, over all its sets of ``#if`` symbols."""
_NO_EDITS = EditSet(())
_NO_ENDIF = "CS1027"
_UNENDED = frozenset(("CS1035", "CS1039", "CS8997"))


class EmbeddedValidator:
    """Judges brackets and syntax without a compiler. Implements ``Validator``.

    ``language_of`` returns the C# version of the file at a project-relative path.
    """

    def __init__(self, language_of: Callable[[str], LanguageVersion] | None = None) -> None:
        self._language_of = language_of
        self._last: tuple[_Question, list[_Judgement]] | None = None
        """The latest judgements, because an apply usually repeats its preview's question."""

    def validate(self, path: str, before: Document, after: Document, edits: EditSet) -> Verdict:
        """Return the errors that ``after`` has and ``before`` doesn't have."""
        started = perf_counter()
        version = self._version(path)
        asked = _Question(before, after, edits, version, budget.part_of(_MAX_READ))
        last = self._last
        if last is None or not last[0].is_like(asked):
            self._last = last = asked, _best_judgements(asked)
        return _verdict(started, last[1], version)

    def diagnose(self, path: str, document: Document) -> Verdict:
        """Return all errors of ``document`` that scanner and tree can find."""
        started = perf_counter()
        version = self._version(path)
        judgements = _diagnosed(document)
        newer = None if _is_plain(judgements) else _as_readable(document, version)
        if newer is not None:
            judgements = min(judgements, _diagnosed(newer), key=_badness)
        return _verdict(started, judgements, version)

    def _version(self, path: str) -> LanguageVersion:
        return self._language_of(path) if self._language_of else UNITY_LANGUAGE_VERSION


def _diagnosed(document: Document) -> list[_Judgement]:
    """Return everything that is wrong with a text, under each symbol set."""
    judgements: list[_Judgement] = []
    usual = document.symbol_sets
    for symbols in (*usual, *document.further_sets()):
        errors = document.scan_errors_under(symbols)
        analysis = document.under(symbols)
        is_cut_short = not errors and analysis.is_cut_short
        nodes = () if errors or is_cut_short else analysis.broken_nodes
        if symbols not in usual:
            # Perhaps no platform has a made-up set, and it may break code that other sets compile.
            errors = tuple(e for e in errors if _is_new_ground(document, e.offset, e.opener))
            nodes = tuple(node for node in nodes if _is_new_ground(document, node.start))
        found = scan_diagnostics(document.source, errors)
        found += tree_diagnostics(document.source, nodes, _NO_EDITS)
        notes: list[str] = []
        if len(errors) >= document.most_errors:
            notes.append(NOT_ALL_ERRORS)
        is_parsed = analysis.is_parsed and not is_cut_short
        if not is_parsed:
            notes.append(NOT_PARSED)
        elif nodes and not analysis.cured.is_sure:
            notes.append(NOT_CURED)
        judgements.append(_Judgement(found, 0, tuple(notes), gated_on_tree=is_parsed))
    if document.has_more_branches:
        judgements[0] = judgements[0].with_note(NOT_ALL_BRANCHES)
    return judgements


def _is_new_ground(document: Document, *places: int | None) -> bool:
    """Return whether none of the document's usual symbol sets compiles one of the places."""
    return any(
        not any(document.is_active(place, place, symbols) for symbols in document.symbol_sets)
        for place in places
        if place is not None
    )


class _Judgement(NamedTuple):
    """The new errors under one symbol set, and the number of old ones."""

    errors: list[Diagnostic]
    preexisting: int = 0
    not_checked: tuple[str, ...] = ()
    gated_on_tree: bool = True
    """Whether the tree was searched for new errors."""

    def with_note(self, note: str) -> _Judgement:
        """Return a copy with one more thing that was not checked."""
        return self._replace(not_checked=(*self.not_checked, note))


class _Question(NamedTuple):
    """The question of a verdict, and everything that the answer depends on."""

    before: Document
    after: Document
    edits: EditSet
    version: LanguageVersion
    most_read: int

    def is_like(self, other: _Question) -> bool:
        """Whether ``other`` has the same answer; compares documents by identity, not content."""
        return self.before is other.before and self.after is other.after and self[2:] == other[2:]


def _best_judgements(asked: _Question) -> list[_Judgement]:
    """Return the judgements, with newer syntax rewritten if that gives fewer errors."""
    plain = _judgements(asked)
    if _is_plain(plain):
        return plain
    before = _as_readable(asked.before, asked.version)
    after = _as_readable(asked.after, asked.version)
    if before is None and after is None:
        return plain
    before, after = before or asked.before, after or asked.after
    old, new = before.source.view, after.source.view
    edits = EditSet((TextEdit(0, len(old), new).trimmed(old),))
    after = Document(after.source, before, edits, after.most_work, symbols=after.base)
    newer = _judgements(asked._replace(before=before, after=after, edits=edits))
    return min(plain, newer, key=_badness)


def _as_readable(document: Document, version: LanguageVersion) -> Document | None:
    """Return the text with newer syntax rewritten, if it has any that the grammar can't read."""
    if version <= UNITY_LANGUAGE_VERSION:
        return None
    view = document.source.view
    text = readable(view, version)
    source = decode(text.encode()) if text != view else None
    if not isinstance(source, SourceText) or source.view != text:
        return None
    return Document(source, most_work=document.most_work, symbols=document.base)


def _is_plain(judgements: list[_Judgement]) -> bool:
    """Return whether no judgement has errors, and all were made with the tree."""
    return all(each.gated_on_tree and not each.errors for each in judgements)


def _badness(judgements: list[_Judgement]) -> tuple[int, bool]:
    """Return the number of errors, and whether some may have been missed."""
    errors = sum(len(each.errors) for each in judgements)
    return errors, not all(each.gated_on_tree for each in judgements)


def _judgements(asked: _Question) -> list[_Judgement]:
    """Return the judgements under each symbol set that matters."""
    before, after, edits, version, _ = asked
    every = _symbol_sets(before, after, edits)
    pairs = every[: max(2, asked.most_read // (len(after.source.view) + 1))]
    judgements: list[_Judgement] = []
    for old, new in pairs:
        # An error under every symbol set is reported once: its details take time to find.
        reported = {(each.offset, each.id) for judged in judgements for each in judged.errors}
        if (
            reported
            and before.under(old).scan.is_clean
            and not after.under(new).scan.is_clean
            and {(each.offset, each.id) for each in after.placed_scan_errors(new)} <= reported
        ):
            judgements.append(_Judgement([]))
        else:
            judgements.append(_judge(before, after, edits, (old, new), version))
    if len(pairs) < len(every):
        note = f"{len(every) - len(pairs)} more symbol sets: the file is large"
        judgements[0] = judgements[0].with_note(note)
    if _touches_directive(before, after, edits) and (
        before.has_more_branches or after.has_more_branches
    ):
        judgements[0] = judgements[0].with_note(NOT_ALL_BRANCHES)
    return judgements


def _judge(
    before: Document,
    after: Document,
    edits: EditSet,
    symbols: tuple[SymbolSet, SymbolSet],
    version: LanguageVersion,
) -> _Judgement:
    """Compare under one symbol set for the text before and one for the text after."""
    old, new = symbols
    preexisting = 0
    notes: list[str] = []
    placed = after.placed_scan_errors(new)
    if placed:
        fresh: list[ScanError] = []
        # Search the errors' openers only if these may decide whether the errors are new.
        if not are_all_old(before.placed_scan_errors(old), placed, edits, before.most_errors):
            known = before.scan_errors_under(old)
            fresh = new_scan_errors(known, after.scan_errors_under(new), edits, before.most_errors)
        if len(placed) >= after.most_errors:
            notes.append(NOT_ALL_ERRORS)
        preexisting = len(placed) - len(fresh)
        if fresh:
            # Errors in the tree would only be consequences of these.
            found = scan_diagnostics(after.source, fresh)
            return _Judgement(found, preexisting, tuple(notes))
    was, now = before.under(old), after.under(new)
    added, standing, is_sure = tree_errors(was, now, edits)
    preexisting = max(preexisting, standing)
    if added is None and now.is_parsed and now.is_cut_short:
        # Patterns mean nothing in a misread tree, either.
        return _Judgement([], preexisting, (*notes, NOT_PARSED), gated_on_tree=False)
    if not is_sure:
        notes.append(NOT_CURED)
    if added:
        found = tree_diagnostics(after.source, added, edits)
        return _Judgement(found, preexisting, tuple(notes))
    is_beyond = is_beyond_patterns(was, now, edits)
    finds = [] if is_beyond else new_finds(TABLE, was, now, edits)
    if is_beyond:
        notes.append(NOT_STRUCTURE)
    found, tolerated = check_errors(was, after.source, finds, version)
    found += undeclared_aliases(was, now, edits, version)
    if not is_beyond:
        found += name_errors(was, now, edits)
    notes += [f"{feature}: the file used it before" for feature in tolerated]
    if added is None:
        notes.append(NOT_GATED_ON_TREE if was.is_parsed and now.is_parsed else NOT_PARSED)
    return _Judgement(found, preexisting, tuple(notes), gated_on_tree=added is not None)


def _symbol_sets(
    before: Document, after: Document, edits: EditSet
) -> list[tuple[SymbolSet, SymbolSet]]:
    """Return the symbol sets to judge under: each for the text before, and for the text after.

    These are the usual sets. If none of them compiles an edit, a set that does is added, if there
    is one. An edit of directives affects the code around them, so sets that reach every branch are
    added.
    """
    old, new = before.symbol_sets, after.symbol_sets
    pairs = [
        (old[min(index, len(old) - 1)], new[min(index, len(new) - 1)])
        for index in range(max(len(old), len(new)))
    ]
    if len(pairs) > 1:
        places = _places(before, after, edits)
        for document, start, end in places:
            reaching = document.set_reaching(start, end)
            if reaching is not None and reaching not in document.symbol_sets:
                pairs.append((reaching, reaching))
        if _touches_directive(before, after, edits):
            further = [*before.further_sets(), *after.further_sets()]
            for document, start, end in places:
                further += document.sets_without(start, end)
            pairs += [(symbols, symbols) for symbols in further]
    return list(dict.fromkeys(pairs))


def _places(before: Document, after: Document, edits: EditSet) -> list[tuple[Document, int, int]]:
    """Return the edited view ranges before, and those after."""
    old = [(before, edit.start, edit.end) for edit in edits]
    return old + [(after, start, end) for start, end in edits.after_ranges()]


def _touches_directive(before: Document, after: Document, edits: EditSet) -> bool:
    places = _places(before, after, edits)
    return any(document.touches_directive(start, end) for document, start, end in places)


def _verdict(started: float, judgements: list[_Judgement], version: LanguageVersion) -> Verdict:
    found: dict[tuple[int, str], Diagnostic] = {}
    for judgement in judgements:
        for diagnostic in judgement.errors:
            found.setdefault((diagnostic.offset, diagnostic.id), diagnostic)
    # If a comment or string takes the rest of the file, unclosed brackets there are consequences.
    cut_off = {offset for offset, id_ in found if id_ in _UNENDED}
    reported = [
        each for each in found.values() if each.offset not in cut_off or each.id in _UNENDED
    ]
    # Of errors at one place, list the likely cause first: an #if without #endif contains the rest
    # of the file, including closing braces.
    ordered = sorted(reported, key=lambda each: (each.offset, each.id != _NO_ENDIF))
    notes = [note for judgement in judgements for note in judgement.not_checked]
    gated = all(judgement.gated_on_tree for judgement in judgements)
    return Verdict(
        validator="embedded",
        coverage=("brackets", "syntax") if gated else ("brackets",),
        language_version=str(version),
        symbol_sets=len(judgements),
        duration_ms=(perf_counter() - started) * 1000,
        diagnostics=tuple(ordered[:MOST_DIAGNOSTICS]),
        preexisting_errors=max(judgement.preexisting for judgement in judgements),
        not_checked=("semantics", *dict.fromkeys(notes)),
    )
