"""The tool catalog: what each tool is, takes, answers and promises.

Implements docs/design/server-and-bridge.md §2. MCP's ``tools/list``, the ``/unity`` capability
message, ``unity-cli tool schema`` and ``contracts/`` are all produced from :data:`CATALOG`, so
they can't say different things.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mcp_server.contract import editor_schemas, project_schemas
from mcp_server.contract.listed_schemas import brief_input_schema, outline_schema
from snippet_engine.tool_schemas import INPUT_SCHEMAS, OUTPUT_SCHEMAS

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


_EDIT_SNIPPET = """\
Edit one existing C# file by 1-10 small edits: all are applied, or \
none. \
mode "preview" shows the diff and never writes; "apply" writes. Example:
{"path":"Assets/Scripts/Player.cs","mode":"apply","instructions":[{"operation":"replace",\
"anchor":{"type":"text","before":"void Update()\\n{","target":"speed > 10"},\
"newText":"speed > 20"}]}
An anchor must fit exactly one place: no first match, no replace_all, no line numbers. All mean \
the file before this request, earlier requests' edits included. \
Text anchor: target is matched exactly; if it occurs more than once, add before/after, the lines \
right around it. Symbol \
anchor: {"type":"symbol","symbolPath":"Player.TakeDamage(int)"} is the whole declaration; with \
target, a text in it. For text in a comment add "in":"comment".
replace and insert need newText, delete takes none. insert puts it right after the anchor, exactly \
as given; "position" (in the anchor) says otherwise: before; line_before or line_after for whole \
lines, indented for you; body_start or body_end, inside a symbol.
An edit changes at most 80 characters, not counting what target and newText share at their ends, \
nor indentation that line_* and body_* add. \
Split what is larger, or use edit_scripts. What would break the syntax is refused. \
An error's text has requests to send instead, "offer 1 (what it is): {...}"; of "choice 1", \
"choice 2" pick what you mean."""

_EDIT_SCRIPTS = """\
Change 1-20 C# files together, all or none, judged as one: larger edits (8000 characters each, 50 \
in all), new files, deletions, moves. For a method with its callers, a new member or class. Example:
{"mode":"apply","changes":[{"path":"Assets/A.cs","instructions":[{"operation":"insert",\
"anchor":{"type":"symbol","symbolPath":"A","position":"body_end"},\
"newText":"void B()\\n{\\n    C.D();\\n}"}]},\
{"path":"Assets/C.cs","create":"static class C { … }"}]}"""

_SCRIPT_TOOLS = (
    ToolSpec(
        name="edit_snippet",
        title="Edit C# snippet",
        description=_EDIT_SNIPPET,
        input_schema=INPUT_SCHEMAS["edit_snippet"],
        output_schema=OUTPUT_SCHEMAS["edit_snippet"],
        executor=Executor.LOCAL,
        default_timeout_ms=10_000,
        max_timeout_ms=30_000,
        mutating=True,
        harmless=("mode", "preview"),
        execution_error_retryable=False,
        destructive=True,
        idempotent=False,
    ),
    ToolSpec(
        name="edit_scripts",
        title="Change C# files",
        description=_EDIT_SCRIPTS,
        input_schema=INPUT_SCHEMAS["edit_scripts"],
        output_schema=OUTPUT_SCHEMAS["edit_scripts"],
        described_elsewhere={"instruction": "As in edit_snippet"},
        said_before=INPUT_SCHEMAS["edit_snippet"],
        executor=Executor.LOCAL,
        default_timeout_ms=20_000,
        max_timeout_ms=60_000,
        mutating=True,
        harmless=("mode", "preview"),
        execution_error_retryable=False,
        destructive=True,
        idempotent=False,
    ),
    ToolSpec(
        name="undo_snippet",
        title="Undo C# edit",
        description="Undo an apply (path, hashAfter), or all of an edit_scripts apply (changeId), "
        "if its files were not changed since: else undo what is newer first.",
        input_schema=INPUT_SCHEMAS["undo_snippet"],
        output_schema=OUTPUT_SCHEMAS["undo_snippet"],
        executor=Executor.LOCAL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        mutating=True,
        guard="hashAfter",
        execution_error_retryable=False,
        destructive=True,
        idempotent=False,
    ),
    ToolSpec(
        name="get_history",
        title="History of C# edits",
        description="Applies that can be undone, newest first, with what undo_snippet takes.",
        input_schema=INPUT_SCHEMAS["get_history"],
        output_schema=OUTPUT_SCHEMAS["get_history"],
        executor=Executor.LOCAL,
        default_timeout_ms=5_000,
        max_timeout_ms=30_000,
        mutating=False,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="get_symbols",
        title="C# file outline",
        description="Outline of a C# file: symbolPath as symbol anchors take it, kind, "
        "range (lines from 0; messages count from 1).",
        input_schema=INPUT_SCHEMAS["get_symbols"],
        output_schema=OUTPUT_SCHEMAS["get_symbols"],
        executor=Executor.LOCAL,
        default_timeout_ms=5_000,
        max_timeout_ms=30_000,
        mutating=False,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="validate_script",
        title="Check C# file",
        description="Errors of a C# file as it stands on disk.",
        input_schema=INPUT_SCHEMAS["validate_script"],
        output_schema=OUTPUT_SCHEMAS["validate_script"],
        executor=Executor.LOCAL,
        default_timeout_ms=5_000,
        max_timeout_ms=30_000,
        mutating=False,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="check_project",
        title="Check project",
        description="Does the project compile? All compiler errors, without the Editor.",
        input_schema=project_schemas.INPUT_SCHEMA,
        output_schema=project_schemas.OUTPUT_SCHEMA,
        executor=Executor.LOCAL,
        default_timeout_ms=120_000,
        max_timeout_ms=project_schemas.MAX_TIMEOUT_MS,
        mutating=False,
        execution_error_retryable=True,
    ),
)

