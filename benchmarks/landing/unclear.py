"""Ambiguous requests, and requests for edits that are done already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from benchmarks.landing.intent import Intent
from benchmarks.landing.phrasing import declared, narrowed, symbol_around
from benchmarks.landing.retyped import is_most_like
from benchmarks.landing.true_edits import Splice, applied
from benchmarks.landing.wording import Form, Wording, squeezed

_TOKEN = re.compile(r"\w+|[^\w\s]")
_TELLING = 8
"""Words and signs of a text that stands nowhere by chance."""
_MANY = 50
_SWEPT = 10
"""So many places one request can change."""


def _bare(intent: Intent) -> Wording | None:
    """Return the target alone, cut down until it occurs several times."""
    base = intent.seen
    if base.form is not Form.REPLACE or not base.old.strip():
        return None
    line = replace(base, before="", after="", symbol=None, start=base.start + len(base.before))
    for more in (3, 2, 1, 0):
        cut = narrowed(line, Random(0), more)
        places = intent.text.count(cut.target)
        if 2 <= places <= _MANY and "\n" not in cut.target and _is_code(intent.text, cut):
            return cut
    return None


def _is_code(text: str, wording: Wording) -> bool:
    line = text[text.rfind("\n", 0, wording.start) + 1 : wording.start]
    return not re.search(r"//|^\s*\*|/\*", line) and not wording.in_comment


def without_context(intent: Intent, _: Random) -> Intent | None:
    """Send the target alone, which occurs several times, without saying which is meant."""
    bare = _bare(intent)
    return replace(intent, wording=bare, seen=bare, told=False) if bare else None


def with_the_line(intent: Intent, rng: Random) -> Intent | None:
    """Do the same, with the line's number in the metadata."""
    bare = _bare(intent)
    if bare is None:
        return None
    at = intent.text.count("\n", 0, bare.splice.start)
    if intent.text.split("\n")[at].count(bare.target) > 1:
        return None
    line = at + 1
    metadata = rng.choice(({"line": line}, {"why": f"line {line}"}, {"location": f"L{line}"}))
    return replace(intent, wording=replace(bare, metadata=metadata), seen=bare)


def with_the_symbol(intent: Intent, rng: Random) -> Intent | None:
    """Do the same, with the declaration's name in the metadata, if that decides."""
    bare = _bare(intent)
    path = symbol_around(intent.text, bare) if bare else None
    if bare is None or path is None:
        return None
    name = re.split(r"\.(?![^(]*\))", path)[-1].partition("(")[0]
    text = re.sub(r",\s+", ",", intent.text)
    if len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) > 1:
        metadata = {"symbol": path}
    else:
        metadata = rng.choice(({"method": name}, {"why": f"only the one in {name}"}))
    # Of two that are declared for two platforms, none is named.
    told = intent.told and declared(intent.text, path) == 1
    return replace(intent, wording=replace(bare, metadata=metadata), seen=bare, told=told)


def context_that_fits_often(intent: Intent, _: Random) -> Intent | None:
    """Send a line of context that occurs at each of the places."""
    bare = _bare(intent)
    if bare is None:
        return None
    text, start = intent.text, bare.start
    line_start = text.rfind("\n", 0, start) + 1
    above = text.rfind("\n", 0, max(0, line_start - 1)) + 1
    worded = replace(bare, before=text[above:start], start=above)
    if text.count(worded.quoted) < 2:
        return None
    return replace(intent, wording=worded, seen=worded, told=False)


def sweep(intent: Intent, rng: Random) -> Intent | None:
    """Want the same edit at all places, and say so in the metadata."""
    bare = _bare(intent)
    if bare is None:
        return None
    swept = _swept(intent, bare)
    if swept is None:
        return None
    why = rng.choice(("everywhere", "all occurrences", "rename in the whole file"))
    return replace(swept, wording=replace(bare, metadata={"why": why}))


def _stands_in_longer_words(text: str, target: str) -> bool:
    """Return whether the target is a whole word here, and part of a longer one there."""
    by_itself = len(re.findall(rf"(?<!\w){re.escape(target)}(?!\w)", text))
    return 0 < by_itself < text.count(target)


def _is_name_in_string(text: str, target: str, places: Sequence[int]) -> bool:
    """Return whether the target is a name in code here, and a word of a string there."""
    if not target.isidentifier():
        return False
    before = (text[text.rfind("\n", 0, at) + 1 : at] for at in places)
    return len({line.count('"') % 2 for line in before}) > 1


def swept_by_key(intent: Intent, _: Random) -> Intent | None:
    """Want the same edit at all places, and say so by a key in the request."""
    bare = _bare(intent)
    return _swept(intent, bare) if bare else None


def _swept(intent: Intent, bare: Wording) -> Intent | None:
    text, target = intent.text, bare.target
    places, at = [], text.find(target)
    while at >= 0:
        places.append(at)
        at = text.find(target, at + len(target))
    if not 2 <= len(places) <= _SWEPT:
        return None
    for place in places:
        if not _is_code(text, replace(bare, start=place)):
            return None
    if not bare.result.strip() and any(_is_alone(text, at, target) for at in places):
        return None  # Nobody wants the blanks of a line without the rest of it.
    # "Everywhere" may mean the word, or the letters; the name, or all that is spelled like it.
    is_open = _stands_in_longer_words(text, target) or _is_name_in_string(text, target, places)
    right = applied(text, [Splice(at, at + len(target), bare.result) for at in places])
    told = intent.told and not is_open
    return replace(intent, wording=bare, seen=bare, right=right, everywhere=True, told=told)


def _is_alone(text: str, at: int, target: str) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]
    return line.strip() == target.strip()


def done_already(intent: Intent, _: Random) -> Intent | None:
    """Ask again for an edit that was made before."""
    return replace(intent, done=True, told=_is_seen_done(intent))


def _is_seen_done(intent: Intent) -> bool:
    """Return whether the file shows it: the wanted text occurs once, or the quoted text still
    leads to the place."""
    seen, text = intent.seen, intent.right
    wanted = seen.before + seen.result + seen.after
    said = seen.result if seen.form is Form.REPLACE else wanted
    if len(_TOKEN.findall(said)) >= _TELLING and squeezed(text).count(squeezed(wanted)) == 1:
        return True
    first = text.count("\n", 0, seen.splice.start) - seen.before.count("\n")
    more = seen.new.count("\n") - seen.old.count("\n")
    height = seen.quoted.count("\n") + 1 + more
    return is_most_like(text, seen.quoted, (first, first + max(1, height)))


def old_is_new(intent: Intent, _: Random) -> Intent | None:
    """Send the text to replace as the new text."""
    wording = intent.wording
    if wording.form is not Form.REPLACE:
        return None
    same = replace(wording, new=wording.old)
    return replace(intent, wording=same, seen=same, right=intent.text, done=True)
