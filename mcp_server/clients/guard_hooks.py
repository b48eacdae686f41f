"""The guard's hooks put into a client's files, or taken out of them.

Implements docs/design/command-line.md ``client install``, with ``--guard``. A hook is ours if it
runs ``unity-cli hook`` with the client's name. Others' hooks in the file stay as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from mcp_server.clients.config_files import Plan, Problem, planned, read_file, split_mark
from mcp_server.clients.install_record import Created, created_in, heirs
from mcp_server.clients.json_document import (
    NotEditableError,
    parse_json,
    remove_empty_from_json,
    remove_from_json,
    set_in_json,
)
from mcp_server.clients.locations import hook_path
from mcp_server.guard.clients.adapter import Adapter, HookFile
from snippet_engine.storage.system.links import is_link

_HOOKS = "hooks"
_EXECUTABLE = 0o755


class Installed(StrEnum):
    """How much of the guard a client has."""

    NO = "no"
    OTHER = "other"
    """Not all of it, or the text of another version, or an edited one."""
    CURRENT = "current"


def places(
    adapter: Adapter, *, system: str, home: Path, environment: Mapping[str, str]
) -> list[tuple[Path, HookFile]]:
    """Return the client's files on this machine."""
    return [
        (
            hook_path(each.path, each.variable, system=system, home=home, environment=environment),
            each,
        )
        for each in adapter.files
    ]


def plan_hooks(
    name: str, file: Path, wanted: HookFile, *, system: str, replace: bool = False
) -> Plan | Problem:
    """Plan to install the hooks of the client ``name``. The second time nothing changes.

    ``replace``: also in the place of another's file with the name of ours.
    """
    content = content_of(wanted, system)

    def change(before: str | None) -> Plan | Problem:
        if wanted.own:
            if before is not None and not replace and not _is_all_ours(name, wanted, before):
                return Problem(
                    f"{file} is another hook, or was edited. To replace it, give --replace. "
                    "Nothing was written."
                )
            return Plan(file, before, _text_of(content))
        assert isinstance(content, Mapping), "a shared file is JSON"
        return _with_ours(name, file, before, content)

    return planned(file, change)


def plan_hooks_removal(name: str, file: Path, installed: HookFile) -> Plan | Problem:
    """Plan to remove the hooks of the client ``name``; nothing changes if there are none.

    What an install has created is removed, too, once it is empty.
    """

    def change(before: str | None) -> Plan | Problem:
        if before is None:
            return Plan(file, before, before)
        if installed.own:
            return Plan(file, before, None if _is_all_ours(name, installed, before) else before)
        assert isinstance(installed.content, Mapping), "a shared file is JSON"
        return _without_ours(name, file, before, installed.content)

    return planned(file, change)


def installed_in(name: str, file: Path, wanted: HookFile, *, system: str) -> Installed:
    """Return how much of the guard ``file`` has. Raises ``OSError``, ``ValueError``."""
    text = read_file(file)
    if text is None:
        return Installed.NO
    content = content_of(wanted, system)
    if wanted.own:
        is_current = text.replace("\r\n", "\n") == _text_of(content)
        if is_current and wanted.executable and not os.access(file, os.X_OK):
            return Installed.OTHER
        ours = is_current or _is_ours(name, text)
    else:
        assert isinstance(content, Mapping), "a shared file is JSON"
        document = parse_json(split_mark(text)[1])
        is_current, ours = _is_current(name, document, content), bool(_ours(name, document))
    return Installed.CURRENT if is_current else Installed.OTHER if ours else Installed.NO


def make_executable(file: Path, wanted: HookFile) -> Problem | None:
    """Let the client run a file that is a program."""
    if wanted.executable and os.name == "posix" and not os.access(file, os.X_OK):
        try:
            file.chmod(_EXECUTABLE)
        except OSError as error:
            return Problem(f"{file} can't be made executable: {error.strerror}.")
    return None


def content_of(wanted: HookFile, system: str) -> Mapping[str, Any] | str:
    """Return what the file is to hold on that system."""
    if system == "win32" and wanted.on_windows is not None:
        return wanted.on_windows
    return wanted.content


def _text_of(content: Mapping[str, Any] | str) -> str:
    return content if isinstance(content, str) else set_in_json("", (), content)


# -- our hooks among others' ---------------------------------------------------------------


