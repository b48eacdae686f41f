"""Stale requests: the agent, a formatter or somebody else has changed the file.

Each kind adds to an intent what happened before the request. What the agent did itself is really
sent to the engine first, as :func:`earlier_request` says it.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.agreement.tokens import KEYWORDS
from benchmarks.landing.intent import Intent
from benchmarks.landing.retyped import clear_enough
from benchmarks.landing.true_edits import SMALL, Splice
from benchmarks.landing.wording import Wording, stands_once

_CONTEXTUAL = frozenset(
    """
    async await dynamic file from global init nameof notnull partial record required scoped
    select value when where with yield
    """.split()  # noqa: SIM905 - a list of words
)
"""Words that are keywords in some places only; another word there would be no name."""
_NAME = re.compile(r"(?<![\w@\"#])[A-Za-z_]\w{3,}(?!\w)")
_WORD = re.compile(r"\w+")
_STATEMENT = re.compile(r"[ \t]+[\w.]+(?: ?[-+*]?= ?|\()[^\n{}]*;[ \t]*")
_MOST_PLACES = 8


def own_edit_in_the_quote(intent: Intent, rng: Random) -> Intent | None:
    """Let the agent have edited what it quotes: another hunk of the real change, or a name."""
    wording = intent.seen
    near = [
        hunk
        for hunk in _hunks(intent)
        if hunk.start < wording.end and wording.start < max(hunk.end, hunk.start + 1)
    ]
    if near:
        return intent.after(rng.choice(near))
    return _name_in_the_quote(intent, rng)


def changed_in_the_quote(intent: Intent, rng: Random) -> Intent | None:
    """Do the same as another person."""
    changed = own_edit_in_the_quote(intent, rng)
    return changed and clear_enough(intent.after(*changed.earlier, outside=True))


def own_edit_elsewhere(intent: Intent, rng: Random) -> Intent | None:
    """Let the agent have edited another place: a real hunk, or a new line."""
    splice = _elsewhere(intent, rng)
    return intent.after(splice) if splice else None


def old_hash(intent: Intent, rng: Random) -> Intent | None:
    """Do the same, and send the hash from before."""
    changed = own_edit_elsewhere(intent, rng)
    return changed and replace(changed, old_hash=True)


def own_rename(intent: Intent, rng: Random) -> Intent | None:
    """Let the agent have renamed something that it quotes, everywhere in the file."""
    seen = intent.seen
    matches = _names(intent.text, seen)
    rng.shuffle(matches)
    for match in matches[:6]:
        name = match[0]
        places = [
            Splice(found.start(), found.end(), name + "Value")
            for found in re.finditer(rf"(?<![\w@]){name}(?!\w)", intent.text)
        ]
        if 2 <= len(places) <= _MOST_PLACES:
            renamed = intent.after(*places)
            if renamed is not None:
                return renamed
    return None


def own_reorder(intent: Intent, rng: Random) -> Intent | None:
    """Let the agent have moved a quoted line: two neighbours are swapped."""
    text, seen = intent.text, intent.seen
    start = text.rfind("\n", 0, max(0, seen.start - 1)) + 1
    starts = [start, *(m.end() for m in re.finditer(r"\n", text[: seen.end]) if m.end() > start)]
    rng.shuffle(starts)
    for first in starts:
        middle = text.find("\n", first) + 1
        last = text.find("\n", middle)
        if not middle or last < 0:
            continue
        one, other = text[first : middle - 1], text[middle:last]
        level = re.match(r"[ \t]*", one)
        fits = level and re.match(rf"{level[0]}\S", other) and one != other
        if fits and _STATEMENT.fullmatch(one) and _STATEMENT.fullmatch(other):
            moved = intent.after(Splice(first, last, f"{other}\n{one}"))
            if moved is not None and not _is_wanted_there(moved):
                return moved
    return None


def _is_wanted_there(moved: Intent) -> bool:
    """Return whether a moved line made what is wanted already."""
    result = moved.seen.result
    return result in moved.standing and result not in moved.text


def formatted(intent: Intent, rng: Random) -> Intent | None:
    """Let a formatter have changed braces, indentation or blanks."""
    text, own = intent.text, intent.seen.splice
    if "\n" in own.new:
        return None  # nobody can say how a formatter would have had the new lines
    shapes = [
        [
            Splice(m.start(), m.end(), " {")
            for m in re.finditer(r"(?<=[\w)])[ \t]*\n[ \t]*\{", text)
        ],
        [
            Splice(m.start(), m.end(), "\t" * (len(m[0]) // 4))
            for m in re.finditer(r"^(?: {4})+", text, re.MULTILINE)
        ],
        [Splice(m.start(), m.end(), "    " * len(m[0])) for m in re.finditer(r"^\t+", text, re.M)],
        [Splice(m.start(), m.end(), "") for m in re.finditer(r"[ \t]+$", text, re.MULTILINE)],
    ]
    usable = [
        shape
        for shape in shapes
        if any(each.start < intent.seen.end and intent.seen.start < each.end for each in shape)
        and "//" not in text[own.start - 200 : own.start].rsplit("\n", 1)[-1]
    ]
    if not usable:
        return None
    shape = [
        each for each in rng.choice(usable) if not (each.start <= own.end and own.start <= each.end)
    ]
    return intent.after(*shape, outside=True) if shape else None


def earlier_request(path: str, text: str, splices: Iterable[Splice]) -> dict[str, Any] | None:
    """Return the earlier change as a request to the engine, with whole lines around each edit.

    ``None`` where it needs more than ten instructions, or one that can't be told by lines.
    """
    regions: list[tuple[int, int, str]] = []
    for splice in sorted(splices, key=lambda each: each.start):
        grown = _grown(text, splice)
        if grown is None:
            return None
        regions.append(grown)
    merged: list[tuple[int, int, str]] = []
    for start, end, new in regions:
        if merged and start < merged[-1][1]:
            return _one_by_one(path, text, splices)
        merged.append((start, end, new))
    return _request(path, [(text[start:end], new) for start, end, new in merged])


def text_hash(data: bytes) -> str:
    """Return a file's hash in the form of requests."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _one_by_one(path: str, text: str, splices: Iterable[Splice]) -> dict[str, Any] | None:
    """Return close places; all of them as one, if that is still a small edit."""
    ordered = sorted(splices, key=lambda each: each.start)
    start, end = ordered[0].start, ordered[-1].end
    new, at = "", start
    for each in ordered:
        new += text[at : each.start] + each.new
        at = each.end
    if end - start > SMALL or len(new) > SMALL:
        return None
    grown = _grown(text, Splice(start, end, new))
    return grown and _request(path, [(text[grown[0] : grown[1]], grown[2])])


