"""All checks of structure and of newer syntax, and what they report for an edit.

Implements docs/design/roslyn.md §1.4 and §1.5. The grammar is looser than the language, but its
tree is exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.source_text import SourceText
from snippet_engine.validation.embedded.checks.declaration_checks import DECLARATION_CHECKS
from snippet_engine.validation.embedded.checks.expression_checks import EXPRESSION_CHECKS
from snippet_engine.validation.embedded.checks.keyword_checks import KEYWORD_CHECKS
from snippet_engine.validation.embedded.checks.member_checks import MEMBER_CHECKS
from snippet_engine.validation.embedded.checks.newer_syntax import FEATURES, NEWER_SYNTAX
from snippet_engine.validation.embedded.checks.placement_checks import PLACEMENT_CHECKS
from snippet_engine.validation.embedded.checks.statement_checks import STATEMENT_CHECKS
from snippet_engine.validation.embedded.checks.tree_patterns import Check, NewFind, PatternTable
from snippet_engine.validation.validator import Diagnostic

CHECKS = (
    *DECLARATION_CHECKS,
    *MEMBER_CHECKS,
    *PLACEMENT_CHECKS,
    *STATEMENT_CHECKS,
    *EXPRESSION_CHECKS,
    *KEYWORD_CHECKS,
)
"""The checks of structure."""

TABLE = PatternTable([*CHECKS, *FEATURES])
"""All checks, searched for in one walk through the tree around an edit."""

_FEATURES = PatternTable(FEATURES)
_QUOTED = 40
_used: WeakKeyDictionary[Analysis, frozenset[Check]] = WeakKeyDictionary()
"""The newer syntax that a text uses: finding it takes a walk over its whole tree."""


def check_errors(
    before: Analysis, source: SourceText, finds: Iterable[NewFind], version: LanguageVersion
) -> tuple[list[Diagnostic], list[str]]:
    """Return the errors for ``finds``, and the newer syntax that the file used ``before``.

    ``source`` is the edited text, ``version`` its C# version.
    """
    errors: list[Diagnostic] = []
    newer: list[Diagnostic] = []
    tolerated: list[str] = []
    for check, start, end in finds:
        if version >= LanguageVersion(check.until):
            continue
        found, message = errors, check.message
        if check.id != NEWER_SYNTAX:
            message = message.format(source.view[start:end].split("\n", 1)[0][:_QUOTED])
        elif check in _features_of(before):
            tolerated.append(check.name)
            continue
        else:
            found, message = newer, f"{message}, but this project compiles C# {version}"
        found.append(Diagnostic(start, source.position(start), check.id, message))
    return errors + newer, tolerated


def _features_of(before: Analysis) -> frozenset[Check]:
    found = _used.get(before)
    if found is None:
        finds = _FEATURES.search(before.cured_tree, [(0, len(before.source.utf8))])
        found = _used[before] = frozenset(FEATURES[each.pattern] for each in finds)
    return found
