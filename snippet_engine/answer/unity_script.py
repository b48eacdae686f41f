"""What Unity will make of an edited script, besides compiling it: warnings, never errors.

Implements ``script_name`` and ``serialized_field`` of docs/design/engine.md §2.7 for a single edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from snippet_engine.answer.kept_declarations import keeps_declarations, keeps_types
from snippet_engine.answer.lost_fields import elsewhere, lost_fields
from snippet_engine.answer.script_names import names_misplaced, script_names, unity_bases
from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.serialized_fields import may_be_serialized
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan


def about_unity(before: Document, after: Document, plan: Plan, path: str) -> Iterator[Warn]:
    """The warnings about ``plan`` for the script at ``path``.

    With the instruction if there is but one.
    """
    if not may_be_serialized(before) and not may_be_serialized(after):
        return
    if keeps_declarations(before, after, plan.edits):
        return
    edits = list(plan.edits)
    index = plan.instruction_of(edits[0]) if len(edits) == 1 else None
    names = [] if keeps_types(before, plan.edits) else _about_names(before, after, path)
    fields = lost_fields(before, after, lambda: elsewhere([(before, after)]))
    for warning in (*names, *fields):
        yield replace(warning, index=index)


def _about_names(before: Document, after: Document, path: str) -> Iterator[Warn]:
    file = path.rpartition("/")[2]
    known = names_misplaced(before, file, unity_bases([before]))
    return script_names(after, file, unity_bases([after]), known)
