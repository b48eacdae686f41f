"""Our server's entry in a client's configuration file: what would change, and the change.

Implements docs/design/command-line.md ``client install``: atomically, with every other key and
comment kept; the same again changes nothing. A file that can't be understood is left alone.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from mcp_server.clients.json_document import NotEditableError, parse_json, set_in_json
from mcp_server.clients.locations import missing_home
from mcp_server.clients.made_record import Made
from mcp_server.clients.merging import gone, merged, misfits, tokens_in
from mcp_server.clients.ownership import conflict, is_ours
from mcp_server.clients.table import Client, Format, Transport
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.links import is_link
from snippet_engine.storage.system.plain_file import NotARegularFileError, read_plain
from snippet_engine.storage.system.replace_file import patiently
from snippet_engine.storage.system.system_calls import make_durable

MAX_FILE_BYTES = 16 * 1024 * 1024
"""A configuration file that is larger is none."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why the file can't be used: ``message`` is for the user.

    ``meanwhile``: somebody else changed it, and what it says now may be planned for.
    """

    message: str
    meanwhile: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """What installing, or taking out, comes to: the file's text ``before`` and ``after``.

    ``None`` where there is no file, or will be none. ``gone`` names what an entry that stays had
    before and hasn't after. ``tokens`` are in either text, and are for nobody to see. ``made`` is
    to be known afterwards: in which section, and what; ``None``: what was known.
    """

    file: Path
    before: str | None
    after: str | None
    gone: tuple[str, ...] = ()
    tokens: tuple[str, ...] = field(default=(), repr=False)
    made: tuple[str, Made] | None = None

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

    What the user added to an entry of ours stays. A server of that name that leads elsewhere is a
    problem, and so is what the client wouldn't take beside ``content``; ``replace``: it goes, with
    all of it.
    """

    def change(before: str | None) -> Plan | Problem:
        present = parse_file(client.format, before or "")
        servers = present.get(client.section, {}) if isinstance(present, Mapping) else {}
        servers = servers if isinstance(servers, Mapping) else {}
        old = servers.get(name, {})
        fields = old if isinstance(old, Mapping) else {}
        wanted = merged(client, fields, content)
        in_the_way = _in_the_way(client, old, content, wanted) if old != {} else None
        if in_the_way is not None and not replace:
            return Problem(f"{file}: the server {name} there {in_the_way} Nothing was written.")
        if in_the_way is not None:
            # What was meant for another server, a secret perhaps, isn't for this one.
            wanted = dict(content)
        after = before
        if before is None or old != wanted:
            after = _set(client.format, before or "", (client.section, name), wanted)
        tokens = tokens_in(client, servers.values())
        made = None if any(map(is_ours, servers.values())) else Made.NOTHING
        if client.section not in present:
            made = Made.SECTION if before is not None else Made.FILE
        noted = None if made is None else (client.section, made)
        return Plan(file, before, after, gone(fields, wanted), tokens, noted)

    return planned(file, change)


def _in_the_way(
    client: Client, old: Any, content: Mapping[str, Any], wanted: Mapping[str, Any]
) -> str | None:
    """Why ``old`` can't become ``wanted``, and what to do: the rest of a sentence, and another."""
    leads_elsewhere = conflict(old, content)
    if leads_elsewhere is not None:
        return (
            f"{leads_elsewhere}. To have both, give this one another --name; to have it go, say "
            "--replace."
        )
    transport, keys = misfits(client, wanted)
    if not keys:
        return None
    return (
        f"has {', '.join(keys)}, which {client.title} takes only over {transport.value}. To have "
        "all go that was added there, say --replace."
    )


def planned(file: Path, change: Callable[[str | None], Plan | Problem]) -> Plan | Problem:
    """What ``change`` plans for ``file``; or why that can't be read, understood or written."""
    try:
        found = change(read_file(file))
        if isinstance(found, Plan) and found.changes:
            nowhere = missing_home(file) or _link_to_nothing(file)
            if nowhere is not None:
                return Problem(f"{nowhere} Nothing was written.")
        if isinstance(found, Plan) and found.changes and _is_read_only(file):
            return Problem(f"{file} is read-only. Make it writable, and try again.")
        return found
    except NotEditableError as error:
        return Problem(f"{file} can't be changed: {error}. Correct it, and try again.")
    except UnicodeDecodeError:
        return Problem(f"{file} is not UTF-8 text. Save it as UTF-8, and try again.")
    except OSError as error:
        return Problem(f"{file} can't be read: {reason_of(error)}.")


def _link_to_nothing(file: Path) -> str | None:
    """That a link on the way to ``file`` leads nowhere, if one does, and what helps.

    What such a link is to lead to is its owner's to make: a folder may only not be mounted.
    """
    for each in (file, *file.parents):
        if os.path.exists(each):
            return None
        if is_link(each):
            target = each.readlink()
            return (
                f"{each} is a link to what isn't there ({target}). Make that, or remove the link."
            )
    return None


def _is_read_only(file: Path) -> bool:
    """Whether its owner must not write it; root could all the same. Raises ``OSError``."""
    return file.exists() and not file.stat().st_mode & stat.S_IWUSR


def write(planned: Plan, *, private: bool = False) -> Problem | None:
    """Carry the plan out: the file holds its old or its new text at every moment.

    ``private``: from now on only its user can read it. A symbolic link stays one; what it leads
    to is written.
    """
    target = planned.file.resolve()
    temporary: Path | None = None
    try:
        if planned.after is None:
            patiently(partial(_if_it_holds, target, planned.before, target.unlink), (target,))
            return None
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = _staged(target, planned.after, private=private)
        rename = partial(temporary.replace, target)
        patiently(partial(_if_it_holds, target, planned.before, rename), (target, temporary))
    except _ChangedError:
        return Problem(f"{planned.file} was changed meanwhile. Try again.", meanwhile=True)
    except OSError as error:
        done = "removed" if planned.after is None else "written"
        return Problem(f"{planned.file} can't be {done}: {reason_of(error)}.")
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    return None


def _staged(target: Path, text: str, *, private: bool) -> Path:
    """A file beside ``target`` that holds ``text``, to be renamed over it. Raises ``OSError``."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            make_durable(file.fileno())
        kept_mode = target.exists() and not private
        temporary.chmod(target.stat().st_mode & 0o7777 if kept_mode else 0o600)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


class _ChangedError(Exception):
    """The file isn't what was planned for."""


def _if_it_holds(target: Path, text: str | None, act: Callable[[], object]) -> None:
    """Let ``act`` change the file at ``target``, if its text is ``text``.

    Clients that write it, too, know no lock of ours. So it is read right before, in each attempt of
    several, and between reading and ``act`` there is only a look at whether it is the file that was
    read. Raises :class:`_ChangedError` and ``OSError``.
    """
    seen = _state_of(target)
    if not _holds(target, text) or _state_of(target) != seen:
        raise _ChangedError
    act()


def _state_of(file: Path) -> tuple[int, ...] | None:
    """What is another once the file was written or replaced; ``None`` if there is no file."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


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
        data = read_plain(file, MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except NotARegularFileError:  # a pipe; or /dev/null, behind a link
        raise NotEditableError("it is not a regular file") from None
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
