"""Repair a refused request's instructions, and plan the whole request again.

Implements ``offers`` of docs/design/engine.md §8. An offer repairs as many faults as possible at
once. It is planned on the same text before it is offered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import place_in, resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.faults import Fault
from snippet_engine.edit_plan.plan import SHORT, Plan, plan_edits
from snippet_engine.errors import MAX_OFFERS, ErrorCode, Offer, SnippetError
from snippet_engine.fixes.ambiguous import for_ambiguous, for_comment
from snippet_engine.fixes.anchor_not_found import for_anchor_not_found
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.fixes.history.track_position import Earlier, Passage
from snippet_engine.fixes.model import Repair
from snippet_engine.fixes.verify import holds_up
from snippet_engine.fixes.wrong_symbol import for_symbol
from snippet_engine.request import EditRequest, Instruction, Operation, instruction_of

MAX_SEARCHED = 150_000
"""Most steps for the search for offers."""
MAX_TEXT = 2_000_000
"""Longest text for which offers are searched, in code points: each is planned on all of it."""
MAX_SEARCHED_IN_SHORT = 1_000_000
"""Steps for a text of at most ``SHORT``. Ten wrong anchors, each with twenty lines of context, need
nearly as many.
"""


@dataclass(frozen=True, slots=True)
class _Fault:
    code: ErrorCode
    instruction: int
    details: Mapping[str, Any]


def offers_for(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> tuple[Offer, ...]:
    """Return at most ``MAX_OFFERS`` requests to send instead of ``request``.

    ``error`` is the error that :func:`.plan_or_explain` returned for ``request``. Raises
    :class:`.OutOfStepsError` if the search takes more than ``MAX_SEARCHED`` steps, or the text has
    more than ``MAX_TEXT`` code points.
    """
    length = len(document.source.view)
    if length > MAX_TEXT:
        raise budget.OutOfStepsError
    with budget.sharing(MAX_SEARCHED_IN_SHORT if length <= SHORT else MAX_SEARCHED):
        return _offers(document, request, error, earlier)


def _offers(
    document: Document, request: EditRequest, error: SnippetError, earlier: Earlier
) -> tuple[Offer, ...]:
    repairs: dict[int, Sequence[Repair]] = {}
    for fault in _faults(error):
        if fault.instruction not in repairs:
            repairs[fault.instruction] = _repairs(document, request, fault, earlier)
    if not any(repairs.values()):
        return ()
    found: list[Offer] = []
    for rank in range(max(map(len, repairs.values()))):
        chosen = {index: each[min(rank, len(each) - 1)] for index, each in repairs.items() if each}
        offer = _offer(document, request, chosen, repairs)
        if offer is not None and all(offer.arguments != each.arguments for each in found):
            found.append(offer)
        if offer is None and rank == 0:
            return ()  # Otherwise a less likely repair would look like the best one.
        if len(found) == MAX_OFFERS:
            break
    is_choice = any(len(each) > 1 and not each[0].basis for each in repairs.values())
    return () if is_choice and len(found) == 1 else tuple(found)


def renewed(document: Document, request: EditRequest, earlier: Earlier) -> tuple[Offer, ...]:
    """Return the request with the present text's hash as the expected hash.

    Text that is replaced unquoted must be unchanged. If all anchors match and the expected text is
    known, each target must be at the same place in both texts. If not all match, return the offers
    for that request. Raises the same errors as :func:`offers_for`.
    """
    expected = next((each for each in earlier() if each.hash == request.expected_hash), None)
    then = document.alike(expected) if expected is not None else None
    if not all(_is_as_expected(document, then, each) for each in request.instructions):
        return ()
    present = replace(request, expected_hash=document.source.hash)
    label = "with the hash of the present text"
    plan = plan_or_explain(document, request.instructions, request.limits)
    if isinstance(plan, SnippetError):
        offered = offers_for(document, present, plan, earlier)
        return tuple(replace(each, what=f"{label}; {each.what}", changed=()) for each in offered)
    passage = Passage(then.source.view, document.source.view) if then is not None else None
    for each in plan.instructions:
        if then is None or passage is None or each.instruction.anchor.target is None:
            continue
        before = place_in(then, each.instruction.anchor)
        if (before and passage.now_at(before)) != each.resolved.place:
            return ()
    return (Offer(label, present.to_json(), "every anchor fits one place"),)


def _is_as_expected(document: Document, then: Document | None, instruction: Instruction) -> bool:
    """Whether the text that an instruction replaces without quoting it is the same in ``then``."""
    if instruction.anchor.target is not None or instruction.operation is Operation.INSERT:
        return True
    if then is None:
        return False
    places = [(each, resolve_anchor(each, instruction.anchor)) for each in (then, document)]
    texts = [
        each.source.view[slice(*found.place)] if isinstance(found, Resolved) else None
        for each, found in places
    ]
    return texts[0] is not None and texts[0] == texts[1]


def _faults(error: SnippetError) -> list[_Fault]:
    faults = [(error.code, error.instruction, error.details)]
    faults += [
        (ErrorCode(each["code"]), each.get("instruction"), each["details"])
        for each in error.details.get("otherErrors", ())
    ]
    return [_Fault(code, index, details) for code, index, details in faults if index is not None]


def _repairs(
    document: Document, request: EditRequest, fault: _Fault, earlier: Earlier
) -> Sequence[Repair]:
    instruction, details = request.instructions[fault.instruction], fault.details
    if details.get("searched") is False:  # too much work for the error, and so for an offer
        return ()
    match fault.code:
        case ErrorCode.AMBIGUOUS_ANCHOR:
            return for_ambiguous(
                document, request.instructions, fault.instruction, details, request.limits
            )
        case ErrorCode.ANCHOR_IN_COMMENT:
            return for_comment(document, instruction, details)
        case ErrorCode.ANCHOR_NOT_FOUND:
            return for_anchor_not_found(document, instruction, details, earlier)
        case ErrorCode.SYMBOL_NOT_FOUND:
            return for_symbol(document, instruction, details, earlier)
        case ErrorCode.DIFF_TOO_LARGE:
            return _in_parts(details)
        case _:
            return ()


def _in_parts(details: Mapping[str, Any]) -> Sequence[Repair]:
    parts = tuple(map(instruction_of, details.get("instructions", ())))
    keep = ", which keep the documentation and attributes above" if "keepsLead" in details else ""
    return [Repair(f"in {len(parts)} smaller edits{keep}", parts)] if parts else ()


def _is_no_op(instruction: Instruction) -> bool:
    is_replacement = instruction.operation is Operation.REPLACE
    return is_replacement and instruction.new_text == instruction.anchor.target


def _holds_up(
    document: Document,
    request: EditRequest,
    parts: Sequence[tuple[Instruction, ...]],
    left: set[int],
    known: set[int],
    plan: Plan | SnippetError | list[Fault],
) -> bool:
    """Whether the plan of ``parts``, without the indexes in ``left``, passes :func:`.holds_up`.

    ``known`` has the indexes of repairs with ``is_known``: the agent knows the code around them.
    ``plan`` is the plan of all ``parts``.
    """
    tried: list[Instruction] = []
    repaired: set[int] = set()
    for index, (sent, part) in enumerate(zip(request.instructions, parts, strict=True)):
        if index in left:
            continue
        for one in part:
            if one.anchor.target != sent.anchor.target and index not in known:
                repaired.add(len(tried))
            tried.append(one)
    if left and tried:
        plan = plan_edits(document, tuple(tried), request.limits)
    # If the plan fails without the others, it isn't judged here.
    return not isinstance(plan, Plan) or holds_up(document, request.path, plan, repaired)


def _offer(
    document: Document,
    request: EditRequest,
    chosen: Mapping[int, Repair],
    repairs: Mapping[int, Sequence[Repair]],
) -> Offer | None:
    """Return the request with the ``chosen`` repairs, if every repaired instruction has a plan."""
    parts: list[tuple[Instruction, ...]] = [(each,) for each in request.instructions]
    for index, repair in chosen.items():
        parts[index] = repair.instructions
    left: set[int] = set()
    for _ in range(2):
        instructions = tuple(one for part in parts for one in part)
        if not 1 <= len(instructions) <= request.limits.instructions:
            return None
        plan = plan_or_explain(document, instructions, request.limits)
        if isinstance(plan, Plan):
            break
        # A repaired instruction may still be too large. Then it is sent in parts, if possible.
        owners = [index for index, part in enumerate(parts) for _ in part]
        for fault in reversed(_faults(plan)):
            owner = owners[fault.instruction]
            smaller = _in_parts(fault.details) if fault.code is ErrorCode.DIFF_TOO_LARGE else ()
            if smaller and len(parts[owner]) == 1:
                parts[owner] = smaller[0].instructions
            else:
                left.add(owner)
        if left & chosen.keys():
            return None
    else:
        if not left:
            return None
    if any(_is_no_op(one) for index in chosen for one in parts[index]):
        return None
    known = {index for index, repair in chosen.items() if repair.is_known}
    if not _holds_up(document, request, parts, left, known, plan):
        return None
    whats = [
        repair.what if len(repairs) == 1 else f"instruction {index}: {repair.what}"
        for index, repair in sorted(chosen.items())
    ]
    # If one instruction is still a choice, so is the whole request.
    is_certain = all(len(repairs[index]) == 1 or repairs[index][0].basis for index in chosen)
    bases = dict.fromkeys(each.basis for each in chosen.values() if each.basis and is_certain)
    takes_all = any(repair.takes_all for repair in chosen.values())
    doubts = [each.unless for each in chosen.values() if each.unless]
    offered = replace(request, instructions=tuple(one for part in parts for one in part))
    changed = tuple(
        (index, [each.to_json() for each in part])
        for index, (part, old) in enumerate(zip(parts, request.instructions, strict=True))
        if part != (old,)
    )
    return Offer(
        "; ".join(whats),
        offered.to_json(),
        "; ".join(bases),
        changed,
        takes_all=takes_all,
        unless="; ".join(dict.fromkeys(doubts)),
        takes_back=any(each.takes_back for each in chosen.values()),
        lacks=", ".join(f"instruction {index}" for index in sorted(left)),
    )
