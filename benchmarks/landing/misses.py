"""A page of misses, by kind with examples: request, answer, and the right edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from difflib import unified_diff

from benchmarks.landing.kinds import APART
from benchmarks.landing.outcome import Outcome, Trial
from benchmarks.landing.report import FAILED, Found

_LONGEST = 2_600


def misses(found: Found) -> str:
    """Return a page of Markdown: wrong ones in full, then the rest by kind."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Found) -> Iterator[str]:
    run = found.run
    yield f"# What misses: profile {run.profile}, seed {run.seed}, {found.all.requests} requests"
    yield ""
    yield f"Wrong: {len(found.wrong)}, of which {found.guessed} by guess."
    for trial in found.wrong[:40]:
        yield from _trial(trial, shortened=False)
    order = sorted(found.misses, key=lambda name: (name != FAILED, -_missed(found, name)))
    for name in order:
        tally = found.told_by_kind[name]
        counted = f"{_missed(found, name)} of {tally.requests}" if tally.requests else "apart"
        yield f"\n## {name}: {counted} told ones missed"
        for trial in found.misses[name]:
            if trial.outcome is not Outcome.WRONG:
                yield from _trial(trial, shortened=True)


def _missed(found: Found, name: str) -> int:
    if name in APART:
        return 0
    tally = found.told_by_kind[name]
    return tally.requests - tally.landed


def _trial(trial: Trial, *, shortened: bool) -> Iterator[str]:
    attempt = trial.attempt
    told = "" if attempt.told else ", intent not told" + ", guessed" * trial.guessed
    yield f"\n### {trial.outcome.upper()} {attempt.of_class}: {' + '.join(attempt.kinds)}{told}"
    yield f"attempt {attempt.number} of {attempt.package}, {attempt.path}"
    if attempt.earlier is not None:
        yield f"earlier: {_cut(json.dumps(attempt.earlier, ensure_ascii=False), shortened)}"
    for request, answer in zip(trial.sent, trial.answered, strict=True):
        yield f"\nsent: `{_cut(json.dumps(request, ensure_ascii=False), shortened)}`"
        yield f"\nanswered:\n```\n{_cut(answer, shortened)}\n```"
    yield f"\nright:\n```diff\n{_cut(_diff(attempt.standing, attempt.right), shortened)}```"
    if trial.left != attempt.standing:
        yield f"\nwritten:\n```diff\n{_cut(_diff(attempt.standing, trial.left), shortened)}```"


def _diff(old: bytes, new: bytes) -> str:
    one, other = (
        data.decode("utf-8", "replace").replace("\r\n", "\n").splitlines(keepends=True)
        for data in (old, new)
    )
    return "".join(list(unified_diff(one, other, n=2))[2:])


def _cut(text: str, shortened: bool) -> str:
    return text if not shortened or len(text) <= _LONGEST else text[:_LONGEST] + " …"
