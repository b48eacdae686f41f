"""The embedded validator: the scanner and the tree, before and after, under several symbol sets.

Implements spec 04-roslyn §1.1–1.3: no process, milliseconds, always there. Only what is new
in the edited text counts; the errors that it shares with the original do not.
"""

from __future__ import annotations

from time import perf_counter

from snippet_engine.csharp.document import Document
from snippet_engine.csharp.symbol_sets import SymbolSet
from snippet_engine.edits import EditSet
from snippet_engine.validation.new_errors import (
    new_broken_nodes,
    new_scan_errors,
    scan_diagnostics,
    tree_diagnostics,
)
from snippet_engine.validation.validator import Diagnostic, Verdict

_MAX_DIAGNOSTICS = 20
_NO_EDITS = EditSet(())


class EmbeddedValidator:
    """Judges brackets and syntax without a compiler. Implements ``Validator``."""

    def validate(self, path: str, before: Document, after: Document, edits: EditSet) -> Verdict:  # noqa: ARG002
        """The errors that ``after`` has and ``before`` had not."""
        started = perf_counter()
        pairs = _symbol_sets(before, after, edits)
        judgements = [_judge(before, after, edits, old, new) for old, new in pairs]
        return _verdict(started, judgements)

    def diagnose(self, path: str, document: Document) -> Verdict:  # noqa: ARG002
        """All errors of ``document`` as it stands."""
        started = perf_counter()
        judgements: list[_Judgement] = []
        for symbols in document.symbol_sets:
            found = scan_diagnostics(document.source, document.scan_errors_under(symbols))
            if not found:
                nodes = document.under(symbols).broken_nodes
                found = tree_diagnostics(document.source, nodes, _NO_EDITS)
            judgements.append((found, 0))
        return _verdict(started, judgements)


_Judgement = tuple[list[Diagnostic], int]
"""The new errors under one symbol set, and the number of old ones."""


def _judge(
    before: Document, after: Document, edits: EditSet, old: SymbolSet, new: SymbolSet
) -> _Judgement:
    """Compare under ``old`` for the text before and ``new`` for that after."""
    preexisting = 0
    errors = after.scan_errors_under(new)
    if errors:
        fresh = new_scan_errors(before.scan_errors_under(old), errors, edits)
        preexisting = len(errors) - len(fresh)
        if fresh:
            # What the tree makes of these is but their echo.
            return scan_diagnostics(after.source, fresh), preexisting
    nodes = after.under(new).broken_nodes
    if not nodes:
        return [], preexisting
    fresh_nodes = new_broken_nodes(before.under(old).broken_nodes, nodes, edits)
    preexisting = max(preexisting, len(nodes) - len(fresh_nodes))
    return tree_diagnostics(after.source, fresh_nodes, edits), preexisting


def _symbol_sets(
    before: Document, after: Document, edits: EditSet
) -> list[tuple[SymbolSet, SymbolSet]]:
    """The symbol sets to judge under: each for the text before, and for that after.

    The usual ones; and for an edit where neither compiles, one that does, if there is one.
    """
    old, new = before.symbol_sets, after.symbol_sets
    pairs = [
        (old[min(index, len(old) - 1)], new[min(index, len(new) - 1)])
        for index in range(max(len(old), len(new)))
    ]
    if len(pairs) > 1:
        places = [(before, edit.start, edit.end) for edit in edits]
        places += [(after, start, end) for start, end in edits.after_ranges()]
        for document, start, end in places:
            reaching = document.set_reaching(start, end)
            if reaching is not None and reaching not in document.symbol_sets:
                pairs.append((reaching, reaching))
    return list(dict.fromkeys(pairs))


def _verdict(started: float, judgements: list[_Judgement]) -> Verdict:
    found: dict[tuple[int, str], Diagnostic] = {}
    for diagnostics, _ in judgements:
        for diagnostic in diagnostics:
            found.setdefault((diagnostic.offset, diagnostic.id), diagnostic)
    ordered = sorted(found.values(), key=lambda diagnostic: diagnostic.offset)
    return Verdict(
        validator="embedded",
        coverage=("brackets", "syntax"),
        language_version="9.0",
        symbol_sets=len(judgements),
        duration_ms=(perf_counter() - started) * 1000,
        diagnostics=tuple(ordered[:_MAX_DIAGNOSTICS]),
        preexisting_errors=max(preexisting for _, preexisting in judgements),
        not_checked=("semantics", "language version"),
    )
