"""Turn a script tool's full result into the short answer for MCP clients.

Implements docs/design/server-and-bridge.md §2 "Short answers". Pure: it gets the full result, and
returns the short result and its text. ``include: ["full"]`` asks for the full form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mcp_server.contract.outcome import ToolResult
from mcp_server.contract.short_schemas import FULL, HASH_DIGITS, SHORT_OUTPUTS
from snippet_engine.errors import counted
from snippet_engine.schemas.schema import SEEMS_RENAME

Json = dict[str, Any]
Given = Callable[[str, Sequence[Json]], list[Json]]
"""Returns those of a file's warnings that the caller was not given yet."""

NO_NAMES = "names and types"

_OF_THE_FILE = frozenset(
    {
        *("mixed_line_endings", "preexisting_errors", "hard_links"),
        *("script_name", "windows_name"),
    }
)
"""Warnings about the file itself, not about what an edit does to it."""

_WHOLE_HASH = re.compile(rf"sha256:([0-9a-f]{{{HASH_DIGITS}}})[0-9a-f]{{{64 - HASH_DIGITS}}}")

_WHY = "semantic_not_checked"
_LATE = "Names and types were not checked in time"
_NOT_CHECKED = re.compile(r"(.+?),? (?:was|were) not checked(.*?)\.?$", re.DOTALL)
_REASONS = {
    "inactive_code": "names and types in code that #if excludes",
    "other_files": "what the change affects elsewhere",
    "more_files": "what the change affects elsewhere",
    "other_assemblies": "what the change affects in other assemblies",
    "unused_members": "unused members, which are errors here; check_project finds them",
    "lowering": "errors that appear only when code is generated",
    "analyzers": "what the project's analyzers report; check_project runs them",
}
"""By a language server's reason: what was not checked, as text."""

_COVERAGE = {"semantics": "names", "syntax": "syntax", "brackets": "brackets"}


def give_all(_path: str, warnings: Sequence[Json]) -> list[Json]:
    """Return all ``warnings``, for a caller of whom nothing is known."""
    return list(warnings)


def short_answer(
    tool: str, arguments: Mapping[str, Any], outcome: ToolResult, given: Given = give_all
) -> ToolResult:
    """Return ``outcome`` in its short form, unless ``arguments`` ask for the full form."""
    included = arguments.get("include") or ()
    if tool not in SHORT_OUTPUTS or FULL in included:
        return outcome
    result = outcome.structured
    if tool == "edit_snippet":
        short = _edit(result, wants_diff="diff" in included, given=given)
    elif tool == "edit_scripts":
        short = _edits(result, wants_diff="diff" in included, given=given)
    else:
        short = _FORMS[tool](result)
    if tool == "rename_symbol" and result["applied"]:
        text = _without_diffs(tool, result)
    elif tool in _IN_WORDS:
        # The text of an outline or a history is already short.
        text = _WHOLE_HASH.sub(r"\1", outcome.text)
    else:
        text = "\n".join(_words(short))
    return ToolResult(_without_empty(short), _bounded(text))


def _without_diffs(tool: str, result: Json) -> str:
    """Return the text of a change without the diffs, which the preview has shown."""
    from snippet_engine.answer.text_form import text_form  # noqa: PLC0415 - loaded already if the engine ran

    files = [{**each, "diff": ""} for each in result["files"]]
    return text_form(tool, {**result, "files": files})


def _edit(result: Json, *, wants_diff: bool, given: Given) -> Json:
    warnings, why = _split(result["path"], result["warnings"], given)
    is_applied = result["applied"] and not _is_kept_from_undo(result)
    undo = {"path": result["path"], "hashAfter": _digits(result["hashAfter"])}
    return {
        "status": result["status"],
        **_of_a_file(result, wants_diff=wants_diff or result["status"] == "previewed"),
        **_verdict(result["validation"], why),
        "undo": undo if is_applied else None,
        "warnings": warnings,
        **_rename_instead(result),
        **_kept(result, "compile", "workspaceEdit", "replayed", "truncated"),
    }


def _edits(result: Json, *, wants_diff: bool, given: Given) -> Json:
    # Include files without warnings, because their earlier warnings no longer apply.
    by_path: dict[str, list[Json]] = {
        each.get("movedTo") or each["path"]: [] for each in result["files"]
    }
    for each in result["warnings"]:
        by_path.setdefault(each.get("path", ""), []).append(each)
    split = [_split(path, found, given) for path, found in by_path.items()]
    wants_diff = wants_diff or result["status"] == "previewed"
    is_applied = result["applied"] and not _is_kept_from_undo(result)
    return {
        "status": result["status"],
        "files": [
            _without_empty(
                {
                    "path": each["path"],
                    "movedTo": each.get("movedTo"),
                    "status": each["status"],
                    **_of_a_file(each, wants_diff=wants_diff),
                }
            )
            for each in result["files"]
        ],
        **_verdict(result["validation"], "; ".join(why for _, why in split if why)),
        "undo": {"changeId": result["changeId"]} if is_applied else None,
        "warnings": [each for warnings, _ in split for each in warnings],
        **_rename_instead(result),
        **_kept(result, "compile", "replayed", "truncated"),
    }


