"""Read an instruction in each way that a paste may have changed it, and search each reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from snippet_engine.anchors.resolver import scopes_of
from snippet_engine.csharp.document import Document
from snippet_engine.fixes.normalise.look_alikes import letters_apart, with_quotes_like
from snippet_engine.fixes.normalise.wrappings import unwrapped, unwrapped_like
from snippet_engine.fixes.search.candidate import Candidate
from snippet_engine.fixes.search.candidate_search import find_candidates
from snippet_engine.fixes.search.tokens import composed
from snippet_engine.request import Anchor, Instruction, Operation

_NO_BREAK = "\u00a0"

Found = tuple[Candidate, Instruction, list[str]]
"""A place, the instruction without what a paste added, and the names of what was removed."""


def similar_places(
    document: Document, instruction: Instruction, *, certain: bool = True
) -> list[Found]:
    """Return the places most similar to the anchor, nearest first, from one reading.

    The reading with the nearest place wins. Among equals, the first wins whose target is exactly at
    the place, else the first. For ``certain``, see :func:`.find_candidates`.
    """
    view = document.source.view
    readings: list[list[Found]] = []
    for wrappings, sent in paste_variants(instruction, view):
        scopes = scopes_of(document, sent.anchor)
        places = find_candidates(document.source, sent.anchor, scopes, certain=certain)
        readings.append([(each, sent, wrappings) for each in places])

    def rank(found: list[Found]) -> tuple[float, bool]:
        place, sent, _ = found[0]
        return place.distance, view[slice(*place.place)] != sent.anchor.target

    return min(filter(None, readings), key=rank, default=[])


def paste_variants(instruction: Instruction, view: str) -> Iterator[tuple[list[str], Instruction]]:
    """Yield the instruction's readings: as sent, then without what a paste added.

    Letters with accents are read first as the file has them (decomposed), then composed, as
    keyboards make them.
    """
    anchor = instruction.anchor
    as_sent = (anchor.target or "", anchor.before, anchor.after)
    texts = (composed(as_sent[0]), composed(as_sent[1]), composed(as_sent[2]))
    apart = letters_apart(view)
    as_in_file = (texts[0].translate(apart), texts[1].translate(apart), texts[2].translate(apart))
    if as_in_file != texts:
        yield from _unwrapped(instruction, view, as_sent, as_in_file, apart)
    yield from _unwrapped(instruction, view, as_sent, texts, {})


def _unwrapped(
    instruction: Instruction,
    view: str,
    as_sent: tuple[str, str, str],
    texts: tuple[str, str, str],
    apart: Mapping[int, str],
) -> Iterator[tuple[list[str], Instruction]]:
    """Yield the variants of these ``texts`` of the anchor.

    ``apart`` translates letters of the new text.
    """
    for wrappings, (target, before, after) in unwrapped(*texts):
        bare = target, before, after
        new_text = unwrapped_like(instruction.new_text, texts, wrappings, bare)
        if new_text is not None:
            new_text = new_text if texts == as_sent else composed(new_text).translate(apart)
            # If a replaced target has these quotes, the merge corrects the quotes of the new text.
            is_plain = with_quotes_like(as_sent[0], as_sent[0], view) == as_sent[0]
            if instruction.operation is not Operation.REPLACE or is_plain:
                new_text = with_quotes_like("".join(as_sent), new_text, view)
            plainly = replace(instruction.anchor, target=target, before=before, after=after)
            yield wrappings, replace(instruction, anchor=plainly, new_text=new_text)


def plainly_spaced(instruction: Instruction, sent: Anchor, view: str) -> Instruction:
    """Replace no-break spaces in the new text by spaces, if a display added them.

    A display added them if the anchor was ``sent`` with some, and ``view`` has none.
    """
    texts = sent.target or "", sent.before, sent.after
    if _NO_BREAK in view or not any(_NO_BREAK in each for each in texts):
        return instruction
    return replace(instruction, new_text=instruction.new_text.replace(_NO_BREAK, " "))
