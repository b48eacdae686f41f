"""``get_symbols`` and ``validate_script`` (docs/design/engine.md). Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from snippet_engine import budget
from snippet_engine import request as requests
from snippet_engine.answer.result import validation
from snippet_engine.csharp.declarations.symbols import are_all_read, are_readable, outline
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError, show
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.storage.paths.path_refusal import scripts_below
from snippet_engine.storage.paths.project import ScriptPath
from snippet_engine.storage.paths.request_path import SCRIPT_ROOTS
from snippet_engine.validation.judge import Judge, ServerValidator
from snippet_engine.validation.validator import Validator

Result = dict[str, Any]


class ReadingTools:
    """Reads the scripts of one project. Thread-safe."""

    def __init__(
        self,
        judging: ScriptJudging,
        validator: Validator,
        server: ServerValidator | None,
    ) -> None:
        self._judging = judging
        self._validator = validator
        self._server = server

    def symbols(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return the file's outline; with a ``filter``, only the symbols that match it.

        Without a path, search all scripts for symbols that match the filter.
        """
        if isinstance(params, Mapping) and "path" not in params:
            return self._searched(params)
        opened = self._opened("get_symbols", params)
        if isinstance(opened, SnippetError):
            return opened
        script, document = opened
        if self._server is not None:
            self._server.start()  # an edit is likely to follow
        if not are_readable(document):
            return SnippetError(
                ErrorCode.FILE_TOO_LARGE,
                f"{document.NOT_PARSED} Edit it with text anchors.",
            )
        wanted = params.get("filter", "").casefold()
        result: Result = {
            "path": script.relative,
            "hash": document.source.hash,
            "symbols": [
                {"symbolPath": each.pop("path"), **each}
                for each in outline(document)
                if wanted in each["path"].casefold()
            ],
        }
        if not are_all_read(document):
            result["incomplete"] = document.NOT_ALL_READ
        return result

    def _searched(self, params: Mapping[str, Any]) -> Result | SnippetError:
        refused = requests.check("get_symbols", params)
        if isinstance(refused, SnippetError):
            return refused
        return search_symbols(self._judging, params)

    def validated(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return all diagnostics of the file. An edit that adds one is refused."""
        opened = self._opened("validate_script", params)
        if isinstance(opened, SnippetError):
            return opened
        script, document = opened
        from snippet_engine.validation.judge import WholeFile  # noqa: PLC0415

        judge = Judge(WholeFile(self._validator), self._server, "auto", params.get("timeout_ms"))
        verdict = judge.diagnose(script.relative, document)
        if isinstance(verdict, SnippetError):
            return verdict
        return {
            "path": script.relative,
            "hash": document.source.hash,
            "valid": not verdict.diagnostics,
            "validation": validation(verdict),
        }

    def read_ahead(self, path: str) -> None:
        """Judge the script with the embedded validator, so that the next call is faster."""
        opened = self._opened("validate_script", {"path": path})
        if not isinstance(opened, SnippetError):
            from snippet_engine.validation.judge import WholeFile  # noqa: PLC0415

            WholeFile(self._validator).diagnose(opened[0].relative, opened[1])

    def _opened(
        self, tool: str, params: Mapping[str, Any]
    ) -> tuple[ScriptPath, Document] | SnippetError:
        refused = requests.check(tool, params)
        if isinstance(refused, SnippetError):
            return refused
        script = self._judging.readable(params["path"])
        if isinstance(script, SnippetError):
            from snippet_engine.fixes.other_file import with_path_offered  # noqa: PLC0415 - only for errors

            return with_path_offered(script, params)
        snapshot = script.read()
        if isinstance(snapshot, SnippetError):
            return snapshot
        document = self._judging.document(snapshot, script)
        return document if isinstance(document, SnippetError) else (script, document)


MAX_ROWS = 50
_MAX_ENTRIES = 400_000


def search_symbols(judging: ScriptJudging, params: Mapping[str, Any]) -> Result:
    """Return the first declarations of the ``kind`` whose symbol path contains the ``filter``.

    First come names that equal the last name in the filter, then names that contain it, then
    others.
    """
    wanted, kind = params["filter"].casefold(), params.get("kind")
    # A script's text contains the last name of a path, but not the dots between the names.
    last = wanted.rpartition(".")[2].partition("(")[0].partition("<")[0] or wanted
    found: list[tuple[int, dict[str, Any]]] = []
    left_out: list[str] = []
    for path in scripts_below(judging.root, SCRIPT_ROOTS, _MAX_ENTRIES, left_out):
        budget.check()
        rows = _in_script(judging, path, wanted, last.encode(), left_out)
        found += [(_rank(row, last), row) for row in rows if kind in (None, row["kind"])]
    found.sort(key=lambda each: (each[0], each[1]["path"]))
    result: dict[str, Any] = {"symbols": [row for _, row in found[:MAX_ROWS]]}
    if len(found) > MAX_ROWS:
        result |= {"truncated": True, "total": len(found)}
    if left_out:
        more = f" and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        result["incomplete"] = f"Not fully searched: {', '.join(map(show, left_out[:3]))}{more}."
    return result


def _in_script(
    judging: ScriptJudging, path: str, wanted: str, word: bytes, left_out: list[str]
) -> Iterator[dict[str, Any]]:
    script = judging.readable(path)
    if isinstance(script, SnippetError):
        if os.path.lexists(judging.root / path):  # a script that no request can name
            left_out.append(path)
        return
    snapshot = script.read()
    if isinstance(snapshot, SnippetError):
        left_out.append(path)
        return
    data = snapshot.data
    # Texts in other encodings, and names beyond ASCII, are compared after decoding.
    if word.isascii() and b"\0" not in data[:4] and word not in data.lower():
        return
    document = judging.document(snapshot, script)
    if isinstance(document, SnippetError) or not are_readable(document):
        left_out.append(path)
        return
    if not are_all_read(document):
        left_out.append(path)
    for each in outline(document):
        symbol_path = each.pop("path")
        if wanted in symbol_path.casefold():
            yield {"path": path, "symbolPath": symbol_path, **each}


def _rank(row: Mapping[str, Any], last: str) -> int:
    name = row["symbolPath"].partition("(")[0].rpartition(".")[2].partition("<")[0].casefold()
    return 0 if name == last else 1 if last in name else 2