def _rename_instead(result: Json) -> Json:
    if SEEMS_RENAME not in result:
        return {}
    found = result[SEEMS_RENAME]
    requests = [
        {**each, "arguments": _with_digits(each["arguments"])} for each in found["requests"]
    ]
    return {SEEMS_RENAME: {**found, "requests": requests}}


def _of_a_file(result: Json, *, wants_diff: bool) -> Json:
    results = result["results"]
    skipped = [
        {"index": each["index"], "reason": each["reason"]}
        for each in results
        if each["status"] in ("skipped", "no_change")
    ]
    wants_diff = wants_diff or any(each.get("adjusted") for each in results)
    return {
        "path": result["path"],
        "hashBefore": _digits(result.get("hashBefore")),
        "hashAfter": _digits(result.get("hashAfter")),
        "lines": result.get("lines"),
        "skipped": skipped,
        "diff": result["diff"] if wants_diff else None,
    }


def _split(path: str, warnings: Sequence[Json], given: Given) -> tuple[list[Json], str]:
    """Return the warnings to give, and why no compiler has judged (empty if one has)."""
    new = given(path, [each for each in warnings if each["code"] in _OF_THE_FILE])
    why = next((each["message"] for each in warnings if each["code"] == _WHY), "")
    shown = [
        each
        for each in warnings
        if (each in new or each["code"] not in _OF_THE_FILE) and each["code"] != _WHY
    ]
    return shown, why


def _is_kept_from_undo(result: Json) -> bool:
    return any(each["code"] == "not_undoable" for each in result["warnings"])


def _verdict(validation: Json, why: str = "") -> Json:
    coverage = validation["coverage"]
    noted = validation["notChecked"]
    of_names = [each for each in noted if each.startswith("semantics")]
    left = [_in_words(each) for each in of_names if "(" in each]
    if of_names and "semantics" not in coverage:
        left = [_names_not_checked(why), *left[1:]]
    left += [_phrase_of(each) for each in noted if each not in of_names]
    left = list(dict.fromkeys(left))
    farthest = next((word for each, word in _COVERAGE.items() if each in coverage), "nothing")
    return {"checked": farthest, "notChecked": left}


def _names_not_checked(why: str) -> str:
    """Return as a phrase that names and types were not checked, and why."""
    said = _phrase_of(why.removesuffix("."))
    if not said:
        return NO_NAMES
    return said if said.casefold().startswith(NO_NAMES) else f"{NO_NAMES}: {said}"


def _phrase_of(sentence: str) -> str:
    """Return as a phrase what was not checked, according to the sentence."""
    found = _NOT_CHECKED.match(sentence)
    if sentence.removesuffix(".") == _LATE:
        return f"{NO_NAMES}: the compiler did not answer in time"
    if found is None:
        return sentence
    what = found[1] + found[2]
    return what[0].lower() + what[1:] if what.startswith(("Names ", "The ")) else what


def _in_words(note: str) -> str:
    """Return the text for a language server's note ``semantics (REASON: DETAIL)``."""
    reason, _, detail = note.removeprefix("semantics (").removesuffix(")").partition(": ")
    begin = _REASONS.get(reason, NO_NAMES)
    return f"{begin}: {detail}" if detail else begin


def _undo(result: Json) -> Json:
    if "files" not in result:
        return _with_digits(result)
    files = result["files"]
    return {
        **_with_digits(result),
        "files": list(map(_with_digits, files[:_MOST_FILES])),
        "fileCount": len(files) if len(files) > _MOST_FILES else None,
    }


def _history(result: Json) -> Json:
    return {**result, "changes": list(map(_change, result["changes"]))}


def _change(entry: Json) -> Json:
    files = [
        {key: each[key] for key in ("path", "movedTo", "status", "firstLine") if key in each}
        for each in entry["files"]
    ]
    undoable = None if entry["undoable"] else False
    undo = _with_digits(entry["undo"])
    return _without_empty({**entry, "undoable": undoable, "undo": undo, "files": files})


def _symbols(result: Json) -> Json:
    symbols = [
        {
            **_kept(each, "path"),
            "symbolPath": each["symbolPath"],
            "kind": each["kind"],
            "lines": _lines(each["range"]),
            **_kept(each, "condition"),
        }
        for each in result["symbols"]
    ]
    return {**result, "hash": _digits(result.get("hash")), "symbols": symbols}


def _lines(of_range: Json) -> str:
    first, last = of_range["start"]["line"] + 1, of_range["end"]["line"] + 1
    return f"{first}-{last}" if last > first else str(first)


def _script(result: Json) -> Json:
    return {
        "path": result["path"],
        "hash": _digits(result["hash"]),
        "valid": result["valid"],
        **_verdict(result["validation"]),
        "diagnostics": result["validation"]["diagnostics"],
        **_kept(result, "truncated"),
    }


