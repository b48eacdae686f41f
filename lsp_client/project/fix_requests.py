"""Ask a server for fixes of errors in a changed text (docs/design/roslyn.md §3 "Fixes")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsp_client.project.project_requests import ProjectQuestions, answer_of
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import Position
from snippet_engine.validation.code_fixes import CodeFix, FixChoice

if TYPE_CHECKING:
    from lsp_client.protocol.connection import Connection

CODE_FIXES = "unity/codeFixes"


def code_fixes(
    project: ProjectQuestions, path: str, texts: Mapping[str, str | None], within_s: float
) -> tuple[CodeFix, ...]:
    """Return the fixes of the script at ``path``; none if there is no answer in time."""
    changes = [{"path": each, "text": text} for each, text in texts.items()]

    async def ask(connection: Connection) -> tuple[CodeFix, ...]:
        params = {"changes": changes, "path": path}
        return await answer_of(connection, CODE_FIXES, params, _fixes)

    found = project.ask(ask, within_s, "mend errors")
    return () if isinstance(found, SnippetError) else found


def _fixes(answer: Mapping[str, Any]) -> tuple[CodeFix, ...]:
    return tuple(CodeFix(tuple(map(_choice, each["choices"]))) for each in answer["fixes"])


def _choice(each: Mapping[str, Any]) -> FixChoice:
    edit = each["edit"]
    return FixChoice(
        str(each["what"]),
        Position(int(edit["line"]), int(edit["character"])),
        Position(int(edit["endLine"]), int(edit["endCharacter"])),
        str(edit["newText"]).replace("\r\n", "\n"),
    )
