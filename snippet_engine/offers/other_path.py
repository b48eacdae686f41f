"""The same call with the path that an error says to send: ``path_not_allowed``.

Part of docs/design/engine.md §8, for the tools that take no instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from snippet_engine.errors import Offer, SnippetError


def with_path_offered(
    error: SnippetError, params: Mapping[str, Any], key: str = "path"
) -> SnippetError:
    """``error`` with ``params`` in which ``key`` is the path that it suggests, if it does."""
    path = error.details.get("suggestion")
    if path is None:
        return error
    return replace(error, offers=(Offer(f"{key} {path}", {**params, key: path}),))