def _references(result: Json) -> Json:
    by_path: dict[str, list[str]] = {}
    for each in result["references"]:
        place = f"{each['line']} {each['kind']}: {each['text']}"
        by_path.setdefault(each["path"], []).append(place)
    return {
        "symbol": result["symbol"]["display"],
        "total": result["total"],
        "references": [{"path": path, "places": each} for path, each in by_path.items()],
        "complete": result["complete"],
        "notSearched": result.get("notSearched", [])[:_MOST_LISTED],
        **_kept(result, "note", "reasons", "cursor", "truncated"),
    }


def _rename(result: Json) -> Json:
    files = [
        _without_empty(
            {
                **_kept(each, "path", "places", "movedTo"),
                "diff": None if result["applied"] else each["diff"],
            }
        )
        for each in result["files"][:_MOST_FILES]
    ]
    is_applied = result["applied"] and not _is_kept_from_undo(result)
    is_cut = len(result["files"]) > _MOST_FILES
    return {
        "status": result["status"],
        "symbol": result["symbol"]["display"],
        **_kept(result, "newName", "places"),
        "files": files,
        "fileCount": len(result["files"]) if is_cut else None,
        "complete": result["complete"],
        **{
            key: result[key][:_MOST_LISTED]
            for key in ("strings", "left", "notSearched", "reasons")
            if key in result
        },
        "notListed": _not_listed(result) or None,
        "undo": {"changeId": result["changeId"]} if is_applied else None,
        **_kept(result, "warnings", "compile", "replayed", "truncated"),
    }


def _not_listed(result: Json) -> int:
    lists = (result.get(key, ()) for key in ("strings", "left", "notSearched"))
    cut = sum(max(0, len(each) - _MOST_LISTED) for each in lists)
    return int(result.get("notListed", 0)) + cut


_MOST_FILES = 60
_MOST_LISTED = 12

_FORMS: Mapping[str, Callable[[Json], Json]] = {
    "undo_snippet": _undo,
    "get_history": _history,
    "get_symbols": _symbols,
    "validate_script": _script,
    "find_references": _references,
    "rename_symbol": _rename,
}
_IN_WORDS = _FORMS.keys() - {"undo_snippet"}


def _digits(hash_value: str | None) -> str | None:
    return hash_value and hash_value.removeprefix("sha256:")[:HASH_DIGITS]


def _with_digits(values: Json) -> Json:
    hashes = ("hashBefore", "hashAfter")
    return {key: _digits(each) if key in hashes else each for key, each in values.items()}


def _kept(values: Json, *keys: str) -> Json:
    return {key: values[key] for key in keys if key in values}


_ALWAYS = frozenset({"files", "changes", "symbols", "references"})


def _without_empty(values: Json) -> Json:
    return {
        key: each
        for key, each in values.items()
        if key in _ALWAYS or not (each is None or each in ("", [], {}))
    }


def _words(short: Json) -> Iterator[str]:
    """Yield the lines of an answer's text: places, what was not checked, warnings, diffs."""
    # Loaded already if the engine ran:
    from snippet_engine.answer.text_form import (  # noqa: PLC0415
        compiled,
        removed_files,
        replayed_note,
        seems_rename,
    )

    files = short.get("files") or [short]
    replayed = replayed_note(short)
    undo = short.get("undo") or {}
    handle = "".join(f", {key} {undo[key]}" for key in ("hashAfter", "changeId") if key in undo)
    if short.get("files"):
        count = short.get("fileCount") or len(files)
        yield f"{short['status']} {count} file{'s' * (count > 1)}{handle}{replayed}"
        yield from (f"{each['status']} {_place(each)}" for each in files)
        if count > len(files):
            yield f"… {counted(count - len(files), 'more file')}"
    else:
        yield f"{short['status']} {_place(short)}{handle}{replayed}"
    for each in files:
        for skipped in each.get("skipped") or ():
            yield f"instruction {skipped['index']} of {each['path']}: {skipped['reason']}"
    yield from removed_files(short)
    yield from compiled(short)
    yield from seems_rename(short)
    if short.get("notChecked"):
        yield f"not checked: {'; '.join(short['notChecked'])}"
    for each in short.get("warnings") or ():
        at = f" {each['path']}" if "path" in each else ""
        line = f" line {each['line']}" if "line" in each else ""
        yield f"warning {each['code']}{at}{line}: {each['message']}"
    for each in files:
        if each.get("diff"):
            yield each["diff"]


def _place(each: Json) -> str:
    moved = f" to {each['movedTo']}" if each.get("movedTo") else ""
    lines = f":{each['lines']}" if each.get("lines") else ""
    return f"{each.get('path', '')}{moved}{lines}"


def _bounded(text: str) -> str:
    from snippet_engine.answer.text_form import MAX_OUTLINE_LENGTH, cut_at_line  # noqa: PLC0415

    return cut_at_line(text, MAX_OUTLINE_LENGTH)
