"""Ask a server for the uses of a symbol, the edits of its rename, and fixes for errors.

Implements docs/design/rename.md §2 and docs/design/roslyn.md §3 "Fixes". The requests are beyond
LSP; their answers are those of ``roslyn_server``. An answer of another form counts as none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsp_client.outcomes import LastAnswer, MethodUnknown, ParamsRefused, RequestRefused
from lsp_client.project.project_requests import ProjectQuestions, answer_of, rows_of
from lsp_client.protocol.uris import canonical
from lsp_client.servers.selection import Selection
from lsp_client.timing import Timing
from snippet_engine.errors import MAX_MESSAGE_LENGTH, NEEDS_ACTION, ErrorCode, SnippetError
from snippet_engine.renames.symbol_server import (
    FoundReferences,
    NameConflict,
    NameInString,
    Reference,
    ServerEdit,
    ServerRename,
)
from snippet_engine.source_text import Position
from snippet_engine.validation.code_fixes import CodeFix, FixChoice

if TYPE_CHECKING:
    from lsp_client.protocol.connection import Connection

T = TypeVar("T")

FIND_REFERENCES = "unity/findReferences"
RENAME = "unity/rename"
CODE_FIXES = "unity/codeFixes"


class SymbolQuestions(ProjectQuestions):
    """Questions about the project and about names in it. Thread-safe."""

    def __init__(self, select: Callable[[], Selection], timing: Timing, root: Path) -> None:
        """``root`` is the folder of project-relative paths."""
        super().__init__(select, timing)
        self._root = root

    def find_references(
        self, path: str, position: Position, *, within_s: float
    ) -> FoundReferences | SnippetError:
        """Return the references of the symbol at ``position``.

        A server without this request gets LSP's own one. Errors: ``symbol_not_found``,
        ``validator_unavailable``.
        """

        async def by_lsp(connection: Connection) -> FoundReferences | SnippetError:
            from lsp_client.project.lsp_references import lsp_references  # noqa: PLC0415 - loads pygls

            try:
                found = await lsp_references(connection, self._root, path, position)
            except MethodUnknown:
                return _refused(f"{connection.name} doesn't offer references. {_INSTALL}")
            return found or _unavailable(
                _NO_ANSWER,
                f"{connection.name} knows no symbol there, perhaps because it is still loading",
                "Send this again.",
                {"found": True},
            )

        params = self._place(path, position)
        return self._asked(FIND_REFERENCES, params, _references, within_s, by_lsp)

    def rename(
        self,
        path: str,
        position: Position,
        new_name: str,
        *,
        attributes: bool,
        force: bool,
        within_s: float,
    ) -> ServerRename | SnippetError:
        """Return the proved rename of the symbol at ``position``. Errors: as
        :meth:`find_references`."""
        asked = {"newName": new_name, "attributes": attributes, "force": force}

        async def refuse(connection: Connection) -> SnippetError:
            return _refused(f"{connection.name} can't prove a rename. {_INSTALL}")

        return self._asked(
            RENAME, {**self._place(path, position), **asked}, _rename, within_s, refuse
        )

    def code_fixes(
        self, path: str, texts: Mapping[str, str | None], *, within_s: float
    ) -> tuple[CodeFix, ...]:
        """Return fixes for the new errors of the script at ``path``; see :class:`.CodeFixer`."""
        params = {"changes": rows_of(texts), "path": path}

        async def ask(connection: Connection) -> tuple[CodeFix, ...]:
            return await answer_of(connection, CODE_FIXES, params, _fixes)

        found = self.ask(ask, within_s, "mend errors")
        return () if isinstance(found, SnippetError) else found

    def _place(self, path: str, position: Position) -> dict[str, Any]:
        return {
            "textDocument": {"uri": canonical((self._root / path).as_uri())},
            "position": {"line": position.line, "character": position.character},
        }

    def _asked(
        self,
        method: str,
        params: Mapping[str, Any],
        read: Callable[[Mapping[str, Any]], T],
        within_s: float,
        otherwise: Callable[[Connection], Awaitable[T | SnippetError]],
    ) -> T | SnippetError:
        """Return ``read``'s result; ``otherwise`` answers if the server doesn't have ``method``."""

        async def ask(connection: Connection) -> tuple[T | SnippetError]:
            return (await answered(connection),)

        async def answered(connection: Connection) -> T | SnippetError:
            try:
                return await answer_of(connection, method, params, read)
            except MethodUnknown:
                return await otherwise(connection)
            except ParamsRefused as refused:
                return _no_symbol(str(refused).removeprefix(f"refused {method}: "))
            except RequestRefused as refused:
                if isinstance(refused, LastAnswer):
                    raise  # The next server may answer.
                return _refused(str(refused).removeprefix(f"refused {method}: "))

        found = self.ask(ask, within_s, "find names")
        return _no_answer(found) if isinstance(found, SnippetError) else found[0]


_NO_ANSWER = "No answer of a C# language server"
_INSTALL = "`unity-cli roslyn install` sets up a server that can."


def _no_answer(error: SnippetError) -> SnippetError:
    """Return the error with advice for a question about names. Only the server can answer those."""
    again = "Send this again." if error.retryable else "`unity-cli doctor` says why."
    reason = str(error.details.get("reason", error.message))
    found = error.details.get("found", True)
    return _unavailable(_NO_ANSWER, reason, again, {"found": found})


def _refused(why: str) -> SnippetError:
    """Return the error for a server that can't answer about the project as it is.

    The server's own sentence says what to do.
    """
    return _unavailable("The compiler can't tell", why, "", {"found": True, NEEDS_ACTION: True})


def _unavailable(what: str, reason: str, advice: str, details: dict[str, Any]) -> SnippetError:
    reason = reason.removesuffix(".")
    message = f"{what}: {reason}. {advice}".rstrip()
    if len(message) > MAX_MESSAGE_LENGTH:  # the reason is never cut, nor said twice
        message, details["reason"] = f"{what}. {advice}".rstrip(), f"{reason}."
    return SnippetError(ErrorCode.VALIDATOR_UNAVAILABLE, message, details=details)


def _no_symbol(why: str) -> SnippetError:
    return SnippetError(ErrorCode.SYMBOL_NOT_FOUND, f"No symbol to rename or find there: {why}")


def _references(answer: Mapping[str, Any]) -> FoundReferences:
    return FoundReferences(
        _symbol(answer["symbol"]),
        tuple(
            Reference(_path(each), _start(each), str(each["kind"]), str(each["lineText"]))
            for each in answer["references"]
        ),
        answer["complete"] is True,
        tuple(map(str, answer["reasons"])),
    )


def _rename(answer: Mapping[str, Any]) -> ServerRename:
    proved = answer["proved"]
    return ServerRename(
        symbol=_symbol(answer["symbol"]),
        edits={_path(each): tuple(map(_edit, each["edits"])) for each in answer["edits"]},
        moves={_plain(each["from"]): _plain(each["to"]) for each in answer["moves"]},
        strings=tuple(
            NameInString(
                _path(each),
                int(each["line"]) + 1,
                str(each["text"]),
                str(each["kind"]),
                None if each.get("offer") is None else str(each["offer"]),
            )
            for each in answer["strings"]
        ),
        conflicts=tuple(
            NameConflict(
                str(each["code"]),
                _plain(each.get("path") or ""),
                int(each["line"]),
                int(each["column"]),
                str(each["message"]),
            )
            for each in answer["conflicts"]
        ),
        assemblies=tuple(map(str, proved["assemblies"])),
        files=int(proved["files"]),
        complete=answer["complete"] is True,
        reasons=tuple(map(str, answer["reasons"])),
    )


def _symbol(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    # A symbol of unknown kind can't be searched for in assets.
    named = {"name": str(facts["name"]), "display": str(facts["display"])}
    return {"kind": "other", **facts, **named}


def _edit(each: Mapping[str, Any]) -> ServerEdit:
    end = Position(int(each["endLine"]), int(each["endCharacter"]))
    return ServerEdit(_start(each), end, str(each["newText"]), str(each["kind"]))


def _start(each: Mapping[str, Any]) -> Position:
    return Position(int(each["line"]), int(each["character"]))


def _path(each: Mapping[str, Any]) -> str:
    return _plain(each["path"])


def _plain(path: Any) -> str:
    return str(path).replace("\\", "/")


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
