"""Put our server's entry, and the skill, into a client's files, or take them out.

Implements docs/design/command-line.md ``client install`` and ``client uninstall``: a repeated
install changes nothing, and an entry of another server stays. A lock keeps our commands apart. A
client that writes its configuration doesn't know the lock, so we plan again after its write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from mcp_server.clients.config_files import (
    Created,
    Plan,
    Problem,
    copy_place,
    created_in,
    heirs,
    missing_folders,
    parse_file,
    planned,
    read_file,
    record,
    record_folders,
    remove_member,
    set_member,
    state_folder,
    write,
)
from mcp_server.clients.entries import (
    conflict,
    gone,
    is_for_another,
    is_ours,
    merged,
    misfits,
    tokens_in,
)
from mcp_server.clients.json_document import NotEditableError
from mcp_server.clients.table import Client, missing_home
from mcp_server.this_installation import quoted_word
from snippet_engine.storage.os_failure import reason_of
from snippet_engine.storage.system.file_lock import HeldLock, acquire
from snippet_engine.storage.system.names import is_link


def document_of(client: Client, name: str, content: Mapping[str, Any]) -> str:
    """Return a configuration file that has only our entry."""
    return set_member(client.format, "", (client.section, name), dict(content))


def plan(
    client: Client, file: Path, name: str, content: Mapping[str, Any], *, replace: bool = False
) -> Plan | Problem:
    """Plan to install ``content`` as the server ``name``.

    Values that the user added to our entry stay. If the entry leads elsewhere, or has keys that the
    client refuses next to ``content``, the result is a problem; with ``replace``, the whole entry
    is replaced, and a copy of the file is kept.
    """

    def change(before: str | None) -> Plan | Problem:
        present = parse_file(client.format, before or "")
        servers = _servers(client, present)
        old = servers.get(name, {})
        fields = old if isinstance(old, Mapping) else {}
        wanted = merged(client, fields, content)
        obstacle = _obstacle(client, old, content, wanted) if old != {} else None
        if obstacle is not None and not replace:
            return Problem(f"{file}: the server {name} there {obstacle} Nothing was written.")
        if obstacle is not None:
            # Secrets of another server must not reach ours.
            wanted = dict(content)
        after = before
        if before is None or old != wanted:
            after = set_member(client.format, before or "", (client.section, name), wanted)
        created = None if any(map(is_ours, servers.values())) else Created.NOTHING
        if client.section not in present:
            created = Created.SECTION if before is not None else Created.FILE
        notes = () if created is None else ((client.section, created),)
        tokens = tokens_in(client, servers.values())
        copy = None if obstacle is None else copy_place(file)
        return Plan(file, before, after, gone(fields, wanted), tokens, notes, copy)

    return planned(file, change)


def _obstacle(
    client: Client, old: Any, content: Mapping[str, Any], wanted: Mapping[str, Any]
) -> str | None:
    leads_elsewhere = conflict(old, content)
    if leads_elsewhere is not None:
        return (
            f"{leads_elsewhere}. To have both, give this one another --name; to replace that one, "
            "give --replace."
        )
    transport, keys = misfits(client, wanted)
    if not keys:
        return None
    return (
        f"has {', '.join(keys)}, which {client.title} takes only over {transport.value}. --replace "
        "removes everything that was added there."
    )


def plan_removal(
    client: Client, file: Path, name: str, project: Path | None, *, of_project: bool = False
) -> Plan | Problem:
    """Plan to remove the server ``name``. If it doesn't exist, nothing changes.

    The entry stays if it is for another project than ``project``, or (without one) for any project.
    With ``of_project``, the file belongs to the project. A file or section that an install has
    created is removed, too, if it is empty then.
    """

    def change(before: str | None) -> Plan | Problem:
        servers = {} if before is None else _servers(client, parse_file(client.format, before))
        if before is None or name not in servers:
            return Plan(file, before, before)
        if not is_ours(servers[name]):
            return Problem(
                f"{file}: the server {name} there is not ours. Take it out by hand, "
                "or give our server's --name."
            )
        other = is_for_another(servers[name], None if project is None else str(project))
        if other is not None:
            place = f"--file {quoted_word(str(file))} " if of_project else ""
            return Problem(
                f"{file}: the server {name} there is for the project {other}. To take that out, "
                f"give {place}--project {quoted_word(other)}; else give our server's --name. "
                "Nothing was written."
            )
        tokens = tokens_in(client, servers.values())
        others = [each for key, each in servers.items() if key != name]
        created = created_in(file, client.section)
        after = None
        if (
            created is not Created.FILE
            or is_link(file)
            or not _is_all(before, client, name, servers)
        ):
            empty_section = created is not Created.NOTHING
            path = (client.section, name)
            after = remove_member(client.format, before, path, empty_section=empty_section)
        notes = ((client.section, Created.NOTHING), *heirs(file, client.section))
        if any(map(is_ours, others)):
            notes = ()
        return Plan(file, before, after, tokens=tokens, notes=notes)

    return planned(file, change)


def _is_all(text: str, client: Client, name: str, servers: Mapping[str, Any]) -> bool:
    """Return whether ``text`` is exactly what an install of our entry writes to a new file."""
    content = servers[name]
    if not isinstance(content, Mapping):
        return False
    return text.replace("\r\n", "\n") == document_of(client, name, content)


def is_of(client: Client, file: Path, name: str, project: Path) -> bool:
    """Return whether the server ``name`` in ``file`` is for ``project``, which may be gone."""
    try:
        content = _read_servers(client, file).get(name)
    except (OSError, UnicodeDecodeError, NotEditableError):  # the plan reports it
        return False
    is_other = is_for_another(content, str(project)) is not None
    return is_for_another(content, None) is not None and not is_other


def has_server(client: Client, file: Path) -> bool:
    """Return whether ``file`` has a server of ours under any name. Raises ``OSError``."""
    try:
        return any(map(is_ours, _read_servers(client, file).values()))
    except (UnicodeDecodeError, NotEditableError):  # the client can't read it either
        return False


def _read_servers(client: Client, file: Path) -> Mapping[str, Any]:
    return _servers(client, parse_file(client.format, read_file(file) or ""))


def _servers(client: Client, document: Any) -> Mapping[str, Any]:
    servers = document.get(client.section) if isinstance(document, Mapping) else None
    return servers if isinstance(servers, Mapping) else {}


def remove_empty_folders(folder: Path, below: Path) -> None:
    """Remove ``folder`` if it is empty, then its empty parents up to ``below``."""
    with suppress(OSError):  # it is not empty, or in use
        while folder != below and folder.is_relative_to(below):
            folder.rmdir()
            folder = folder.parent


SKILL_FILE = Path("unity-scripts", "SKILL.md")
"""The skill's path below a folder of skills."""


