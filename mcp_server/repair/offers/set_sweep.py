"""An edit of a change set that was asked for at every place that its anchor fits.

Implements docs/design/server-and-bridge.md §2 "Repair". The engine offers the set with all places
of each such anchor; here it is told from the offers that change one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_server.repair.offers.nearest import Offer, meaning_of, without_everywhere
from mcp_server.repair.reading.reading import Reading
from mcp_server.repair.reading.values import boolean
from snippet_engine.errors import ErrorCode

Edit = tuple[int, int]
"""An instruction of a set: the index of its change, and its own there."""

_ALL_THERE = re.compile(r"(?:[;:] |^)all (\d+) places")
_ASIDE = re.compile(r"; (?:not |those in comments|some of them overlap)")


def asked_everywhere(reading: Reading) -> frozenset[Edit]:
    """The instructions of a set that were to be done wherever their anchors fit.

    What stands beside the instructions of a change is about all of them. None where something else
    was asked for that the contract has no word for: an offer has to tell what becomes of that.
    """
    changes = reading.request.get("changes")
    if not isinstance(changes, list):
        return frozenset()
    found: set[Edit] = set()
    for each in reading.unread:
        meaning = meaning_of(each)
        if meaning is None or not meaning.everywhere or not boolean(each.value):
            return frozenset()
        of_one = each.at[0] == "changes" and len(each.at) > 1
        for at, change in enumerate(changes):
            every = change.get("instructions") if isinstance(change, dict) else None
            if isinstance(every, list) and (not of_one or each.at[1] == at):
                only = range(len(every)) if each.index is None else [each.index]
                found |= {(at, index) for index in only}
    return frozenset(found)


def set_swept(asked: frozenset[Edit], offer: Offer, error: Mapping[str, Any]) -> Offer | None:
    """The engine's offer of all places of every anchor in its ``error`` about ``offer``.

    ``None`` unless all that is wrong is that anchors fit several places, and all of these were
    asked for; or where the engine leaves some out. It is in the mode of ``offer``.
    """
    counts: list[int] = []
    for fault in _faults(error):
        details = fault.get("details")
        at = fault.get("file"), fault.get("instruction")
        if fault.get("code") != ErrorCode.AMBIGUOUS_ANCHOR or at not in asked:
            return None
        if not isinstance(details, Mapping) or details.get("haveNewText"):
            return None
        counts.append(details.get("matches", 0))
    for each in error.get("offers", ()):
        told = [int(count) for count in _ALL_THERE.findall(each["what"])]
        if not counts or sorted(told) != sorted(counts) or each.get("unless"):
            continue
        if _ASIDE.search(each["what"]):
            return None
        total = sum(counts)
        changes = [_without_asking(change) for change in each["arguments"]["changes"]]
        whole = {**offer.arguments, "changes": changes}
        one = len(counts) == 1
        what = f"at all {total} places that the {'anchor fits' if one else 'anchors fit'}"
        return Offer(what, whole, "every place was asked for")
    return None


def _faults(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield error
    details = error.get("details")
    yield from details.get("otherErrors", ()) if isinstance(details, Mapping) else ()


def _without_asking(change: Mapping[str, Any]) -> dict[str, Any]:
    """``change`` with instructions for single places."""
    every: Sequence[Any] = change.get("instructions", ())
    return {**change, **({"instructions": [*map(without_everywhere, every)]} if every else {})}
