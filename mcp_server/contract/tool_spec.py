"""One tool as a value: its name, arguments, results and promises.

Implements docs/design/server-and-bridge.md §2. The value has a method for each form in which others
read it: ``unity-cli tool schema``, MCP's ``tools/list`` and the ``/unity`` capability message. The
schemas in ``tools/list`` are short, and accept all that the full ones accept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mcp_server.contract.schema_parts import OBJECT, TEXT, array, closed_object, noted, whole

REPAIRED = array(TEXT, "How arguments that violate the schema were read")

NEWS: Mapping[str, Mapping[str, Any]] = {
    "news": {
        "type": "array",
        "maxItems": 5,
        "description": "New errors that were not in an earlier answer to this caller",
        "items": closed_object(
            {
                "file": TEXT,
                "line?": whole(1),
                "code?": noted(
                    TEXT, "The compiler's code; if missing, message says what is unknown"
                ),
                "message": TEXT,
                "since?": noted(TEXT, "The change that led to it, and its author"),
                "undo?": noted(
                    OBJECT, "Arguments for undo_snippet; only at the first error of an edit"
                ),
            }
        ),
    },
    "more": noted(whole(1), "How many more errors there are; check_project lists all"),
    "pending": noted(
        whole(1), "How many applied edits are still being checked and may have errors"
    ),
    "notes": {
        "type": "array",
        "maxItems": 3,
        "description": "The user's messages to this agent from the review page, each sent once",
        "items": closed_object(
            {
                "text": {"type": "string", "maxLength": 1000},
                "about": noted(TEXT, "The event that the note is about"),
                "file?": TEXT,
                "line?": whole(1),
            }
        ),
    },
}
"""The fields that answers over MCP add: later verdicts, and the user's notes."""

_WAIT_MS = 30_000
"""The timeout of a call that waits for its verdict and gives no timeout, in milliseconds."""

EDITOR_GATE = "editorGate"
"""The argument that keeps an edit only if Unity compiles it."""

RETRY = "retry"
"""The argument of a call over MCP that names an earlier request, which the call changes."""

_NOT_LISTED = ("client_request_id", "include")
"""Arguments that a reading tool's entry in the tool list leaves out."""

_ONLY_FOR_CHECKING = frozenset(
    {
        *("$comment", "if", "then", "else"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "uniqueItems", "pattern"),
        "additionalProperties",
    }
)


class Executor(StrEnum):
    """Where a tool runs: in this process, in the Unity Editor, or on the server's own state."""

    LOCAL = "local"
    UNITY = "unity"
    CONTROL = "control"


