"""A C# file as the engine sees it: its text, its active code, its tree, its lexical errors.

Implements docs/design/roslyn.md §1.1–1.3. A :class:`Document` scans and parses nothing until asked,
and then only the parts that an answer needs. The document of an edited text reuses results for the
text before, and gives exactly the same answers as without them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from snippet_engine.csharp.analysis import Analysis, Origin
from snippet_engine.csharp.lexical.preprocessor import WHITESPACE, parse_directive
from snippet_engine.csharp.lexical.problem import Problem
from snippet_engine.csharp.lexical.reachability import required, set_of_unreached, sets_reaching
from snippet_engine.csharp.lexical.scanner import MAX_BAD_LINES
from snippet_engine.csharp.lexical.spans import SpanKind, kind_of_span
from snippet_engine.csharp.lexical.symbol_sets import UNITY_EDITOR_SYMBOLS, SymbolSet
from snippet_engine.csharp.tree.syntax_tree import MAX_WORK, Allowance
from snippet_engine.edits import EditSet
from snippet_engine.late_pattern import late_pattern
from snippet_engine.source_text import SourceText

if TYPE_CHECKING:
    import tree_sitter

__all__ = ["Document", "ScanError", "SpanKind"]

_CONDITION = late_pattern(f"#[{WHITESPACE}]*(?:el)?if\\b[^\n\x85\u2028\u2029]*")

_LONG_OPENERS = frozenset(("/*", '@"', '$"', "$@", "@$", '""', "$$"))

_DEFINITION = late_pattern(f"^[{WHITESPACE}]*#[{WHITESPACE}]*(?:define|undef)\\b", re.MULTILINE)

_DIRECTIVE = re.compile(f"^[{WHITESPACE}]*#", re.MULTILINE)

MAX_SCAN_ERRORS = 1_000
"""Only so many lexical errors of a text are examined, from its beginning."""

_LEAST_SCAN_ERRORS = 100
_LEAST_BAD_LINES = 1_000
"""Least value of this limit, and of that on lines with errors, under a small allowance."""

MAX_CONDITIONS = 5_000
"""Most ``#if`` and ``#elif`` of a text that is read; no real file has so many."""

MAX_OF_CONDITIONS = 300_000
"""Most code points that the lines of all these conditions have together."""

_LEAST_OF_CONDITIONS = 30_000
"""Least value of this limit, for a text whose tree has a small allowance."""

_MAX_DIRECTIVES = 1_000
"""Most directives whose branches get a search for a symbol set that reaches them."""

_MAX_MISSED = 100
"""The search stops after so many branches that no symbol set seems to reach."""

_MAX_CANDIDATES = 4
"""Most symbol sets that are tried on a place that the two usual ones don't reach."""

_MAX_FURTHER_SETS = 8

_MAX_READ = 4_000_000
"""Most code points that are read under all symbol sets together, for a text's declarations."""

_MAX_FLIPS = 12
"""Most symbols that are flipped one by one if a file's own definitions affect its branches."""


@dataclass(frozen=True, slots=True)
class ScanError:
    """A lexical error at a view offset, with Roslyn's id if the meaning is the same."""

    offset: int
    id: str
    message: str
    opener: int | None = None
    """The view offset of the unclosed bracket, comment or string, if the error is about one."""
    cause: str = ""
    """The end of the message, which names another place; empty if it doesn't."""


class _FurtherSets(NamedTuple):
    """Symbol sets other than the usual two."""

    sets: tuple[SymbolSet, ...] = ()
    of_unreached: tuple[SymbolSet, ...] = ()
    """Sets that make code readable that no real set compiles."""
    has_more: bool = False
    """Whether some sets that compile further branches are missing here."""
    has_unread: bool = False
    """Whether some code may stay unread."""


def has_conditions(view: str) -> bool:
    """Return whether a text seems to have ``#if`` or ``#elif``."""
    return "#" in view and _CONDITION().search(view) is not None


