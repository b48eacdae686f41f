"""What a tool is, takes, answers and promises, as a value.

Part of docs/design/server-and-bridge.md §2. What the value says is given out here in each form that
somebody reads: ``unity-cli tool schema``, MCP's ``tools/list``, and the ``/unity`` capability
message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mcp_server.contract.listed_schemas import brief_input_schema, outline_schema

REPAIRED: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "What was read as what, where the arguments were not as the schema has them",
}


EDITOR_GATE = "editorGate"
"""The argument that has an edit compiled before it stays."""


class Executor(StrEnum):
    """Where a tool runs: in this process, in the Unity Editor, or on the server's own state."""

    LOCAL = "local"
    UNITY = "unity"
    CONTROL = "control"


class ExecutionMode(StrEnum):
    """Whether a call answers with its result, or with a job that is asked about later."""

    SYNC = "sync"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. Timeouts are milliseconds; schemas are JSON Schema 2020-12.

    ``unity_mode`` is how Unity runs it, where that isn't how it answers: a tool that takes long
    is a job there, and its caller gets the job's result.

    ``mutating`` tools change things, unless an argument says otherwise: ``harmless`` is the
    argument and value with which a call changes nothing, ``guard`` an argument that says what it
    may change, so that a call can do nothing but what is meant. ``destructive``, ``idempotent`` and
    ``open_world`` are MCP's annotations.

    A tool list says nothing twice: ``described_elsewhere`` says, by the name of a definition in the
    input schema, where a list has it already; ``said_before`` is the input schema of a tool before
    it, whose descriptions aren't repeated.
    """

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    executor: Executor
    default_timeout_ms: int
    max_timeout_ms: int
    mutating: bool
    execution_error_retryable: bool
    harmless: tuple[str, str] | None = None
    guard: str | None = None
    execution_mode: ExecutionMode = ExecutionMode.SYNC
    unity_mode: ExecutionMode | None = None
    supports_cancel: bool = False
    requires_client_request_id: bool = False
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False
    described_elsewhere: Mapping[str, str] = field(default_factory=dict)
    said_before: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answer_schema(self) -> dict[str, Any]:
        """What a successful call answers: the tool's result, and what its arguments were read as.

        That is no part of what the tool itself does, so :attr:`output_schema` hasn't got it.
        """
        properties = {**self.output_schema["properties"], "repaired": REPAIRED}
        return {**self.output_schema, "properties": properties}

    def changes_things(self, params: object) -> bool:
        """Whether a call with these arguments can change anything."""
        if not self.mutating or self.harmless is None or not isinstance(params, Mapping):
            return self.mutating
        argument, value = self.harmless
        return params.get(argument) != value

    def is_gated(self, params: Mapping[str, Any]) -> bool:
        """Whether what a call with these arguments changes stays only if Unity compiles it."""
        return params.get(EDITOR_GATE) == "compile" and self.changes_things(params)

    def timeout_ms(self, params: Mapping[str, Any]) -> int:
        """How long a call with these (valid) arguments may take."""
        return int(params.get("timeout_ms", self.default_timeout_ms))

    def to_json(self) -> dict[str, Any]:
        """The ToolSpec that ``unity-cli tool schema`` prints."""
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
        """The tool's entry in ``capability`` (docs/design/wire-protocol.md §1)."""
        return {
            "name": self.name,
            "execution_mode": (self.unity_mode or self.execution_mode).value,
            "supports_cancel": self.supports_cancel,
            "default_timeout_ms": self.default_timeout_ms,
            "max_timeout_ms": self.max_timeout_ms,
            "requires_client_request_id": self.requires_client_request_id,
            "execution_error_retryable": self.execution_error_retryable,
        }

    def _listed_input(self) -> Mapping[str, Any]:
        """The input schema without what another tool's entry says already."""
        if not self.described_elsewhere:
            return self.input_schema
        definitions = {
            name: {"type": "object", "description": self.described_elsewhere[name]}
            if name in self.described_elsewhere
            else schema
            for name, schema in self.input_schema["$defs"].items()
        }
        used = json.dumps([self.input_schema["properties"], definitions])
        kept = {name: each for name, each in definitions.items() if f'#/$defs/{name}"' in used}
        return {**self.input_schema, "$defs": kept}

    def to_mcp(self) -> dict[str, Any]:
        """MCP's ``Tool`` object, with the schemas as brief as a model needs them."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": brief_input_schema(self._listed_input(), self.said_before),
            "outputSchema": outline_schema(self.output_schema),
            "annotations": {
                "readOnlyHint": not self.mutating,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": self.open_world,
            },
        }
