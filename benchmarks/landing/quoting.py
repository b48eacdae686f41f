"""Change quoted text: in one part that stays, or everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from benchmarks.landing.intent import Intent

SEAM = "\x00"
"""Where two parts meet, in a text made of them."""

PARTS = ("before", "head", "tail", "after")
"""What a wording quotes and leaves as it is."""


def choice(rng: Random, found: list[re.Match[str]]) -> re.Match[str] | None:
    """Return a random match; ``None`` if there is none."""
    return rng.choice(found) if found else None


def in_a_part(intent: Intent, rng: Random, change: Callable[[str], str | None]) -> Intent | None:
    """Make ``change`` to a quoted part that stays; ``None`` if it fits none."""
    wording = intent.wording
    parts = [name for name in PARTS if getattr(wording, name).strip()]
    rng.shuffle(parts)
    # The target is retyped more often than its context is.
    parts.sort(key=lambda name: name in ("before", "after") and rng.random() < 0.5)
    for name in parts:
        text = getattr(wording, name)
        changed = change(text)
        if changed is not None and changed != text and (changed.strip() or not text.strip()):
            spoiled = intent.said(**{name: changed})
            if spoiled.wording.quoted not in intent.standing:
                return spoiled
    return None


def everywhere(intent: Intent, change: Callable[[str], str]) -> Intent | None:
    """Make ``change`` to everything that is quoted or written.

    It is given whole texts, with a :data:`SEAM` wherever one part ends and another begins, so that
    it sees whole lines. ``None`` where nothing that counts is quoted otherwise: then it is the new
    text alone that is another one, and nobody can tell; or where what stays comes out in two ways.
    """
    wording = intent.wording
    quoted, written = (
        change(SEAM.join((wording.before, wording.head, text, wording.tail, wording.after)))
        for text in (wording.old, wording.new)
    )
    before, head, old, tail, after = quoted.split(SEAM)
    before_new, head_new, new, tail_new, after_new = written.split(SEAM)
    if (before, head, tail, after) != (before_new, head_new, tail_new, after_new):
        return None
    spoiled = intent.said(before=before, head=head, old=old, new=new, tail=tail, after=after)
    said = spoiled.wording
    pairs = (
        (said.before.rstrip(), wording.before.rstrip()),
        (said.target, wording.target),
        (said.after.lstrip(), wording.after.lstrip()),
    )
    return spoiled if any(one != other for one, other in pairs) else None
