"""Whose verdict decides about several files at once.

Implements docs/design/change-sets.md §2. The embedded validator is asked about each file by itself.
A server, where there is one, is asked about all of them together, and tells new errors in files
that nobody changed, too: where it has looked at the syntax of all, its verdict decides, both ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet
from snippet_engine.errors import SnippetError
from snippet_engine.validation.embedded.dirty_files import NOT_PARSED, NOT_PARSED_IN_SET
from snippet_engine.validation.judge import Deadline, ServerValidator, no_server, standing_in
from snippet_engine.validation.validator import Diagnostic, Validator, Verdict
from snippet_engine.validation.whole_file import WholeFile

_LSP = "lsp"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of judging a set.

    ``refused`` has, by the index of the file, the verdict with its own errors; ``elsewhere`` are
    errors that the server found, with their paths. With neither, the set is valid.
    """

    verdict: Verdict
    refused: Mapping[int, Verdict]
    elsewhere: tuple[Diagnostic, ...] = ()


class ChangesJudge:
    """Gives the verdict of one change set. Implements ``Validator`` for single files of it."""

    def __init__(
        self,
        embedded: Validator,
        server: ServerValidator | None,
        mode: str,
        timeout_ms: int | None = None,
    ) -> None:
        """As :class:`.Judge`."""
        self._embedded = embedded
        self._whole = WholeFile(embedded)
        self._server = server
        self._mode = mode
        self._deadline = Deadline(timeout_ms)

    def validate(
        self, path: str, before: Document, after: Document, edits: EditSet
    ) -> Verdict | SnippetError:
        """The embedded verdict on an edited file."""
        return self._embedded.validate(path, before, after, edits)

    def diagnose(self, path: str, document: Document) -> Verdict | SnippetError:
        """The embedded verdict on a new file."""
        return self._whole.diagnose(path, document)

    def together(
        self, verdicts: Mapping[int, Verdict], texts: Mapping[str, str | None]
    ) -> Judgement | SnippetError:
        """What decides, of the embedded ``verdicts`` by file and a server's on all of ``texts``.

        ``texts`` is what each path shall hold, ``None`` for nothing. Error:
        ``validator_unavailable``, where nothing less than a server's verdict was asked for.
        """
        refused = {index: each for index, each in verdicts.items() if each.diagnostics}
        joined = _joined(list(verdicts.values()))
        # Where every file stays as it is, there is nothing to ask a server.
        if not texts or self._mode == "embedded" or (self._server is None and self._mode != _LSP):
            return Judgement(joined, refused)
        if self._server is None:
            return no_server()
        found = self._server.judge_changes(
            texts, within_s=self._deadline.left_s(), patient=self._mode == _LSP
        )
        if isinstance(found, SnippetError):
            if self._mode == _LSP:
                return found
            return Judgement(standing_in(joined, found), refused)
        decides = "syntax" in found.coverage
        alone = decides or not verdicts
        verdict = replace(
            joined,
            validator=found.validator if alone else f"{found.validator}, {joined.validator}",
            coverage=found.coverage,
            duration_ms=joined.duration_ms + found.duration_ms,
            not_checked=found.not_checked,
        )
        return Judgement(verdict, {} if decides else refused, found.errors)


def _joined(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict that says what all of them have in common. No diagnostics."""
    if not verdicts:
        return Verdict("none", (), "", 1, 0.0, not_checked=("semantics",))
    if len(verdicts) == 1:
        (only,) = verdicts
        return replace(only, diagnostics=()) if only.diagnostics else only
    notes = dict.fromkeys(note for each in verdicts for note in each.not_checked)
    notes = {NOT_PARSED_IN_SET if note == NOT_PARSED else note: None for note in notes}
    coverage = [part for part in verdicts[0].coverage if all(part in v.coverage for v in verdicts)]
    return Verdict(
        validator=", ".join(dict.fromkeys(each.validator for each in verdicts)),
        coverage=tuple(coverage),
        language_version=", ".join(dict.fromkeys(each.language_version for each in verdicts)),
        symbol_sets=max(each.symbol_sets for each in verdicts),
        duration_ms=sum(each.duration_ms for each in verdicts),
        preexisting_errors=sum(each.preexisting_errors for each in verdicts),
        not_checked=tuple(notes),
    )
