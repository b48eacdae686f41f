"""Put the guard's hooks into a client's files, or take them out.

Implements docs/design/command-line.md ``client install``, with ``--guard``. A hook is ours if it
runs ``unity-cli hook`` with the client's name. Others' hooks in the file stay as they are.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from mcp_server.clients.config_files import (
    MAX_FILE_BYTES,
    Created,
    Plan,
    Problem,
    copy_place,
    created_in,
    heirs,
    planned,
    read_file,
    split_mark,
)
from mcp_server.clients.json_document import (
    NotEditableError,
    parse_json,
    remove_empty_from_json,
    remove_from_json,
    set_in_json,
)
from mcp_server.clients.table import user_file
from mcp_server.guard.clients.adapter import Adapter, HookFile, runs_the_hook
from snippet_engine.storage.system.names import is_link
from snippet_engine.storage.system.plain_file import read_plain

_HOOKS = "hooks"
_EXECUTABLE = 0o755


class Installed(StrEnum):
    """How complete a client's hooks are."""

    NO = "no"
    OTHER = "other"
    """The hooks are incomplete, edited, or of another version."""
    CURRENT = "current"
    OFF = "off"
    """A setting in the file switches off every hook of the client."""


def places_here(adapter: Adapter) -> list[tuple[Path, HookFile]]:
    """Return the client's files for this user, on this system."""
    return [(user_file(each.path, each.variable), each) for each in adapter.files]


def installed_here(adapter: Adapter) -> Installed | None:
    """Return how complete the client's hooks are; ``None`` if a file can't be read."""
    here = places_here(adapter)
    try:
        found = {installed_in(adapter.name, *each, system=sys.platform) for each in here}
    except (OSError, ValueError):
        return None
    return found.pop() if len(found) == 1 else Installed.OTHER


def plan_hooks(
    name: str, file: Path, wanted: HookFile, *, system: str, replace: bool = False
) -> Plan | Problem:
    """Plan to install the hooks of the client ``name``. A second install changes nothing.

    With ``replace``, text that no install wrote is replaced, too, and a copy of the file is kept.
    """
    content = content_of(wanted, system)

    def change(before: str | None) -> Plan | Problem:
        if wanted.own:
            after = _text_of(content)
            if before is None or _is_same(before, after):
                return Plan(file, before, after if before is None else before)
            if not replace:
                return _other_text(file, "is another hook, or ours with other text")
            return Plan(file, before, after, copy=copy_place(file))
        assert isinstance(content, Mapping), "a shared file is JSON"
        return _with_ours(name, file, before, content, replace=replace)

    if wanted.own and _is_binary(file):
        return Problem(
            f"{file} is another program, not a text. Move it away, and try again. Nothing was "
            "written."
        )
    return planned(file, change)


def _is_binary(file: Path) -> bool:
    try:
        read_file(file)
    except UnicodeDecodeError:
        return True
    except (OSError, NotEditableError):  # the plan reports this
        return False
    return False


def plan_hooks_removal(
    name: str, file: Path, installed: HookFile, *, system: str
) -> Plan | Problem:
    """Plan to remove the hooks of the client ``name``. Without hooks, nothing changes.

    A file or folder that an install created is removed, too, once empty. A copy of the file is kept
    if the hooks were edited.
    """
    content = content_of(installed, system)

    def change(before: str | None) -> Plan | Problem:
        if before is None:
            return Plan(file, before, before)
        if installed.own:
            is_same = _is_same(before, _text_of(content))
            if not (is_same or _is_all_ours(name, installed, before)):
                if not _calls_us(name, before):
                    return Plan(file, before, before)
                return Problem(
                    f"{file} calls unity-cli hook {name}, but no install wrote it like this. It "
                    "was left as it is: remove that call by hand."
                )
            return Plan(file, before, None, copy=None if is_same else copy_place(file))
        assert isinstance(content, Mapping), "a shared file is JSON"
        return _without_ours(name, file, before, content)

    return planned(file, change)


def installed_in(name: str, file: Path, wanted: HookFile, *, system: str) -> Installed:
    """Return how complete the hooks in ``file`` are. Raises ``OSError``, ``ValueError``."""
    text = None if wanted.own and _is_binary(file) else read_file(file)
    if text is None:
        return Installed.NO
    content = content_of(wanted, system)
    if wanted.own:
        is_current = _is_same(text, _text_of(content))
        if is_current and wanted.executable and not os.access(file, os.X_OK):
            return Installed.OTHER
        ours = is_current or _is_all_ours(name, wanted, text) or _calls_us(name, text) > 0
    else:
        assert isinstance(content, Mapping), "a shared file is JSON"
        document = parse_json(split_mark(text)[1])
        is_current, ours = _is_current(name, document, content), bool(_ours(name, document))
        if ours and _off_in(document, wanted) is not None:
            return Installed.OFF
    return Installed.CURRENT if is_current else Installed.OTHER if ours else Installed.NO


def may_have_hooks(file: Path) -> bool:
    """Return whether a file that can't be read or parsed may have hooks of ours."""
    try:
        return b"unity-cli" in read_plain(file, MAX_FILE_BYTES)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def has_another_call(name: str, file: Path, wanted: HookFile) -> bool:
    """Return whether a hook of the user's own in a shared ``file`` also calls our command."""
    try:
        document = parse_json(split_mark(read_file(file) or "")[1])
        if wanted.own:
            return False
        ours = sum(_calls_us(name, _at(document, each)) for each in _ours(name, document))
    except (OSError, ValueError):
        return False
    return _calls_us(name, document) > ours


