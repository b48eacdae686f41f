"""Whether two requests are the same one, sent twice: by what they mean, not by how it is written.

Part of docs/design/engine.md §5, for ``client_request_id``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from snippet_engine.request import lines

_PATHS = frozenset({"path", "moveTo"})
_TEXTS = frozenset({"target", "before", "after", "newText"})
_KEPT = frozenset({"metadata"})
"""What is given back as it was sent."""
_BY_DEFAULT = {"validation": "auto"}


def digest_of(tool: str, params: Mapping[str, Any]) -> str:
    """Equal for checked parameters that mean the same.

    The order of keys doesn't count, nor do ``timeout_ms``, the line endings of texts, ``\\`` in
    paths, and what is sent as it is by default.
    """
    counted = {
        key: _meant(key, value)
        for key, value in params.items()
        if key != "timeout_ms" and value != _BY_DEFAULT.get(key)
    }
    text = json.dumps([tool, counted], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _meant(key: str, value: Any) -> Any:
    if key in _KEPT:
        return value
    if isinstance(value, Mapping):
        return {name: _meant(name, each) for name, each in value.items()}
    if isinstance(value, list):
        return [_meant("", each) for each in value]
    if isinstance(value, str) and key in _PATHS:
        return value.replace("\\", "/")
    return lines(value) if isinstance(value, str) and key in _TEXTS else value
