"""Find out from a tool call's arguments what the tool will write.

The clients only differ in spelling. If the arguments have no known form, the write is ``Touched``:
the file is known, its text isn't.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp_server.guard.events import Patch, Replace, Replacement, Touched, Whole, Write

_PATH = ("file_path", "filePath", "path", "absolute_path", "absolutePath", "target_file")
_OLD = ("old_string", "oldString", "old_str", "oldStr")
_NEW = ("new_string", "newString", "new_str", "newStr")
_EVERYWHERE = ("replace_all", "replaceAll", "allow_multiple")
_TEXT = ("content", "contents", "file_text", "fileText", "text")
_PATCH = ("command", "patch", "patchText", "input")
_LISTS = ("edits", "replacements", "files")
_PARTIAL = frozenset({"append", "insert"})
"""Commands of Kiro's tool whose text is only a part of the file."""

_MAX_WRITES = 1000
_PATCH_BEGIN = "*** Begin Patch"
_BLOCK = re.compile(
    r"^[-<]{3,} ?SEARCH>?[ \t]*\n(.*?)^={3,}[ \t]*\n(.*?)^[+>]{3,} ?REPLACE>?[ \t]*$",
    re.MULTILINE | re.DOTALL,
)


def writes_of(arguments: Any) -> tuple[Write, ...]:
    """Return the writes in a tool's ``arguments``: an object, its JSON text, or a bare patch."""
    if isinstance(arguments, str):
        arguments = _object(arguments)
    if not isinstance(arguments, Mapping):
        return ()
    patch = text_of(arguments, _PATCH)
    if patch is not None and _PATCH_BEGIN in patch:
        return (Patch(patch),)
    path = path_of(arguments)
    if path is None:
        return _of_several(arguments)
    edits = _edits(arguments)
    if edits:
        return (Replace(path, edits),)
    text = text_of(arguments, _TEXT)
    is_whole = text is not None and text_of(arguments, ("command",)) not in _PARTIAL
    if text is None or not is_whole or any(name in arguments for name in (*_OLD, *_LISTS, "diff")):
        return (Touched(path),)
    return (Whole(path, text),)


def text_of(payload: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first text that ``payload`` has under one of ``names``."""
    return next((each for name in names if isinstance(each := payload.get(name), str)), None)


def path_of(arguments: Mapping[str, Any]) -> str | None:
    """Return the file that the arguments name."""
    path = text_of(arguments, _PATH)
    return plain_path(path) if path else None


def plain_path(path: str) -> str:
    """Return ``path`` without the slash that some clients put before a drive letter."""
    return path[1:] if re.match(r"/[A-Za-z]:[/\\]", path) else path


def _object(text: str) -> Any:
    if text.lstrip().startswith(_PATCH_BEGIN):
        return {"patch": text}
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _of_several(arguments: Mapping[str, Any]) -> tuple[Write, ...]:
    """Return the writes if each item of a list names its own file."""
    found: list[Write] = []
    for item in (each for name in _LISTS for each in _list(arguments.get(name))):
        if isinstance(item, str):
            found.append(Touched(plain_path(item)))
        elif isinstance(item, Mapping) and path_of(item) is not None:
            found += writes_of(item)
    return tuple(found)


def _edits(arguments: Mapping[str, Any]) -> tuple[Replacement, ...]:
    """Return the replacements in one file; none if one of them has an unknown form."""
    several = next((_list(arguments[name]) for name in _LISTS if name in arguments), None)
    if several is None and isinstance(arguments.get("diff"), str):
        blocks = _BLOCK.findall(arguments["diff"].replace("\r\n", "\n"))
        return tuple(Replacement(old, new) for old, new in blocks)
    found: list[Replacement] = []
    for item in [arguments] if several is None else several:
        old, new = (
            text_of(item, names) if isinstance(item, Mapping) else None for names in (_OLD, _NEW)
        )
        if old is None or new is None:
            return ()
        found.append(Replacement(old, new, any(item.get(name) is True for name in _EVERYWHERE)))
    return tuple(found)


def _list(value: Any) -> list[Any]:
    return value[:_MAX_WRITES] if isinstance(value, list) else []
