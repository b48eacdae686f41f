"""Put a refusal into words. It must be complete, because most clients show a model nothing else.

Implements the text of docs/design/engine.md §8. One line says what is wrong and where; then each
offer has a line. A part that doesn't fit is omitted as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from snippet_engine.answer.call_notes import notes_of
from snippet_engine.errors import (
    ALREADY_APPLIED,
    MOST_LIKE,
    Applicability,
    ErrorCode,
    Offer,
    SnippetError,
    applicability_of,
)

MAX_ERROR_LENGTH = 2000

_MAX_FAULTS = 1000
"""Most code points for the list of faults, so that the offers have room."""

_MOST_REASONS = 3

_WITH_REASON = (ErrorCode.VALIDATOR_UNAVAILABLE, ErrorCode.APPROVAL_REFUSED)

_MORE = " …"

_BY_FILE = " | There is no room for all places: send one file at a time to see its places."
"""Replaces the places in a set's files if there is no room for them."""


def error_text(error: SnippetError) -> str:
    """Return the refusal in at most :data:`MAX_ERROR_LENGTH` code points; no part is cut off."""
    where = _at(error.file, error.details.get("path"), error.instruction)
    where = f" [{where}]" if where else ""
    untold = (each for each in notes_of(error.details) if each not in error.message)
    first = _Line(" ".join((f"{error.code.value}{where}: {error.message}", *untold)))
    first.add(_full_reason(error), _MAX_FAULTS)
    first.add(_faults(error.details, error.message), _MAX_FAULTS)
    room = MAX_ERROR_LENGTH - len(first.text) - len(_MORE)
    offered = offer_lines(error.offers, room)
    room -= sum(len(line) + 1 for line in offered)
    is_choice = len(error.offers) > 1 and is_choice_of(error.offers)
    if error.file is not None and is_choice and len(offered) == 1:
        room += len(offered.pop()) + 1  # A single alternative would look like the only offer.
    others = error.details.get("otherErrors", ())
    if not offered and any(each.get("file", error.file) != error.file for each in others):
        room -= len(_BY_FILE)
        first.add(_places_of_all(error), len(first.text) + room)
        if first.left_out:
            return first.text + _MORE + _BY_FILE
    else:
        first.add(_places(error, are_offered=bool(offered)), len(first.text) + room)
    return "\n".join((first.text + _MORE * first.left_out, *offered))


def _at(file: int | None, path: str | None, instruction: int | None) -> str:
    parts = [f"file {file}" + (f" {path}" if path else "")] if file is not None else []
    parts += [f"instruction {instruction}"] if instruction is not None else []
    return ", ".join(parts)


class _Line:
    def __init__(self, text: str) -> None:
        self.text = " ".join(text.splitlines())
        self.left_out = False

    def add(self, parts: Iterable[str], limit: int) -> None:
        """Add those of ``parts`` that fit into ``limit`` code points."""
        for part in (" ".join(each.splitlines()) for each in parts):
            if len(self.text) + len(part) + 3 > limit:
                self.left_out = True  # A shorter one may fit.
            else:
                self.text += " | " + part


def _full_reason(error: SnippetError) -> Iterator[str]:
    """Yield the full reason if the message has only a part of it: it may have a command."""
    reason = error.details.get("reason")
    if error.code not in _WITH_REASON or reason is None:
        return
    if reason.removesuffix(".") not in error.message:
        yield f"reason: {reason}"


def _faults(details: Mapping[str, Any], message: str) -> Iterator[str]:
    for problem in details.get("problems", ())[1:]:
        yield f"{problem['path']} {problem['message']}"
    yield from _conflicts(details.get("conflicts", ()))
    reasons = [each for each in details.get("reasons", ()) if each.removesuffix(".") not in message]
    yield from reasons[:_MOST_REASONS]
    if len(reasons) > _MOST_REASONS:
        yield f"{len(reasons) - _MOST_REASONS} more"
    yield from _diagnostics(details.get("diagnostics", ()), message)
    if "tried" in details and "hash" in details:  # no other text has the file's hash
        yield f"its hash, as a delete needs it: {details['hash']}"
    for other in details.get("otherErrors", ()):
        at = _at(other.get("file"), other["details"].get("path"), other.get("instruction"))
        yield f"also {at + ': ' * bool(at)}{other['code']}: {other['message']}"
    for each in details.get("undoable", ()):
        yield f"hashAfter {each}"
    for each in details.get("undoInOrder", ()):
        yield json_line(each)


