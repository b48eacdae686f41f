"""Find the position of the symbol that a request names, by its path or by a line.

Implements docs/design/rename.md §2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from snippet_engine.anchors.resolution import Reason, Unresolved
from snippet_engine.csharp.declarations.parts import name_range
from snippet_engine.csharp.declarations.symbol_path import SymbolPathProblem, resolve
from snippet_engine.csharp.declarations.symbols import Declaration
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, Offer, SnippetError, shortened
from snippet_engine.request import Anchor, Instruction, Operation
from snippet_engine.source_text import Position

_NAME = re.compile(r"[^\W\d]\w*")
_SHOWN = 60
_MOST_NEAREST = 3


def position_of(document: Document, params: Mapping[str, Any]) -> Position | SnippetError:
    """Return the position of the name that ``symbolPath``, or ``line`` and ``text``, identify.

    Errors: ``symbol_not_found``, ``ambiguous_anchor``, and for a line ``anchor_not_found``.
    """
    if "symbolPath" in params:
        return _of_symbol(document, params)
    return _of_line(document, params)


def with_search(error: SnippetError, params: Mapping[str, Any]) -> SnippetError:
    """Return ``error``; if no similar path exists, with the call that finds the script."""
    if error.code is not ErrorCode.FILE_NOT_FOUND or error.details.get("nearest"):
        return error
    name = _parted(params.get("symbolPath", ""))[1]
    if not name:
        return error
    missing = error.message.removesuffix(" Check the path.")
    shown = shortened(name, _SHOWN)
    where = f'To find the script that declares {shown}, call get_symbols {{"filter": "{shown}"}}.'
    return replace(error, message=f"{missing} {where}")


def _of_symbol(document: Document, params: Mapping[str, Any]) -> Position | SnippetError:
    path = params["symbolPath"]
    found = resolve(document, path)
    if isinstance(found, SymbolPathProblem):
        return _refused(
            document, params, Unresolved(Reason.SYMBOL_NOT_FOUND, problem=found.message)
        )
    if not found:
        return _refused(document, params, Unresolved(Reason.SYMBOL_NOT_FOUND))
    # Several declarations with one path are parts of a partial type or method: one symbol.
    if len({each.path for each in found}) > 1:
        return _ambiguous(params, found)
    place = name_range(document, found[0])
    if place is None:
        return SnippetError(
            ErrorCode.SYMBOL_NOT_FOUND,
            f"{shortened(found[0].path, _SHOWN)} has no name of its own: name the type, or a "
            "place that uses it by line and text.",
            details={"nearest": []},
        )
    return document.source.position(place.start)


def _refused(document: Document, params: Mapping[str, Any], why: Unresolved) -> SnippetError:
    from snippet_engine.fixes.explain.symbols import of_symbol  # noqa: PLC0415 - only for errors

    anchor = Anchor(None, symbol_path=params["symbolPath"])
    error = of_symbol(document, Instruction(Operation.DELETE, anchor), why)
    nearest = _alike(document, params["symbolPath"], error.details.get("nearest", ()))
    offers = tuple(
        Offer(f"the symbol {shortened(path, _SHOWN)}", {**params, "symbolPath": path})
        for path in nearest[:_MOST_NEAREST]
        if _parted(path)[1] != params.get("newName")  # else the symbol would be renamed to itself
    )
    if not offers:
        offers = tuple(_by_use(document, params))
    return SnippetError(error.code, error.message, details={"nearest": nearest}, offers=offers)


def _by_use(document: Document, params: Mapping[str, Any]) -> Iterator[Offer]:
    """Offer the first line that has the name once: it may be a local, or declared elsewhere."""
    source, name = document.source, _parted(params["symbolPath"])[1]
    for number, start in enumerate(source.line_starts if name else (), 1):
        line = source.line_at(start)
        uses = re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", line)
        if len(uses) == 1 and not line.lstrip().startswith("//"):
            named = {key: each for key, each in params.items() if key != "symbolPath"}
            what = f"the symbol that line {number} names"
            yield Offer(what, {**named, "line": number, "text": name}, unless="another is meant")
            return


def _alike(document: Document, asked: str, nearest: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the paths of ``nearest`` with a similar name.

    If the container of ``asked`` exists, all returned paths are in it.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only for errors

    around, name = _parted(asked)
    held = resolve(document, around) if around else []
    holders = set() if isinstance(held, SymbolPathProblem) else {each.path for each in held}
    found: list[str] = []
    for path in (each["symbolPath"] for each in nearest):
        holder, other = _parted(path)
        if holders and holder not in holders:
            continue
        if get_close_matches(name.casefold(), [other.casefold()]):
            found.append(path)
    return found


def _parted(path: str) -> tuple[str, str]:
    """Return the container of a path's symbol, and the symbol's name."""
    around, _, name = path.partition("(")[0].rpartition(".")
    return around, name


def _ambiguous(params: Mapping[str, Any], found: list[Declaration]) -> SnippetError:
    paths = list(dict.fromkeys(each.path for each in found))
    return SnippetError(
        ErrorCode.AMBIGUOUS_ANCHOR,
        f"{shortened(params['symbolPath'], _SHOWN)} names {len(paths)} symbols. Send one of them: "
        f"{', '.join(paths)}.",
        details={"symbolPaths": paths},
        offers=tuple(
            Offer(f"the symbol {shortened(path, _SHOWN)}", {**params, "symbolPath": path})
            for path in paths[:_MOST_NEAREST]
        ),
    )


def _of_line(document: Document, params: Mapping[str, Any]) -> Position | SnippetError:
    source, line, text = document.source, params["line"], params["text"]
    if line > source.line_count:
        return SnippetError(
            ErrorCode.ANCHOR_NOT_FOUND,
            f"There is no line {line}: the file has {source.line_count}. Read it again.",
            details={"lines": source.line_count},
        )
    start = source.line_starts[line - 1]
    content = source.line_at(start)
    found = list(re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", content))
    names = list(_NAME.finditer(text))
    if not found or not names:
        return SnippetError(
            ErrorCode.ANCHOR_NOT_FOUND,
            f"Line {line} has no `{shortened(text, _SHOWN)}`. Send a name from that line: "
            f"{shortened(content.strip(), 90)}",
            details={"line": line, "lineText": shortened(content, 200)},
        )
    if len(found) > 1:
        return SnippetError(
            ErrorCode.AMBIGUOUS_ANCHOR,
            f"`{shortened(text, _SHOWN)}` occurs {len(found)} times in line {line}. Send more of "
            "the line, up to and including the name.",
            details={"line": line, "columns": [each.start() + 1 for each in found]},
        )
    # In `player.speed` the symbol is the last name; the part before it only identifies the place.
    return source.position(start + found[0].start() + names[-1].start())
