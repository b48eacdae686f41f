"""Read a server's address; read and write ``server.json`` with its address, key and token.

Implements docs/design/command-line.md "Global options" and docs/design/server-and-bridge.md §10.
Only the server's user can read the file. Its key lets the server prove its identity. One copy is in
the project (``Library/SnippetEngine/server.json``), where the Unity package looks; another, by
port, is in the user's state folder.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from snippet_engine.schemas.schema_findings import quoted

ENDPOINT = "/mcp"
"""The path of the MCP endpoint."""

DEFAULT_PORT = 48091
PROJECT_PARAMETER = "project"
"""The address's parameter with the project's folder. Servers of other projects refuse the call."""

_BYTES = "surrogateescape"
"""How bytes of a folder's name that aren't UTF-8 survive in an address."""

_EXAMPLE = f"Write it as http://127.0.0.1:{DEFAULT_PORT}/mcp."
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


def read_url(text: str, name: str = "The server's address") -> str | ToolError:
    """Return the address of the MCP endpoint that ``text`` names. A missing path becomes ``/mcp``.

    Messages call it ``name``. Error: ``ERR_CONFIG_VALIDATION``, with how to write it.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        return _wrong(f"{name}: {quoted(text)} is not a URL ({error}). {_EXAMPLE}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return _wrong(f"{name}: {quoted(text)} is not an http URL. {_with_scheme(text)}")
    if port == 0:
        return _wrong(f"{name}: {quoted(text)} has the port 0. {_EXAMPLE}")
    path = parts.path.rstrip("/")
    if path and not path.endswith(ENDPOINT):
        return _wrong(
            f"{name}: {quoted(text)} is not an MCP endpoint: its path must end in {ENDPOINT}."
        )
    return urlunsplit(parts._replace(path=path or ENDPOINT, fragment=""))


def _with_scheme(text: str) -> str:
    written = f"http://{text.strip()}"
    try:
        named = urlsplit(written).port is not None
    except ValueError:
        named = False
    url = read_url(written) if named and "//" not in text else None
    return f"Write it as {url}." if isinstance(url, str) else _EXAMPLE


def bound_url(url: str, project: Path | None) -> str:
    """Return ``url`` with ``project`` in it, so that servers of other projects refuse it.

    Unchanged if it names a project already, or if no address can hold the folder's name.
    """
    if project is None or project_of_url(url) is not None:
        return url
    parts = urlsplit(url)
    # Windows accepts either separator; a backslash can't be in an address.
    try:
        folder = quote(project.absolute().as_posix(), safe="/:", errors=_BYTES)
    except UnicodeEncodeError:
        return url
    query = f"{parts.query}&" if parts.query else ""
    return urlunsplit(parts._replace(query=f"{query}{PROJECT_PARAMETER}={folder}"))


def project_of_url(url: str) -> str | None:
    """Return the project in an address; ``None`` without one."""
    return next((each for each in projects_of_query(urlsplit(url).query) if each), None)


def projects_of_query(query: str) -> list[str]:
    """Return every project in the query of an address."""
    pairs = parse_qsl(query, keep_blank_values=True, errors=_BYTES)
    return [value for name, value in pairs if name == PROJECT_PARAMETER]


def how_to_start(url: str, command: str) -> str:
    """Return what to do if no server answers at ``url``.

    ``command`` starts a server on the default port.
    """
    port = port_here(url)
    if port is None:
        return "Start one there, or correct the address."
    return f"Start one with: {command}" + ("" if port == DEFAULT_PORT else f" --port {port}")


def port_here(url: str) -> int | None:
    """Return the port of a valid address on this machine; ``None`` for another machine."""
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in _HERE:
        return None
    return parts.port or 80


def _wrong(message: str) -> ToolError:
    return tool_error(ToolErrorCode.CONFIG_VALIDATION, message)


MAX_FILE_BYTES = 64 * 1024
_KEY = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ServerFile:
    """What ``server.json`` says about one server of this user."""

    port: int
    pid: int
    started: str
    key: str
    """The server's key, in hexadecimal digits. Secret."""
    token: str | None
    """The bearer token, or ``None``. Secret."""

    @classmethod
    def of_this_process(cls, port: int, token: str | None) -> ServerFile:
        """Return the file of a new server in this process, with a new key."""
        started = datetime.now(UTC).isoformat(timespec="milliseconds")
        return cls(port, os.getpid(), started, os.urandom(32).hex(), token)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object for ``server.json``."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_json(cls, document: object) -> ServerFile | None:
        """Return ``document`` as a server's file; ``None`` if it isn't one."""
        if not isinstance(document, Mapping):
            return None
        found: dict[str, Any] = {each.name: document.get(each.name) for each in fields(cls)}
        texts = (found["started"], found["key"], found["token"] or "")
        if not all(isinstance(each, str) for each in texts) or not is_token(texts[2]):
            return None
        if type(found["port"]) is not int or type(found["pid"]) is not int:
            return None
        return cls(**found) if _KEY.fullmatch(found["key"]) else None


def is_token(text: str) -> bool:
    """Return whether ``text`` can be sent as a bearer token."""
    return text.isascii() and text.isprintable() and " " not in text


def places(port: int, project: Path | None) -> list[Path]:
    """Return the paths of a server's file: one by its port, one in its project."""
    import platformdirs  # noqa: PLC0415 - not for help pages

    folder = platformdirs.user_state_path("unity-snippet", appauthor=False) / "servers"
    return [folder / f"{port}.json", *([] if project is None else [in_project(project)])]


def how_to_keep(error: OSError) -> str:
    """Return what to do about an ``error`` with a server's file; empty for other files' errors."""
    import platformdirs  # noqa: PLC0415 - only where it went wrong

    if not isinstance(error.filename, str):
        return ""
    kept = (
        places(0, None)[0].parent,
        platformdirs.user_log_path("unity-snippet", appauthor=False),
    )
    wrong = Path(error.filename)
    if not any(wrong.is_relative_to(each) or each.is_relative_to(wrong) for each in kept):
        return ""
    by_variable = sys.platform == "linux"
    if by_variable:
        return "Set XDG_STATE_HOME to a folder that can be written: servers keep their files there."
    return "Servers keep their files there. Give this user the right to write there."


def in_project(project: Path) -> Path:
    """Return the path of the server file in ``project``."""
    return project / "Library" / "SnippetEngine" / "server.json"


def write(
    file: ServerFile,
    project: Path | None,
    answers: Callable[[ServerFile], bool] = lambda _: False,
    lies_in: Collection[Path] = (),
) -> list[Path]:
    """Write ``file`` to its places; return the paths written. Raises ``OSError``.

    In a Unity project that was never opened, ``Library`` is made. Places in ``lies_in`` have the
    file already and are skipped. A place in the project is also skipped if another server's file is
    there, and that server still ``answers``.
    """
    from mcp_server.calls.private_file import write_private  # noqa: PLC0415 - for servers

    by_port, *own = places(file.port, project)
    by_port.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    targets = [] if by_port in lies_in else [by_port]
    for target in own:
        if target in lies_in:
            continue
        first = read(target)
        if first is not None and first.port != file.port and answers(first):
            continue
        library = target.parent.parent
        if library.is_dir() or _is_unity(library.parent):
            target.parent.mkdir(parents=True, exist_ok=True)
            targets.append(target)
    for target in targets:
        write_private(target, file.to_json(), durable=False)
    return targets


def _is_unity(project: Path) -> bool:
    return (project / "Assets").is_dir() and (project / "ProjectSettings").is_dir()


def remove(file: ServerFile, written: Iterable[Path]) -> None:
    """Remove ``file``, unless another server has replaced it since."""
    for target in written:
        with suppress(OSError):
            if read(target) == file:
                target.unlink()


def read(path: Path) -> ServerFile | None:
    """Return the file at ``path``; ``None`` if another user could have written it."""
    try:
        with os.fdopen(_open(path), "rb") as opened:
            if not _is_ours_alone(os.fstat(opened.fileno())):
                return None
            data = opened.read(MAX_FILE_BYTES)
        return ServerFile.from_json(json.loads(data))
    except (OSError, ValueError, RecursionError):
        return None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_ours_alone(status: os.stat_result) -> bool:
    if os.name != "posix":  # there the user's profile is private
        return True
    return (
        stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    )


def find(port: int, project: Path | None) -> ServerFile | None:
    """Return the newest file of this user's servers on ``port``; ``None`` without one."""
    found = [file for path in places(port, project) if (file := read(path)) is not None]
    return max(
        (each for each in found if each.port == port), key=attrgetter("started"), default=None
    )
