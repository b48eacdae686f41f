"""Our server's entry taken out of a client's configuration file again.

Implements docs/design/command-line.md ``client uninstall``: every other key and comment is kept,
and an entry that is somebody else's stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mcp_server.clients.installation import (
    Plan,
    Problem,
    document_of,
    parse_file,
    parted_mark,
    planned,
    read_file,
)
from mcp_server.clients.json_document import (
    NotEditableError,
    remove_empty_from_json,
    remove_from_json,
)
from mcp_server.clients.made_record import Made, made_in
from mcp_server.clients.merging import tokens_in
from mcp_server.clients.ownership import is_for_another, is_ours
from mcp_server.clients.table import Client, Format
from mcp_server.this_installation import quoted_word
from snippet_engine.storage.system.links import is_link


def plan_removal(
    client: Client, file: Path, name: str, project: Path | None, *, of_project: bool = False
) -> Plan | Problem:
    """What taking the server ``name`` out would make of ``file``; nothing if it isn't there.

    One that is for another than ``project`` stays, and without a ``project`` one that is for any.
    ``of_project`` is whether the file is looked for in the project. A file that an install has made
    goes if it holds nothing else, and so does a section.
    """

    def change(before: str | None) -> Plan | Problem:
        if before is None:
            return Plan(file, None, None)
        servers = _servers(client, before)
        if name not in servers:
            return Plan(file, before, before)
        if not is_ours(servers[name]):
            return Problem(
                f"{file}: the server {name} there is not this one. Take it out by hand, "
                "or give the --name that this one has."
            )
        other = is_for_another(servers[name], None if project is None else str(project))
        if other is not None:
            place = f"--file {quoted_word(str(file))} " if of_project else ""
            return Problem(
                f"{file}: the server {name} there is for the project {other}. To take that out, "
                f"say {place}--project {quoted_word(other)}; else give the --name that this one "
                "has. Nothing was written."
            )
        tokens = tokens_in(client, servers.values())
        others = [each for key, each in servers.items() if key != name]
        noted = None if any(map(is_ours, others)) else (client.section, Made.NOTHING)
        made = made_in(file, client.section)
        is_all = _is_all(before, client, name, servers[name])
        if made is Made.FILE and is_all and not is_link(file):
            return Plan(file, before, None, tokens=tokens, made=noted)
        is_made = made is not Made.NOTHING
        after = _without(client.format, before, (client.section, name), made_section=is_made)
        return Plan(file, before, after, tokens=tokens, made=noted)

    return planned(file, change)


def is_of(client: Client, file: Path, name: str, project: Path) -> bool:
    """Whether ``file`` has a server ``name`` that is for ``project``, which needn't be there."""
    try:
        entry = _servers(client, read_file(file) or "").get(name)
    except (OSError, UnicodeDecodeError, NotEditableError):  # for the plan to tell
        return False
    return is_for_another(entry, None) is not None and is_for_another(entry, str(project)) is None


def _servers(client: Client, text: str) -> Mapping[str, object]:
    """The servers of a configuration. Raises :class:`.NotEditableError`."""
    present = parse_file(client.format, text)
    servers = present.get(client.section) if isinstance(present, Mapping) else None
    return servers if isinstance(servers, Mapping) else {}


def _is_all(text: str, client: Client, name: str, entry: object) -> bool:
    """Whether ``text`` is what an install of ``entry`` makes where there is no file.

    To the letter: a comment, or a key of its own, would be the user's.
    """
    if not isinstance(entry, Mapping):
        return False
    return text.replace("\r\n", "\n") == document_of(client, name, entry)


def remove_empty_folders(folder: Path, below: Path) -> None:
    """Take ``folder`` away if nothing is in it, and those that it lies in, up to ``below``.

    An install makes the folders that a client's file is to lie in.
    """
    with suppress(OSError):  # something is in it, or it is somebody's yet
        while folder != below and folder.is_relative_to(below):
            folder.rmdir()
            folder = folder.parent


def has_server(client: Client, file: Path) -> bool:
    """Whether ``file`` has a server of ours by any name. Raises ``OSError``."""
    try:
        servers = _servers(client, read_file(file) or "")
    except (UnicodeDecodeError, NotEditableError):  # nobody can read a server there
        return False
    return any(map(is_ours, servers.values()))


def _without(form: Format, text: str, path: tuple[str, str], *, made_section: bool) -> str:
    """``text`` without what is at ``path``; ``made_section``: nor the section, if nothing is in it.

    Raises :class:`.NotEditableError`.
    """
    mark, rest = parted_mark(text)
    if form is Format.JSON:
        rest = remove_from_json(rest, path)
        return mark + (remove_empty_from_json(rest, path[0]) if made_section else rest)
    from mcp_server.clients.toml_document import remove_from_toml  # noqa: PLC0415 - few use TOML

    return mark + remove_from_toml(rest, path)