_EDITOR_TOOLS = (
    ToolSpec(
        name="get_editor_state",
        title="Editor state",
        description="Whether a Unity Editor is connected and what it does. Never waits.",
        input_schema=editor_schemas.INPUT_SCHEMAS["get_editor_state"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["get_editor_state"],
        executor=Executor.CONTROL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        mutating=False,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="read_console",
        title="Read Unity console",
        description="Newest entries of the Unity console, compile errors included.",
        input_schema=editor_schemas.INPUT_SCHEMAS["read_console"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["read_console"],
        executor=Executor.UNITY,
        default_timeout_ms=10_000,
        max_timeout_ms=30_000,
        mutating=False,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="compile",
        title="Compile scripts",
        description="Import, compile, reload; errors with path, line, column.",
        input_schema=editor_schemas.INPUT_SCHEMAS["compile"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["compile"],
        executor=Executor.UNITY,
        unity_mode=ExecutionMode.JOB,
        default_timeout_ms=120_000,
        max_timeout_ms=600_000,
        mutating=True,
        execution_error_retryable=False,
    ),
    ToolSpec(
        name="run_tests",
        title="Run Unity tests",
        description="Start EditMode/PlayMode tests as a job; then ask get_job_status.",
        input_schema=editor_schemas.INPUT_SCHEMAS["run_tests"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["run_tests"],
        executor=Executor.UNITY,
        execution_mode=ExecutionMode.JOB,
        default_timeout_ms=300_000,
        max_timeout_ms=1_800_000,
        mutating=True,
        idempotent=False,
        supports_cancel=True,
        execution_error_retryable=False,
    ),
    ToolSpec(
        name="get_job_status",
        title="Job status",
        description="State, progress and result of a job. wait_ms waits for its end.",
        input_schema=editor_schemas.INPUT_SCHEMAS["get_job_status"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["get_job_status"],
        executor=Executor.CONTROL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        mutating=False,
        execution_error_retryable=False,
    ),
    ToolSpec(
        name="cancel_job",
        title="Cancel job",
        description="Cancel a job that has not ended.",
        input_schema=editor_schemas.INPUT_SCHEMAS["cancel_job"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["cancel_job"],
        executor=Executor.CONTROL,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        mutating=True,
        destructive=True,
        execution_error_retryable=False,
    ),
    ToolSpec(
        name="get_play_mode_state",
        title="Play mode state",
        description="Whether the Editor plays, is paused or stopped.",
        input_schema=editor_schemas.INPUT_SCHEMAS["get_play_mode_state"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["get_play_mode_state"],
        executor=Executor.UNITY,
        default_timeout_ms=5_000,
        max_timeout_ms=10_000,
        mutating=False,
        execution_error_retryable=True,
    ),
    ToolSpec(
        name="control_play_mode",
        title="Control play mode",
        description="Start, stop or pause play mode; does not wait for the transition.",
        input_schema=editor_schemas.INPUT_SCHEMAS["control_play_mode"],
        output_schema=editor_schemas.OUTPUT_SCHEMAS["control_play_mode"],
        executor=Executor.UNITY,
        default_timeout_ms=10_000,
        max_timeout_ms=30_000,
        mutating=True,
        execution_error_retryable=False,
    ),
)

CATALOG: Mapping[str, ToolSpec] = {tool.name: tool for tool in (*_SCRIPT_TOOLS, *_EDITOR_TOOLS)}
"""Every tool by its name, in the order in which lists show them."""
