"""Plans made from texts in memory: what resolving and placing come to, without files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snippet_engine import request as requests
from snippet_engine.anchors.resolution import Resolved
from snippet_engine.anchors.resolver import resolve_anchor
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.errors import SnippetError
from snippet_engine.fixes.explain.plan_or_explain import plan_or_explain
from snippet_engine.request import EditRequest
from snippet_engine.source_text import SourceText, TextRange, decode


def document_of(text: str | bytes) -> Document:
    source = decode(text if isinstance(text, bytes) else text.encode())
    assert isinstance(source, SourceText)
    return Document(source)


def plan_of(text: str | bytes, *instructions: Mapping[str, Any]) -> Plan | SnippetError:
    return plan_or_explain(document_of(text), _parsed(*instructions).instructions)


def place_of(text: str | bytes, instruction: Mapping[str, Any]) -> TextRange:
    """The place that an instruction's anchor must resolve to."""
    request = _parsed(instruction)
    resolved = resolve_anchor(document_of(text), request.instructions[0].anchor)
    assert isinstance(resolved, Resolved), (instruction, resolved)
    return resolved.place


def _parsed(*instructions: Mapping[str, Any]) -> EditRequest:
    request = requests.parse(
        {"path": "Assets/A.cs", "mode": "preview", "instructions": list(instructions)}
    )
    assert not isinstance(request, SnippetError), request
    return request


def planned(text: str | bytes, *instructions: Mapping[str, Any]) -> Plan:
    """The plan of a request that must resolve."""
    plan = plan_of(text, *instructions)
    assert isinstance(plan, Plan), plan
    return plan


def edited(text: str, *instructions: Mapping[str, Any]) -> str:
    """``text`` after a request that must resolve; nothing is validated."""
    return planned(text, *instructions).edits.apply(document_of(text).source.view)


def unresolved(text: str | bytes, *instructions: Mapping[str, Any]) -> SnippetError:
    """The error of a request that must not resolve."""
    error = plan_of(text, *instructions)
    assert isinstance(error, SnippetError), error
    return error


def on_symbol(path: str, operation: str, new_text: str = "", **anchor: Any) -> dict[str, Any]:
    """An instruction with a symbol anchor."""
    return {
        "operation": operation,
        "anchor": {"type": "symbol", "symbolPath": path, **anchor},
        **({"newText": new_text} if new_text else {}),
    }
