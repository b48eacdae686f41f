"""The tool catalog: its flags, the budget of tool lists, what lists leave out."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.calls.server.delegated_call import is_delegated, may_change
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolErrorCode, tool_error
from mcp_server.contract.script_tools import SCRIPT_TOOLS
from mcp_server.contract.server_schemas import DELEGATED_TOOLS
from mcp_server.contract.tool_spec import brief_input_schema
from snippet_engine.limits import MAX_CHANGED_CODE_POINTS
from snippet_engine.schemas.checked_params import CheckedParams, checked
from snippet_engine.schemas.result_schema import WARNING_CODES

LIST_BYTES = 14_000
"""Of all tools: it is read into a model's context, whether or not one of them is called."""
DESCRIPTION_BYTES = 2000
"""Clients cut a longer one."""


def test_only_an_apply_changes_things() -> None:
    edit = CATALOG["edit_snippet"]
    assert edit.changes_things({"mode": "apply"})
    assert edit.changes_things({})
    assert not edit.changes_things({"mode": "preview"})
    assert CATALOG["undo_snippet"].changes_things({"mode": "preview"})
    assert not CATALOG["get_symbols"].changes_things({})


@pytest.mark.parametrize("tool", CATALOG.values(), ids=lambda tool: tool.name)
def test_every_tool_takes_a_timeout_up_to_its_own_and_a_client_request_id(tool: Any) -> None:
    properties = tool.input_schema["properties"]
    assert properties["timeout_ms"]["maximum"] == tool.max_timeout_ms
    assert properties["client_request_id"]["type"] == "string"
    assert tool.input_schema["additionalProperties"] is False
    assert tool.timeout_ms({}) == tool.default_timeout_ms
    assert tool.timeout_ms({"timeout_ms": 7}) == 7
    assert len(tool.description.encode()) < DESCRIPTION_BYTES


def test_an_undo_has_the_time_of_what_it_undoes() -> None:
    undo = CATALOG["undo_snippet"].default_timeout_ms
    assert undo >= CATALOG["edit_scripts"].default_timeout_ms


def test_annotations_agree_with_the_flags() -> None:
    for tool in CATALOG.values():
        hints = tool.to_mcp()["annotations"]
        assert hints.get("readOnlyHint", False) is not tool.mutating
        assert hints["openWorldHint"] is False
        if tool.mutating:
            assert hints.get("destructiveHint", True) is tool.destructive
            assert hints.get("idempotentHint", False) is tool.idempotent


def test_the_tool_list_fits_its_budget() -> None:
    listed = [tool.to_mcp() for tool in CATALOG.values()]
    size = len(json.dumps({"tools": listed}, ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= LIST_BYTES, f"shorten descriptions by {size - LIST_BYTES} bytes"


@pytest.mark.parametrize("name", ["edit_snippet", "edit_scripts"])
def test_the_example_in_the_description_is_a_request(name: str) -> None:
    edit = CATALOG[name]
    (example,) = (line for line in edit.description.splitlines() if line.startswith("{"))
    assert isinstance(checked(name, edit.input_schema, json.loads(example)), CheckedParams)


def test_the_description_says_what_callers_get_wrong() -> None:
    said = CATALOG["edit_snippet"].description
    assert f"at most {MAX_CHANGED_CODE_POINTS}" in said
    assert "duplicate_insert" in said
    assert "duplicate_insert" in WARNING_CODES


@pytest.mark.parametrize("tool", CATALOG.values(), ids=lambda tool: tool.name)
def test_listed_schemas_are_valid_and_take_errors_too(tool: Any) -> None:
    listed = tool.to_mcp()
    for key in ("inputSchema", "outputSchema"):
        jsonschema.Draft202012Validator.check_schema(listed[key])
        assert listed[key]["type"] == "object"
        assert "$schema" not in listed[key]  # some clients know no dialect but their own
    error = tool_error(ToolErrorCode.SNIPPET, "no").to_json()
    jsonschema.Draft202012Validator(listed["outputSchema"]).validate(error)


def test_a_brief_schema_keeps_what_says_how_to_call() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"enum": ["x"], "$comment": "why"},
            "b": {"type": "string", "minLength": 1, "description": "what"},
            "if": {"type": "array", "maxItems": 3},
        },
        "required": ["a"],
        "additionalProperties": False,
        "allOf": [{"if": {"required": ["b"]}, "then": {"required": ["if"]}}],
    }
    assert brief_input_schema(schema) == {
        "type": "object",
        "properties": {
            "a": {"enum": ["x"]},
            "b": {"type": "string", "description": "what"},
            "if": {"type": "array", "maxItems": 3},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 40_000) | st.sampled_from(["", "apply", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["path", "mode", "anchor", "type", "operation", "status", "hash"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(_values, st.sampled_from(list(CATALOG.values())))
def test_what_a_schema_accepts_its_listed_form_accepts(value: Any, tool: Any) -> None:
    schema, listed = tool.input_schema, tool.to_mcp()["inputSchema"]
    if listed.pop("additionalProperties", True) is False:
        assert schema["properties"].keys() <= listed["properties"].keys()
    assert "additionalProperties" not in json.dumps(listed)
    for name, sub in schema["properties"].items():
        whole = {"$defs": schema.get("$defs", {}), **sub}
        if jsonschema.Draft202012Validator(whole).is_valid(value):
            brief = {"$defs": listed.get("$defs", {}), **listed["properties"].get(name, {})}
            jsonschema.Draft202012Validator(brief).validate(value)


def test_what_the_command_knows_of_the_tools_is_what_the_catalog_says() -> None:
    compiled = {"check_project", "find_references", "rename_symbol"}
    assert {*DELEGATED_TOOLS, *compiled} == set(SCRIPT_TOOLS)
    for tool in DELEGATED_TOOLS:
        for params in ({}, {"mode": "preview"}, {"mode": "apply"}, {"mode": 1}, [], None):
            assert may_change(tool, params) == SCRIPT_TOOLS[tool].changes_things(params)
        assert is_delegated(tool, {})
        assert not is_delegated(tool, {"editorGate": "compile"})
