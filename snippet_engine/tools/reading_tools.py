"""``get_symbols`` and ``validate_script`` (docs/design/engine.md). Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snippet_engine import request as requests
from snippet_engine.answer.result import validation
from snippet_engine.csharp.declarations.symbols import are_all_read, are_readable, outline
from snippet_engine.csharp.document import Document
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.single_edit.judging import ScriptJudging
from snippet_engine.storage.paths.project import ScriptPath
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
        """Return the file's outline: symbol paths, only those with the ``filter`` if one is
        sent.

        Without a path, search all scripts for them.
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
        from snippet_engine.tools.symbol_search import search_symbols  # noqa: PLC0415

        refused = requests.check("get_symbols", params)
        if isinstance(refused, SnippetError):
            return refused
        return search_symbols(self._judging.root, self._judging, params)

    def validated(self, params: Mapping[str, Any]) -> Result | SnippetError:
        """Return all diagnostics of the file as it is: everything for which an edit would be
        refused.
        """
        opened = self._opened("validate_script", params)
        if isinstance(opened, SnippetError):
            return opened
        script, document = opened
        from snippet_engine.validation.whole_file import WholeFile  # noqa: PLC0415

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
        """Judge the script as it is, without a server and without reporting the result."""
        opened = self._opened("validate_script", {"path": path})
        if not isinstance(opened, SnippetError):
            from snippet_engine.validation.whole_file import WholeFile  # noqa: PLC0415

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
