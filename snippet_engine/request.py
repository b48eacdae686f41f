r"""An ``edit_snippet`` request as values (docs/design/engine.md §1); line endings become ``\\n``
here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from snippet_engine.errors import ErrorCode, SnippetError, without_none
from snippet_engine.limits import SNIPPET, Limits
from snippet_engine.schemas.checked_params import CheckedParams, checked, refusal
from snippet_engine.schemas.tool_schemas import INPUT_SCHEMAS


class Operation(StrEnum):
    """What an instruction does at its anchor."""

    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"


class InsertPosition(StrEnum):
    """Where an insertion goes, relative to its anchor."""

    BEFORE = "before"
    AFTER = "after"
    LINE_BEFORE = "line_before"
    LINE_AFTER = "line_after"
    BODY_START = "body_start"
    BODY_END = "body_end"


class SymbolPart(StrEnum):
    """The part of a symbol that an anchor names."""

    DECLARATION = "declaration"
    BODY = "body"
    SIGNATURE = "signature"
    ATTRIBUTES = "attributes"
    DOCUMENTATION = "documentation"
    INITIALIZER = "initializer"


@dataclass(frozen=True, slots=True)
class Anchor:
    """Names one place: exact text with context, a symbol, or text within a symbol."""

    target: str | None
    """``None`` for a whole declaration or one of its parts."""
    symbol_path: str | None = None
    """``None`` for a text anchor."""
    before: str = ""
    after: str = ""
    position: InsertPosition | None = None
    in_comment: bool = False
    part: SymbolPart = SymbolPart.DECLARATION

    def to_json(self) -> dict[str, Any]:
        """Return the anchor object as a request carries it, without empty keys."""
        is_whole = self.part is SymbolPart.DECLARATION
        return without_none(
            {
                "type": "text" if self.symbol_path is None else "symbol",
                "symbolPath": self.symbol_path,
                "part": None if is_whole else self.part.value,
                "before": self.before or None,
                "target": self.target,
                "after": self.after or None,
                "in": "comment" if self.in_comment else None,
                "position": None if self.position is None else self.position.value,
            }
        )


@dataclass(frozen=True, slots=True)
class Instruction:
    """One edit: an operation at an anchor."""

    operation: Operation
    anchor: Anchor
    new_text: str = ""
    metadata: Mapping[str, Any] | None = None
    as_given: bool = False
    """Whether new lines keep the indentation that they were sent with."""

    @property
    def position(self) -> InsertPosition:
        """Return the position of an insertion; ``after`` unless the anchor has another one."""
        return self.anchor.position or InsertPosition.AFTER

    def to_json(self) -> dict[str, Any]:
        """Return the instruction object as a request carries it."""
        return without_none(
            {
                "operation": self.operation.value,
                "anchor": self.anchor.to_json(),
                "newText": None if self.operation is Operation.DELETE else self.new_text,
                "indent": "asGiven" if self.as_given else None,
                "metadata": None if self.metadata is None else dict(self.metadata),
            }
        )


@dataclass(frozen=True, slots=True)
class EditRequest:
    """A whole request; a value is ``None`` if it wasn't sent."""

    path: str
    apply: bool
    instructions: tuple[Instruction, ...]
    expected_hash: str | None = None
    validation: str = "auto"
    include: tuple[str, ...] = ()
    client_request_id: str | None = None
    timeout_ms: int | None = None
    limits: Limits = SNIPPET
    """The limits of the request's tool."""

    def to_json(self) -> dict[str, Any]:
        """Return the whole request as it is sent, without keys that have their default value."""
        return without_none(
            {
                "path": self.path,
                "mode": "apply" if self.apply else "preview",
                "instructions": [each.to_json() for each in self.instructions],
                "expectedHash": self.expected_hash,
                "validation": None if self.validation == "auto" else self.validation,
                "include": list(self.include) or None,
                "client_request_id": self.client_request_id,
                "timeout_ms": self.timeout_ms,
            }
        )


def check(tool: str, params: object) -> CheckedParams | SnippetError:
    """Return ``params`` as checked parameters, or ``invalid_request`` with all problems."""
    found = checked(tool, INPUT_SCHEMAS[tool], params)
    return found if isinstance(found, CheckedParams) else refusal(found)


def without_editor(params: Mapping[str, Any]) -> SnippetError | None:
    """Return ``invalid_request`` for a call that needs a server with an Editor."""
    if params.get("editorGate") != "compile" or params["mode"] != "apply":
        return None
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        'editorGate "compile" needs a server with a connected Editor. Send it to that server, or '
        "leave editorGate out and call compile.",
    )


def check_edit(tool: str, params: Mapping[str, Any]) -> CheckedParams | SnippetError:
    """Check an editing tool's parameters, and that they don't need an Editor."""
    found = check(tool, params)
    return found if isinstance(found, SnippetError) else without_editor(found) or found


def parse(params: Mapping[str, Any]) -> EditRequest | SnippetError:
    """Turn the parameters of ``edit_snippet`` into an :class:`EditRequest`."""
    params_or_error = check_edit("edit_snippet", params)
    if isinstance(params_or_error, SnippetError):
        return params_or_error
    params = params_or_error
    return EditRequest(
        path=params["path"],
        apply=params["mode"] == "apply",
        instructions=tuple(instruction_of(item) for item in params["instructions"]),
        expected_hash=params.get("expectedHash"),
        validation=params.get("validation", "auto"),
        include=tuple(params.get("include", ())),
        client_request_id=params.get("client_request_id"),
        timeout_ms=params.get("timeout_ms"),
    )


def instruction_of(item: Mapping[str, Any]) -> Instruction:
    """Return the value of an instruction object in a request or an error."""
    return Instruction(
        operation=Operation(item["operation"]),
        anchor=anchor_of(item["anchor"]),
        new_text=lines(item.get("newText")) or "",
        metadata=item.get("metadata"),
        as_given="indent" in item,
    )


def anchor_of(anchor: Mapping[str, Any]) -> Anchor:
    """Return the value of an anchor object in a request or an error."""
    position = anchor.get("position")
    return Anchor(
        target=lines(anchor.get("target")),
        symbol_path=anchor.get("symbolPath"),
        before=lines(anchor.get("before")) or "",
        after=lines(anchor.get("after")) or "",
        position=InsertPosition(position) if position is not None else None,
        in_comment="in" in anchor,
        part=SymbolPart(anchor.get("part", SymbolPart.DECLARATION)),
    )


def lines(text: str | None) -> str | None:
    """Return ``text`` with ``\\n`` as every line ending."""
    if text is None or "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")
