"""Verify a fix before it is offered: judge the text that its plan produces."""

from __future__ import annotations

from collections.abc import Collection

from snippet_engine import budget
from snippet_engine.csharp.document import Document
from snippet_engine.csharp.lexical.language_version import LanguageVersion
from snippet_engine.csharp.structure import (
    Guards,
    begins_inside_guard,
    changed_guards,
    parted_heads,
    released_statements,
)
from snippet_engine.csharp.tree.syntax_tree import MAX_WORK
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.errors import MAX_OFFERS, SnippetError
from snippet_engine.source_text import decode
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator


def holds_up(document: Document, path: str, plan: Plan, repaired: Collection[int]) -> bool:
    """Whether ``plan`` causes no new error, and no repaired instruction moves a statement.

    ``repaired`` are indexes of instructions. None of them may move a statement into or out of an
    ``if`` or a loop. The newest C# is used, whatever version the project has.
    """
    if any(
        begins_inside_guard(document, each.resolved.place)
        for each in plan.instructions
        if each.index in repaired
    ):
        return False
    if not plan.edits:
        return True
    with budget.in_part(1 / MAX_OFFERS):
        after = edited(document, path, plan)
        if after is None:
            return False
        edits, guards = list(plan.edits), Guards()
        parted = [each.edit for each in parted_heads(document, after, plan.edits, guards)]
        if any(plan.instruction_of(edits[number]) in repaired for number in parted):
            return False
        return not any(
            plan.instruction_of(edits[number]) in repaired
            for changed in (changed_guards, released_statements)
            for number, _ in changed(document, after, plan.edits, guards)
        )


def edited(document: Document, path: str, plan: Plan) -> Document | None:
    """Return ``document`` after ``plan``; ``None`` if the result has a new error."""
    data = plan.edits.apply_to_bytes(document.source)
    source = data if isinstance(data, SnippetError) else decode(data)
    if isinstance(source, SnippetError):
        return None
    after = Document(source, document, plan.edits, budget.part_of(MAX_WORK), symbols=document.base)
    newest = LanguageVersion.newest()
    verdict = EmbeddedValidator(lambda _: newest).validate(path, document, after, plan.edits)
    return None if verdict.diagnostics else after
