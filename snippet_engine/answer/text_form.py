"""A tool's outcome in words, for a model or a person to read.

Implements the text form of docs/design/engine.md §7 and §8: at most 1,000 characters, 8,000 for
an outline, which is of use only as a whole, and 4,000 for a history. An error has 2,000, as most
clients show a model nothing else of it: a line that says what is wrong and where, then one for each
request to send instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from snippet_engine.answer.completed_first import notes_of, own_warnings
from snippet_engine.answer.offer_text import is_choice_of, json_line, offer_lines
from snippet_engine.errors import ErrorCode, SnippetError

MAX_TEXT_LENGTH = 1000

MAX_ERROR_LENGTH = 2000

MAX_OUTLINE_LENGTH = 8000

MAX_HISTORY_LENGTH = 4000
"""Longest text of a history: room for the usual 20 changes of one file each."""

_MAX_FAULTS = 1000
"""What all that is wrong may take of an error's text, so that offers find room, in code points."""

_MAX_UNFINISHED = 3
_MAX_LISTED_FILES = 5
"""Files of a change that a history's text names."""

_MORE = " …"

_MORE_CHANGES = "\n… {} more don't fit here: send path for those of one file"

_BY_FILE = " | Not all that is near fits here: send one file at a time, and its places are told."
"""Where the places of a set's files have no room."""


def text_form(tool: str, outcome: Mapping[str, Any] | SnippetError) -> str:
    """The outcome of ``tool`` (its result object, or the refusal) in words.

    At most ``MAX_TEXT_LENGTH`` code points; ``MAX_OUTLINE_LENGTH`` for ``get_symbols``,
    ``MAX_HISTORY_LENGTH`` for ``get_history``, and ``MAX_ERROR_LENGTH`` for an error.
    """
    if isinstance(outcome, SnippetError):
        return _error(outcome)
    if tool == "get_symbols":
        return _symbols(outcome)
    if tool == "get_history":
        return _history(outcome)
    return _joined(list(_FORMS[tool](outcome)))


def _joined(lines: list[str]) -> str:
    text = "\n".join(lines)
    return text if len(text) <= MAX_TEXT_LENGTH else text[: MAX_TEXT_LENGTH - 1] + "…"


def _edit(result: Mapping[str, Any]) -> Iterator[str]:
    replayed = " (replayed: this request was applied before)" if result.get("replayed") else ""
    yield f"{result['status']} {result['path']}{replayed}"
    yield from notes_of(result)
    if result["hashBefore"] == result["hashAfter"]:
        yield f"hash {result['hashAfter']}"
    else:
        yield f"hashBefore {result['hashBefore']}"
        yield f"hashAfter  {result['hashAfter']}"
    yield from _compiled(result)
    for each in result["results"]:
        if each["status"] in {"skipped", "no_change"}:
            yield f"instruction {each['index']}: {each['status']} ({each['reason']})"
    yield _validation(result["validation"])
    for warning in own_warnings(result):
        at = f" line {warning['line']}" if "line" in warning else ""
        yield f"warning {warning['code']}{at}: {warning['message']}"
    if result["diff"]:
        yield result["diff"]


def _changes(result: Mapping[str, Any]) -> Iterator[str]:
    """One line for each file, what there is to know, and as much of the diffs as there is room."""
    replayed = " (replayed: this request was applied before)" if result.get("replayed") else ""
    files = result["files"]
    yield f"{result['status']} {len(files)} file{'s' * (len(files) > 1)}{replayed}"
    if "changeId" in result:
        yield f"changeId {result['changeId']}"
    yield from notes_of(result)
    yield from _compiled(result)
    for each in files:
        moved = f" to {each['movedTo']}" if "movedTo" in each else ""
        after = f" hashAfter {each['hashAfter']}" if "hashAfter" in each else ""
        yield f"{each['status']} {each['path']}{moved}{after}"
        for one in each["results"]:
            if one["status"] in {"skipped", "no_change"}:
                yield f"  instruction {one['index']}: {one['status']} ({one['reason']})"
    yield _validation(result["validation"])
    for warning in own_warnings(result):
        at = f" {warning['path']}" if "path" in warning else ""
        at += f" line {warning['line']}" if "line" in warning else ""
        yield f"warning {warning['code']}{at}: {warning['message']}"
    for each in files:
        if each["diff"]:
            yield f"--- {each['path']}"
            yield each["diff"]


