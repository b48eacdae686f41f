"""What is said about wrong requests, and that something is said about every one of them."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snippet_engine.schemas.checked_params import MAX_DEPTH, MAX_PROBLEMS, find_problems
from snippet_engine.schemas.tool_schemas import INPUT_SCHEMAS

EDIT = INPUT_SCHEMAS["edit_snippet"]
TEXT = {"type": "text", "target": "speed"}
HASH = "sha256:" + "0" * 64


def request(*instructions: Any, **more: Any) -> dict[str, Any]:
    return {"path": "Assets/A.cs", "mode": "preview", "instructions": list(instructions), **more}


def said(instance: object, schema: dict[str, Any] = EDIT) -> list[str]:
    return [str(problem) for problem in find_problems(schema, instance)]


def insertion(anchor: dict[str, Any]) -> dict[str, Any]:
    return {"operation": "insert", "anchor": anchor, "newText": "x"}


POSITIONS = '.anchor.position must be one of "before", "after", "line_before", "line_after"'


def said_of(instruction: Any) -> list[str]:
    """Problems of one instruction, without the path that leads to it."""
    return [line.removeprefix("$.instructions[0]") for line in said(request(instruction))]


@pytest.mark.parametrize(
    "fitting",
    [
        request({"operation": "replace", "anchor": TEXT, "newText": "x"}),
        request({"operation": "delete", "anchor": TEXT, "metadata": {"any": [None, 1e3, {}]}}),
        request(
            {
                "operation": "insert",
                "anchor": {"type": "symbol", "symbolPath": "A.B", "position": "body_start"},
                "newText": "日本 \U0001f600\0",
            },
            expectedHash=HASH,
            validation="embedded",
            include=["workspaceEdit"],
            timeout_ms=30000,
        ),
    ],
)
def test_a_fitting_request_has_no_problems(fitting: dict[str, Any]) -> None:
    assert find_problems(EDIT, fitting) == []


def test_all_problems_are_reported_at_once_in_document_order() -> None:
    assert said(
        {
            "mode": "dry",
            "instructions": [
                {"operation": "remove", "anchor": TEXT},
                {"operation": "replace", "anchor": {**TEXT, "oldText": "x"}},
            ],
            "preview": "true",
        }
    ) == [
        '$.mode must be one of "preview", "apply" (got "dry")',
        '$.instructions[0].operation must be one of "replace", "insert", "delete" (got "remove")',
        '$.instructions[1].anchor.oldText is an unknown key for type "text". '
        "Known keys: type, target, before, after, in, position",
        '$.instructions[1].newText is required for operation "replace"',
        "$.preview is an unknown key. Known keys: path, mode, instructions, expectedHash, "
        "validation, editorGate, include, wait, client_request_id, timeout_ms",
        "$.path is required",
    ]


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        (
            {"operation": "delete", "anchor": TEXT, "newText": "x"},
            ['.newText is not allowed: operation "delete" takes no newText'],
        ),
        (
            insertion({"type": "regex", "target": "x"}),
            ['.anchor.type must be one of "text", "symbol" (got "regex")'],
        ),
        (insertion({"target": "x"}), ['.anchor.type is required: one of "text", "symbol"']),
        (
            insertion({"type": "symbol"}),
            ['.anchor.symbolPath is required for type "symbol"'],
        ),
        (insertion({**TEXT, "position": 5}), [f"{POSITIONS} (got 5)"]),
        (
            insertion({"type": "symbol", "symbolPath": "A", "target": "x", "position": "body_end"}),
            [f'{POSITIONS} (got "body_end"); body_start and body_end take no target'],
        ),
        (
            {"operation": "replace", "anchor": {**TEXT, "position": "after"}, "newText": "x"},
            ['.anchor.position is not allowed: only operation "insert" takes a position'],
        ),
        (
            {"operation": "replace", "anchor": TEXT, "new_text": "x"},
            [
                '.new_text is an unknown key; did you mean "newText"? '
                "Known keys: operation, anchor, newText, indent, metadata",
                '.newText is required for operation "replace"',
            ],
        ),
        (
            {"operation": "replace", "anchor": "speed", "newText": ""},
            ['.anchor must be an object (got the string "speed")', ".newText must not be empty"],
        ),
        ("replace", [' must be an object (got the string "replace")']),
    ],
)
def test_only_the_branch_that_was_chosen_is_reported(instruction: Any, expected: list[str]) -> None:
    assert said_of(instruction) == expected


@pytest.mark.parametrize(
    ("schema", "instance", "expected"),
    [
        ({"type": "boolean"}, "true", '$ must be a boolean (got the string "true")'),
        ({"type": "integer"}, 1.5, "$ must be an integer (got the number 1.5)"),
        ({"type": "integer"}, True, "$ must be an integer (got true)"),
        ({"type": ["string", "null"]}, [], "$ must be null or a string (got an array)"),
        (
            {"type": "array"},
            '[{"a": 1}]',
            '$ must be an array (got the string "[{\\"a\\": 1}]"; '
            "send the JSON itself, not a string of it)",
        ),
        ({"maxItems": 1}, [1, 2], "$ must have at most 1 item (has 2)"),
        ({"minItems": 3}, [1, 2], "$ must have at least 3 items (has 2)"),
        ({"minItems": 1}, [], "$ must not be empty"),
        ({"maxLength": 2}, "a\U0001f600b", "$ must have at most 2 characters (has 3)"),
        ({"minimum": 1}, 0, "$ must be at least 1 (got 0)"),
        ({"maximum": 5}, 10**400, "$ must be at most 5 (got a number of more than 38 digits)"),
        ({"const": "a"}, {}, '$ must be "a" (got an object)'),
        ({"pattern": "^a"}, "b", '$ must match ^a (got "b")'),
        ({"uniqueItems": True}, [1, 1], "$ must not repeat an item"),
        (
            {"anyOf": [{"type": "string"}, {"type": "array"}]},
            1,
            "$ must be a string or an array (got the number 1)",
        ),
        (
            {"anyOf": [{"type": "string"}, {"items": {"type": "string"}}]},
            ["a", 2],
            "$[1] must be a string (got the number 2)",
        ),
        (
            {"oneOf": [{"minimum": 1}, {"minimum": 2}]},
            3,
            "$ fits more than one of the allowed forms; send only one of them",
        ),
        (
            {"properties": {"a b": {"type": "null"}}},
            {"a b": 1},
            '$["a b"] must be null (got the number 1)',
        ),
    ],
)
def test_wording(schema: dict[str, Any], instance: object, expected: str) -> None:
    assert said(instance, schema) == [expected]


def test_long_values_are_shortened() -> None:
    (line,) = said("x" * 10_000, {"enum": ["a"]})
    assert len(line) < 120
    assert "…" in line


def test_the_chosen_mode_is_named_at_any_depth() -> None:
    schema = {
        "properties": {"kind": {"enum": ["a", "b"]}, "more": {"type": "object"}},
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"properties": {"more": {"required": ["x"]}}, "required": ["y"]},
    }
    assert said({"kind": "a", "more": {}}, schema) == [
        "$.more.x is required",
        '$.y is required for kind "a"',
    ]
    assert said({"kind": "c", "more": {}}, schema) == ['$.kind must be one of "a", "b" (got "c")']


# -- values that are hard to judge at all --------------------------------------------------


def test_a_lone_surrogate_is_one_problem_and_hides_no_other() -> None:
    assert said(
        request({"operation": "replace", "anchor": TEXT, "newText": "a\ud83d"}, mode="\udc00")
    ) == [
        "$.mode has half of a surrogate pair (\\udc00) at character 0; send the whole character",
        "$.instructions[0].newText has half of a surrogate pair (\\ud83d) at character 1; "
        "send the whole character",
    ]


def test_a_lone_surrogate_in_a_key() -> None:
    assert said({"\ud800": 1, "mode": 1}) == [
        "$ has a key with half of a surrogate pair ('\\ud800')",
        '$.mode must be one of "preview", "apply" (got 1)',
        "$.path is required",
        "$.instructions is required",
    ]


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have(text: str) -> None:
    metadata = json.loads(f'{{"deep": [{text}]}}')
    (line,) = said_of({"operation": "delete", "anchor": TEXT, "metadata": metadata})
    assert line.startswith(".metadata.deep[0] must be a finite number (got ")


def test_nesting_has_a_limit() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = {"a": deep}
    (line,) = said_of({"operation": "delete", "anchor": TEXT, "metadata": deep})
    assert line.endswith(f" is nested deeper than {MAX_DEPTH} levels")


def test_an_answer_has_a_limit() -> None:
    problems = find_problems({"items": {"type": "null"}}, [1] * 1000)
    assert len(problems) == MAX_PROBLEMS + 1
    assert str(problems[-1]) == f"$ has more problems than these {MAX_PROBLEMS}"


def test_a_problem_far_down_a_long_array_is_found() -> None:
    schema = {"items": {"type": "null"}, "maxItems": 2000}
    assert said([None] * 1000 + [1] + [None], schema) == ["$[1000] must be null (got the number 1)"]


def test_counts_are_those_of_the_whole_array() -> None:
    schema = {"items": {"type": "null"}, "maxItems": 10}
    assert said([None] * 1000, schema) == ["$ must have at most 10 items (has 1000)"]


def test_keys_that_are_not_strings() -> None:
    assert said({1: 2}, {"type": "object"}) == ["$ has a key that is not a string (int)"]


# -- laws ----------------------------------------------------------------------------------

_text = st.text(max_size=5) | st.sampled_from(["replace", "delete", "text", "symbol", "apply"])
_any_text = _text | st.text(st.characters(categories=["Cs", "L"]), max_size=3)
_numbers = st.integers() | st.floats() | st.sampled_from([10**400, -0.0, 2**53])
_scalars = st.none() | st.booleans() | _numbers | _any_text
_json = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_any_text, inner, max_size=4),
    max_leaves=20,
)
_FULL = request(
    {"operation": "replace", "anchor": {**TEXT, "before": "a"}, "newText": "b", "metadata": {}},
    {"operation": "insert", "anchor": {"type": "symbol", "symbolPath": "A"}, "newText": "b"},
    {"operation": "delete", "anchor": TEXT},
    expectedHash=HASH,
    validation="auto",
)


def _places(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner: Any = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    return [at, *(place for key, item in inner for place in _places(item, (*at, key)))]


@st.composite
def _nearly_requests(draw: st.DrawFn) -> Any:
    """A good request with some values replaced, keys renamed or keys taken away."""
    document = copy.deepcopy({"root": _FULL})
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(_places(document)[1:]))
        parent: Any = document
        for step in place[:-1]:
            parent = parent[step]
        change = draw(st.sampled_from(["replace", "remove", "rename"]))
        if change == "replace" or place == ("root",):
            parent[place[-1]] = draw(_json)
        else:
            value = parent.pop(place[-1])
            if change == "rename" and isinstance(parent, dict):
                parent[draw(_any_text)] = value
        document.setdefault("root", None)
    return document["root"]


@given(_json | _nearly_requests())
def test_anything_gets_an_answer_and_only_fitting_values_get_an_empty_one(value: Any) -> None:
    problems = find_problems(EDIT, value)
    json.dumps([str(problem) for problem in problems]).encode()
    "".join(str(problem) for problem in problems).encode()  # no lone surrogate gets out
    assert all(problem.path.startswith("$") for problem in problems)
    assert len(problems) == len(set(problems))
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False)
        written.encode()
    except ValueError:
        assert problems
        return
    assert bool(problems) == (not jsonschema.Draft202012Validator(EDIT).is_valid(value))


@given(_nearly_requests())
def test_the_same_problems_every_time(value: Any) -> None:
    assert find_problems(EDIT, value) == find_problems(EDIT, value)
