"""One server set in a TOML document, or taken out of it, with all the rest of its text untouched.

Part of docs/design/command-line.md ``client install`` and ``client uninstall``, as
:mod:`mcp_server.clients.json_document` is for JSON. What comes out is read again, and must say what
was said before but for the change.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from mcp_server.clients.json_document import NotEditableError


def parse_toml(text: str) -> dict[str, Any]:
    """What the document says. Raises :class:`NotEditableError` if it isn't TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NotEditableError(f"it is not TOML ({error})") from None


def set_in_toml(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """The document with ``value`` under ``path``, a table and a name in it.

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
    expected.setdefault(section, {})[name] = value
    if parse_toml(changed) != expected:
        raise NotEditableError("its layout is not understood")
    return changed


def remove_from_toml(text: str, path: tuple[str, str]) -> str:
    """The document without what is under ``path``, which is there.

    Raises :class:`NotEditableError`.
    """
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
    if found.get(section, {}) != expected.pop(section) or expected != _but(found, section):
        raise NotEditableError("its layout is not understood")
    return changed


def _but(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != name}