def skill_text() -> str:
    """Return the text of the skill."""
    return (Path(__file__).parent / "skill" / SKILL_FILE.name).read_text(encoding="utf-8")


def plan_skill(file: Path, *, replace: bool = False) -> Plan | Problem:
    """Plan to write the skill. Another text in its place is a problem, unless ``replace``."""

    def change(before: str | None) -> Plan | Problem:
        after = skill_text()
        is_other = before is not None and before != after
        if is_other and not replace:
            return Problem(
                f"{file} has other text: it is from another version, or was edited. With "
                "--replace it is replaced, and a copy is kept. Nothing was written."
            )
        return Plan(file, before, after, copy=copy_place(file) if is_other else None)

    return planned(file, change)


def has_skill(file: Path) -> bool:
    """Return whether ``file`` has the unchanged text of our skill. Raises ``OSError``."""
    try:
        return read_file(file) == skill_text()
    except ValueError:  # no text, or too much of it
        return False


def remove_skill(file: Path) -> None:
    """Remove the skill at ``file``, with its folder if that is empty. Raises ``OSError``."""
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()


PATIENCE_MS = 30_000
"""How long to wait for another command of ours, in milliseconds."""

ATTEMPTS = 5
"""How often a change is planned anew, because the file changed before it was written."""


class ClientFilesLock:
    """The lock on clients' files. A context manager, which also removes its lock file."""

    def __init__(self, lock: Path, held: HeldLock) -> None:
        self._lock = lock
        self._held = held

    def release(self) -> None:
        """Release the lock, so that the next command gets it."""
        # Remove the file before releasing: a waiting command then sees this, and makes another.
        with suppress(OSError):  # Windows keeps what is open
            self._lock.unlink()
        self._held.release()
        ours = self._lock.parent
        remove_empty_folders(ours, ours.parent)
        remove_empty_folders(ours.parent, Path.home())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_client_files(patience_ms: int = PATIENCE_MS) -> ClientFilesLock | Problem:
    """Wait for the lock on clients' files.

    There is one lock for all files, as several clients may share a skill. It lies in our own
    folder, not next to a client's file.
    """
    lock = state_folder() / "clients.lock"
    homeless = missing_home(lock)
    if homeless is not None:
        return Problem(f"{homeless} Nothing was written.")
    try:
        held = _acquired(lock, patience_ms)
    except OSError as error:
        advice = f"Make {lock.parent} writable for this user"
        if sys.platform == "linux":
            advice = "Set XDG_STATE_HOME to a folder that can be written"
        return Problem(
            f"{lock} can't be locked: {reason_of(error)}. {advice}. Nothing was written."
        )
    if held is None:
        return Problem(
            f"Another unity-cli client command is still running after {patience_ms // 1000} s. "
            "Try again when it has ended. Nothing was written."
        )
    return ClientFilesLock(lock, held)


def _acquired(lock: Path, patience_ms: int) -> HeldLock | None:
    """Acquire the lock. Another command that ends may remove the lock's folder at any time."""
    for left in reversed(range(ATTEMPTS)):
        lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return acquire(lock, patience_ms)
        except FileNotFoundError:
            if not left:
                raise
    raise AssertionError("the last attempt returns or raises")


def carry_out(planning: Callable[[], Plan | Problem], *, private: bool = False) -> Plan | Problem:
    """Write what ``planning`` plans; plan again if the file changed in the meantime.

    The caller holds the lock. ``private`` as for :func:`.write`.
    """
    for left in reversed(range(ATTEMPTS)):
        planned = planning()
        if isinstance(planned, Problem) or not planned.changes:
            return planned
        folders = missing_folders(planned.file)
        problem = write(planned, private=private)
        if problem is None:
            record_folders(folders)
            for note in planned.notes:
                record(planned.file, *note)
            return planned
        if not (problem.meanwhile and left):
            return problem
    raise AssertionError("the last attempt returns")
