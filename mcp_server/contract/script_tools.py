"""The script tools, which need no Unity Editor; and the check of any tool's arguments.

Part of docs/design/server-and-bridge.md §2 and §3. A command that calls a script tool loads no
schema of the Editor's tools. A call that fails the check is never queued, sent or run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.contract.errors import ToolError, ToolErrorCode, invalid_params, tool_error
from mcp_server.contract.schema_parts import (
    COUNT,
    DURATION,
    FLAG,
    TEXT,
    TEXTS,
    Schema,
    array,
    closed_object,
    noted,
    whole,
    words,
)
from mcp_server.contract.server_schemas import DELEGATED_TOOLS
from mcp_server.contract.tool_spec import Executor, ToolSpec
from snippet_engine.schemas.checked_params import CheckedParams, checked, refusal
from snippet_engine.schemas.schema import CLIENT_REQUEST_ID, INSTRUCTION, SYMBOL_ANCHOR, TEXT_ANCHOR
from snippet_engine.schemas.schema_findings import nearest, quoted
from snippet_engine.schemas.tool_schemas import INPUT_SCHEMAS, OUTPUT_SCHEMAS

_EDIT_SNIPPET = """\
Edit one existing C# file by 1-10 small edits, all or none. \
mode "preview" shows the diff, "apply" writes. Example:
{"path":"Assets/Scripts/Player.cs","mode":"apply","instructions":[{"operation":"replace",\
"anchor":{"type":"text","before":"void Update()\\n    {","target":"if (speed > 10)"},\
"newText":"if (speed > 20)"}]}
An anchor must fit exactly one place: no first match, no replace_all, no line numbers. All mean \
the file before this request. \
Text anchor: if target occurs more than once, add before/after, the text that touches it, \
indented as in the file. Symbol \
anchor: {"type":"symbol","symbolPath":"Player.TakeDamage(int)"} is the whole declaration; with \
target, a text in it. For text in a comment add "in":"comment".
replace and insert need newText, delete takes none. insert puts it right after the anchor, exactly \
as given; "position" (in the anchor) says otherwise: before; line_before or line_after for whole \
lines, indented; body_start or body_end, inside a symbol. \
An addition already right there is skipped (duplicate_insert).
An edit changes at most 80 characters, not counting what target and newText share at their ends. \
Split larger ones, or use edit_scripts. What would break the syntax is refused. \
An error has requests to send instead, "offer 1 (what it is): {...}"; of choices pick one."""

_EDIT_SCRIPTS = """\
Change 1-20 C# files together, all or none, judged as one: larger edits (8000 characters each, 50 \
in all), new files, deletions, moves. For a method with its callers, a new member or class. Example:
{"mode":"apply","changes":[{"path":"Assets/A.cs","instructions":[{"operation":"insert",\
"anchor":{"type":"symbol","symbolPath":"A","position":"body_end"},\
"newText":"void B()\\n{\\n    C.D();\\n}"}]},\
{"path":"Assets/C.cs","create":"static class C\\n{\\n    public static void D() { }\\n}\\n"}]}"""

_FIND_REFERENCES = """\
Where a C# symbol is used, by meaning: calls, reads, writes, overrides, nameof; in scenes, prefabs \
and animations too. Only complete: true means that nothing else uses it."""

_RENAME_SYMBOL = """\
Rename a C# symbol everywhere at once, proved by the compiler: scripts, its name in scenes, \
prefabs, animations, UnityEvents (values set there survive), the file and .meta of a MonoBehaviour \
or ScriptableObject. Prefer it to edits that replace a declared name. What would change a meaning \
is refused. undo_snippet takes its changeId."""

_LISTED = {
    "instruction": {
        **INSTRUCTION,
        "properties": {
            **{
                name: INSTRUCTION["properties"][name] for name in ("operation", "newText", "indent")
            },
            "anchor": {"$ref": "#/$defs/anchor"},
        },
    },
    "anchor": {
        "type": "object",
        "properties": {
            **TEXT_ANCHOR["properties"],
            "type": {"enum": ["text", "symbol"]},
            **{
                name: each
                for name, each in SYMBOL_ANCHOR["properties"].items()
                if name in ("symbolPath", "part", "position")
            },
        },
        "required": ["type"],
    },
}
"""Both kinds of anchor as one schema, so that a tool list describes no key twice."""


def _script_tool(
    name: str,
    title: str,
    description: str,
    *,
    default_timeout_ms: int | None = None,
    writes: bool = False,
    **more: Any,
) -> ToolSpec:
    """Return the tool ``name``, with its schemas from the engine.

    Its longest timeout is that of the input schema. Its default is ``default_timeout_ms``, or that
    in :data:`DELEGATED_TOOLS`.
    """
    input_schema = INPUT_SCHEMAS[name]
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=input_schema,
        output_schema=OUTPUT_SCHEMAS[name],
        executor=Executor.LOCAL,
        default_timeout_ms=default_timeout_ms or DELEGATED_TOOLS[name],
        max_timeout_ms=input_schema["properties"]["timeout_ms"]["maximum"],
        mutating=writes,
        destructive=writes,
        idempotent=not writes,
        execution_error_retryable=not writes,
        **more,
    )


_NAMES: Schema = {
    **array({"type": "string", "minLength": 1, "maxLength": 1000}),
    "minItems": 1,
    "uniqueItems": True,
}
_MOST_MS = 600_000

_PROJECT_INPUT: Schema = {
    "type": "object",
    "properties": {
        "assemblies": _NAMES,
        "paths": noted(_NAMES, "Files or folders"),
        "include_warnings": {"type": "boolean", "default": False},
        "timeout_ms": whole(1, _MOST_MS),
        "client_request_id": CLIENT_REQUEST_ID,
    },
    "additionalProperties": False,
}

_DIAGNOSTICS = array(
    closed_object(
        {
            "path": noted(TEXT, "Path in the project; empty: not about a file"),
            "line": noted(COUNT, "From 1, as the compiler prints it"),
            "column": COUNT,
            "code": noted(TEXT, "CS0246, for example"),
            "message": TEXT,
            "assembly": TEXT,
        }
    )
)
_COMPILER: Schema = {
    "type": "object",
    "properties": {
        "version": TEXT,
        "from": TEXT,
        "isProjects": FLAG,
        "unitysOlder": noted(TEXT, "Unity's own compiler, if older: it may report more errors"),
    },
    "additionalProperties": False,
}
_CHECKED = closed_object(
    {
        "assemblies": COUNT,
        "files": noted(COUNT, "How many files were compiled"),
        "syntaxOnly?": noted(COUNT, "How many more were checked for syntax only"),
        "paths?": noted(TEXTS, "The requested paths: errors elsewhere are not reported"),
        "notRead?": noted(TEXTS, "#if conditions whose code was not compiled"),
        "compiler?": _COMPILER,
    }
)
_NOT_CHECKED = closed_object(
    {
        "assembly": {"type": ["string", "null"], "description": "null: the whole project"},
        "reason": TEXT,
    }
)

_PROJECT_OUTPUT = closed_object(
    {
        "status": noted(
            words("clean", "errors", "unknown"),
            "clean: no errors, and everything in question was checked; unknown: see notChecked",
        ),
        "errors": _DIAGNOSTICS,
        "warnings": _DIAGNOSTICS,
        "counts": noted(
            closed_object({"errors": COUNT, "warnings": COUNT}),
            "Totals; the lists may be cut",
        ),
        "checked": _CHECKED,
        "notChecked": array(_NOT_CHECKED),
        "confirmed": noted(FLAG, "A full check confirmed the quick one"),
        "duration_ms": DURATION,
        "checkedAs?": noted(TEXT, "Which code was checked; missing if none was"),
    }
)

_EDIT_INPUT = INPUT_SCHEMAS["edit_snippet"]

_TOOLS = (
    _script_tool(
        "edit_snippet",
        "Edit C# snippet",
        _EDIT_SNIPPET,
        listed_definitions=_LISTED,
        resends="instructions",
        writes=True,
        harmless=("mode", "preview"),
    ),
    _script_tool(
        "edit_scripts",
        "Change C# files",
        _EDIT_SCRIPTS,
        listed_definitions={"instruction": {"type": "object", "description": "As in edit_snippet"}},
        resends="changes",
        said_before=_EDIT_INPUT,
        writes=True,
        harmless=("mode", "preview"),
    ),
    _script_tool(
        "undo_snippet",
        "Undo C# edit",
        "Undo an apply (path, hashAfter), or all of an edit_scripts apply (changeId), "
        "if its files were not changed since. Otherwise undo newer changes first.",
        said_before=_EDIT_INPUT,
        writes=True,
        guard="hashAfter",
    ),
    _script_tool(
        "get_history",
        "History of C# edits",
        "Applies that can be undone, newest first, with what undo_snippet takes.",
    ),
    _script_tool(
        "get_symbols",
        "C# file outline",
        "Outline of a C# file: symbolPath for symbol anchors, kind, lines, #if. "
        "Without path: search all scripts by filter (50 rows).",
        said_before=_EDIT_INPUT,
    ),
    _script_tool(
        "validate_script",
        "Check C# file",
        "Errors of a C# file as it is on disk.",
        said_before=_EDIT_INPUT,
    ),
    _script_tool(
        "find_references",
        "Find references",
        _FIND_REFERENCES,
        said_before=_EDIT_INPUT,
        default_timeout_ms=60_000,
    ),
    _script_tool(
        "rename_symbol",
        "Rename C# symbol",
        _RENAME_SYMBOL,
        said_before={"edits": _EDIT_INPUT, "references": INPUT_SCHEMAS["find_references"]},
        default_timeout_ms=120_000,
        writes=True,
        harmless=("mode", "preview"),
    ),
    ToolSpec(
        name="check_project",
        title="Check project",
        description="Does the project compile? All compiler errors, without the Editor.",
        input_schema=_PROJECT_INPUT,
        output_schema=_PROJECT_OUTPUT,
        executor=Executor.LOCAL,
        default_timeout_ms=120_000,
        max_timeout_ms=_MOST_MS,
        execution_error_retryable=True,
    ),
)

SCRIPT_TOOLS: Mapping[str, ToolSpec] = {tool.name: tool for tool in _TOOLS}
"""Every script tool by its name, in the order of lists."""


def find_tool(name: str) -> ToolSpec | ToolError:
    """Return the tool of that name. Error: ``ERR_UNKNOWN_COMMAND``, with the nearest names."""
    script_tool = SCRIPT_TOOLS.get(name)
    if script_tool is not None:
        return script_tool
    from mcp_server.contract.catalog import CATALOG  # noqa: PLC0415 - a script's needs no other

    spec = CATALOG.get(name)
    if spec is not None:
        return spec
    near = nearest(name, CATALOG)
    known = ", ".join(CATALOG)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known tools: {known}."
    return tool_error(
        ToolErrorCode.UNKNOWN_COMMAND,
        f"There is no tool {quoted(name)}. {hint}",
        details={"nearest": near, "known": list(CATALOG)},
    )


def check_arguments(spec: ToolSpec, arguments: object) -> CheckedParams | ToolError:
    """Check ``arguments`` against the tool's schema. Error: ``ERR_INVALID_PARAMS``."""
    found = checked(spec.name, spec.input_schema, arguments)
    return found if isinstance(found, CheckedParams) else invalid_params(spec.name, refusal(found))
