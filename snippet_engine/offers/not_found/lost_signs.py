"""Two words that were sent as one, for want of the sign that stands between them.

Part of docs/design/engine.md §8. ``sizey`` is no slip of the pen for ``size``, and as a word it is
nowhere; but the file has ``size.y``, and no other two words that it may be.
"""

from __future__ import annotations

import re
from dataclasses import replace

from snippet_engine import work
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.symbol_anchor import resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.offers.places.words import Words
from snippet_engine.offers.repair import Repair, line_of
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import SourceText, TextRange

_WORD = re.compile(r"(?<!\w)[A-Za-z_]\w{2,60}(?!\w)")
_MOST_WORDS = 3
"""Unknown words of an anchor that are looked at."""
_ROOM = 2
"""How much longer than it was sent a context may be."""
_PER_SEARCH = 4
"""How much longer it takes to search for a pattern than for a text."""


def with_lost_signs(document: Document, instruction: Instruction) -> Repair | None:
    """The instruction with the signs that its anchor lacks, if it fits one place then."""
    anchor = instruction.anchor
    target = anchor.target or ""
    pairs = _pairs(document.source, anchor)
    if not pairs:
        return None

    def spelled_out(text: str) -> str:
        return _WORD.sub(lambda match: pairs.get(match[0], match[0]), text)

    is_of_target = any(word in pairs for word in _WORD.findall(target))
    before, wanted, after = map(spelled_out, (anchor.before, target, anchor.after))
    new_text = spelled_out(instruction.new_text) if is_of_target else instruction.new_text
    whole = replace(anchor, before=before, target=wanted, after=after)
    repaired = replace(instruction, anchor=whole, new_text=new_text)
    resolved = resolve_anchor(document, repaired.anchor)
    if not isinstance(resolved, Resolved):
        return None
    return Repair(f"{line_of(document, resolved.place)}, wording differs", (repaired,))


def has_lost_signs_elsewhere(document: Document, anchor: Anchor, place: TextRange) -> bool:
    """Whether two words of an anchor that were sent as one don't stand where they were sent, if
    ``place`` is the target's."""
    pairs = _pairs(document.source, anchor)
    if not pairs:
        return False
    view, target = document.source.view, anchor.target or ""
    sides = (
        (anchor.before, view[max(0, place.start - _ROOM * len(anchor.before)) : place.start]),
        (target, view[max(0, place.start - len(target)) : place.end + len(target)]),
        (anchor.after, view[place.end : place.end + _ROOM * len(anchor.after)]),
    )
    return any(
        word in pairs and pairs[word] not in standing
        for sent, standing in sides
        for word in _WORD.findall(sent)
    )


def _pairs(source: SourceText, anchor: Anchor) -> dict[str, str]:
    """The words of an anchor that stand nowhere and are two of ``source``, each as it stands there
    with its sign. Empty where too many are unknown."""
    words = Words(source)
    sent = dict.fromkeys(_WORD.findall(f"{anchor.before}\n{anchor.target}\n{anchor.after}"))
    unknown = [word for word in sent if not words.stands(word)][: _MOST_WORDS + 1]
    if not 1 <= len(unknown) <= _MOST_WORDS:
        return {}
    return {word: pair for word in unknown if (pair := _pair(source, word))}


def _pair(source: SourceText, word: str) -> str | None:
    """The two words of ``source``, with the sign between them, that were sent as one; ``None``
    where there are none, or several such pairs."""
    view, standing = source.view, source.words
    work.spend_reading(len(view), _PER_SEARCH)
    halves = [
        f"{word[:at]} ?[^\\w\\s] ?{word[at:]}"
        for at in range(1, len(word))
        if word[:at] in standing and word[at:] in standing
    ]
    if not halves:
        return None
    found = set(re.findall(rf"(?<!\w)(?:{'|'.join(halves)})(?!\w)", view))
    return found.pop() if len(found) == 1 else None
