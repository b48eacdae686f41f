"""From a text anchor to exactly one place, or to an error with what to send instead.

Implements docs/design/engine.md §1 "Text anchor" and §8. There is no "first match", no
fuzzy match and no regular expression here; near misses are looked for only to explain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any

from snippet_engine import budget
from snippet_engine.anchors.candidates import Anchoring, by_kind, describe
from snippet_engine.anchors.context import Context
from snippet_engine.anchors.exact_context import exact_among
from snippet_engine.anchors.rivals import may_stand_at
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.limits import MAX_SET_INSTRUCTIONS
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

MAX_CANDIDATES = 10
MAX_OCCURRENCES = 100_000
"""Places of a target that its context is tried at, or where a line of that is rarer, places of the
line. Of more, none is taken: another one could fit as well."""
_MAX_LISTED = 25_000
"""Places of a target without context that are looked at; the others are counted."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """The one place that a text anchor names.

    ``comments_set_aside`` are the matches in comments that were passed over for it.
    """

    place: TextRange
    comments_set_aside: tuple[TextRange, ...] = ()


def resolve_text(
    document: Document,
    instruction: Instruction,
    scopes: Sequence[TextRange],
    *,
    explain: bool = True,
) -> TextMatch | SnippetError:
    """The one place in ``scopes`` (disjoint, ascending) that the instruction's anchor names.

    Without ``explain``, what is like an anchor that isn't found is not looked for, and the places
    that an ambiguous one fits are counted, but not shown. With it, raises
    :class:`.OutOfStepsError` where there are too few steps even to look for it once more.

    Errors: ``anchor_not_found``, ``ambiguous_anchor``, ``anchor_in_comment``.
    """
    try:
        found = _resolved(document, instruction.anchor, scopes)
        if isinstance(found, _Places):
            found = _exactly_told(document, instruction, found)
    except budget.OutOfStepsError:
        if explain:
            raise
        return _too_many()
    if isinstance(found, TextMatch | SnippetError):
        return found
    if not explain:
        return _unexplained(found)
    try:
        return _explained(document, instruction, scopes, found)
    except budget.OutOfStepsError:
        return _unexplained(found)


_MAX_HELD = 200
"""Places that are held against the new text, which may stand around them."""


@dataclass(frozen=True, slots=True)
class _Places:
    """The places that an anchor fits, which are not one."""

    wanted: list[TextRange]
    in_comments: list[TextRange]
    further: int
    """Places besides ``wanted`` that were only counted."""

    @property
    def count(self) -> int:
        """The places that are wanted, listed or not."""
        return len(self.wanted) + self.further


def _resolved(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> TextMatch | SnippetError | _Places:
    places = _standing(document, anchor, scopes)
    if places is None:
        return _too_many()
    parted = by_kind(document, places, in_comment=anchor.in_comment)
    further = _further(document, anchor, places, scopes)
    if parted is None:
        return _too_many_to_part(len(places) + further)
    in_code, in_comments = parted
    wanted = in_comments if anchor.in_comment else in_code
    if len(wanted) == 1:
        return TextMatch(wanted[0], () if anchor.in_comment else tuple(in_comments))
    return _Places(wanted, in_comments, 0 if anchor.in_comment else further)


def _exactly_told(
    document: Document, instruction: Instruction, found: _Places
) -> TextMatch | _Places:
    """The one of several places around which the context stands as it was sent, if there is one.

    Not where the metadata says that all places are meant.
    """
    anchor = instruction.anchor
    exact = exact_among(document, anchor, found.wanted)
    if exact is None:
        return found
    from snippet_engine.anchors.everywhere import asks_for_all  # noqa: PLC0415 - it knows symbols

    if asks_for_all(instruction):
        return found
    return TextMatch(exact, () if anchor.in_comment else tuple(found.in_comments))


def _further(
    document: Document, anchor: Anchor, places: Sequence[TextRange], scopes: Sequence[TextRange]
) -> int:
    """How many more places there are than were listed; at least, for they may overlap."""
    if len(places) <= _MAX_LISTED or anchor.before.strip() or anchor.after.strip():
        return 0
    view = document.source.view
    counted = sum(view.count(anchor.target or "", *scope) for scope in scopes)
    return max(counted - len(places), 0)


def _explained(
    document: Document, instruction: Instruction, scopes: Sequence[TextRange], found: _Places
) -> SnippetError:
    if found.wanted:
        return _ambiguous(document, instruction, found, scopes)
    if found.in_comments:
        return _only_in_comments(document, instruction, found.in_comments, scopes)
    from snippet_engine.anchors.not_found import not_found  # noqa: PLC0415 - only for errors

    return not_found(document, instruction, scopes)


def _unexplained(found: _Places) -> SnippetError:
    if found.wanted:
        return _not_shown(found.count)
    if found.in_comments:
        return _comments_not_shown(len(found.in_comments))
    return _not_looked_for()


def fitting_places(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> list[TextRange] | None:
    """All places in ``scopes`` that ``anchor`` fits; ``None`` for more than are looked at.

    Without context, of very many the first.
    """
    places = _standing(document, anchor, scopes)
    if places is None:
        return None
    parted = by_kind(document, places, in_comment=anchor.in_comment)
    if parted is None:
        return None
    in_code, in_comments = parted
    return in_comments if anchor.in_comment else in_code


def _standing(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> list[TextRange] | None:
    """Where the target stands in its context, in code or not; ``None``: too often.

    Without context, the first of them are enough to tell that they are several.
    """
    assert anchor.target is not None
    view = document.source.view
    context = Context(anchor.before, anchor.after)
    if not (anchor.before.strip() or anchor.after.strip()):
        found = may_stand_at(view, anchor.target, context, scopes)
        return list(islice((each for each in found if context.fits(view, each)), _MAX_LISTED + 1))
    places = list(islice(may_stand_at(view, anchor.target, context, scopes), MAX_OCCURRENCES + 1))
    if len(places) > MAX_OCCURRENCES:
        return None
    return sorted(place for place in places if context.fits(view, place))


def _candidates(
    document: Document,
    anchors: Iterable[Anchor],
    places: Sequence[TextRange],
    scopes: Sequence[TextRange],
) -> list[dict[str, Any]]:
    """The first of the places, each with the one of ``anchors`` that is meant there."""
    anchoring = Anchoring(document, scopes)
    return [
        describe(document, place, anchoring.at(anchor, place))
        for anchor, place in zip(anchors, places[:MAX_CANDIDATES], strict=False)
    ]


def _ambiguous(
    document: Document, instruction: Instruction, found: _Places, scopes: Sequence[TextRange]
) -> SnippetError:
    from snippet_engine.anchors.already_applied import has_around  # noqa: PLC0415 - for errors

    candidates = _candidates(document, repeat(instruction.anchor), found.wanted, scopes)
    details: dict[str, Any] = {"matches": found.count, "candidates": candidates}
    if found.count <= _MAX_HELD:
        view = document.source.view
        have_it = [has_around(view, instruction, place) for place in found.wanted]
        if any(have_it):
            details["haveNewText"] = sum(have_it)
        for candidate, has_it in zip(candidates, have_it, strict=False):
            if has_it:
                candidate["hasNewText"] = True
    lines = ", ".join(str(each["line"]) for each in candidates[:5])
    more = ", …" if found.count > 5 else ""
    advice = (
        (
            "Choose the one you mean, or add before/after context."
            if found.count <= MAX_SET_INSTRUCTIONS
            else "Choose yours, or add before/after; for all, send edit_scripts sets of at most "
            f"{MAX_SET_INSTRUCTIONS} instructions, first lines first."
        )
        if any("anchor" in each for each in candidates)
        else "Take text beside it into the target: white space and context can't tell them apart."
    )
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The anchor fits {found.count} places (lines {lines}{more}). {advice}",
        details=details,
    )


def _too_many() -> SnippetError:
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        "The target stands at too many places, and not all are looked at. "
        "Take more of the text beside it into the target, or send fewer instructions.",
        details={"matches": MAX_OCCURRENCES, "candidates": []},
    )


def _not_looked_for() -> SnippetError:
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        "The anchor was not found. What is like it was not looked for: in so large a file, that "
        "takes too many steps. Read it again, or send fewer instructions.",
        details={"nearest": [], "searched": False},
    )


def _not_shown(count: int) -> SnippetError:
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The anchor fits {count:,} places. Which ones is not shown: in so large a file, that "
        "takes too many steps. Add before/after context, or send fewer instructions.",
        details={"matches": count, "candidates": []},
    )


def _comments_not_shown(count: int) -> SnippetError:
    return SnippetError(
        ErrorCode.ANCHOR_IN_COMMENT,
        f"The target stands only in comments, at {count:,} places. Which ones is not shown: in so "
        'large a file, that takes too many steps. For a comment, add "in": "comment".',
        details={"matches": count, "candidates": []},
    )


def _too_many_to_part(count: int) -> SnippetError:
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The target stands at {count:,} places, and too many were looked at to tell which of "
        "them are comments. Take more of the text beside it into the target.",
        details={"matches": count, "candidates": []},
    )


def _only_in_comments(
    document: Document,
    instruction: Instruction,
    places: list[TextRange],
    scopes: Sequence[TextRange],
) -> SnippetError:
    from snippet_engine.anchors.beside_comment import position_beside  # noqa: PLC0415 - for errors

    positions = [position_beside(document, instruction, each) for each in places[:MAX_CANDIDATES]]
    anchors = [replace(instruction.anchor, position=position) for position in positions]
    candidates = _candidates(document, anchors, places, scopes)
    line = candidates[0]["line"]
    position = positions[0]
    if position is None or position is instruction.anchor.position:
        advice = (
            'To edit the comment, add "in": "comment" to the anchor; else choose text that is code.'
        )
    else:
        advice = (
            f'For a line of its own beside it, add "in": "comment", "position": "{position.value}" '
            "to the anchor."
        )
    return SnippetError(
        ErrorCode.ANCHOR_IN_COMMENT,
        f"The target stands only in comments (line {line}). {advice}",
        details={"matches": len(places), "candidates": candidates},
    )
