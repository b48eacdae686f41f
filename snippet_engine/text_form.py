"""A tool's outcome in words, for a model or a person to read.

Implements the text form of docs/design/engine.md §7: at most 1,000 characters, and 8,000 for an
outline, which is of use only as a whole. An error is one line
(docs/design/server-and-bridge.md §7); as many of its ready-to-send anchors as fit go with it, since
some clients show a model nothing but the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from snippet_engine.errors import SnippetError

MAX_TEXT_LENGTH = 1000

MAX_OUTLINE_LENGTH = 8000

_MORE = " …"


def text_form(tool: str, outcome: Mapping[str, Any] | SnippetError) -> str:
    """The outcome of ``tool`` (its result object, or the refusal) in words.

    At most ``MAX_TEXT_LENGTH`` code points; ``MAX_OUTLINE_LENGTH`` for ``get_symbols``.
    """
    if isinstance(outcome, SnippetError):
        return _error(outcome)
    if tool == "get_symbols":
        return _symbols(outcome)
    return _joined(list(_FORMS[tool](outcome)))


def _joined(lines: list[str]) -> str:
    text = "\n".join(lines)
    return text if len(text) <= MAX_TEXT_LENGTH else text[: MAX_TEXT_LENGTH - 1] + "…"


def _edit(result: Mapping[str, Any]) -> Iterator[str]:
    replayed = " (replayed: this request was applied before)" if result.get("replayed") else ""
    yield f"{result['status']} {result['path']}{replayed}"
    if result["hashBefore"] == result["hashAfter"]:
        yield f"hash {result['hashAfter']}"
    else:
        yield f"hashBefore {result['hashBefore']}"
        yield f"hashAfter  {result['hashAfter']}"
    for each in result["results"]:
        if each["status"] in {"skipped", "no_change"}:
            yield f"instruction {each['index']}: {each['status']} ({each['reason']})"
    yield _validation(result["validation"])
    for warning in result["warnings"]:
        at = f" line {warning['line']}" if "line" in warning else ""
        yield f"warning {warning['code']}{at}: {warning['message']}"
    if result["diff"]:
        yield result["diff"]


def _validation(validation: Mapping[str, Any]) -> str:
    skipped = validation["notChecked"]
    missing = f"; not checked: {', '.join(skipped)}" if skipped else ""
    return f"validated by {validation['validator']} ({', '.join(validation['coverage'])}{missing})"


def _undo(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"undone {result['path']}: the file is as it was before that apply"
    yield f"hashBefore {result['hashBefore']}"
    yield f"hashAfter  {result['hashAfter']}"


def _symbols(result: Mapping[str, Any]) -> str:
    """One line for each symbol below the one that it stands in: name, kind, one-based lines."""
    symbols = result["symbols"]
    text = (
        f"{len(symbols)} symbols in {result['path']} ({result['hash']}); "
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


_FORMS = {
    "edit_snippet": _edit,
    "undo_snippet": _undo,
    "validate_script": _script,
}


def _error(error: SnippetError) -> str:
    where = f" [instruction {error.instruction}]" if error.instruction is not None else ""
    text = f"{error.code.value}{where}: {error.message}"
    left_out = False
    for extra in _extras(error.details):
        if len(text) + len(extra) + len(_MORE) + 3 > MAX_TEXT_LENGTH:
            left_out = True  # Nothing is cut in the middle; a shorter one may fit.
        else:
            text += " | " + extra
    return " ".join((text + _MORE * left_out).splitlines())


def _extras(details: Mapping[str, Any]) -> Iterator[str]:
    """What helps the next try, most helpful first."""
    for problem in details.get("problems", ())[1:]:
        yield f"{problem['path']} {problem['message']}"
    for each in details.get("diagnostics", ()):
        yield _diagnostic(each)
    offered = offers(details)
    yield from offered[:1]
    for other in details.get("otherErrors", ()):
        yield f"also instruction {other['instruction']}: {other['code']}: {other['message']}"
    yield from offered[1:]
    for each in details.get("undoable", ()):
        yield f"hashAfter {each}"
    for each in details.get("instructions", ()):
        if isinstance(each, Mapping):
            yield json.dumps(each, ensure_ascii=False)


def offers(details: Mapping[str, Any]) -> list[str]:
    """A line for each place in an error's ``details``, with the anchor to send for it."""
    return [_place(each) for each in (*details.get("candidates", ()), *details.get("nearest", ()))]


def _place(each: Any) -> str:
    """A candidate or near miss, with the anchor to send."""
    if not isinstance(each, Mapping):
        return str(each)
    differs = f" ({', '.join(each['differs'])})" if each.get("differs") else ""
    at = f"line {each['line']}" if "line" in each else each["symbolPath"]
    anchor = json.dumps(each["anchor"], ensure_ascii=False) if "anchor" in each else ""
    return f"{at}{differs}: {anchor or each.get('text', 'no such target in it')}"
