"""A request whose new texts aren't C#, with one of them as it may have been meant.

Part of the offers of ``syntax_error``, docs/design/engine.md §8.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain

from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.offers.below_brace import below_brace
from snippet_engine.offers.carrying.closing import closed
from snippet_engine.offers.in_body import in_body
from snippet_engine.offers.new_text import cleaned
from snippet_engine.request import EditRequest, Instruction, Operation

_MOST_AT_ONCE = 10
"""Instructions at fault whose new texts are put right in one request."""


def as_meant(
    request: EditRequest, document: Document, plan: Plan, causes: Collection[int | None]
) -> Iterator[tuple[str, EditRequest]]:
    """What may have been meant by a request that was planned, in some words, and the request then.

    ``causes`` are the instructions that break ``document``; ``None`` among them where that can't
    be told.
    """
    at_fault = {each.index for each in plan.instructions if None in causes or each.index in causes}
    yield from chain(
        _cleaned(request, at_fault),
        below_brace(request, document, plan, at_fault),
        in_body(request, plan, at_fault),
        closed(request, document.source.view, plan),
    )


def with_new_text(instruction: Instruction, text: str) -> Instruction:
    """``instruction`` with the ``text`` that was its new one, and lost what it came wrapped in.

    The blanks at its ends are those of its target, which stand in the file where that ends.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    target = instruction.anchor.target
    if instruction.operation is Operation.REPLACE and target:
        if not target[:1].isspace():
            text = text.lstrip(" \t")
        if target.endswith("\n") and not text.endswith("\n"):
            text += "\n"
    return replace(instruction, new_text=text)


def _cleaned(request: EditRequest, at_fault: Collection[int]) -> Iterator[tuple[str, EditRequest]]:
    """The new texts at fault, each cleaned in the way of the same rank; those that have none
    stay."""
    ways = {
        index: list(cleaned(request.instructions[index].new_text))
        for index in sorted(at_fault)[:_MOST_AT_ONCE]
        if request.instructions[index].operation is not Operation.DELETE
    }
    ways = {index: each for index, each in ways.items() if each}
    for rank in range(max(map(len, ways.values()), default=0)):
        fixed = list(request.instructions)
        told: dict[str, None] = {}
        for index, each in ways.items():
            what, text = each[min(rank, len(each) - 1)]
            fixed[index] = with_new_text(fixed[index], text)
            told[what] = None
        yield "; ".join(told), replace(request, instructions=tuple(fixed))
