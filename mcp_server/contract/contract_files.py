"""The ``contracts/`` folder: the public contract as files, made from the catalog.

Implements docs/design/command-line.md ``contracts``. Every schema has ``$schema``, ``$id`` and
``title``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_server.contract.call_schemas import (
    CALL_ANSWER_SCHEMA,
    CALL_QUESTION_SCHEMA,
    SERVER_STOP_ANSWER_SCHEMA,
    SERVER_STOP_QUESTION_SCHEMA,
    STOP_ANSWER_SCHEMA,
    STOP_QUESTION_SCHEMA,
)
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.editor_schemas import JOB_RESULTS
from mcp_server.contract.errors import Guarantee, ToolErrorCode, errors_document
from mcp_server.contract.joining_schemas import PROOF_SCHEMA, SERVER_FILE_SCHEMA
from mcp_server.contract.task_schemas import TASK_RESULTS
from mcp_server.contract.verdict_schemas import VERDICT_ANSWER_SCHEMA, VERDICT_QUESTION_SCHEMA
from snippet_engine.schemas.result_schema import ERROR_SCHEMA
from snippet_engine.storage.system.plain_file import read_plain
from unity_bridge.plugin.wire_schemas import FROM_PLUGIN, FROM_SERVER

DIALECT = "https://json-schema.org/draft/2020-12/schema"

PIPELINE = "pipeline/"
"""The messages of Unity's Pipeline package: kept by hand, as another party's."""

TOOL_ERROR_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"enum": [code.value for code in ToolErrorCode]},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
                "details": {
                    "type": "object",
                    "properties": {
                        "execution_guarantee": {"enum": [each.value for each in Guarantee]}
                    },
                    "required": ["execution_guarantee"],
                },
            },
            "required": ["code", "message", "retryable", "details"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}
"""What every tool answers when it fails."""


def contract_documents() -> dict[str, dict[str, Any]]:
    """Every file of the contract: its path below ``contracts/``, and its content."""
    documents = {
        "errors.json": errors_document(),
        "error.schema.json": _schema("error", "A failed call", TOOL_ERROR_SCHEMA),
        "engine-error.schema.json": _schema(
            "engine-error", "The snippet engine's error object", ERROR_SCHEMA
        ),
    }
    documents["server.schema.json"] = _schema(
        "server", "server.json, which a running server leaves for its user", SERVER_FILE_SCHEMA
    )
    documents["identity.schema.json"] = _schema(
        "identity", "GET /identity: the server proves itself", PROOF_SCHEMA
    )
    for name, title, schema in (
        ("call.question", "POST /call: what a command has made", CALL_QUESTION_SCHEMA),
        ("call.answer", "POST /call: what the call came to", CALL_ANSWER_SCHEMA),
        ("call.stop.question", "POST /call/stop: the call that is to end", STOP_QUESTION_SCHEMA),
        ("call.stop.answer", "POST /call/stop: what had become of it", STOP_ANSWER_SCHEMA),
        ("stop.question", "POST /stop: the server is told to end", SERVER_STOP_QUESTION_SCHEMA),
        ("stop.answer", "POST /stop: which process ends", SERVER_STOP_ANSWER_SCHEMA),
        ("verdict.question", "POST /verdict: what a command asks", VERDICT_QUESTION_SCHEMA),
        ("verdict.answer", "POST /verdict: what the server's compiler says", VERDICT_ANSWER_SCHEMA),
    ):
        documents[f"{name}.schema.json"] = _schema(name, title, schema)
    for tool in CATALOG.values():
        for part, of_what, schema in (
            ("input", "arguments", tool.input_schema),
            ("output", "result", tool.answer_schema),
        ):
            name = f"{tool.name}.{part}"
            documents[f"tools/{name}.json"] = _schema(
                f"tools:{name}", f"{tool.name}: {of_what}", schema
            )
    for name, schema in JOB_RESULTS.items():
        documents[f"jobs/{name}.result.json"] = _schema(
            f"jobs:{name}.result", f"{name}: the result of a job that succeeded", schema
        )
    for name, (what, schema) in TASK_RESULTS.items():
        title = f"MCP's Tasks extension: {what}"
        documents[f"tasks/{name}.json"] = _schema(f"tasks:{name}", title, schema)
    for sender, messages in (("plugin", FROM_PLUGIN), ("server", FROM_SERVER)):
        for kind, schema in messages.items():
            documents[f"wire/from-{sender}/{kind}.json"] = _schema(
                f"wire:from-{sender}:{kind}", f"/unity: {kind}, sent by the {sender}", schema
            )
    return documents


def export(folder: Path) -> list[str]:
    """Write the contract below ``folder``; returns the paths written. Raises ``OSError``."""
    documents = contract_documents()
    for path, document in documents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_written(document))
    return list(documents)


def check(folder: Path) -> list[str]:
    """What differs between ``folder`` and the contract, a line each; empty when nothing does.

    Raises ``OSError`` for a file that is there but can't be read.
    """
    documents = contract_documents()
    differences = [
        f"{path}: is not part of the contract"
        for found in sorted(folder.rglob("*.json"))
        if (path := found.relative_to(folder).as_posix()) not in documents
        and not path.startswith(PIPELINE)
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


def _schema(name: str, title: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "$schema": DIALECT,
        "$id": f"urn:unity-snippet:contracts:{name}",
        "title": title,
        **schema,
    }


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
    """The path of the first value that differs, ``None`` if none does."""
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
