"""Offer the same call with the path that an error suggests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from snippet_engine.errors import Offer, SnippetError


def with_path_offered(
    error: SnippetError, params: Mapping[str, Any], key: str = "path"
) -> SnippetError:
    """Add an offer to ``error``: the same ``params``, with the suggested path as ``key``."""
    path = error.details.get("suggestion")
    if path is None:
        return error
    return replace(error, offers=(Offer(f"{key} {path}", {**params, key: path}),))
