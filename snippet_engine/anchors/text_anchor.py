"""From a text anchor to exactly one place, or to an error with what to send instead.

Implements docs/design/engine.md §1 "Text anchor" and §8. There is no "first match", no
fuzzy match and no regular expression here; near misses are looked for only to explain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from snippet_engine.anchors.candidates import anchor_at, by_kind, describe
from snippet_engine.anchors.context import Context, occurrences
from snippet_engine.anchors.near_miss import not_found
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

MAX_CANDIDATES = 10
MAX_OCCURRENCES = 500_000
"""Places of a target that are looked at. Of more, none is taken: another one could fit as well."""


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
    that an ambiguous one fits are counted, but not shown.

    Errors: ``anchor_not_found``, ``ambiguous_anchor``, ``anchor_in_comment``.
    """
    anchor = instruction.anchor
    places = _standing(document, anchor, scopes)
    if places is None:
        return _too_many()
    parted = by_kind(document, places, in_comment=anchor.in_comment)
    if parted is None:
        return _too_many_to_part(len(places))
    in_code, in_comments = parted
    wanted = in_comments if anchor.in_comment else in_code
    if len(wanted) == 1:
        return TextMatch(wanted[0], () if anchor.in_comment else tuple(in_comments))
    if wanted:
        if not explain:
            return _not_shown(len(wanted))
        return _ambiguous(document, anchor, wanted, scopes)
    if in_comments:
        return _only_in_comments(document, anchor, in_comments, scopes)
    return not_found(document, instruction, scopes) if explain else _unexplained()


def fitting_places(
    document: Document, anchor: Anchor, scopes: Sequence[TextRange]
) -> list[TextRange] | None:
    """All places in ``scopes`` that ``anchor`` fits; ``None`` for more than are looked at."""
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
    """Where the target stands in its context, in code or not; ``None``: too often."""
    assert anchor.target is not None
    view = document.source.view
    context = Context(anchor.before, anchor.after)
    # Counted before any context is tried there: of too many, none is taken anyway. Those that don't
    # overlap come first, as they are counted the quickest.
    if sum(view.count(anchor.target, *scope) for scope in scopes) > MAX_OCCURRENCES:
        return None
    standing = list(islice(occurrences(view, anchor.target, scopes), MAX_OCCURRENCES + 1))
    if len(standing) > MAX_OCCURRENCES:
        return None
    return [place for place in standing if context.fits(view, place)]


def _candidates(
    document: Document, anchor: Anchor, places: list[TextRange], scopes: Sequence[TextRange]
) -> list[dict[str, Any]]:
    return [
        describe(document, place, anchor_at(document, anchor, place, scopes))
        for place in places[:MAX_CANDIDATES]
    ]


def _ambiguous(
    document: Document, anchor: Anchor, places: list[TextRange], scopes: Sequence[TextRange]
) -> SnippetError:
    candidates = _candidates(document, anchor, places, scopes)
    lines = ", ".join(str(each["line"]) for each in candidates[:5])
    more = ", …" if len(places) > 5 else ""
    advice = (
        "Choose the one you mean, or add before/after context."
        if any("anchor" in each for each in candidates)
        else "Take text beside it into the target: white space and context can't tell them apart."
    )
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The anchor fits {len(places)} places (lines {lines}{more}). {advice}",
        details={"matches": len(places), "candidates": candidates},
    )


def _too_many() -> SnippetError:
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The target stands at more than {MAX_OCCURRENCES:,} places, and not all are looked at. "
        "Take more of the text beside it into the target.",
        details={"matches": MAX_OCCURRENCES, "candidates": []},
    )


def _unexplained() -> SnippetError:
    return SnippetError(
        ErrorCode.ANCHOR_NOT_FOUND,
        "The anchor was not found. What is like it was not looked for: the file is large, and "
        "other anchors weren't found either. Read it again, or send fewer instructions.",
        details={"nearest": [], "searched": False},
    )


def _not_shown(count: int) -> SnippetError:
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"The anchor fits {count:,} places. Which ones is not shown: the file is large, and other "
        "anchors are at fault, too. Add before/after context, or send fewer instructions.",
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
    document: Document, anchor: Anchor, places: list[TextRange], scopes: Sequence[TextRange]
) -> SnippetError:
    candidates = _candidates(document, anchor, places, scopes)
    return SnippetError(
        ErrorCode.ANCHOR_IN_COMMENT,
        f"The target stands only in comments (line {candidates[0]['line']}). To edit the "
        'comment, add "in": "comment" to the anchor; else choose text that is code.',
        details={"matches": len(places), "candidates": candidates},
    )