def _compiled(result: Mapping[str, Any]) -> Iterator[str]:
    """What Unity's compiler said of an edit that was to be compiled."""
    compiled = result.get("compile")
    if compiled is None:
        return
    why = f" ({compiled['reason']})" if "reason" in compiled else ""
    yield f"compile in Unity: {compiled['status']}{why}"
    for each in compiled["errors"]:
        yield f"{each['path']}:{each['line']}:{each['column']}: {each['code']} {each['message']}"


def _validation(validation: Mapping[str, Any]) -> str:
    skipped = validation["notChecked"]
    if not validation["coverage"]:
        return f"not validated: {', '.join(skipped)}" if skipped else "nothing to validate"
    missing = f"; not checked: {'; '.join(skipped)}" if skipped else ""
    return f"validated by {validation['validator']} ({', '.join(validation['coverage'])}{missing})"


def _undo(result: Mapping[str, Any]) -> Iterator[str]:
    if "changeId" in result:
        # A script is told to be as it was: what is to be said of its .meta, a warning says.
        what = "scripts" if own_warnings(result) else "files"
        yield f"undone change {result['changeId']}: its {what} are as they were before that apply"
        yield from notes_of(result)
        for each in result["files"]:
            yield _changed_file(each)
        for each in result.get("removed", ()):
            yield f"removed {each['path']}, which others had made; a copy is {each['kept']}"
        for warning in own_warnings(result):
            yield f"warning {warning['code']} {warning['path']}: {warning['message']}"
        return
    yield f"undone {result['path']}: the file is as it was before that apply"
    yield from notes_of(result)
    yield f"hashBefore {result['hashBefore']}"
    yield f"hashAfter  {result['hashAfter']}"


def _changed_file(each: Mapping[str, Any]) -> str:
    moved = f" to {each['movedTo']}" if "movedTo" in each else ""
    after = f" hashAfter {each['hashAfter']}" if "hashAfter" in each else ""
    return f"{each['status']} {each['path']}{moved}{after}"


def _history(result: Mapping[str, Any]) -> str:
    """A few lines for each change, as many changes as there is room for, each of them whole."""
    changes = result["changes"]
    waiting = result.get("unfinished", [])
    head = "".join(f"Unfinished: {each['message']}\n" for each in waiting[:_MAX_UNFINISHED])
    if len(waiting) > _MAX_UNFINISHED:
        head += f"and {len(waiting) - _MAX_UNFINISHED} more that are unfinished\n"
    if "leftBehind" in result:
        left = result["leftBehind"]
        files = left["temporaryFiles"]
        more = f" and {len(files) - _MAX_UNFINISHED} more" if len(files) > _MAX_UNFINISHED else ""
        head += f"{left['message']}\n  {', '.join(files[:_MAX_UNFINISHED])}{more}\n"
    head += f"{len(changes)} change{'s' * (len(changes) != 1)}, newest first"
    if any(_changed_since(each) for each in changes):
        head += '; "not now": a file of it was changed since; what is newer is undone first'
    truncated = "\nThere are more: send path, or a larger limit." * bool(result.get("truncated"))
    room = MAX_HISTORY_LENGTH - len(head) - len(_MORE_CHANGES) - len(truncated)
    text = head
    for count, each in enumerate(changes):
        entry = "".join(f"\n{line}" for line in _history_entry(each))
        room -= len(entry)
        if room < 0:
            return text + _MORE_CHANGES.format(len(changes) - count) + truncated
        text += entry
    return text + truncated


def _changed_since(each: Mapping[str, Any]) -> bool:
    return not each["undoable"] and each.keys().isdisjoint(("damaged", "takenBack", "blocked"))


