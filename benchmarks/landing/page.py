"""Write the figures of a run as Markdown into the page, between the marks of its profile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.landing.kinds import APART, CLASSES
from benchmarks.landing.outcome import Outcome
from benchmarks.landing.report import Found, Tally

_OURS = "`edit_snippet`"


def with_figures(page: str, found: Found) -> str:
    """Return ``page`` with this run's figures between the marks of its profile.

    Raises ``ValueError`` where the page has none.
    """
    name = re.escape(found.run.profile)
    place = re.compile(rf"(<!-- figures: {name} -->\n).*?(<!-- end of figures -->)", re.DOTALL)
    if not place.search(page):
        raise ValueError(f"the page has no place for the figures of profile {found.run.profile}")
    figures = "\n".join(_figures(found)) + "\n"
    return place.sub(lambda match: match[1] + figures + match[2], page)


def _figures(found: Found) -> Iterator[str]:
    run = found.run
    yield f"{found.all.requests:,} requests, profile `{run.profile}`, seed {run.seed}, drawn from"
    yield f"{', '.join(f'`{name}`' for name in run.packages)}."
    yield ""
    head = "| | requests | first try | at most | second try | refused | wrong |"
    yield f"{head} bytes per landed edit |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for name in (*CLASSES, *APART):
        if name in found.by_class:
            apart = " (apart)" if name in APART else ""
            yield _row(name + apart, found.by_class[name])
    yield _row("**together**", found.all)
    yield _row("of these: decidable", found.told)
    yield from _of_all_calls(found)
    yield ""
    most = found.all.may_land / max(1, found.all.requests)
    first = found.all.share(Outcome.FIRST)
    yield f"At the first try {first:.1%} landed; without a guess, {most:.1%}"
    yield "of these requests can (*at most*)."
    yield f"Wrong: {found.all.outcomes[Outcome.WRONG]}, of which"
    yield f"{found.told.outcomes[Outcome.WRONG]} of decidable requests, and"
    yield f"{found.wrong_as_sent} of requests that were carried out as they were sent."
    if found.failed:
        yield f"Failed unexpectedly: {found.failed}."
    yield ""
    yield "| | first try | second try | refused | wrong | bytes per landed | with reading again |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name, tally in ((_OURS, found.all), *found.references.items()):
        spent = found.until_landed["this" if name == _OURS else name] / max(1, tally.requests)
        yield f"| {name} | {_shares(tally)} | {_cost(tally)} | {spent:,.0f} |"
    yield ""
    yield from _cheaper(found)
    if found.roads is not None:
        yield ""
        yield f"Over HTTP by a real client: {found.roads.requests} requests,"
        yield f"{len(found.roads.differing)} of which came out otherwise than in process."


def _cheaper(found: Found) -> Iterator[str]:
    """Yield which other ways cost fewer bytes, counted in each of the two ways."""
    ours = found.all.cost / max(1, found.all.landed)
    again = found.until_landed
    per_landed = [
        name
        for name, tally in found.references.items()
        if tally.landed and tally.cost / tally.landed < ours
    ]
    in_the_end = [name for name in found.references if again[name] < again["this"]]
    yield f"Fewer bytes per landed edit than {_OURS}: {', '.join(per_landed) or 'none'};"
    yield f"with reading again: {', '.join(in_the_end) or 'none'}."


def _of_all_calls(found: Found) -> Iterator[str]:
    mixed = found.of_all_calls()
    if not mixed:
        return
    yield ""
    head = "of all calls, if so many fail with exact unique replace | spoiled"
    yield f"| {head} | first try | second try | refused | wrong |"
    yield "|--:|--:|--:|--:|--:|--:|"
    for each in mixed:
        shares = " | ".join(f"{each.shares[outcome]:.1%}" for outcome in Outcome)
        yield f"| {each.failing:.0%} | {each.spoiled:.0%} | {shares} |"


def _row(name: str, tally: Tally) -> str:
    first, *others = (f"{tally.share(outcome):.1%}" for outcome in Outcome)
    most = f"{tally.may_land / max(1, tally.requests):.1%}"
    shares = " | ".join((first, most, *others))
    return f"| {name} | {tally.requests:,} | {shares} | {_cost(tally)} |"


def _shares(tally: Tally) -> str:
    return " | ".join(f"{tally.share(outcome):.1%}" for outcome in Outcome)


def _cost(tally: Tally) -> str:
    return f"{tally.cost / tally.landed:,.0f}" if tally.landed else "–"
