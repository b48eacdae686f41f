"""A tool's outcome in words, for a model or a person to read.

Implements the text form of docs/design/engine.md §7 and §8: at most 1,000 characters, 8,000 for
an outline, which is of use only as a whole, and 4,000 for a history. Errors are told in
:mod:`.error_text`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from snippet_engine.answer.completed_first import notes_of, own_warnings
from snippet_engine.answer.cut_text import cut_at_line
from snippet_engine.answer.edit_text import (
    changed_file,
    changes_text,
    edit_text,
    validation_line,
)
from snippet_engine.answer.error_text import diagnostic_line, error_text
from snippet_engine.errors import SnippetError
from snippet_engine.validation.validator import MOST_DIAGNOSTICS

MAX_TEXT_LENGTH = 1000

MAX_OUTLINE_LENGTH = 8000

MAX_HISTORY_LENGTH = 4000
"""Longest text of a history: room for the usual 20 changes of one file each."""

_MAX_UNFINISHED = 3
_MAX_LISTED_FILES = 5
"""Files of a change that a history's text names."""

_MORE_CHANGES = "\n… {} more don't fit here: send path for those of one file"


def text_form(tool: str, outcome: Mapping[str, Any] | SnippetError) -> str:
    """The outcome of ``tool`` (its result object, or the refusal) in words.

    At most ``MAX_TEXT_LENGTH`` code points; ``MAX_OUTLINE_LENGTH`` for ``get_symbols``,
    ``MAX_HISTORY_LENGTH`` for ``get_history``, and ``MAX_ERROR_LENGTH`` for an error.
    """
    if isinstance(outcome, SnippetError):
        return error_text(outcome)
    if tool == "get_symbols":
        return _symbols(outcome)
    if tool == "get_history":
        return _history(outcome)
    if tool in _EDITS:
        return cut_at_line(_EDITS[tool](outcome, MAX_TEXT_LENGTH), MAX_TEXT_LENGTH)
    return cut_at_line("\n".join(_FORMS[tool](outcome)), MAX_TEXT_LENGTH)


def _undo(result: Mapping[str, Any]) -> Iterator[str]:
    if "changeId" in result:
        # A script is told to be as it was: what is to be said of its .meta, a warning says.
        what = "scripts" if own_warnings(result) else "files"
        yield f"undone change {result['changeId']}: its {what} are as they were before that apply"
        yield from notes_of(result)
        for each in result["files"]:
            yield changed_file(each)
        for each in result.get("removed", ()):
            yield f"removed {each['path']}, which others had made; a copy is {each['kept']}"
        for warning in own_warnings(result):
            yield f"warning {warning['code']} {warning['path']}: {warning['message']}"
        yield from _not_judged(result)
        return
    yield f"undone {result['path']}: the file is as it was before that apply"
    yield from notes_of(result)
    yield f"hashBefore {result['hashBefore']}"
    yield f"hashAfter  {result['hashAfter']}"
    yield from _not_judged(result)


def _not_judged(result: Mapping[str, Any]) -> Iterator[str]:
    for each in result.get("notChecked", ()):
        yield f"not checked: {each}"


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


def _indented(lines: str) -> str:
    return lines.replace("\n", "\n    ")


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
        yield f"  {file['status']} {file['path']}{moved}: {_indented(file['firstLine'])}"
    left_out = len(each["files"]) - _MAX_LISTED_FILES
    if left_out > 0:
        yield f"  and {left_out} more"


def _symbols(result: Mapping[str, Any]) -> str:
    """One line for each symbol below the one that it stands in: name, kind, one-based lines.

    What the project's symbols don't compile has its condition, unless the line above has it.
    """
    symbols = result["symbols"]
    text = (
        f"{len(symbols)} symbol{'s' * (len(symbols) != 1)} in {result['path']} ({result['hash']}); "
        "symbolPath: names from the margin inwards, joined by dots"
    )
    if "incomplete" in result:
        text += f"\n{result['incomplete']}"
    condition = None
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
        if each.get("condition", condition) != condition:
            line += f" #if {each['condition']}"
        condition = each.get("condition")
        room -= len(line)
        if room < 0:
            rest = len(symbols) - count
            return f'{text}\n… {rest} more: send "filter" with a part of the symbolPath'
        text += line
        above.append(path)
    return text


def _script(result: Mapping[str, Any]) -> Iterator[str]:
    diagnostics = result["validation"]["diagnostics"]
    at_least = "at least " if len(diagnostics) >= MOST_DIAGNOSTICS else ""
    verdict = "no errors" if result["valid"] else f"{at_least}{len(diagnostics)} error(s)"
    yield f"{result['path']}: {verdict}"
    yield validation_line(result["validation"])
    for each in diagnostics:
        yield diagnostic_line(result["path"], each)


_EDITS = {"edit_snippet": edit_text, "edit_scripts": changes_text}

_FORMS = {
    "undo_snippet": _undo,
    "validate_script": _script,
}