def _history_entry(each: Mapping[str, Any]) -> Iterator[str]:
    """When it was done and by whom, what undoes it, and a line for each of its files."""
    by = f" by {each['client']}" if "client" in each else ""
    if "takenBack" in each:
        yield f"{each['time']}{by}; {each['takenBack']}"
    else:
        why = each.get("damaged") or each.get("blocked", "not now")
        undoable = "undo" if each["undoable"] else why
        yield f"{each['time']}{by}; {undoable}: {json.dumps(each['undo'])}"
    for file in each["files"][:_MAX_LISTED_FILES]:
        moved = f" to {file['movedTo']}" if "movedTo" in file else ""
        yield f"  {file['status']} {file['path']}{moved}: {file['firstLine']}"
    left_out = len(each["files"]) - _MAX_LISTED_FILES
    if left_out > 0:
        yield f"  and {left_out} more"


def _symbols(result: Mapping[str, Any]) -> str:
    """One line for each symbol below the one that it stands in: name, kind, one-based lines."""
    symbols = result["symbols"]
    text = (
        f"{len(symbols)} symbol{'s' * (len(symbols) != 1)} in {result['path']} ({result['hash']}); "
        "symbolPath: names from the margin inwards, joined by dots"
    )
    room = MAX_OUTLINE_LENGTH - len(text) - 100
    above: list[str] = []
    for count, each in enumerate(symbols):
        path = each["symbolPath"]
        while above and not path.startswith(f"{above[-1]}."):
            above.pop()
        name = path[len(above[-1]) + 1 :] if above else path
        start, end = each["range"]["start"]["line"] + 1, each["range"]["end"]["line"] + 1
        lines = f"{start}-{end}" if end > start else str(start)
        line = f"\n{'  ' * len(above)}{name} {each['kind']} {lines}"
        room -= len(line)
        if room < 0:
            rest = len(symbols) - count
            return f'{text}\n… {rest} more: send "filter" with a part of the symbolPath'
        text += line
        above.append(path)
    return text


def _script(result: Mapping[str, Any]) -> Iterator[str]:
    diagnostics = result["validation"]["diagnostics"]
    verdict = "no errors" if result["valid"] else f"{len(diagnostics)} error(s)"
    yield f"{result['path']}: {verdict}"
    yield _validation(result["validation"])
    for each in diagnostics:
        yield _diagnostic(each)


def _diagnostic(each: Mapping[str, Any]) -> str:
    at = f"{each.get('path', '')}({each['line']},{each['column']})"
    return f"{at} {each['id']}: {each['message']}"


