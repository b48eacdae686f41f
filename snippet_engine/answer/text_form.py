"""Put a tool's outcome into words, for a model or a person (docs/design/engine.md §7 and §8).

Errors are in :mod:`.error_text`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from snippet_engine.answer.call_notes import notes_of, own_warnings
from snippet_engine.answer.error_text import diagnostic_line, error_text
from snippet_engine.answer.rename_text import MAX_TEXT_LENGTH as RENAME_LENGTH
from snippet_engine.answer.rename_text import references_lines, rename_lines, seems_rename_line
from snippet_engine.answer.unified_diff import FileDiff, diff_lines
from snippet_engine.errors import SnippetError
from snippet_engine.schemas.schema import SEEMS_RENAME
from snippet_engine.validation.validator import MOST_DIAGNOSTICS

MAX_TEXT_LENGTH = 1000

MAX_OUTLINE_LENGTH = 8000

MAX_HISTORY_LENGTH = 4000
"""Longest text of a history: it has room for 20 changes of one file each."""

_MAX_UNFINISHED = 3
_MAX_LISTED_FILES = 5
_MORE_CHANGES = "\n… {} more changes don't fit here: send path to list those of one file"


def text_form(tool: str, outcome: Mapping[str, Any] | SnippetError) -> str:
    """Return the outcome of ``tool``, a result object or a refusal, in words of bounded length."""
    if isinstance(outcome, SnippetError):
        return error_text(outcome)
    if tool == "get_symbols":
        return _symbols(outcome)
    if tool == "get_history":
        return _history(outcome)
    if tool in _OF_NAMES:
        return cut_at_line("\n".join(_OF_NAMES[tool](outcome)), RENAME_LENGTH)
    if tool in _EDITS:
        return cut_at_line(_EDITS[tool](outcome, MAX_TEXT_LENGTH), MAX_TEXT_LENGTH)
    lines = _FORMS.get(tool, _as_json)(outcome)
    return cut_at_line("\n".join(lines), MAX_TEXT_LENGTH)


def _as_json(result: Mapping[str, Any]) -> Iterator[str]:
    yield json.dumps(result, ensure_ascii=False, indent=2)


def _undo(result: Mapping[str, Any]) -> Iterator[str]:
    if "changeId" in result:
        # If there is a warning, a .meta file may differ; the scripts are as before.
        what = "scripts" if own_warnings(result) else "files"
        yield f"undone change {result['changeId']}: its {what} are as they were before it"
        yield from notes_of(result)
        for each in result["files"]:
            yield changed_file(each)
        yield from removed_files(result)
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
        head += '; "not now": one of its files was changed since; undo the newer changes first'
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
    by = f" by {each['client']}" if "client" in each else ""
    by += f"; changed by {each['source']}" if "source" in each else ""
    if "takenBack" in each:
        yield f"{each['time']}{by}; {each['takenBack']}"
    else:
        why = each.get("damaged") or each.get("blocked", "not now")
        undoable = "undo" if each["undoable"] else why
        yield f"{each['time']}{by}; {undoable}: {json.dumps(each['undo'])}"
    for file in each["files"][:_MAX_LISTED_FILES]:
        moved = f" to {file['movedTo']}" if "movedTo" in file else ""
        first = file["firstLine"].replace("\n", "\n    ")
        yield f"  {file['status']} {file['path']}{moved}: {first}"
    left_out = each.get("fileCount", len(each["files"])) - _MAX_LISTED_FILES
    if left_out > 0:
        yield f"  and {left_out} more"


def _symbols(result: Mapping[str, Any]) -> str:
    if "path" not in result:
        return cut_at_line("\n".join(_found_symbols(result)), MAX_OUTLINE_LENGTH)
    symbols = result["symbols"]
    text = (
        f"{len(symbols)} symbol{'s' * (len(symbols) != 1)} in {result['path']} ({result['hash']})"
    )
    if symbols:
        text += "; symbolPath: names from the margin inwards, joined by dots"
    if "incomplete" in result:
        text += f"\n{result['incomplete']}"
    room = MAX_OUTLINE_LENGTH - len(text) - 100
    above: list[str] = []
    conditions: list[str | None] = [None]
    for count, each in enumerate(symbols):
        path = each["symbolPath"]
        while above and not path.startswith(f"{above[-1]}."):
            above.pop()
            conditions.pop()
        name = path[len(above[-1]) + 1 :] if above else path
        start, end = each["range"]["start"]["line"] + 1, each["range"]["end"]["line"] + 1
        lines = f"{start}-{end}" if end > start else str(start)
        line = f"\n{'  ' * len(above)}{name} {each['kind']} {lines}"
        condition = each.get("condition")
        if condition not in (None, conditions[-1]):
            line += f" #if {condition}"
        room -= len(line)
        if room < 0:
            rest = len(symbols) - count
            return f'{text}\n… {rest} more: send "filter" with a part of the symbolPath'
        text += line
        above.append(path)
        conditions.append(condition)
    return text


def _found_symbols(result: Mapping[str, Any]) -> Iterator[str]:
    symbols = result["symbols"]
    of_all = f" of {result['total']}" if "total" in result else ""
    yield f"{len(symbols)}{of_all} symbol{'s' * (len(symbols) != 1)} found"
    if "incomplete" in result:
        yield result["incomplete"]
    for each in symbols:
        line = each["range"]["start"]["line"] + 1
        yield f"{each['path']}:{line} {each['kind']} {each['symbolPath']}"


def _script_lines(result: Mapping[str, Any]) -> Iterator[str]:
    diagnostics = result["validation"]["diagnostics"]
    at_least = "at least " if len(diagnostics) >= MOST_DIAGNOSTICS else ""
    verdict = "no errors" if result["valid"] else f"{at_least}{len(diagnostics)} error(s)"
    yield f"{result['path']}: {verdict}"
    yield validation_line(result["validation"])
    for each in diagnostics:
        yield diagnostic_line(result["path"], each)


_FOR_DIFF = 350
"""How many code points warnings leave for the diff, if it needs them."""

_FOR_FILES = 400
_MORE = "… ({} more: in structuredContent)"


def edit_text(result: Mapping[str, Any], room: int) -> str:
    """Return the result of ``edit_snippet`` in about ``room`` code points, in whole lines."""
    head = [f"{result['status']} {result['path']}{replayed_note(result)}", *notes_of(result)]
    if result["hashBefore"] == result["hashAfter"]:
        head.append(f"hash {result['hashAfter']}")
    else:
        head.append(f"hashBefore {result['hashBefore']}")
        head.append(f"hashAfter  {result['hashAfter']}")
    head += compiled(result)
    head += seems_rename(result)
    head += _unchanged_instructions(result["results"], "")
    head.append(validation_line(result["validation"]))
    return _join(head, _warnings(result), [FileDiff("", result["diff"])], room)


def changes_text(result: Mapping[str, Any], room: int) -> str:
    """Return the result of ``edit_scripts`` as text of at most ``room`` code points.

    It has a line for each file, then as much of each diff as fits.
    """
    files = result["files"]
    head = [f"{result['status']} {len(files)} file{'s' * (len(files) > 1)}{replayed_note(result)}"]
    if "changeId" in result:
        head.append(f"changeId {result['changeId']}")
    head += notes_of(result)
    head += compiled(result)
    head += seems_rename(result)
    head += _files(files)
    head.append(validation_line(result["validation"]))
    # The status line says that a file is deleted; its diff would only repeat that.
    kept = [each for each in files if each["status"] != "deleted"]
    diffs = [FileDiff(f"--- {each['path']}", each["diff"]) for each in kept]
    return _join(head, _warnings(result), diffs, room)


def changed_file(each: Mapping[str, Any]) -> str:
    """Return one file's status, without hashes, because the change's id is enough to undo it."""
    moved = f" to {each['movedTo']}" if "movedTo" in each else ""
    return f"{each['status']} {each['path']}{moved}"


def removed_files(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield each file of others that an undo removed, and where its copy is."""
    for each in result.get("removed", ()):
        yield f"removed {each['path']}, which others had made; a copy is {each['kept']}"


