"""Find names before ``::`` that aren't declared as aliases, such as ``Mathf::Max(a, b)``.

Part of docs/design/roslyn.md §1.4. The text is searched, because the grammar knows ``A::b`` only
where a type can be.
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
"""The first version in which another file can declare an alias for all files."""
_MAX_WIDENED = 400
"""How far to search from an edit, in code points: a name and the white space after it."""
_MAX_NAMES = 100
_USE = re.compile(r"(?<![\w@:\\])@?([^\W\d]\w*)\s*::")
_DECLARED = re.compile(r"\b(?:using\s+@?(\w+)\s*=|extern\s+alias\s+@?(\w+))")


def undeclared_aliases(
    before: Analysis, after: Analysis, edits: EditSet, version: LanguageVersion
) -> Iterator[Diagnostic]:
    """Yield one error for each undeclared alias: a name before ``::`` that the edits touch.

    A name that was already before a ``::`` in the old text is no error.
    """
    view = after.source.view
    if version >= _GLOBAL_ALIASES:
        return
    known = {"global"}
    for start, end in edits.after_ranges():
        first, last = max(0, start - _MAX_WIDENED), end + _MAX_WIDENED
        if view.find("::", first, last) < 0:
            continue
        if len(known) == 1:
            known |= {name for pair in _DECLARED.findall(view) for name in pair}
            known |= set(_USE.findall(before.source.view))
        for use in _USE.finditer(view, first, last):
            name, at = use[1], use.start(1)
            if use.end() < start or at > end or name in known or len(known) > _MAX_NAMES:
                continue
            if _is_compiled(after, at, use.end()):
                known.add(name)
                message = f"'{name}' is not an alias in this file: write a dot before members"
                yield Diagnostic(at, after.source.position(at), "CS0432", message)


def _is_compiled(analysis: Analysis, start: int, end: int) -> bool:
    return (
        all(branch.active for branch in analysis.scan.branches(start, end))
        and kind_of_span(analysis.scan, start, start + 1) is SpanKind.CODE
        and kind_of_span(analysis.scan, end - 2, end) is SpanKind.CODE
    )