def _is_ours(name: str, hook: Any) -> bool:
    """Whether a hook, or a text, runs our command for the client."""
    words = " ".join(_strings(hook))
    return (
        re.search(rf"unity-cli(\.exe)?['\"]?\s+hook\s+{re.escape(name)}(?![\w-])", words)
        is not None
    )


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _is_all_ours(name: str, wanted: HookFile, text: str) -> bool:
    """Whether a file of our own holds nothing but hooks of ours, of whatever version."""
    if isinstance(wanted.content, str):
        return "unity-snippet" in text and f"client install {name} --guard" in text
    try:
        document = parse_json(split_mark(text)[1])
    except NotEditableError:
        return False
    hooks = document.get(_HOOKS) if isinstance(document, Mapping) else None
    lists = hooks.values() if isinstance(hooks, Mapping) else [hooks]
    found = [each for several in lists if isinstance(several, list) for each in several]
    return bool(found) and all(_is_ours(name, each) for each in found)


def _ours(name: str, document: Any) -> list[tuple[str | int, ...]]:
    """Return the paths of our hooks, the last first.

    A group is ours if all its handlers are. Raises :class:`NotEditableError`.
    """
    if not isinstance(document, Mapping):
        raise NotEditableError("the document is not an object")
    hooks = document.get(_HOOKS, {})
    if not isinstance(hooks, Mapping):
        raise NotEditableError(f"{_HOOKS} is not an object")
    found: list[tuple[str | int, ...]] = []
    for event, groups in hooks.items():
        for at, group in enumerate(groups if isinstance(groups, list) else []):
            path = (_HOOKS, event, at)
            handlers = group.get(_HOOKS) if isinstance(group, Mapping) else None
            if not isinstance(handlers, list):
                found += [path] if _is_ours(name, group) else []
                continue
            ours = [n for n, each in enumerate(handlers) if _is_ours(name, each)]
            whole = ours and len(ours) == len(handlers)
            found += [path] if whole else [(*path, _HOOKS, n) for n in ours]
    return found[::-1]


def _at(document: Any, path: tuple[str | int, ...]) -> Any:
    for name in path:
        document = document[name]
    return document


def _is_current(name: str, document: Any, content: Mapping[str, Any]) -> bool:
    """Whether our hooks in the document are those that an install writes."""
    found = [(path[1], _at(document, path)) for path in _ours(name, document)]
    wanted = [(event, group) for event, groups in content[_HOOKS].items() for group in groups]
    is_same = len(found) == len(wanted) and all(each in found for each in wanted)
    return is_same and all(key in document for key in content)


def _with_ours(name: str, file: Path, before: str | None, content: Mapping[str, Any]) -> Plan:
    if before is None:
        return Plan(file, None, _text_of(content), created=(_HOOKS, Created.FILE))
    mark, text = split_mark(before)
    document = parse_json(text)
    if _is_current(name, document, content):
        return Plan(file, before, before)
    for path in _ours(name, document):
        text = remove_from_json(text, path)
    document = parse_json(text)
    notes = [(key, Created.SECTION) for key in content if key not in document]
    for key, value in content.items():
        if key != _HOOKS and key not in document:
            text = set_in_json(text, (key,), value)
    present = document.get(_HOOKS, {})
    for event, groups in content[_HOOKS].items():
        if event not in present:
            notes.append((f"{_HOOKS}.{event}", Created.SECTION))
            text = set_in_json(text, (_HOOKS, event), groups)
            continue
        if not isinstance(present[event], list):
            raise NotEditableError(f"{_HOOKS}.{event} is not a list")
        for at, group in enumerate(groups, len(present[event])):
            text = set_in_json(text, (_HOOKS, event, at), group)
    return Plan(file, before, mark + text, notes=tuple(notes))


def _without_ours(name: str, file: Path, before: str, content: Mapping[str, Any]) -> Plan:
    mark, text = split_mark(before)
    found = _ours(name, parse_json(text))
    if not found:
        return Plan(file, before, before)
    for path in found:
        text = remove_from_json(text, path)
    made = created_in(file, _HOOKS)

    def is_made(key: str) -> bool:
        return made is Created.FILE or created_in(file, key) is Created.SECTION

    noted = [_HOOKS, *(key for key in content if key != _HOOKS)]
    for event in dict.fromkeys(str(path[1]) for path in found):
        noted.append(f"{_HOOKS}.{event}")
        if is_made(noted[-1]):
            text = remove_empty_from_json(text, (_HOOKS, event))
    if made is not Created.NOTHING:
        text = remove_empty_from_json(text, (_HOOKS,))
    rest = parse_json(text)
    if made is Created.NOTHING or _HOOKS not in rest:  # else others' hooks may need them
        for key, value in content.items():
            if key != _HOOKS and rest.get(key) == value and is_made(key):
                text = remove_from_json(text, (key,))
    is_bare = made is Created.FILE and not is_link(file) and "".join(text.split()) == "{}"
    notes = tuple((key, Created.NOTHING) for key in noted) + heirs(file, _HOOKS)
    return Plan(file, before, None if is_bare else mark + text, notes=notes)
