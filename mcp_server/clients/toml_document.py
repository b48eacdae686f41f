"""Set or remove one server in a TOML document, and keep the rest of its text.

Part of docs/design/command-line.md ``client install`` and ``client uninstall``. The result is
parsed again: compared with the original document, only that server may differ.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from mcp_server.clients.json_document import NotEditableError
from snippet_engine.edits import common_prefix_length


def parse_toml(text: str) -> dict[str, Any]:
    """Parse the document. Raises :class:`NotEditableError` if it isn't TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NotEditableError(f"it is not TOML ({error})") from None


def set_in_toml(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """Return the document with ``value`` at ``path``, a table and a name in it.

    Raises :class:`NotEditableError`.
    """
    section, name = path
    try:
        document = tomlkit.parse(text)
        servers = document.setdefault(section, tomlkit.table(is_super_table=True))
        if not isinstance(servers, MutableMapping):
            raise NotEditableError(f"{section} is not a table")
        servers[name] = value
        changed = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise NotEditableError(f"it is not TOML ({error})") from None
    expected = parse_toml(text)
    servers = expected.setdefault(section, {})
    if name not in servers:
        changed = _set_apart(text, changed)
    servers[name] = value
    if parse_toml(changed) != expected:
        raise NotEditableError("its layout is not understood")
    return changed


def _set_apart(text: str, changed: str) -> str:
    """Return ``changed``, which adds a table to ``text``, with one line break of its own.

    It is always exactly one, so that a removal can restore ``text``.
    """
    at = len(text)
    if not changed.startswith(text):
        at = text.rfind("\n", 0, common_prefix_length(text, changed)) + 1
    before, after = text[:at], text[at:]
    table = changed[at : len(changed) - len(after)].strip("\r\n")
    if not (text and table.startswith("[") and changed.endswith(after)):
        return changed
    line = "\r\n" if "\r\n" in text else "\n"
    table = line.join(table.splitlines()) + line
    if after and not before.rstrip(" \t").removesuffix(line).endswith("\n"):
        return f"{before}{line}{table}{after}"
    return f"{before}{table}{line}{after}" if after else f"{before}{line}{table}"


def remove_from_toml(text: str, path: tuple[str, str]) -> str:
    """Return the document without the table at ``path``, which exists.

    Removes exactly the text that :func:`set_in_toml` added. Raises :class:`NotEditableError`.
    """
    without = _removed(text, path)
    value = parse_toml(text)[path[0]][path[1]]
    for before in (without, *_with_one_line_less(text, without)):
        try:
            if set_in_toml(before, path, value) == text:
                return before
        except NotEditableError:  # another line would be part of a value
            continue
    return without


def _with_one_line_less(text: str, without: str) -> Iterator[str]:
    """Yield ``without`` with one line break less where it differs from ``text``, if possible."""
    at = without.rfind("\n", 0, common_prefix_length(text, without)) + 1
    for line in ("\r\n", "\n"):
        if without[:at].endswith(line):
            yield without[: at - len(line)] + without[at:]
            return


def _removed(text: str, path: tuple[str, str]) -> str:
    section, name = path
    try:
        document = tomlkit.parse(text)
        servers: Any = document[section]
        del servers[name]
        changed = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise NotEditableError(f"it is not TOML ({error})") from None
    expected, found = parse_toml(text), parse_toml(changed)
    del expected[section][name]
    if found.pop(section, {}) != expected.pop(section) or expected != found:
        raise NotEditableError("its layout is not understood")
    return _with_comments(text, changed)


_LAST_LINES = re.compile(r"(?:\r?\n[ \t]*(?:#[^\n]*)?)+$")


def _with_comments(text: str, without: str) -> str:
    """Return ``without``, with the comments that followed the part removed from ``text``.

    They belong to what follows, though tomlkit counts them as part of what precedes them.
    """
    at = len(text) - common_prefix_length(text[::-1], without[::-1])
    kept = at - len(text) + len(without)
    found = _LAST_LINES.search(text, 0, at)
    if kept < 0 or found is None or "#" not in found[0]:
        return without
    restored = without[:kept] + found[0].removeprefix("\r").removeprefix("\n") + without[kept:]
    return restored if parse_toml(restored) == parse_toml(without) else without
