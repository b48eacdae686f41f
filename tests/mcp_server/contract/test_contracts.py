"""``contracts/`` and the code say the same, in valid JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from mcp_server.contract import contract_files as contracts
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolErrorCode, tool_error
from snippet_engine.errors import ErrorCode, SnippetError

CONTRACTS = Path(__file__).parents[3] / "contracts"
DOCUMENTS = contracts.contract_documents()
SCHEMAS = {path: document for path, document in DOCUMENTS.items() if path != "errors.json"}


def test_the_committed_contract_is_that_of_the_code() -> None:
    assert contracts.check(CONTRACTS) == [], "run: unity-cli contracts export"


@pytest.mark.parametrize("path", SCHEMAS)
def test_every_schema_is_valid_and_named(path: str) -> None:
    document = SCHEMAS[path]
    jsonschema.Draft202012Validator.check_schema(document)
    assert document["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    assert document["title"]
    assert not path.startswith("tools/") or document["additionalProperties"] is False


def test_every_tool_has_its_schemas_and_each_a_name_of_its_own() -> None:
    for tool in CATALOG:
        assert {f"tools/{tool}.input.json", f"tools/{tool}.output.json"} <= SCHEMAS.keys()
    assert len({document["$id"] for document in SCHEMAS.values()}) == len(SCHEMAS)


def test_the_error_schemas_fit_real_errors() -> None:
    engine_error = SnippetError(ErrorCode.BUSY, "wait", instruction=3, details={"a": 1}).to_json()
    jsonschema.validate(engine_error, SCHEMAS["engine-error.schema.json"])
    for code in ToolErrorCode:
        jsonschema.validate(tool_error(code, "no").to_json(), SCHEMAS["error.schema.json"])


def test_export_then_check(tmp_path: Path) -> None:
    assert sorted(contracts.export(tmp_path)) == sorted(DOCUMENTS)
    assert contracts.check(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (b"{", b"[", "is not JSON"),
        (b'"Project-relative', b'"project-relative', "differs from the code at $.properties.path"),
        (b'"maximum": 30000', b'"maximum": 1', "at $.properties.timeout_ms.maximum"),
        (b"  ", b" ", "is formatted or ordered differently"),
    ],
)
def test_check_says_what_differs(tmp_path: Path, old: bytes, new: bytes, difference: str) -> None:
    contracts.export(tmp_path)
    name = "tools/edit_snippet.input.json"
    text = (tmp_path / name).read_bytes()
    assert old in text
    (tmp_path / name).write_bytes(text.replace(old, new))
    (line,) = contracts.check(tmp_path)
    assert line.startswith(f"{name}: ")
    assert difference in line


def test_line_endings_are_the_platforms_affair(tmp_path: Path) -> None:
    for path in contracts.export(tmp_path):
        text = (tmp_path / path).read_bytes()
        (tmp_path / path).write_bytes(text.replace(b"\n", b"\r\n"))
    assert contracts.check(tmp_path) == []


def test_check_finds_missing_and_foreign_files(tmp_path: Path) -> None:
    contracts.export(tmp_path)
    (tmp_path / "errors.json").unlink()
    (tmp_path / "tools" / "other.input.json").write_text(json.dumps({}))
    assert contracts.check(tmp_path) == [
        "errors.json: is missing",
        "tools/other.input.json: is not part of the contract",
    ]
