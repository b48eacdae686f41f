"""Whether a compiler can read what a command line names, in bounded time and memory.

Part of docs/design/roslyn.md §3 "References". The compiler reads response files, and what these
include, to their end: one that includes itself, a pipe or a device would never come to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from roslyn_server.projects.builds import bounded_text, is_plain_file, stamp_of

MAX_RESPONSE_BYTES = 8 * 1024 * 1024
"""How large a response file may be, with all that it includes."""

_MAX_FILES = 32
_READ = re.compile(
    r'^[ \t]*"?[-/](?:r|reference|l|link|ruleset|additionalfile|analyzerconfig|a|analyzer|keyfile):'
    r'(?:\w+=)?"?([^"\n]+?)"*[ \t\r]*$',
    re.IGNORECASE | re.MULTILINE,
)
"""Options that name a file which the compiler reads."""


class ResponseFiles:
    """Looks at the response files of a project, whose folder relative paths are relative to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plain: set[str] = set()
        """Files that were plain ones; a library is named by every assembly."""

    def fault(self, file: Path) -> str | None:
        """What is wrong with a response file, as the middle of a sentence; ``None``: nothing is."""
        left, size, seen = [(file, file)], 0, 0
        within: dict[Path, tuple[Path, ...]] = {file: ()}
        while left:
            each, by = left.pop()
            name = self._shown(each)
            included = name if each == by else f"{name}, which {self._shown(by)} includes,"
            stamp = stamp_of(each)
            if stamp is None:
                continue  # the compiler says so
            if not is_plain_file(each):
                return f"{included} is no plain file"
            size, seen = size + stamp[1], seen + 1
            if size > MAX_RESPONSE_BYTES:
                return f"{included} is larger than {MAX_RESPONSE_BYTES // 2**20} MB"
            if seen > _MAX_FILES:
                return f"{self._shown(file)} includes more than {_MAX_FILES} others"
            text = one_a_line(bounded_text(each, MAX_RESPONSE_BYTES))
            for inner in self._included(text):
                if inner in (each, *within[each]):
                    return f"{self._shown(inner)} includes itself"
                within[inner] = (*within[each], each)
                left.append((inner, each))
            named = self._no_plain_file(text)
            if named is not None:
                return f"{named}, which {name} names, is no plain file"
        return None

    def text(self, file: Path) -> tuple[str, tuple[Path, ...]]:
        """A response file with each argument on a line, and what it includes, file by file.

        Only of one without a fault.
        """
        lines: list[str] = []
        included: list[Path] = []
        for line in one_a_line(bounded_text(file, MAX_RESPONSE_BYTES)).splitlines():
            lines.append(line)
            for inner in self._included(line):
                text, further = self.text(inner)
                lines.append(text)
                included += (inner, *further)
        return "\n".join(lines), tuple(included)

    def _included(self, text: str) -> Iterator[Path]:
        if "@" not in text:
            return
        for line in text.splitlines():
            if "@" in line:
                for each in arguments_of(line):
                    path = each.strip('"')
                    if path.startswith("@"):
                        yield Path(os.path.normpath(self._folder / path[1:].strip('"')))

    def _no_plain_file(self, text: str) -> str | None:
        """A file that is named to be read, and that would never end."""
        named: set[str] = set(_READ.findall(text))
        for name in named - self._plain:
            path = self._folder / name
            if is_plain_file(path) or stamp_of(path) is None:
                self._plain.add(name)
            else:
                return name
        return None

    def _shown(self, file: Path) -> str:
        inside = file.is_relative_to(self._folder)
        return file.relative_to(self._folder).as_posix() if inside else str(file)


def one_a_line(text: str) -> str:
    """The text of a response file with each argument on a line of its own, as Unity writes them."""
    lines: list[str] = []
    for line in text.splitlines():
        alone = line.strip()
        lines += (alone,) if _ONE_ARGUMENT.fullmatch(alone) else arguments_of(line)
    return "\n".join(lines)


_ONE_ARGUMENT = re.compile(r'(?:[^\s"#\\]|"[^"\\]*")*')
"""What needs no closer look."""


def arguments_of(line: str) -> Iterator[str]:
    """The arguments on a line of a response file, as the compiler tells them apart.

    Blanks end one, but for those within quotes; backslashes before a quote escape it in pairs; and
    ``#`` begins a comment where an argument could begin.
    """
    at, end = 0, len(line)
    while at < end:
        if line[at].isspace():
            at += 1
            continue
        if line[at] == "#":
            return
        begun, quotes = at, 0
        while at < end and (quotes % 2 or not line[at].isspace()):
            slashes = 0
            while at < end and line[at] == "\\":
                slashes, at = slashes + 1, at + 1
            if at < end and line[at] == '"':
                quotes += slashes % 2 == 0
                at += 1
            elif not slashes:
                at += 1
        yield line[begun:at]