def _request(path: str, replacements: list[tuple[str, str]]) -> dict[str, Any] | None:
    if not 1 <= len(replacements) <= 10:
        return None
    return {
        "path": path,
        "mode": "apply",
        "instructions": [
            {"operation": "replace", "anchor": {"type": "text", "target": old}, "newText": new}
            for old, new in replacements
        ],
    }


def _grown(text: str, splice: Splice) -> tuple[int, int, str] | None:
    """Return the splice with enough whole lines around it to be unique, and to keep some text."""
    start = text.rfind("\n", 0, splice.start) + 1
    end = text.find("\n", splice.end)
    end = len(text) if end < 0 else end
    for turn in range(12):
        old = text[start:end]
        new = text[start : splice.start] + splice.new + text[splice.end : end]
        if old.strip() and new and stands_once(text, old):
            return start, end, new
        if turn % 2 == 0:
            start = text.rfind("\n", 0, max(0, start - 1)) + 1
        else:
            found = text.find("\n", end + 1)
            end = len(text) if found < 0 else found
    return None


def _hunks(intent: Intent) -> list[Splice]:
    """Return other hunks of the real change that a small edit can make."""
    text = intent.text
    trimmed = (hunk.trimmed(text) for hunk in intent.siblings)
    return [each for each in trimmed if max(each.end - each.start, len(each.new)) <= SMALL]


def _name_in_the_quote(intent: Intent, rng: Random) -> Intent | None:
    seen = intent.seen
    matches = _names(intent.text, seen)
    rng.shuffle(matches)
    for match in matches[:8]:
        changed = intent.after(Splice(match.start(), match.end(), match[0] + "Cached"))
        if changed is not None:
            return changed
    return None


def _names(text: str, seen: Wording) -> list[re.Match[str]]:
    """Return the quoted names that can be changed."""
    found = _NAME.finditer(text, seen.start, seen.end)
    # Whether a new text that has the name too is to have the new one nobody can say. A change may
    # begin or end within a word.
    more = Counter(_WORD.findall(seen.result)) - Counter(_WORD.findall(seen.target))
    own = {*more, *_WORD.findall(seen.splice.new)} | KEYWORDS | _CONTEXTUAL
    return [match for match in found if match[0] not in own]


def _elsewhere(intent: Intent, rng: Random) -> Splice | None:
    seen = intent.seen
    far = [hunk for hunk in _hunks(intent) if hunk.end < seen.start or hunk.start > seen.end]
    if far and rng.random() < 0.7:
        return rng.choice(far)
    lines = [
        match.start()
        for match in re.finditer(r"^[ \t]+[\w.]+\([^\n{}]*\);[ \t]*\n", intent.text, re.MULTILINE)
        if match.end() < seen.start or match.start() > seen.end
    ]
    if not lines:
        return rng.choice(far) if far else None
    at = rng.choice(lines)
    indentation = re.compile(r"[ \t]*").match(intent.text, at)
    assert indentation is not None
    return Splice(at, at, f"{indentation[0]}// Checked before.\n")
