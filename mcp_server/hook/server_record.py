"""Find the server of the project that an event is about; log failures.

The event's bytes are searched, not parsed, because loading ``json`` takes as long as starting the
interpreter. A wrong guess does no harm: the server only answers for its own project.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from mcp_server.hook import NotCarriedError

RECORD = os.path.join("Library", "SnippetEngine", "server.json")
_MAX_RECORD_BYTES = 64 * 1024

_FILE_KEYS = (b"file_path", b"filePath", b"absolute_path", b"target_file", b"path")
_FOLDER_KEYS = (b"cwd", b"workspace_roots", b"workspaceRoots", b"directory")
_VARIABLES = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR")
_PATCHED = b"*** Update File: ", b"*** Add File: ", b"*** Delete File: "

_MAX_BELOW = 200
"""Most entries of the working folder that are looked at."""

_MAX_UP = 64


class Server:
    """A running server, as described in its file. ``key`` and ``token`` are secret."""

    def __init__(self, port: int, key: str, token: str) -> None:
        self.port = port
        self.key = key
        self.token = token


def find_server(event: bytes) -> Server:
    """Return the server of the event's project. Raises :class:`NotCarriedError`."""
    seen: set[str] = set()
    silent = ""
    for place in _places(event):
        project = _project_above(place, seen)
        if project is not None:
            server = _read(project)
            if server is not None:
                return server
            silent = silent or project
    if silent:
        raise NotCarriedError(_why_silent(silent))
    return _only_one_below(text_after(event, b"cwd") or _here())


def _why_silent(project: str) -> str:
    """Return why no server of ``project`` was found."""
    record = os.path.join(project, RECORD)
    try:
        mode = stat.S_IMODE(os.stat(record).st_mode)
    except OSError:
        return f"no server runs for {project}"
    if os.name == "posix" and mode & 0o077:
        why = f"{record} is not this user's alone (mode {mode:04o})"
        return f"{why}: restart the server; on a drive without modes the guard can't work"
    return f"{record} doesn't describe a running server of this user"


def _places(event: bytes) -> list[str]:
    """Return the paths in the event, the most specific first, and the working folder."""
    folder = next((each for key in _FOLDER_KEYS if (each := text_after(event, key))), None)
    base = folder or _here()
    files = [text_after(event, key) for key in _FILE_KEYS]
    if b"*** Begin Patch" in event:
        files += [_patched(event, mark) for mark in _PATCHED]
    found = [os.path.join(base, each) for each in files if each]
    found += [os.environ.get(each, "") for each in _VARIABLES] if folder is None else [folder]
    return [each for each in (*found, _here()) if each]


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return ""


def _patched(event: bytes, mark: bytes) -> str | None:
    at = event.find(mark)
    if at < 0:
        return None
    # In JSON, the line ends at an escaped line break.
    line = event[at + len(mark) : at + len(mark) + 4096].split(b"\\n", 1)[0].split(b"\n", 1)[0]
    return line.decode("utf-8", "replace").replace("\\r", "").replace("\\\\", "\\").strip()


def text_after(event: bytes, key: bytes) -> str | None:
    """Return the first string in the event under ``key``; ``None`` if there is none."""
    at = event.find(b'"%b"' % key)
    while at >= 0:
        rest = event[at + len(key) + 2 : at + len(key) + 2 + 20_000].lstrip()
        value = rest[1:].lstrip(b" \t\r\n[") if rest[:1] == b":" else b""
        if value[:1] == b'"':
            return _string(value[1:])
        at = event.find(b'"%b"' % key, at + 1)
    return None


def _string(rest: bytes) -> str | None:
    end = rest.find(b'"')
    if b"\\" not in rest[: max(0, end)]:
        return rest[:end].decode("utf-8", "replace") if end >= 0 else None
    import json  # noqa: PLC0415 - only for escaped characters, as in Windows paths

    try:
        text = '"' + rest.decode("utf-8", "replace")
        return str(json.JSONDecoder(strict=False).raw_decode(text)[0])
    except ValueError:
        return None