def switched_off(file: Path, wanted: HookFile) -> str | None:
    """Return the setting in ``file`` that switches off the client's hooks; ``None`` without one."""
    try:
        return _off_in(parse_json(split_mark(read_file(file) or "")[1]), wanted)
    except (OSError, ValueError):
        return None


def _off_in(document: Any, wanted: HookFile) -> str | None:
    for path, value in wanted.switches.items():
        found = document
        for key in path.split("."):
            found = found.get(key) if isinstance(found, Mapping) else None
        if found is value:
            return f"{path}: {str(value).lower()}"
    return None


def make_executable(file: Path, wanted: HookFile) -> Problem | None:
    """Make a hook file executable, if it is a program."""
    if wanted.executable and os.name == "posix" and not os.access(file, os.X_OK):
        try:
            file.chmod(_EXECUTABLE)
        except OSError as error:
            return Problem(f"{file} can't be made executable: {error.strerror}.")
    return None


def content_of(wanted: HookFile, system: str) -> Mapping[str, Any] | str:
    """Return the content of the file on that system."""
    if system == "win32" and wanted.on_windows is not None:
        return wanted.on_windows
    return wanted.content


def _text_of(content: Mapping[str, Any] | str) -> str:
    return content if isinstance(content, str) else set_in_json("", (), content)


def _is_same(text: str, wanted: str) -> bool:
    return text.replace("\r\n", "\n") == wanted


def _other_text(file: Path, what: str) -> Problem:
    return Problem(
        f"{file} {what}: from another version, or edited. --replace replaces it, and keeps a "
        "copy of the file. Nothing was written."
    )


# -- our hooks among others' ---------------------------------------------------------------


def _is_ours(name: str, hook: Any) -> bool:
    """Return whether a hook only runs our command for the client."""
    texts = list(_strings(hook))
    if isinstance(hook, Mapping) and isinstance(hook.get("args"), list):
        texts.append(" ".join(_strings([hook.get("command", hook.get("exec")), hook["args"]])))
    return any(runs_the_hook(name, each) for each in texts)


def _calls_us(name: str, value: Any) -> int:
    """Return how many texts in a value run our command for the client, alone or with more."""
    called = rf"unity-cli(\.exe)?['\"]?\s+hook\s+{re.escape(name)}(?![\w-])"
    return len(re.findall(called, " ".join(_strings(value))))


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
    """Return whether a file of our own has only hooks of ours, of any version."""
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


def _compared(
    name: str, document: Any, content: Mapping[str, Any]
) -> tuple[list[tuple[str | int, ...]], list[tuple[str, Any]]]:
    """Compare the hooks in the file with those of this version.

    Returns the paths of our hooks that no install of this version wrote, the last first. Also
    returns the missing hooks, with their events.
    """
    missing = [(event, group) for event, groups in content[_HOOKS].items() for group in groups]
    stale = []
    for path in _ours(name, document):
        found = (str(path[1]), _at(document, path))
        if len(path) == len((_HOOKS, "event", 0)) and found in missing:
            missing.remove(found)
        else:
            stale.append(path)
    return stale, missing


def _is_current(name: str, document: Any, content: Mapping[str, Any]) -> bool:
    is_same = _compared(name, document, content) == ([], [])
    return is_same and all(key in document for key in content)


def _with_ours(
    name: str, file: Path, before: str | None, content: Mapping[str, Any], *, replace: bool
) -> Plan | Problem:
    if before is None:
        return Plan(file, None, _text_of(content), notes=((_HOOKS, Created.FILE),))
    mark, text = split_mark(before)
    document = parse_json(text)
    if _is_current(name, document, content):
        return Plan(file, before, before)
    stale, missing = _compared(name, document, content)
    if stale and not replace:
        return _other_text(file, "has the guard's hooks with other text")
    for path in stale:
        text = remove_from_json(text, path)
    document = parse_json(text)
    notes = [(key, Created.SECTION) for key in content if key not in document]
    for key, value in content.items():
        if key != _HOOKS and key not in document:
            text = set_in_json(text, (key,), value)
    for event, group in missing:
        present = parse_json(text).get(_HOOKS, {})
        if event not in present:
            notes.append((f"{_HOOKS}.{event}", Created.SECTION))
            text = set_in_json(text, (_HOOKS, event), [group])
            continue
        if not isinstance(present[event], list):
            raise NotEditableError(f"{_HOOKS}.{event} is not a list")
        text = set_in_json(text, (_HOOKS, event, len(present[event])), group)
    copy = copy_place(file) if stale else None
    return Plan(file, before, mark + text, notes=tuple(notes), copy=copy)


def _without_ours(name: str, file: Path, before: str, content: Mapping[str, Any]) -> Plan:
    mark, text = split_mark(before)
    document = parse_json(text)
    found, (stale, _) = _ours(name, document), _compared(name, document, content)
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
    copy = copy_place(file) if stale else None
    return Plan(file, before, None if is_bare else mark + text, notes=notes, copy=copy)