class Document:
    """One text under its preprocessor symbol sets. Immutable to its users; lazy inside."""

    NOT_PARSED = "The file is too large, or too broken, to look for symbols in."
    """The note if :attr:`is_parsed` is false."""
    NOT_ALL_READ = "Parts of the file could not be read as C#: symbols in them are not found."
    """The note if declarations may be missing."""

    def __init__(
        self,
        source: SourceText,
        before: Document | None = None,
        edits: EditSet | None = None,
        most_work: int = MAX_WORK,
        known: Document | None = None,
        symbols: SymbolSet | None = None,
    ) -> None:
        """Take ``source``, an edit of ``before``, if there is one.

        ``most_work`` is the allowance of its tree, in hundreds of the parser's steps. ``known`` is
        the same text with a larger allowance; it only makes this one faster. ``symbols`` are those
        of the project's build; by default a Unity Editor's.
        """
        self.source = source
        self.most_work = most_work
        self.base = UNITY_EDITOR_SYMBOLS if symbols is None else symbols
        """The symbol set under which the text is read first."""
        self.most_errors = max(_LEAST_SCAN_ERRORS, MAX_SCAN_ERRORS * most_work // MAX_WORK)
        most_of_conditions = MAX_OF_CONDITIONS * most_work // MAX_WORK
        self.most_of_conditions = max(_LEAST_OF_CONDITIONS, most_of_conditions)
        self._origin = (before, edits) if before is not None and edits is not None else None
        self._known = known
        self._analyses: dict[SymbolSet, Analysis] = {}
        self._scan_errors: dict[SymbolSet, tuple[ScanError, ...]] = {}
        if before is not None:
            before._settle()

    def alike(self, source: SourceText) -> Document:
        """Return the document of another text under the same symbols."""
        return Document(source, symbols=self.base)

    @cached_property
    def has_too_many_conditions(self) -> bool:
        """Return whether the text has too many conditions, or too long ones, to read them all.

        The limits are :data:`MAX_CONDITIONS`, and :attr:`most_of_conditions` code points.
        """
        if not self._has_sign_of_directive:
            return False
        length = 0
        for count, condition in enumerate(_CONDITION().finditer(self.source.view), 1):
            length += condition.end() - condition.start()
            if count > MAX_CONDITIONS or length > self.most_of_conditions:
                return True
        return False

    @cached_property
    def symbol_sets(self) -> tuple[SymbolSet, ...]:
        """Return the base set, then, if an ``#if`` names symbols, the set with those flipped."""
        has_any = self._has_sign_of_directive
        conditions = _CONDITION().findall(self.source.view) if has_any else []
        named = {name for line in conditions for name in parse_directive(line).condition.symbols()}
        return (self.base, self.base ^ named) if named else (self.base,)

    def under(self, symbols: SymbolSet) -> Analysis:
        """Return the analysis under any symbol set; it is cached."""
        found = self._analyses.get(symbols)
        if found is None:
            found = self._analyses.setdefault(symbols, self._analyse(symbols))
        return found

    def _analyse(self, symbols: SymbolSet) -> Analysis:
        base = self.symbol_sets[0]
        alike = self.under(base) if symbols != base else None
        # Each set has its own allowance, so that no result depends on sets that were asked before.
        most = self.most_work if alike is None else self.most_work // 2
        allowance = Allowance(most, is_shared=self.most_work < MAX_WORK)
        bad_lines = max(_LEAST_BAD_LINES, MAX_BAD_LINES * self.most_work // MAX_WORK)
        if self._origin is None:
            made = Analysis(self.source, symbols, None, alike, allowance, bad_lines)
            known = None if self._known is None else self._known._analyses.get(symbols)
            if known is not None:
                made.take_over(known)
            return made
        before, edits = self._origin
        sets = self.symbol_sets
        flipped = len(sets) > 1 and symbols == sets[1] and len(before.symbol_sets) > 1
        same = before.under(before.symbol_sets[1] if flipped else symbols)
        return Analysis(self.source, symbols, Origin(same, edits), alike, allowance, bad_lines)

    def tree(self, index: int = 0) -> tree_sitter.Tree:
        """Return the tree of the code active under symbol set ``index``, over UTF-8 offsets."""
        return self.under(self.symbol_sets[index]).tree

    @property
    def is_parsed(self) -> bool:
        """Return whether the base set's tree could be made within the text's allowance."""
        analysis = self.under(self.symbol_sets[0])
        return analysis.tree is not None and analysis.is_parsed

    def look_ahead(self) -> None:
        """Parse the trees that the verdict on the next edit will need."""
        for index in range(len(self.symbol_sets)):
            self.tree(index)

    def active_utf8(self, index: int = 0) -> bytes:
        """Return the UTF-8 view with inactive branches and directive lines blanked by spaces."""
        return self.under(self.symbol_sets[index]).active_utf8

    def scan_errors_under(self, symbols: SymbolSet) -> tuple[ScanError, ...]:
        """Return the first :attr:`most_errors` lexical errors under ``symbols``, in text order."""
        found = self._scan_errors.get(symbols)
        if found is None:
            errors = islice(self.under(symbols).scan.errors(), self.most_errors)
            found = self._scan_errors[symbols] = tuple(
                ScanError(offset, each.id, each.message + cause, each.opener, cause)
                for offset, each in errors
                for cause in [self._about(each)]
            )
        return found

    def placed_scan_errors(self, symbols: SymbolSet) -> tuple[ScanError, ...]:
        """Return the lexical errors under ``symbols``; faster, because without openers."""
        errors = self.under(symbols).scan.errors(with_openers=False)
        return tuple(
            ScanError(at, each.id, each.message) for at, each in islice(errors, self.most_errors)
        )

    def _about(self, problem: Problem) -> str:
        """Return the end of an error's message: its suspect brace or unclosed opener, if known."""
        if problem.suspect is not None:
            brace = self.source.view[problem.suspect]
            line, character = self.source.position(problem.suspect)
            what = "isn't closed" if brace == "{" else "is one too many"
            return f"; perhaps the {brace} at line {line + 1}, column {character + 1} {what}"
        if problem.opener is None:
            return ""
        line, character = self.source.position(problem.opener)
        opener = self.source.view[problem.opener : problem.opener + 2]
        shown = opener if opener in _LONG_OPENERS else opener[:1]
        return f": the {shown} at line {line + 1}, column {character + 1} isn't closed"

    def span_kind(self, start: int, end: int) -> SpanKind:
        """Return the kind of a view range in the first symbol set that compiles it.

        ``COMMENT`` only if it lies wholly inside one comment, delimiters included, or inside ``//``
        comments with only whitespace between; ``STRING`` if wholly inside the text of one literal;
        otherwise ``CODE``, also if no set compiles it.
        """
        if not self._has_sign_of_directive:
            return kind_of_span(self.under(self.symbol_sets[0]).scan, start, end)
        symbols = next(
            (each for each in self.symbol_sets if self.is_active(start, end, each)), None
        ) or self.set_reaching(start, end)
        if symbols is None:
            return SpanKind.CODE
        return kind_of_span(self.under(symbols).scan, start, end)

    def is_active(self, start: int, end: int, symbols: SymbolSet) -> bool:
        """Return whether a symbol set compiles all of the view range ``[start, end)``.

        A directive counts as compiled if the branch around it is.
        """
        return all(branch.active for branch in self.under(symbols).scan.branches(start, end))

    def condition_of(self, offset: int) -> str | None:
        """Return the condition under which a place is compiled.

        ``None`` if the base set compiles it.
        """
        if self.is_active(offset, offset, self.base):
            return None
        branch = next(iter(self.under(self.base).scan.branches(offset, offset)))
        return required(branch)

    def touches_directive(self, start: int, end: int) -> bool:
        """Return whether the view range ``[start, end)`` touches a line that begins with ``#``."""
        if not self._has_sign_of_directive:
            return False
        first = self.source.line_start(start)
        return bool(_DIRECTIVE.search(self.source.view, first, self.source.line_end(end)))

    @cached_property
    def _has_sign_of_directive(self) -> bool:
        return "#" in self.source.view

    def sets_without(self, start: int, end: int) -> tuple[SymbolSet, ...]:
        """Return a few variants of the base set, each with one symbol of these lines flipped.

        An ``#if`` without an ``#else`` affects the code around it, too, when it isn't taken.
        """
        lines = self.source.view[self.source.line_start(start) : self.source.line_end(end)]
        named = {
            n
            for text in _CONDITION().findall(lines)
            for n in parse_directive(text).condition.symbols()
        }
        return tuple(self.symbol_sets[0] ^ {name} for name in sorted(named)[:_MAX_CANDIDATES])

    def is_inactive(self, start: int, end: int) -> bool:
        """Return whether no symbol set compiles any of the view range ``[start, end)``."""
        return self.set_reaching(start, end) is None

    def set_reaching(self, start: int, end: int) -> SymbolSet | None:
        """Return a symbol set that compiles some of the view range; ``None`` if none is found.

        One of :attr:`symbol_sets` if possible; otherwise conditions are solved, within bounds.
        """
        if not self._has_sign_of_directive:
            return self.symbol_sets[0]
        for symbols in self.symbol_sets:
            if self._reaches(symbols, start, end):
                return symbols
        base = self.under(self.symbol_sets[0])
        definitions = base.scan.state_at(start).definitions
        for branch in dict.fromkeys(base.scan.branches(start, end)):
            candidates = sets_reaching(branch, definitions, self.symbol_sets[0])
            for symbols in islice(candidates, _MAX_CANDIDATES):
                if self._reaches(symbols, start, end):
                    return symbols
        # A file's own definitions may depend on its own conditions.
        if len(self.symbol_sets) > 1 and self._defines:
            first, flipped = self.symbol_sets
            for name in sorted(first ^ flipped)[:_MAX_FLIPS]:
                if self._reaches(first ^ {name}, start, end):
                    return first ^ {name}
        return None

    @cached_property
    def _defines(self) -> bool:
        """Whether the file defines or undefines a symbol."""
        return _DEFINITION().search(self.source.view) is not None

    @cached_property
    def read_sets(self) -> tuple[SymbolSet, ...]:
        """Return the symbol sets whose trees are searched for declarations, the base set first.

        The last ones are for code that no set compiles, such as code behind ``#if false``.
        """
        return self._wanted_sets[: max(2, _MAX_READ // (len(self.source.view) + 1))]

    @property
    def _wanted_sets(self) -> tuple[SymbolSet, ...]:
        return (*self.symbol_sets, *self.further_sets(), *self._further.of_unreached)

    def further_sets(self) -> tuple[SymbolSet, ...]:
        """Return a few symbol sets for branches that none of :attr:`symbol_sets` compiles."""
        return self._further.sets

    @property
    def has_more_branches(self) -> bool:
        """Return whether :meth:`further_sets` skipped some branches."""
        return self._further.has_more

    @property
    def has_unread_branches(self) -> bool:
        """Return whether :attr:`read_sets` may skip some branches."""
        return self._further.has_unread or len(self.read_sets) < len(self._wanted_sets)

    @cached_property
    def _further(self) -> _FurtherSets:
        if not self._has_sign_of_directive:
            return _FurtherSets()
        found: list[SymbolSet] = []
        unreached: list[SymbolSet] = []
        base = self.under(self.symbol_sets[0]).scan
        lines = base.lines
        missed = 0
        is_cut = len(base.directives) > _MAX_DIRECTIVES
        has_unread = is_cut and has_conditions(self.source.view)
        for _, start in base.directives[:_MAX_DIRECTIVES]:
            below = min(lines.end(start) + 1, len(self.source.view))
            if any(self._reaches(symbols, below, below) for symbols in found):
                continue
            symbols = self.set_reaching(below, below)
            if symbols is not None and symbols not in self.symbol_sets:
                found.append(symbols)
            missed += symbols is None
            if symbols is None and not any(self._reaches(s, below, below) for s in unreached):
                branch = base.branches(below, below)[0]
                if len(unreached) < _MAX_FURTHER_SETS:
                    unreached.append(set_of_unreached(branch, self.base))
                has_unread = has_unread or not self._reaches(unreached[-1], below, below)
            if len(found) == _MAX_FURTHER_SETS or missed == _MAX_MISSED:
                return _FurtherSets(tuple(found), tuple(unreached), True, True)
        has_more = len(self.symbol_sets) > 1 and is_cut
        return _FurtherSets(tuple(found), tuple(unreached), has_more, has_unread)

    def _reaches(self, symbols: SymbolSet, start: int, end: int) -> bool:
        return any(branch.active for branch in self.under(symbols).scan.branches(start, end))

    def _settle(self) -> None:
        """Drop the document that this one was made from, so that no long chain is kept.

        Each analysis keeps the one that it was made from until it has used it.
        """
        for symbols in self.symbol_sets:
            self.under(symbols)
        self._origin = None