def validation_line(validation: Mapping[str, Any]) -> str:
    """Return which validator judged the edit, and which checks it omitted."""
    skipped = validation["notChecked"]
    if not validation["coverage"]:
        return f"not validated: {', '.join(skipped)}" if skipped else "nothing to validate"
    missing = f"; not checked: {'; '.join(skipped)}" if skipped else ""
    return f"validated by {validation['validator']} ({', '.join(validation['coverage'])}{missing})"


def compiled(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield what Unity's compiler reported, if the edit requested a compile."""
    found = result.get("compile")
    if found is None:
        return
    why = f" ({found['reason']})" if "reason" in found else ""
    yield f"compile in Unity: {found['status']}{why}"
    for each in found["errors"]:
        yield f"{each['path']}:{each['line']}:{each['column']}: {each['code']} {each['message']}"


def seems_rename(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rename that the edits seem to be, if they do."""
    if SEEMS_RENAME in result:
        yield seems_rename_line(result[SEEMS_RENAME])


def replayed_note(result: Mapping[str, Any]) -> str:
    """Return a note if the result is that of an earlier call, so the files may differ from it."""
    return " (replayed: it ran before; nothing was written now)" if result.get("replayed") else ""


def _unchanged_instructions(results: Sequence[Mapping[str, Any]], indent: str) -> Iterator[str]:
    for each in results:
        if each["status"] in {"skipped", "no_change"}:
            why = f" ({each['reason']})" if each["reason"] != each["status"] else ""
            yield f"{indent}instruction {each['index']}: {each['status']}{why}"


def _files(files: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    room = _FOR_FILES
    for number, each in enumerate(files):
        lines = [changed_file(each), *_unchanged_instructions(each["results"], "  ")]
        room -= sum(len(line) + 1 for line in lines)
        if room < 0 and number:
            of_all = Counter(file["status"] for file in files[number:])
            counts = ", ".join(f"{count} {status}" for status, count in of_all.items())
            yield f"… and {len(files) - number} more ({counts}): in structuredContent"
            return
        yield from lines


def _warnings(result: Mapping[str, Any]) -> list[str]:
    return [_warning(each) for each in own_warnings(result)]


def _warning(warning: Mapping[str, Any]) -> str:
    at = f" {warning['path']}" if "path" in warning else ""
    if "line" in warning:
        at += f":{warning['line']}" if at else f" line {warning['line']}"
    return f"warning {warning['code']}{at}: {warning['message']}"


def _join(
    head: Sequence[str], warnings: Sequence[str], diffs: Sequence[FileDiff], room: int
) -> str:
    room -= sum(len(line) + 1 for line in head)
    of_diffs = sum(len(each.heading) + len(each.diff) + 2 for each in diffs if each.diff)
    fitting = list(_fitting_warnings(warnings, room - min(of_diffs, _FOR_DIFF)))
    room -= sum(len(line) + 1 for line in fitting)
    return "\n".join((*head, *fitting, *diff_lines(diffs, room)))


def _fitting_warnings(warnings: Sequence[str], room: int) -> Iterator[str]:
    for number, line in enumerate(warnings):
        is_last = number == len(warnings) - 1
        room -= len(line) + 1
        if number and room < (0 if is_last else len(_MORE)):
            yield f"{_MORE.format(f'{len(warnings) - number} warnings')}"
            return
        yield line


_MORE_LINES = "… ({} more lines: in structuredContent)"


def cut_at_line(text: str, room: int) -> str:
    """Return the first lines of ``text`` in ``room`` code points, and how many were omitted."""
    if len(text) <= room:
        return text
    lines = text.split("\n")
    left = room - len(_MORE_LINES.format(len(lines)))
    kept: list[str] = []
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    if not kept:
        return text[: room - 1] + "…"
    return "\n".join((*kept, _MORE_LINES.format(len(lines) - len(kept))))


_EDITS = {"edit_snippet": edit_text, "edit_scripts": changes_text}

_OF_NAMES = {"find_references": references_lines, "rename_symbol": rename_lines}

_FORMS = {
    "undo_snippet": _undo,
    "validate_script": _script_lines,
}
"""The results of other tools are shown as JSON."""
