"""Structure that the grammar accepts and C# does not, around an edit.

Implements docs/design/roslyn.md §1.4. Each check has the compiler's id for what it finds. The
grammar is looser than the language, to be robust; what its tree shows is exact all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.source_text import SourceText
from snippet_engine.validation.embedded.checks.declaration_checks import DECLARATION_CHECKS
from snippet_engine.validation.embedded.checks.expression_checks import EXPRESSION_CHECKS
from snippet_engine.validation.embedded.checks.keyword_checks import KEYWORD_CHECKS
from snippet_engine.validation.embedded.checks.member_checks import MEMBER_CHECKS
from snippet_engine.validation.embedded.checks.placement_checks import PLACEMENT_CHECKS
from snippet_engine.validation.embedded.checks.statement_checks import STATEMENT_CHECKS
from snippet_engine.validation.embedded.checks.tree_patterns import NewFind
from snippet_engine.validation.validator import Diagnostic

CHECKS = (
    *DECLARATION_CHECKS,
    *MEMBER_CHECKS,
    *PLACEMENT_CHECKS,
    *STATEMENT_CHECKS,
    *EXPRESSION_CHECKS,
    *KEYWORD_CHECKS,
)
"""All checks."""

_WORDING = {check.pattern: check for check in CHECKS}
_QUOTED = 40


def structural_errors(
    source: SourceText, finds: Iterable[NewFind], version: LanguageVersion
) -> Iterator[Diagnostic]:
    """The errors of structure among what is found around the edits now and was not before.

    ``version`` is the C# that the file is compiled as.
    """
    for pattern, start, end in finds:
        check = _WORDING.get(pattern)
        if check is None or version >= LanguageVersion(check.until):
            continue
        text = source.view[start:end].split("\n", 1)[0][:_QUOTED]
        yield Diagnostic(start, source.position(start), check.id, check.message.format(text))
