"""An edit's result in words: what was done, what to look at, and what it changes.

Part of the text form of docs/design/engine.md §7. Its room goes first to what was done, then to
warnings and diffs, of which neither pushes the other out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from snippet_engine.answer.completed_first import notes_of, own_warnings
from snippet_engine.answer.diff_text import FileDiff, diff_lines

_FOR_DIFF = 350
"""What warnings leave to the diff, in code points, if it has so much."""

_FOR_FILES = 400
"""What the list of a set's files may take."""

_MORE = "… ({} more: in structuredContent)"


def edit_text(result: Mapping[str, Any], room: int) -> str:
    """The result of ``edit_snippet`` in at most about ``room`` code points; lines are whole."""
    head = [f"{result['status']} {result['path']}{_replayed(result)}", *notes_of(result)]
    if result["hashBefore"] == result["hashAfter"]:
        head.append(f"hash {result['hashAfter']}")
    else:
        head.append(f"hashBefore {result['hashBefore']}")
        head.append(f"hashAfter  {result['hashAfter']}")
    head += compiled(result)
    head += _undone(result["results"], "")
    head.append(validation_line(result["validation"]))
    return _put_together(head, _warnings(result), [FileDiff("", result["diff"])], room)


def changes_text(result: Mapping[str, Any], room: int) -> str:
    """The result of ``edit_scripts``, likewise: a line for each file, and of each diff a share."""
    files = result["files"]
    head = [f"{result['status']} {len(files)} file{'s' * (len(files) > 1)}{_replayed(result)}"]
    if "changeId" in result:
        head.append(f"changeId {result['changeId']}")
    head += notes_of(result)
    head += compiled(result)
    head += _files(files)
    head.append(validation_line(result["validation"]))
    # What goes is said by its line: each of its lines would say it once more.
    kept = [each for each in files if each["status"] != "deleted"]
    diffs = [FileDiff(f"--- {each['path']}", each["diff"]) for each in kept]
    return _put_together(head, _warnings(result), diffs, room)


def changed_file(each: Mapping[str, Any]) -> str:
    """What became of a file of a set. Its hashes are for the structured half: none is to be sent,
    as the change's id undoes it."""
    moved = f" to {each['movedTo']}" if "movedTo" in each else ""
    return f"{each['status']} {each['path']}{moved}"


def validation_line(validation: Mapping[str, Any]) -> str:
    """Who judged it, and what was not looked at."""
    skipped = validation["notChecked"]
    if not validation["coverage"]:
        return f"not validated: {', '.join(skipped)}" if skipped else "nothing to validate"
    missing = f"; not checked: {'; '.join(skipped)}" if skipped else ""
    return f"validated by {validation['validator']} ({', '.join(validation['coverage'])}{missing})"


def compiled(result: Mapping[str, Any]) -> Iterator[str]:
    """What Unity's compiler said of an edit that was to be compiled."""
    found = result.get("compile")
    if found is None:
        return
    why = f" ({found['reason']})" if "reason" in found else ""
    yield f"compile in Unity: {found['status']}{why}"
    for each in found["errors"]:
        yield f"{each['path']}:{each['line']}:{each['column']}: {each['code']} {each['message']}"


def _replayed(result: Mapping[str, Any]) -> str:
    return " (replayed: this request was applied before)" if result.get("replayed") else ""


def _undone(results: Sequence[Mapping[str, Any]], indent: str) -> Iterator[str]:
    """The instructions that change nothing."""
    for each in results:
        if each["status"] in {"skipped", "no_change"}:
            yield f"{indent}instruction {each['index']}: {each['status']} ({each['reason']})"


def _files(files: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each file, and of many for the first ones."""
    room = _FOR_FILES
    for number, each in enumerate(files):
        lines = [changed_file(each), *_undone(each["results"], "  ")]
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


def _put_together(
    head: Sequence[str], warnings: Sequence[str], diffs: Sequence[FileDiff], room: int
) -> str:
    room -= sum(len(line) + 1 for line in head)
    of_diffs = sum(len(each.heading) + len(each.diff) + 2 for each in diffs if each.diff)
    told = list(_as_many(warnings, room - min(of_diffs, _FOR_DIFF)))
    room -= sum(len(line) + 1 for line in told)
    return "\n".join((*head, *told, *diff_lines(diffs, room)))


def _as_many(warnings: Sequence[str], room: int) -> Iterator[str]:
    """The first of ``warnings`` that fit, one at least, and how many there are besides."""
    for number, line in enumerate(warnings):
        is_last = number == len(warnings) - 1
        room -= len(line) + 1
        if number and room < (0 if is_last else len(_MORE)):
            yield f"{_MORE.format(f'{len(warnings) - number} warnings')}"
            return
        yield line
