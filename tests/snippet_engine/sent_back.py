"""What errors offer, sent back: law 7 of docs/design/engine.md §10."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planning import document_of, place_of
from unity_project import UnityProject

from snippet_engine.errors import BREAKS_CODE, SnippetError


def offers(error: SnippetError) -> Iterator[dict[str, Any]]:
    """Every candidate or near miss of an error that has an anchor to send."""
    for each in (*error.details.get("candidates", ()), *error.details.get("nearest", ())):
        if "anchor" in each:
            yield each


def check_requests(project: UnityProject, error: SnippetError, count: int) -> int:
    """Send every offered request back; it must not be refused for what it puts right.

    ``count`` is the number of instructions that were refused. How many requests there were.
    """
    assert len(error.offers) <= 3
    for offer in error.offers:
        tool = getattr(project.engine, offer.tool or "edit_snippet")
        outcome = tool({**offer.arguments, "mode": "preview"})
        if isinstance(outcome, SnippetError) and outcome.code not in BREAKS_CODE:
            # Another instruction may have a fault of its own, which the offer tells.
            assert count > 1, (offer, outcome)
            assert offer.lacks, (offer, outcome)
    return len(error.offers)


def check_offers(text: str | bytes, instruction: Mapping[str, Any], error: SnippetError) -> int:
    """Send every offered anchor back; it must mean the very place. How many there were."""
    count = 0
    position = document_of(text).source.position
    for each in offers(error):
        place = place_of(text, {**instruction, "anchor": each["anchor"]})
        if "line" in each:
            line, character = position(place.start)
            assert (line + 1, character + 1) == (each["line"], each["column"]), each
        count += 1
    return count