class ExecutionMode(StrEnum):
    """Whether a call returns its result, or a job that the caller asks about later."""

    SYNC = "sync"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. Timeouts are milliseconds; schemas are JSON Schema 2020-12."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    executor: Executor
    default_timeout_ms: int
    max_timeout_ms: int
    mutating: bool = False
    """Whether the tool can change anything."""
    execution_error_retryable: bool = False
    harmless: tuple[str, str] | None = None
    """The argument and value with which a call of a mutating tool changes nothing."""
    guard: str | None = None
    """The argument that limits what a call may change."""
    execution_mode: ExecutionMode = ExecutionMode.SYNC
    unity_mode: ExecutionMode | None = None
    """How Unity runs the tool, if that differs from how the tool returns."""
    supports_cancel: bool = False
    destructive: bool = False
    """MCP's annotation ``destructiveHint``."""
    idempotent: bool = True
    """MCP's annotation ``idempotentHint``."""
    listed_definitions: Mapping[str, Any] = field(default_factory=dict)
    """Shorter definitions of the input schema, for the tool list."""
    said_before: Mapping[str, Any] = field(default_factory=dict)
    """The input schema of an earlier tool. The tool list doesn't repeat its descriptions."""
    resends: str = ""
    """The list whose items a call over MCP may give by index, to change an earlier request."""

    @property
    def answer_schema(self) -> dict[str, Any]:
        """The output schema, with the server's additions: repaired arguments, and news."""
        return _with_additions(self.output_schema)

    @property
    def short_schema(self) -> dict[str, Any] | None:
        """The schema of the short answers over MCP; ``None`` for a tool with one form only."""
        from mcp_server.contract.short_schemas import SHORT_OUTPUTS  # noqa: PLC0415 - commands need none

        short = SHORT_OUTPUTS.get(self.name)
        return None if short is None else _with_additions(short)

    def changes_things(self, params: object) -> bool:
        """Return whether a call with these arguments can change anything."""
        if not self.mutating or self.harmless is None or not isinstance(params, Mapping):
            return self.mutating
        argument, value = self.harmless
        return params.get(argument) != value

    def is_gated(self, params: Mapping[str, Any]) -> bool:
        """Return whether a change by this call stays only if Unity compiles it."""
        return params.get(EDITOR_GATE) == "compile" and self.changes_things(params)

    def timeout_ms(self, params: Mapping[str, Any]) -> int:
        """Return the timeout of a call with these valid arguments, in milliseconds."""
        waits = params.get("wait") == "verdict"
        limit = min(self.max_timeout_ms, _WAIT_MS) if waits else self.default_timeout_ms
        return int(params.get("timeout_ms", limit))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that ``unity-cli tool schema`` prints."""
        return {
            "name": self.name,
            "description": self.description,
            "mutating": self.mutating,
            "executor": self.executor.value,
            "execution_mode": self.execution_mode.value,
            "params_schema": dict(self.input_schema),
            "response_schema": self.answer_schema,
            "supports_cancel": self.supports_cancel,
            "default_timeout_ms": self.default_timeout_ms,
            "max_timeout_ms": self.max_timeout_ms,
        }

    def to_capability(self) -> dict[str, Any]:
        """Return the tool's entry in ``capability`` (docs/design/wire-protocol.md §1)."""
        return {
            "name": self.name,
            "execution_mode": (self.unity_mode or self.execution_mode).value,
            "supports_cancel": self.supports_cancel,
            "default_timeout_ms": self.default_timeout_ms,
            "max_timeout_ms": self.max_timeout_ms,
            "requires_client_request_id": False,
            "execution_error_retryable": self.execution_error_retryable,
        }

    def _listed_input(self) -> Mapping[str, Any]:
        """Return the short input schema, without the parts that another tool's entry describes."""
        properties = self.input_schema["properties"]
        if not self.mutating:
            properties = {
                name: each for name, each in properties.items() if name not in _NOT_LISTED
            }
        if self.mutating and self.executor is Executor.LOCAL:
            longest = noted({"type": "integer"}, f"At most {self.max_timeout_ms}")
            properties = {**properties, "timeout_ms": longest}
        listed = {**self.input_schema, "properties": properties}
        if len(properties) < len(self.input_schema["properties"]):
            del listed["additionalProperties"]
        if self.resends:
            items = {**properties[self.resends], "type": ["array", "object"]}
            required = [each for each in self.input_schema["required"] if each != self.resends]
            also = f"{' and '.join(required)} {'are' if len(required) > 1 else 'is'}"
            retry = noted(TEXT, f"Only as an offer has it; else {also} required")
            listed["properties"] = {**properties, self.resends: items, RETRY: retry}
            listed["required"] = [self.resends]
        if not self.listed_definitions:
            return listed
        definitions = {**self.input_schema["$defs"], **self.listed_definitions}
        used = json.dumps([properties, definitions])
        kept = {name: each for name, each in definitions.items() if f'#/$defs/{name}"' in used}
        return {**listed, "$defs": kept}

    def to_mcp(self) -> dict[str, Any]:
        """Return MCP's ``Tool`` object, with short schemas."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": brief_input_schema(self._listed_input(), self.said_before),
            "outputSchema": {"type": "object"},  # of results and errors; contracts/ has all of it
            "annotations": self._hints(),
        }

    def _hints(self) -> dict[str, bool]:
        """Return the MCP annotations that differ from MCP's defaults."""
        hints = {"openWorldHint": False}
        if not self.mutating:
            return {"readOnlyHint": True, **hints}
        hints |= {} if self.destructive else {"destructiveHint": False}
        return hints | ({"idempotentHint": True} if self.idempotent else {})


def _with_additions(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "properties": {**schema["properties"], "repaired": REPAIRED, **NEWS}}


def brief_input_schema(schema: Mapping[str, Any], said_before: Any = None) -> Any:
    """Return ``schema`` without the parts that a caller needs only after a mistake; errors have
    them.

    Only the object of the arguments still forbids unknown keys. Tool lists are read into a model's
    context, so every byte counts, and no description is repeated. Not every client understands
    conditional schemas.
    """
    said: set[str] = set()
    _brief(said_before, said)
    closed = "additionalProperties"
    return _brief(schema, said) | ({closed: schema[closed]} if closed in schema else {})


def _brief(schema: Any, said: set[str]) -> Any:
    if isinstance(schema, list):
        return [_brief(item, said) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    brief: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in ("properties", "$defs"):  # whose keys are names, not keywords
            brief[keyword] = {name: _brief(sub, said) for name, sub in value.items()}
        elif keyword == "description":
            if value not in said:
                brief[keyword] = value
                said.add(value)
        elif keyword not in _ONLY_FOR_CHECKING:
            brief[keyword] = _brief(value, said)
    if not any(brief.get("allOf", [True])):
        del brief["allOf"]
    return brief
