"""The parameters of the requests that are this server's own, as values that were checked.

Part of docs/design/roslyn.md §3 "The whole project". LSP's own requests have lsprotocol's types;
pygls makes plain objects of these.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from roslyn_server import protocol

MAX_CHANGES = 100
"""So many files may change at once."""


def check_project(params: Any) -> protocol.CheckProjectParams:
    """What to check. Raises ``JsonRpcInvalidParams`` with what is wrong where."""
    return {
        "assemblies": _strings(params, "assemblies"),
        "paths": _strings(params, "paths"),
        "includeWarnings": getattr(params, "includeWarnings", None) is True,
    }


def work_done_token(params: Any) -> types.ProgressToken | None:
    """The token that progress is to be told with, if there is one."""
    token = getattr(params, "workDoneToken", None)
    return token if isinstance(token, str | int) else None


def changes(params: Any) -> dict[str, str | None]:
    """Texts by project-relative path. Raises ``JsonRpcInvalidParams`` with what is wrong where."""
    listed = getattr(params, "changes", None)
    if not isinstance(listed, list) or not 0 < len(listed) <= MAX_CHANGES:
        raise JsonRpcInvalidParams(f"changes must be a list of 1 to {MAX_CHANGES} changes")
    found: dict[str, str | None] = {}
    for index, each in enumerate(listed):
        path, text = getattr(each, "path", None), getattr(each, "text", _ABSENT)
        if not isinstance(path, str) or not path:
            raise JsonRpcInvalidParams(f"changes[{index}].path must be a project-relative path")
        if text is not None and not isinstance(text, str):
            raise JsonRpcInvalidParams(
                f"changes[{index}].text must be a text, or null for a file that is gone"
            )
        if path in found:
            raise JsonRpcInvalidParams(f"changes[{index}].path is {path} for the second time")
        found[path] = text
    return found


def text(params: Any) -> protocol.JudgeTextParams:
    """A document's text. Raises ``JsonRpcInvalidParams`` with what is wrong where."""
    uri, text = getattr(params, "uri", None), getattr(params, "text", None)
    names_ms = getattr(params, "namesMs", None)
    if not isinstance(uri, str) or not isinstance(text, str):
        raise JsonRpcInvalidParams("uri and text must be strings")
    if not isinstance(names_ms, int) or isinstance(names_ms, bool) or names_ms < 0:
        raise JsonRpcInvalidParams("namesMs must be a number of milliseconds, or 0")
    return {"uri": uri, "text": text, "namesMs": names_ms}


_ABSENT = object()


def _strings(params: Any, name: str) -> list[str]:
    value = getattr(params, name, None)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise JsonRpcInvalidParams(f"{name} must be a list of strings")
    return value
