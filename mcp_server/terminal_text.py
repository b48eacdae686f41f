"""Make text of others safe for a terminal, and recognize a closed pipe.

Part of docs/design/command-line.md "Output" and docs/design/systems.md "Texts". A console entry, a
script or a path may hold sequences that clear the screen, fill the clipboard, or reorder a line.
"""

from __future__ import annotations

import errno
import os
import re

# Control characters except tab and line feed, line separators, and the marks of bidirectional text.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def safe_text(text: str) -> str:
    """Return ``text`` with ``\x1b`` for an escape character, and so on. Line feeds stay."""
    return _COMMANDS.sub(_escaped, text.replace("\r\n", "\n"))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def safe_json(text: str) -> str:
    """Return the JSON document with characters escaped that are unsafe on a terminal."""
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def nobody_reads(failure: BaseException, *, windows: bool = os.name == "nt") -> bool:
    """Return whether ``failure`` is a write to a pipe without a reader.

    Windows' C library reports it as an invalid argument, without a file or a Windows error number.
    """
    if isinstance(failure, BrokenPipeError):
        return True
    return (
        windows
        and isinstance(failure, OSError)
        and failure.errno == errno.EINVAL
        and failure.filename is None
        and getattr(failure, "winerror", None) is None
    )
