"""Whether an entry of a client's configuration is ours, and which project and port it leads to.

For docs/design/command-line.md ``client install`` and ``client uninstall``: an entry of another
server stays, and an entry of ours isn't silently redirected to another project or port.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mcp_server.calls.server.server_address import project_of_url
from mcp_server.calls.server.server_status import is_same_folder

_PROGRAM = "unity-cli"
_PACKAGE = "unity-snippet"
_MODULE = "mcp_server.cli"
_COMMAND = "mcp"
_HERE = ("127.0.0.1", "localhost", "::1")
_DEFAULT_PORT = "48091"


def is_ours(entry: Any) -> bool:
    """Whether an entry starts this program, or reaches an MCP endpoint on this machine."""
    if not isinstance(entry, Mapping):
        return False
    words = _words(entry)
    if words and _is_program(words[0]):
        return True
    # A launcher's arguments: the program, and behind it our command.
    if any(_is_program(word) and _COMMAND in words[at:] for at, word in enumerate(words, 1)):
        return True
    url = _url(entry)
    return url is not None and _is_endpoint(url)


def conflict(old: Any, new: Mapping[str, Any]) -> str | None:
    """Return, in one clause, why ``new`` must not replace ``old``; ``None`` if it may.

    An entry that leads where the new one leads may be updated.
    """
    if isinstance(old, Mapping) and _url(old) is not None and _url(old) == _url(new):
        return None
    if not is_ours(old):
        return "is another server"
    before, after = _project(old), _project(new)
    if after is not None and is_for_another(old, after):
        return f"is for the project {before}"
    if before is not None and after is None and _url(new) is None:
        return f"is for the project {before}, and this one would be for none"
    if _port(old) != _port(new):
        return f"leads to port {_port(old)}, and this one to {_port(new)}"
    return None


def is_for_another(entry: Any, project: str | None) -> str | None:
    """Return the project that an entry is for, if that is not ``project``."""
    named = _project(entry) if isinstance(entry, Mapping) else None
    if named is None or project is None:
        return named
    # The paths are compared, too: the folder may not exist any more.
    is_same = is_same_folder(named, Path(project))
    return None if is_same or os.path.realpath(named) == os.path.realpath(project) else named


def _option(entry: Mapping[str, Any], name: str) -> str | None:
    """Return the value of the option ``name`` among the entry's arguments."""
    words = [word for word in _words(entry) if isinstance(word, str)]
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def _project(entry: Mapping[str, Any]) -> str | None:
    """Return the project that the entry's arguments or address name."""
    url = _url(entry)
    try:
        of_url = project_of_url(url) if url is not None else None
    except ValueError:
        of_url = None
    return of_url or _option(entry, "--project")


def _port(entry: Mapping[str, Any]) -> str:
    """Return the port that the entry leads to, as written."""
    url = _url(entry) or _option(entry, "--url")
    try:
        of_url = urlsplit(url).port if url is not None else None
    except ValueError:
        of_url = None
    return str(of_url) if of_url is not None else _option(entry, "--port") or _DEFAULT_PORT


def _url(entry: Mapping[str, Any]) -> str | None:
    urls = (value for key, value in entry.items() if key.lower().endswith("url"))
    return next((url for url in urls if isinstance(url, str)), None)


def _is_endpoint(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.hostname in _HERE and parts.path.rstrip("/") == "/mcp"


def _is_program(word: Any) -> bool:
    """Whether a word is our program's name or path, or a requirement of our package."""
    if not isinstance(word, str):
        return False
    last = re.split(r"[\\/]", word)[-1]
    name = re.split(r"[@=<>~!\[ ]", last)[0].removesuffix(".exe").removesuffix(".cmd")
    return name in (_PROGRAM, _PACKAGE) or word == _MODULE


def _words(entry: Mapping[str, Any]) -> list[Any]:
    """Return the command with its arguments; some clients have both in one list."""
    command, arguments = entry.get("command"), entry.get("args")
    first = command if isinstance(command, list) else [command]
    return [*first, *arguments] if isinstance(arguments, list) else first