def _diagnostics(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every error, and what several have in common once: with the first file's places, then the
    other files by themselves."""
    places: dict[str, dict[str, str]] = {}
    for each in found:
        of_files = places.setdefault(f"{each['id']}: {each['message']}", {})
        path = each.get("path", "")
        of_files[path] = f"{of_files.get(path, path)}({each['line']},{each['column']})"
    for said, of_files in places.items():
        first, *others = of_files.values()
        yield f"{first} {said}"
        yield from (f"{each} the same" for each in others)


_FORMS = {
    "edit_snippet": _edit,
    "edit_scripts": _changes,
    "undo_snippet": _undo,
    "validate_script": _script,
}


def _error(error: SnippetError) -> str:
    where = _at(error.file, error.details.get("path"), error.instruction)
    where = f" [{where}]" if where else ""
    untold = (each for each in notes_of(error.details) if each not in error.message)
    first = _Line(" ".join((f"{error.code.value}{where}: {error.message}", *untold)))
    first.add(_whole_reason(error), _MAX_FAULTS)
    first.add(_faults(error.details), _MAX_FAULTS)
    room = MAX_ERROR_LENGTH - len(first.text) - len(_MORE)
    offered = offer_lines(error.offers, room)
    room -= sum(len(line) + 1 for line in offered)
    is_choice = len(error.offers) > 1 and is_choice_of(error.offers)
    if error.file is not None and is_choice and len(offered) == 1:
        room += len(offered.pop()) + 1  # One of a choice alone would be taken for the offer.
    if len(_files_at_fault(error)) > 1 and not offered:
        room -= len(_BY_FILE)
        first.add(_places_of_all(error), len(first.text) + room)
        if first.left_out:
            return first.text + _MORE + _BY_FILE
    else:
        first.add(_places(error, are_offered=bool(offered)), len(first.text) + room)
    return "\n".join((first.text + _MORE * first.left_out, *offered))


def _files_at_fault(error: SnippetError) -> set[int | None]:
    """The files of a set that are at fault, by their indexes."""
    others = error.details.get("otherErrors", ())
    return {error.file, *(each.get("file", error.file) for each in others)}


def _at(file: int | None, path: str | None, instruction: int | None) -> str:
    """Which file of a set, and which instruction, is at fault."""
    parts = [f"file {file}" + (f" {path}" if path else "")] if file is not None else []
    parts += [f"instruction {instruction}"] if instruction is not None else []
    return ", ".join(parts)


class _Line:
    """One line, of which nothing is cut in the middle: what doesn't fit is left out."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.splitlines())
        self.left_out = False

    def add(self, parts: Iterable[str], limit: int) -> None:
        """Add each of ``parts`` with which the line has at most ``limit`` code points."""
        for part in (" ".join(each.splitlines()) for each in parts):
            if len(self.text) + len(part) + 3 > limit:
                self.left_out = True  # A shorter one may fit.
            else:
                self.text += " | " + part


def _whole_reason(error: SnippetError) -> Iterator[str]:
    """The reason that the message has only in part: it may say what is to be typed."""
    reason = error.details.get("reason")
    if error.code is not ErrorCode.VALIDATOR_UNAVAILABLE or reason is None:
        return
    if reason.removesuffix(".") not in error.message:
        yield f"reason: {reason}"


def _faults(details: Mapping[str, Any]) -> Iterator[str]:
    """What else is wrong."""
    for problem in details.get("problems", ())[1:]:
        yield f"{problem['path']} {problem['message']}"
    yield from _diagnostics(details.get("diagnostics", ()))
    for other in details.get("otherErrors", ()):
        at = _at(other.get("file"), other["details"].get("path"), other.get("instruction"))
        yield f"also {at}: {other['code']}: {other['message']}"
    for each in details.get("undoable", ()):
        yield f"hashAfter {each}"
    for each in details.get("undoInOrder", ()):
        yield json_line(each)


def _places(error: SnippetError, *, are_offered: bool) -> Iterator[str]:
    """What helps the next try beside the offers, most helpful first."""
    if are_offered:
        yield from _not_offered(error)
        return
    yield from _places_beside(error.message, error.details)
    for each in error.details.get("instructions", ()):
        if isinstance(each, Mapping):
            yield json_line(each)


def _places_of_all(error: SnippetError) -> Iterator[str]:
    """The places of every file at fault, each with its file where these are several."""
    others = error.details.get("otherErrors", ())
    if not others:
        yield from _places(error, are_offered=False)
        return
    for each in (error.to_json(), *others):
        at = _at(each.get("file"), None, each.get("instruction"))
        told = _places_beside(each["message"], each["details"])
        yield from (f"{at}: {place}" for place in told)


def _not_offered(error: SnippetError) -> list[str]:
    """The candidates that no offer has by itself."""
    offered = [
        becomes[0]["anchor"]
        for offer in error.offers
        for _, becomes in offer.changed
        if len(becomes) == 1
    ]
    candidates = error.details.get("candidates", ())
    return [_place(each) for each in candidates if each.get("anchor") not in offered]


def places(details: Mapping[str, Any]) -> list[str]:
    """A line for each place in an error's ``details``, with the anchor to send for it."""
    return [_place(each) for each in (*details.get("candidates", ()), *details.get("nearest", ()))]


def _places_beside(message: str, details: Mapping[str, Any]) -> list[str]:
    """The same, without a line that the ``message`` has whole."""
    return [place for place in places(details) if place.replace(" has ", ": ", 1) not in message]


def _place(each: Any) -> str:
    """A candidate or near miss, with the anchor to send."""
    if not isinstance(each, Mapping):
        return str(each)
    from snippet_engine.anchors.near_miss import MOST_LIKE  # noqa: PLC0415 - only for errors

    differs = f" ({', '.join(each['differs'])})" if each.get("differs") else ""
    if MOST_LIKE in each.get("differs", ()):
        return f"line {each['line']} has {each['text']}"
    at = f"line {each['line']}" if "line" in each else each["symbolPath"]
    anchor = json.dumps(each["anchor"], ensure_ascii=False) if "anchor" in each else ""
    # A symbol without either was looked through.
    return f"{at}{differs}: {anchor or each.get('text', 'no such target in it')}"
