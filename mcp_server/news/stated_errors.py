"""The errors that an answer states anyway, so that they aren't given as news. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

StatedError: TypeAlias = tuple[str, str, str]
"""File, code and message."""

_MAX_DEPTH = 6


def stated_errors(answer: Mapping[str, Any], path: str | None) -> set[StatedError]:
    """Return the errors in an answer; those without a path are in the file at ``path``."""
    return set(_errors(answer, str(answer.get("path") or path or ""), _MAX_DEPTH))


def _errors(value: Any, path: str, depth: int) -> Iterator[StatedError]:
    if depth == 0:
        return
    if isinstance(value, list | tuple):
        for each in value:
            yield from _errors(each, path, depth)
    elif isinstance(value, Mapping):
        code = value.get("code") or value.get("id")
        message = value.get("message")
        if isinstance(code, str) and isinstance(message, str) and "line" in value:
            yield str(value.get("path") or value.get("file") or path), code, message
        for key, each in value.items():
            if isinstance(each, Mapping | list | tuple) and key not in ("news", "validation"):
                yield from _errors(each, path, depth - 1)
            elif key == "validation" and isinstance(each, Mapping):
                yield from _errors(each.get("diagnostics"), path, depth - 1)