def _project_above(place: str, seen: set[str]) -> str | None:
    """Return the nearest project at or above ``place``, and add the folders to ``seen``.

    Returns ``None`` if there is no project, or a folder was seen before.
    """
    if sys.platform == "win32" and len(place) > 3 and place[0] == "/" and place[2] == ":":
        place = place[1:]  # some clients write /c:/…
    folder = os.path.abspath(place)
    for _ in range(_MAX_UP):
        if folder in seen:
            return None
        seen.add(folder)
        if os.path.isdir(os.path.join(folder, "Assets")) and (
            os.path.isdir(os.path.join(folder, "ProjectSettings"))
            or os.path.exists(os.path.join(folder, RECORD))
        ):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return None


def _only_one_below(folder: str) -> Server:
    """Return the server of the only project directly below ``folder`` that has one."""
    found: list[Server] = []
    try:
        with os.scandir(folder or ".") as entries:
            for number, each in enumerate(entries):
                if number >= _MAX_BELOW:
                    break
                server = _read(each.path) if each.is_dir() else None
                if server is not None:
                    found.append(server)
    except OSError:
        pass
    if len(found) == 1:
        return found[0]
    raise NotCarriedError("several projects here have a server" if found else "no Unity project")


def _read(project: str) -> Server | None:
    """Return a project's server; ``None`` if its file is missing, or others may have written it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        opened = os.open(os.path.join(project, RECORD), flags)
        try:
            status = os.fstat(opened)
            if os.name == "posix" and not (
                stat.S_ISREG(status.st_mode)
                and status.st_uid == os.getuid()
                and not status.st_mode & 0o077
            ):
                return None
            data = os.read(opened, _MAX_RECORD_BYTES)
        finally:
            os.close(opened)
    except OSError:
        return None
    return _server_in(data)


def _server_in(data: bytes) -> Server | None:
    port, key = _number_after(data, b"port"), text_after(data, b"key")
    if port is None or key is None or len(key) != 64 or set(key) - set("0123456789abcdef"):
        return None
    token = text_after(data, b"token") or ""
    is_header = token.isascii() and token.isprintable() and " " not in token
    return Server(port, key, token) if is_header else None


def _number_after(data: bytes, key: bytes) -> int | None:
    _, found, rest = data.partition(b'"%b":' % key)
    digits = rest[:20].strip().partition(b",")[0].partition(b"}")[0].strip()
    return int(digits) if found and digits.isdigit() and 0 < int(digits) < 65536 else None


MAX_BYTES = 64 * 1024
"""A longer log is cut to its newer half."""

_MAX_LINE = 400


def log_folder() -> str:
    """Return this user's folder for logs, as ``platformdirs`` would."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "unity-snippet", "Logs")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Logs", "unity-snippet")
    state = os.environ.get("XDG_STATE_HOME", "").strip() or os.path.join(home, ".local", "state")
    return os.path.join(state, "unity-snippet", "log")


def log(client: str, reason: str) -> None:
    """Add a line to the log. A failure to write it is ignored."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{when} {client}: {reason}".replace("\n", " ").replace("\r", " ")[:_MAX_LINE] + "\n"
    try:
        folder = log_folder()
        os.makedirs(folder, 0o700, exist_ok=True)
        path = os.path.join(folder, "hook.log")
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        opened = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
        try:
            os.write(opened, line.encode("utf-8", "replace"))
            if os.fstat(opened).st_size > MAX_BYTES:
                _shorten(opened)
        finally:
            os.close(opened)
    except OSError:
        pass


def _shorten(opened: int) -> None:
    os.lseek(opened, -MAX_BYTES // 2, os.SEEK_END)
    kept = os.read(opened, MAX_BYTES).partition(b"\n")[2]
    os.ftruncate(opened, 0)
    os.write(opened, kept)