def _conflicts(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the conflicts that differ from earlier ones; the message says how many there are."""
    said = {each["message"] for each in found[:1]}
    for each in found:
        if each["message"] not in said:
            at = f"{each['path']}:{each['line']}: " if each["path"] else ""
            yield f"{at}{each['message']}"
        said.add(each["message"])


def _places(error: SnippetError, *, are_offered: bool) -> Iterator[str]:
    """Yield places and other help for the next try except offers, the most helpful first."""
    if are_offered:
        yield from _not_offered(error)
        return
    yield from _places_not_in_message(error.message, error.details)
    for each in error.details.get("instructions", ()):
        if isinstance(each, Mapping):
            yield json_line(each)


def _places_of_all(error: SnippetError) -> Iterator[str]:
    """Yield the places of every file at fault, each with its file if there are several."""
    others = error.details.get("otherErrors", ())
    if not others:
        yield from _places(error, are_offered=False)
        return
    for each in (error.to_json(), *others):
        at = _at(each.get("file"), None, each.get("instruction"))
        places = _places_not_in_message(each["message"], each["details"])
        yield from (f"{at}: {place}" for place in places)


def _not_offered(error: SnippetError) -> list[str]:
    offered = [
        becomes[0]["anchor"]
        for offer in error.offers
        for _, becomes in offer.changed
        if len(becomes) == 1
    ]
    candidates = error.details.get("candidates", ())
    return [_place(each) for each in candidates if each.get("anchor") not in offered]


def places(details: Mapping[str, Any]) -> list[str]:
    """Return a line for each place in an error's ``details``, with the anchor to send for it."""
    every = (*details.get("candidates", ()), *details.get("nearest", ()))
    return [_place(each) for each in every if not _is_already_applied(each)]


def _is_already_applied(each: Any) -> bool:
    return isinstance(each, Mapping) and ALREADY_APPLIED in each.get("differs", ())


def _places_not_in_message(message: str, details: Mapping[str, Any]) -> list[str]:
    return [place for place in places(details) if place.replace(" has ", ": ", 1) not in message]


def _place(each: Any) -> str:
    if not isinstance(each, Mapping):
        return str(each)
    differs = f" (differs in {', '.join(each['differs'])})" if each.get("differs") else ""
    if MOST_LIKE in each.get("differs", ()):
        return f"line {each['line']} has {each['text']}"
    at = f"line {each['line']}" if "line" in each else each["symbolPath"]
    if "anchor" in each:
        return f"{at}{differs}, anchor: {json.dumps(each['anchor'], ensure_ascii=False)}"
    # A symbol with neither was searched for the target.
    return f"{at}{differs}: {each.get('text', 'no such target in it')}"


def diagnostic_line(path: str, each: Mapping[str, Any]) -> str:
    """Return ``path:line:column: id: message``."""
    return f"{_place_in(path, each)}: {each['id']}: {each['message']}"


def _place_in(path: str, each: Mapping[str, Any]) -> str:
    at = f"{each['line']}:{each['column']}"
    return f"{path}:{at}" if path else at


def _diagnostics(found: Sequence[Mapping[str, Any]], message: str) -> Iterator[str]:
    """Yield each error once, with all its places; for errors in ``message`` only the places."""
    places: dict[str, dict[str, str]] = {}
    for each in found:
        is_in_message = f"{each['id']} {each['message'].rstrip('.')}" in message
        if is_in_message and sum(_is_same(each, other) for other in found) == 1:
            continue  # The message already gives the error's only place.
        said = each["id"] if is_in_message else f"{each['id']}: {each['message']}"
        of_files = places.setdefault(said, {})
        path = each.get("path", "")
        first = of_files.get(path)
        of_files[path] = f"{first}, {_place_in('', each)}" if first else _place_in(path, each)
    for said, of_files in places.items():
        first_file, *others = of_files.values()
        yield f"{first_file}: {said}"
        yield from (f"{each}: the same" for each in others)


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one[key] == other[key] for key in ("id", "message"))


def offer_lines(offers: Sequence[Offer], room: int, *, may_abridge: bool = True) -> list[str]:
    """Return the offers that fit into ``room`` code points, each in one or several lines.

    With ``may_abridge``, a long request shows only its changed instructions. In a choice, an offer
    for all places comes before the second offer for one place.
    """
    shown = _fitting(offers, room, may_abridge)
    if is_choice_of(offers) and offers[-1].takes_all and len(shown) < len(offers):
        first_and_all = _fitting((offers[0], offers[-1]), room, may_abridge)
        if len(first_and_all) == 2:
            shown = first_and_all
        else:
            rest = all_in_words(offers[-1])
            shown = [*_fitting(offers, room - len(rest) - 1, may_abridge), [rest]]
    return [line for lines in shown for line in lines]


