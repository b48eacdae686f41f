"""The generated pages know every error code and variable; the site's links lead to its pages."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.generator.parameters import field_tables  # noqa: E402
from docs.generator.reference_pages import ENGINE_CODES, VARIABLES  # noqa: E402

PRODUCT = (
    "lsp_client",
    "mcp_server",
    "roslyn_server",
    "snippet_engine",
    "unity_assets",
    "unity_bridge",
)


def test_every_code_of_an_edit_has_a_meaning() -> None:
    document = json.loads((ROOT / "contracts" / "errors.json").read_text(encoding="utf-8"))
    assert list(ENGINE_CODES) == [each["code"] for each in document["engine_errors"]]


def test_every_variable_that_the_code_reads_is_listed() -> None:
    files = [
        file
        for package in PRODUCT
        for pattern in ("*.py", "*.cs")
        for file in (ROOT / package).rglob(pattern)
    ]
    text = "\n".join(file.read_text(encoding="utf-8-sig") for file in files)
    read = set(re.findall(r'"(UNITY_(?:CLI|MCP|SNIPPET)_[A-Z_]+)"', text))
    assert read == {name for name in VARIABLES if name.startswith("UNITY_")}


def test_the_table_of_a_schema() -> None:
    schema = {
        "properties": {
            "mode": {"enum": ["preview", "apply"], "description": "a | b"},
            "edits": {"type": "array", "maxItems": 10, "items": {"$ref": "#/$defs/edit"}},
            "files": {"type": "array", "items": {"properties": {"path": {"type": "string"}}}},
        },
        "required": ["mode"],
        "$defs": {"edit": {"properties": {"all": {"type": "boolean", "default": False}}}},
    }
    assert list(field_tables(schema, about="tool"))[2:] == [
        r"| `mode` | `preview`, `apply` | yes | a \| b |",
        "| `edits` | list of [edit](#tool-edit) |  | at most 10 items |",
        "| `files` | list of any |  |  |",
        "| `files[].path` | string |  |  |",
        "",
        "#### tool edit",
        "",
        "| field | type | required | description |",
        "|---|---|---|---|",
        "| `all` | boolean |  | default `false` |",
    ]


@pytest.mark.parametrize(
    ("link", "source", "expected"),
    [
        ("docs/ci.md#any", "README.md", "ci.md#any"),
        ("../ci.md", "howto/README.md", "../ci.md"),
        ("../../README.md", "howto/install.md", "../README.md"),
        ("../../contracts", "howto/install.md", "https://host/repository/tree/main/contracts"),
        ("action.yml", "README.md", "https://host/repository/blob/main/action.yml"),
        ("#here", "README.md", "#here"),
        ("https://example.org", "README.md", "https://example.org"),
    ],
)
def test_links_lead_to_pages_or_to_the_repository(link: str, source: str, expected: str) -> None:
    from docs.generator.site_hooks import site_link

    class Pages:
        """The pages of the site."""

        def get_file_from_path(self, path: str) -> object | None:
            return path if path in ("README.md", "ci.md", "howto/install.md") else None

    assert site_link(link, source, "https://host/repository", Pages()) == expected  # type: ignore[arg-type]
