"""Which configurations a command line names: ``.globalconfig``, ``.editorconfig``, rule sets.

Part of docs/design/roslyn.md §3 "References". The compiler reads them; here it is seen that they
can be read to their end, and when they change.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from roslyn_server.projects.assembly_definitions import PREDEFINED
from roslyn_server.projects.builds import Build, is_gone, is_plain_file, stamp_of

_MAX_BYTES = 1024 * 1024
_NAMED = re.compile(
    r'^[-/](?:analyzerconfig|ruleset):"?(.+?)"?[ \t\r]*$', re.MULTILINE | re.IGNORECASE
)


def configured_by(response_file: str, folder: Path) -> tuple[Path, ...]:
    """The configurations that a response file's text names."""
    return tuple(folder / each for each in _NAMED.findall(response_file))


def unreadable(files: tuple[Path, ...]) -> str | None:
    """What is wrong with the first of them that there is and that the compiler must not read."""
    for file in files:
        stamp = stamp_of(file)
        if stamp is None:
            continue  # the compiler says so
        if not is_plain_file(file):
            return f"{file.name} is no file"
        if not os.access(file, os.R_OK):
            return f"{file.name} can't be read"
        if stamp[1] > _MAX_BYTES:
            return f"{file.name} is larger than {_MAX_BYTES // 1024**2} MB"
    return None


def configuration_changes(build: Build, folder: str, files: Iterable[str]) -> Iterator[str]:
    """What an assembly would be configured by and isn't, or the other way round; as a sentence's
    middle.

    ``folder`` is that of its definition, ``files`` are the project's rule sets, configurations and
    additional files, project-relative.
    """
    for each in build.options:
        kind, _, path = each.partition("@" if each.startswith("@") else ":")
        if kind in _READ and path.startswith(_OF_PROJECT) and is_gone(build.folder / path):
            yield f"{path}, which the compiler is to read, was removed"
    known = {each.lower(): each for each in files}
    for suffix, option in ((".ruleset", "ruleset"), (".globalconfig", "analyzerconfig")):
        has = [each.lower() for each in build.options if each.startswith(f"{option}:")]
        own = sorted(each for each in known if each.endswith(suffix) and _lies_in(each, folder))
        if build.assembly in PREDEFINED:
            own = [f"assets/{build.assembly}{suffix}".lower()]
        due = next((each for each in (*own, f"assets/default{suffix}") if each in known), None)
        of_unity = any(each.startswith(f"{option}:library/") for each in has)
        if due is not None and not of_unity and f"{option}:{due}" not in has:
            yield f"{known[due]} was added"
    analyzers = {each.stem.lower() for each in build.analyzers}
    for lower, path in known.items():
        analyzer = lower.removesuffix(".additionalfile").rpartition("/")[2].partition(".")[2]
        if analyzer in analyzers and f"additionalfile:{path}" not in build.options:
            yield f"{path} was added"


_READ = frozenset(("", "ruleset", "analyzerconfig", "additionalfile"))
_OF_PROJECT = ("Assets/", "Packages/")


def _lies_in(file: str, folder: str) -> bool:
    return PurePosixPath(file).parent.as_posix() == folder.lower()