def all_in_words(offer: Offer) -> str:
    """Return how to change all places, if the offer for that is too long to be shown."""
    where = f" by {offer.tool}" if offer.tool else ""
    if any("metadata" in each for each in instructions_of(offer.arguments)):
        return f"({offer.what}{where}: too long to show; send an instruction for each place)"
    asked = 'with "metadata": {"why": "all places"} in an instruction'
    return f"({offer.what}{where}: too long to show here; to get it, send your request {asked})"


def _fitting(offers: Sequence[Offer], room: int, may_abridge: bool) -> list[list[str]]:
    shown: list[list[str]] = []
    is_choice = is_choice_of(offers)
    for number, offer in enumerate(offers, 1):
        whole = offer if may_abridge else replace(offer, changed=())
        lines = _offer(number, whole, is_choice=is_choice, room=room)
        is_only = not is_choice or len(offers) == 1
        part = _part(number, offer, room) if lines is None and is_only else None
        if part is not None:
            return [*shown, part]  # A single place is no use to an agent that wants all of them.
        if lines is not None:
            shown.append(lines)
            room -= sum(len(line) + 1 for line in lines)
        # After an offer that didn't fit, the next offer isn't the most likely one.
        is_choice = is_choice or lines is None
    return shown


def _part(number: int, offer: Offer, room: int) -> list[str] | None:
    """Return an offer of as many of the requested places as fit, at least two."""
    if not offer.takes_all or len(offer.changed) != 1:
        return None
    ((index, places),) = offer.changed
    every = instructions_of(offer.arguments)
    if list(every[index : index + len(places)]) != list(places):
        return None
    for count in range(len(places) - 1, 1, -1):
        kept = [*every[: index + count], *every[index + len(places) :]]
        of_all = f"{count} of the {len(places)} {'edits that do it' if offer.tool else 'places'}"
        what = f"{of_all}, as not all fit here. Afterwards send your request again"
        shorter = replace(offer, what=what, arguments=with_instructions(offer.arguments, kept))
        lines = _offer(number, replace(shorter, changed=()), is_choice=True, room=room)
        if lines is not None:
            return lines
    return None


def instructions_of(arguments: Mapping[str, Any]) -> Sequence[Any]:
    """Return the instructions of a request for one script; none for a request for several."""
    changes = arguments.get("changes", (arguments,))
    return changes[0].get("instructions", ()) if len(changes) == 1 else ()


def with_instructions(arguments: Mapping[str, Any], every: Sequence[Any]) -> dict[str, Any]:
    """Return a request for one script with ``every`` as its instructions."""
    if "changes" in arguments:
        (change,) = arguments["changes"]
        return {**arguments, "changes": [{**change, "instructions": every}]}
    return {**arguments, "instructions": every}


def is_choice_of(offered: Sequence[Offer]) -> bool:
    """Return whether the caller must choose between offers, or check that the only one is right."""
    return applicability_of(offered)[:1] not in ([], [Applicability.READY])


def _offer(number: int, offer: Offer, *, is_choice: bool, room: int) -> list[str] | None:
    """Return an offer in at most ``room`` code points: a whole request, or changed instructions.

    ``None`` if it doesn't fit. It is called "choice" if the agent must choose, and "draft" if a
    part of it would still be refused.
    """
    word = "draft" if offer.lacks else "choice" if is_choice else "offer"
    what = f"{offer.what}; {offer.basis}" if offer.basis else offer.what
    what = f"{what}; unless {offer.unless}" if offer.unless else what
    what = f"{what}; {to_be_mended(offer.lacks)}" if offer.lacks else what
    what = f"send to {offer.tool}: {what}" if offer.tool else what
    head = f"{word} {number} ({' '.join(what.splitlines())})"
    for separators in (None, (",", ":")):
        as_json = partial(json_line, separators=separators)
        for sent in (offer.arguments, _changed(offer)):
            line = f"{head}: {as_json(sent)}"
            if sent and len(line) < room:
                return [line]
    return None


def _changed(offer: Offer) -> dict[str, Any]:
    """Return an offer's changed instructions, as ``retry`` takes them; empty if it changes more."""
    if offer.tool:  # The other tool takes another form of request.
        return {}
    changed = {
        str(index): becomes[0] if len(becomes) == 1 else list(becomes)
        for index, becomes in offer.changed
    }
    return {"instructions": changed} if changed else {}


def to_be_mended(lacks: str) -> str:
    """Return what the agent must fix before it can send a draft."""
    return f"before you send it, also fix {lacks}"


def json_line(value: Any, *, separators: tuple[str, str] | None = None) -> str:
    """Return ``value`` as JSON on one line, whatever line breaks its texts have."""
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text if len(text.splitlines()) == 1 else json.dumps(value, separators=separators)
