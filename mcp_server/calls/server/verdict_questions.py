"""A command's questions to a running server's compiler, and their answers, as JSON.

Implements docs/design/server-and-bridge.md §13. A verdict is sent field by
field, so that the command gets the same one as the server.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from mcp_server.contract.server_schemas import (
    MAX_WITHIN_MS,
    VERDICT_ANSWER_SCHEMA,
    VERDICT_QUESTION_SCHEMA,
)
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.checked_params import find_problems
from snippet_engine.source_text import Position, decode
from snippet_engine.validation.validator import ChangesVerdict, Diagnostic, Verdict

if TYPE_CHECKING:
    from lsp_client.validator import LanguageServerValidator

Judged = Verdict | ChangesVerdict | SnippetError | None
"""The answer to a question; ``None`` if there is nothing to report."""


# -- asking ----------------------------------------------------------------------------------------


def about_readiness(within_s: float, path: str | None = None, text: str = "") -> dict[str, Any]:
    """Return the question: is the compiler ready? With ``path``, it first judges that script."""
    named = {} if path is None else {"path": path, "text": text}
    return {"ask": "ready", "within_ms": _ms(within_s), **named}


def about_edit(
    path: str,
    before: Document,
    after: Document,
    edits: EditSet,
    *,
    within_s: float,
    patient: bool,
) -> dict[str, Any]:
    """Return the question for the new errors of an edited script."""
    return {
        "ask": "edit",
        "within_ms": _ms(within_s),
        "patient": patient,
        "path": path,
        "before": b64encode(before.source.data).decode(),
        "after": b64encode(after.source.data).decode(),
        "edits": [
            {"start": each.start, "end": each.end, "new_text": each.new_text} for each in edits
        ],
    }


def about_script(
    path: str, document: Document, *, within_s: float, patient: bool
) -> dict[str, Any]:
    """Return the question for all errors of a script."""
    data = b64encode(document.source.data).decode()
    bound = {"within_ms": _ms(within_s), "patient": patient}
    return {"ask": "script", **bound, "path": path, "data": data}


def about_changes(
    changes: Mapping[str, str | None], *, within_s: float, patient: bool
) -> dict[str, Any]:
    """Return the question for the new errors of the project after all of ``changes``."""
    listed = [{"path": path, "text": text} for path, text in changes.items()]
    bound = {"within_ms": _ms(within_s), "patient": patient}
    return {"ask": "changes", **bound, "changes": listed}


def about_written(path: str, text: str) -> dict[str, Any]:
    """Return the report of a script's new text after a write. It asks for no verdict."""
    return {"ask": "saved", "path": path, "text": text}


def _ms(within_s: float) -> int:
    return min(MAX_WITHIN_MS, max(1, round(within_s * 1000)))


# -- answering -------------------------------------------------------------------------------------


def problem_of(question: object) -> str | None:
    """Return why ``question`` is invalid; ``None`` if it is valid."""
    problems = find_problems(VERDICT_QUESTION_SCHEMA, question)
    if problems:
        return "; ".join(map(str, problems[:3]))
    assert isinstance(question, Mapping)
    named = [question.get("path"), *(each["path"] for each in question.get("changes", ()))]
    outside = next((each for each in named if each is not None and not _is_within(each)), None)
    return None if outside is None else f"{outside!r} is not a path below the project's folder"


def answer(validator: LanguageServerValidator, question: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``validator``'s answer to a valid ``question``.

    Raises ``ValueError`` for bytes that aren't a script.
    """
    return _to_json(_judged(validator, question))


def _judged(validator: LanguageServerValidator, question: Mapping[str, Any]) -> Judged:
    ask, path = question["ask"], question.get("path", "")
    if ask == "saved":
        validator.saved(path, question["text"])
        return None
    within_s = question["within_ms"] / 1000
    if ask == "ready":
        if path and "text" in question:
            validator.warm_up(path, question["text"], within_s)
        else:
            validator.wait_until_ready(within_s)
        return None
    patient = question["patient"]
    if ask == "changes":
        changes = {each["path"]: each["text"] for each in question["changes"]}
        return validator.judge_changes(changes, within_s=within_s, patient=patient)
    names = ("before", "after") if ask == "edit" else ("data",)
    documents = [_document(question[name]) for name in names]
    before, after = documents[0], documents[-1]
    if ask == "script":
        return validator.diagnose(path, after, within_s=within_s, patient=patient)
    edits = [TextEdit(each["start"], each["end"], each["new_text"]) for each in question["edits"]]
    made = EditSet(tuple(edits))
    return validator.validate(path, before, after, made, within_s=within_s, patient=patient)


def _document(data: str) -> Document:
    source = decode(b64decode(data, validate=True))
    if isinstance(source, SnippetError):
        raise ValueError(source.message)
    return Document(source)


def _is_within(path: str) -> bool:
    pure = PurePosixPath(path)
    return not (
        pure.is_absolute() or ".." in pure.parts or "\\" in path or ":" in path or "\0" in path
    )


def _to_json(judged: Judged) -> dict[str, Any]:
    if judged is None:
        return {"heard": {}}
    if isinstance(judged, SnippetError):
        return {"unavailable": {"message": judged.message, "details": dict(judged.details)}}
    if isinstance(judged, ChangesVerdict):
        body = {**asdict(judged), "errors": _rows(judged.errors)}
        del body["left"], body["blocked"], body["unheard"]  # only later verdicts have these
        return {"changes_verdict": _with_lists(body)}
    return {"verdict": _with_lists({**asdict(judged), "diagnostics": _rows(judged.diagnostics)})}


def _with_lists(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(each) if isinstance(each, tuple) else each for name, each in body.items()}


def _rows(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    return [
        {
            "offset": each.offset,
            "line": each.position.line,
            "character": each.position.character,
            "id": each.id,
            "message": each.message,
            "path": each.path,
        }
        for each in diagnostics
    ]


# -- reading ---------------------------------------------------------------------------------------


def judged(document: object) -> Judged:
    """Return the verdict in an answer. Raises ``ValueError`` for an invalid answer."""
    problems = find_problems(VERDICT_ANSWER_SCHEMA, document)
    if problems:
        raise ValueError(str(problems[0]))
    assert isinstance(document, Mapping)
    ((kind, body),) = document.items()
    if kind == "heard":
        return None
    if kind == "unavailable":
        return SnippetError(
            ErrorCode.VALIDATOR_UNAVAILABLE, body["message"], details=body["details"]
        )
    tuples = {name: tuple(body[name]) for name in ("coverage", "not_checked")}
    if kind == "changes_verdict":
        return ChangesVerdict(**{**body, **tuples, "errors": _diagnostics(body["errors"])})
    return Verdict(**{**body, **tuples, "diagnostics": _diagnostics(body["diagnostics"])})


def _diagnostics(rows: Sequence[Mapping[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(
            row["offset"],
            Position(row["line"], row["character"]),
            row["id"],
            row["message"],
            row["path"],
        )
        for row in rows
    )
