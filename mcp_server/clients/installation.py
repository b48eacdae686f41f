"""Our server's entry in a client's configuration file: what would change, and the change.

Implements docs/design/command-line.md ``client install``: atomically, with every other key and
comment kept; the same again changes nothing. A file that can't be understood is left alone.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_server.clients.json_document import NotEditableError, parse_json, set_in_json
from mcp_server.clients.ownership import conflict
from mcp_server.clients.table import Client, Format, Transport
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.durable import make_durable
from snippet_engine.storage.system.replace_file import patiently, replace_file

MAX_FILE_BYTES = 16 * 1024 * 1024
"""A configuration file that is larger is none."""

_OURS = frozenset({"command", "args", "type", "url", "httpUrl", "serverUrl"})
"""Keys of an entry that say how the server is reached; the others are the user's."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the file can't be used: ``message`` is for the user."""

    message: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What installing, or taking out, comes to: the file's text ``before`` and ``after``.

    ``None`` where there is no file, or will be none.
    """

    file: Path
    before: str | None
    after: str | None

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after


def entry(client: Client, transport: Transport, *, url: str, command: list[str]) -> dict[str, Any]:
    """The entry for our server: its ``url`` for HTTP, the ``command`` that speaks stdio else."""
    if transport is Transport.HTTP and client.http is not None:
        return {key: url if value == "{url}" else value for key, value in client.http.items()}
    first, *arguments = command
    return {**client.stdio, "command": first, "args": arguments}


def document_of(client: Client, name: str, content: Mapping[str, Any]) -> str:
    """The whole of a configuration file with nothing but our entry."""
    return _set(client.format, "", (client.section, name), dict(content))


def plan(
    client: Client, file: Path, name: str, content: Mapping[str, Any], *, replace: bool = False
) -> Plan | Problem:
    """What installing ``content`` as the server ``name`` would make of ``file``.

    A server of that name that leads elsewhere is a problem; ``replace``: it goes, with all of it.
    """

    def change(before: str | None) -> Plan | Problem:
        present = parse_file(client.format, before or "")
        servers = present.get(client.section, {}) if isinstance(present, Mapping) else {}
        old = servers.get(name, {}) if isinstance(servers, Mapping) else {}
        in_the_way = conflict(old, content) if old != {} else None
        if in_the_way is not None and not replace:
            return Problem(
                f"{file}: the server {name} there {in_the_way}. To have both, give this one "
                "another --name; to have it go, say --replace. Nothing was written."
            )
        if in_the_way is not None:
            old = {}  # what was meant for another server, a secret perhaps, isn't for this one
        kept = {k: v for k, v in old.items() if k not in _OURS} if isinstance(old, Mapping) else {}
        wanted = {**content, **{k: v for k, v in kept.items() if k not in content}}
        if before is not None and old == wanted:
            return Plan(file, before, before)
        after = _set(client.format, before or "", (client.section, name), wanted)
        return Plan(file, before, after)

    return planned(file, change)


def planned(file: Path, change: Callable[[str | None], Plan | Problem]) -> Plan | Problem:
    """What ``change`` plans for ``file``; or why that can't be read, understood or written."""
    try:
        found = change(read_file(file))
        if isinstance(found, Plan) and found.changes and _is_read_only(file):
            return Problem(f"{file} is read-only. Make it writable, and try again.")
        return found
    except NotEditableError as error:
        return Problem(f"{file} can't be changed: {error}. Correct it, and try again.")
    except UnicodeDecodeError:
        return Problem(f"{file} is not UTF-8 text.")
    except OSError as error:
        return Problem(f"{file} can't be read: {reason_of(error)}.")


def _is_read_only(file: Path) -> bool:
    """Whether its owner must not write it; root could all the same. Raises ``OSError``."""
    return file.exists() and not file.stat().st_mode & stat.S_IWUSR


def write(planned: Plan, *, private: bool = False) -> Problem | None:
    """Carry the plan out: the file holds its old or its new text at every moment.

    ``private``: from now on only its user can read it. A symbolic link stays one; what it leads
    to is written.
    """
    target = planned.file.resolve()
    temporary: str | None = None
    try:
        if planned.after is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
        if not _holds(target, planned.before):
            return Problem(f"{planned.file} was changed meanwhile. Try again.")
        if planned.after is None:
            patiently(target.unlink, (target,))
            return None
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(planned.after)
            file.flush()
            make_durable(file.fileno())
        kept_mode = target.exists() and not private
        Path(temporary).chmod(target.stat().st_mode & 0o7777 if kept_mode else 0o600)
        replace_file(temporary, target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        done = "removed" if planned.after is None else "written"
        return Problem(f"{planned.file} can't be {done}: {reason_of(error)}.")
    return None


def _holds(file: Path, text: str | None) -> bool:
    """Whether the file's text is ``text``. Raises ``OSError``."""
    try:
        return read_file(file) == text
    except (NotEditableError, UnicodeDecodeError):  # it was text when it was read for the plan
        return False


def read_file(file: Path) -> str | None:
    """The file's text as it is; ``None`` if there is no file.

    Raises ``OSError``, ``UnicodeDecodeError`` and :class:`NotEditableError`.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(data) > MAX_FILE_BYTES:
        raise NotEditableError("it is too large")
    return data.decode("utf-8")


def parse_file(form: Format, text: str) -> Any:
    """What the text of a configuration file says. Raises :class:`NotEditableError`."""
    _, rest = parted_mark(text)
    if form is Format.JSON:
        return parse_json(rest)
    from mcp_server.clients.toml_document import parse_toml  # noqa: PLC0415 - few clients use TOML

    return parse_toml(rest)


def parted_mark(text: str) -> tuple[str, str]:
    """The mark of the encoding that some editors begin a file with, if there is one; the rest."""
    rest = text.removeprefix("\ufeff")
    return text[: len(text) - len(rest)], rest


def _set(form: Format, text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    mark, rest = parted_mark(text)
    if form is Format.JSON:
        return mark + set_in_json(rest, path, value)
    from mcp_server.clients.toml_document import set_in_toml  # noqa: PLC0415 - as above

    return mark + set_in_toml(rest, path, value)
