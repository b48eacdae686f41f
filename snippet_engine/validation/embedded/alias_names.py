"""Names before ``::`` that are no alias.

Part of docs/design/roslyn.md §1.4. Models write ``A::B`` as other languages do. In C# what stands
there is ``global`` or an alias, and up to C# 9 an alias is declared in the file that uses it.
The grammar lacks most uses of ``::``, and what cures that makes dots of them; so this is told from
the text, around the edits only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from snippet_engine.csharp.analysis import Analysis
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.csharp.lexical.spans import SpanKind, kind_of_span
from snippet_engine.edits import EditSet
from snippet_engine.validation.validator import Diagnostic

_GLOBAL_ALIASES = LanguageVersion(10)
"""From here on another file can declare an alias for all."""
_MAX_WIDENED = 400
"""How far from an edit is looked, in code points: a name and the white space behind it."""
_MAX_NAMES = 100
_USE = re.compile(r"(?<![\w@:\\])@?([^\W\d]\w*)\s*::")
_DECLARED = re.compile(r"\b(?:using\s+@?(\w+)\s*=|extern\s+alias\s+@?(\w+))")


def undeclared_aliases(
    before: Analysis, after: Analysis, edits: EditSet, version: LanguageVersion
) -> Iterator[Diagnostic]:
    """The names before ``::`` around the edits that neither text declares nor the old one used.

    One diagnostic for each name, ``CS0432``.
    """
    view = after.source.view
    if version >= _GLOBAL_ALIASES:
        return
    known = {"global"}
    for start, end in edits.after_ranges():
        first, last = max(0, start - _MAX_WIDENED), end + _MAX_WIDENED
        if view.find("::", first, last) < 0:
            continue
        for use in _USE.finditer(view, first, last):
            name = use[1]
            if use.end() < start or use.start(1) > end or name in known or len(known) > _MAX_NAMES:
                continue
            if not _is_compiled(after, use.start(1), use.end()):
                continue
            known.add(name)
            if name not in _declared(view) and not _is_used(before.source.view, name):
                yield Diagnostic(
                    use.start(1),
                    after.source.position(use.start(1)),
                    "CS0432",
                    f"'{name}' is no alias in this file: members follow a dot",
                )


def _declared(view: str) -> set[str]:
    return {name for pair in _DECLARED.findall(view) for name in pair}


def _is_used(view: str, name: str) -> bool:
    return re.search(rf"(?<![\w@:\\]){re.escape(name)}\s*::", view) is not None


def _is_compiled(analysis: Analysis, start: int, end: int) -> bool:
    return (
        all(branch.active for branch in analysis.branches(start, end))
        and kind_of_span(analysis.scan, start, start + 1) is SpanKind.CODE
        and kind_of_span(analysis.scan, end - 2, end) is SpanKind.CODE
    )
