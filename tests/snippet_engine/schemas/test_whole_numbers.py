"""5.0 is an integer to JSON Schema, and so it is one to every tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from unity_project import UnityProject

from mcp_server.contract.catalog import CATALOG
from snippet_engine.errors import SnippetError
from snippet_engine.schemas.checked_params import CheckedParams, checked, with_integers
from snippet_engine.schemas.tool_schemas import INPUT_SCHEMAS


def integers_of(schema: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The parameters of a tool that are integers, each with one that is allowed."""
    for name, declared in schema["properties"].items():
        if declared.get("type") == "integer":
            yield name, declared.get("minimum", declared.get("default", 1))


def test_every_integer_of_every_tool_may_have_a_decimal_point() -> None:
    seen = 0
    for spec in CATALOG.values():
        kept = ("type", "properties", "$defs")
        schema = {key: spec.input_schema[key] for key in kept if key in spec.input_schema}
        for name, value in integers_of(schema):
            params = checked(spec.name, schema, {name: float(value)})
            assert isinstance(params, CheckedParams), (spec.name, name, params)
            assert type(params[name]) is int, (spec.name, name)
            seen += 1
    assert seen > len(CATALOG)


def test_they_are_found_wherever_they_stand() -> None:
    sent = {"a": [1.0, {"b": 2.0, "c": 2.5}], "metadata": {"kept": 3.0}, "d": True}
    made = with_integers(sent)
    assert repr(made) == repr({"a": [1, {"b": 2, "c": 2.5}], "metadata": {"kept": 3.0}, "d": True})


def test_what_has_none_is_passed_on_as_it_is() -> None:
    sent = {"a": [1, {"b": "2.0"}], "metadata": {"kept": 3.0}}
    assert with_integers(sent) is sent


@pytest.mark.parametrize("limit", [5, 5.0])
def test_a_history_of_five(tmp_path: Path, limit: float) -> None:
    """It crashed: what slices takes no float."""
    engine = UnityProject(tmp_path).engine
    params = checked("get_history", INPUT_SCHEMAS["get_history"], {"limit": limit})
    assert isinstance(params, CheckedParams)
    answer = engine.get_history(params)
    assert not isinstance(answer, SnippetError)
    assert answer["changes"] == []
