"""The ``contracts/`` folder: the public contract as files, made from the catalog.

Implements docs/design/command-line.md ``contracts``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.editor_schemas import JOB_RESULTS
from mcp_server.contract.errors import Guarantee, ToolErrorCode, errors_document
from mcp_server.contract.schema_parts import FLAG, TEXT, closed_object, words
from mcp_server.contract.server_schemas import MESSAGES, TASK_RESULTS
from mcp_server.contract.short_schemas import SHORT_ERROR_SCHEMA
from snippet_engine.schemas.result_schema import ERROR_SCHEMA
from snippet_engine.storage.system.plain_file import read_plain
from unity_bridge.plugin.wire_schemas import FROM_PLUGIN, FROM_SERVER

DIALECT = "https://json-schema.org/draft/2020-12/schema"

PIPELINE = "pipeline/"
"""The folder of the schemas of Unity's Pipeline messages, which are written by hand."""
GUARD = "guard/"
"""The folder of the schemas of coding agents' hook events, written after their documentation."""

TOOL_ERROR_SCHEMA = closed_object(
    {
        "error": closed_object(
            {
                "code": words(*ToolErrorCode),
                "message": TEXT,
                "retryable": FLAG,
                "details": {
                    "type": "object",
                    "properties": {"execution_guarantee": words(*Guarantee)},
                    "required": ["execution_guarantee"],
                },
            }
        )
    }
)
"""The schema of every tool's error."""

_SINGLE: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("error", "A failed call", TOOL_ERROR_SCHEMA),
    ("engine-error", "The snippet engine's error object", ERROR_SCHEMA),
    ("engine-error.short", "The same over MCP, in short answers", SHORT_ERROR_SCHEMA),
    *MESSAGES,
)


def _schemas() -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    for name, title, schema in _SINGLE:
        yield f"{name}.schema.json", name, title, schema
    for tool in CATALOG.values():
        for part, title, schema in (
            ("input", "arguments", tool.input_schema),
            ("output", "result", tool.answer_schema),
        ):
            name = f"{tool.name}.{part}"
            yield f"tools/{name}.json", f"tools:{name}", f"{tool.name}: {title}", schema
        if tool.short_schema is not None:
            name = f"{tool.name}.short"
            title = f"{tool.name}: result, in its short form over MCP"
            yield f"tools/{name}.json", f"tools:{name}", title, tool.short_schema
    for name, schema in JOB_RESULTS.items():
        title = f"{name}: the result of a job that succeeded"
        yield f"jobs/{name}.result.json", f"jobs:{name}.result", title, schema
    for name, (title, schema) in TASK_RESULTS.items():
        yield f"tasks/{name}.json", f"tasks:{name}", f"MCP's Tasks extension: {title}", schema
    for sender, messages in (("plugin", FROM_PLUGIN), ("server", FROM_SERVER)):
        for kind, schema in messages.items():
            name = f"from-{sender}:{kind}"
            title = f"/unity: {kind}, sent by the {sender}"
            yield f"wire/from-{sender}/{kind}.json", f"wire:{name}", title, schema


def contract_documents() -> dict[str, dict[str, Any]]:
    """Return every file of the contract: its content by its path below ``contracts/``."""
    documents = {"errors.json": errors_document()}
    for path, name, title, schema in _schemas():
        documents[path] = {
            "$schema": DIALECT,
            "$id": f"urn:unity-snippet:contracts:{name}",
            "title": title,
            **schema,
        }
    return documents


def export(folder: Path) -> list[str]:
    """Write the contract below ``folder`` and return the paths. Raises ``OSError``."""
    documents = contract_documents()
    for path, document in documents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_written(document))
    return list(documents)


def check(folder: Path) -> list[str]:
    """Return the differences between ``folder`` and the contract, one line each.

    Raises ``OSError`` for a file that exists but can't be read.
    """
    documents = contract_documents()
    differences = [
        f"{path}: is not part of the contract"
        for found in sorted(folder.rglob("*.json"))
        if (path := found.relative_to(folder).as_posix()) not in documents
        and not path.startswith((PIPELINE, GUARD))
    ]
    for path, document in documents.items():
        try:
            # Git may check files out with the platform's line endings.
            found_bytes = read_plain(folder / path).replace(b"\r\n", b"\n")
        except FileNotFoundError:
            differences.append(f"{path}: is missing")
            continue
        if found_bytes != _written(document):
            differences.append(f"{path}: {_first_difference(found_bytes, document)}")
    return sorted(differences)


def _written(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _first_difference(found: bytes, document: Mapping[str, Any]) -> str:
    try:
        value = json.loads(found)
    except ValueError as error:
        return f"is not JSON ({error})"
    at = _differs(value, json.loads(_written(document)), "$")
    return f"differs from the code at {at}" if at else "is formatted or ordered differently"


def _differs(found: Any, wanted: Any, path: str) -> str | None:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in [*wanted, *found]:
            if key not in found or key not in wanted:
                return f"{path}.{key}"
            if (at := _differs(found[key], wanted[key], f"{path}.{key}")) is not None:
                return at
        return None
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs = enumerate(zip(found, wanted, strict=True))
        return next((at for i, (f, w) in pairs if (at := _differs(f, w, f"{path}[{i}]"))), None)
    return None if found == wanted else path
