"""What analyzer configurations say of the compiler's own warnings, as options of its command line.

Part of docs/design/roslyn.md §3 "References": ``.globalconfig`` and ``.editorconfig`` files that a
build names. Other diagnostics than the compiler's are analyzers', which are not run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from roslyn_server.projects.builds import bounded_text

_MAX_BYTES = 1024 * 1024
_NAMED = re.compile(r'^[-/]analyzerconfig:"?(.+?)"?[ \t\r]*$', re.MULTILINE | re.IGNORECASE)
_RULES = re.compile(r'^[-/]ruleset:"?(.+?)"?[ \t\r]*$', re.MULTILINE | re.IGNORECASE)
_SECTION = re.compile(r"^\[(.*)\]$")
_SEVERITY = re.compile(r"^dotnet_diagnostic\.(CS\d+)\.severity$", re.IGNORECASE)
_OF_ALL = frozenset(("*", "*.cs", "**.cs", "**/*.cs", "*.{cs,vb}", "*.{cs,csx,vb,vbx}"))

_OPTIONS = {
    "error": "-warnaserror+:{}",
    "warning": "-warnaserror-:{}",
    "suggestion": "-nowarn:{}",
    "silent": "-nowarn:{}",
    "none": "-nowarn:{}",
}


def configurations(response_file: str, folder: Path) -> tuple[Path, ...]:
    """The configurations that a response file's text names."""
    return tuple(folder / each for each in _NAMED.findall(response_file))


def configured_by(response_file: str, folder: Path) -> tuple[Path, ...]:
    """The files besides itself that say what a response file's text means."""
    return (
        *configurations(response_file, folder),
        *(folder / each for each in _RULES.findall(response_file)),
    )


def options_of(files: tuple[Path, ...]) -> tuple[tuple[str, ...], str | None]:
    """The options that configurations come to; and one that can't be said so, by its name."""
    found: dict[str, str] = {}
    for file in files:
        for section, name, value in _settings(bounded_text(file, _MAX_BYTES)):
            severity = _SEVERITY.match(name)
            if severity is None:
                continue
            if section is not None and section not in _OF_ALL:
                return (), file.name
            option = _OPTIONS.get(value.lower())
            if option is not None:
                found[severity[1].upper()] = option
    return tuple(option.format(id_) for id_, option in sorted(found.items())), None


def _settings(text: str) -> Iterator[tuple[str | None, str, str]]:
    """Section (none before the first), name and value of each setting."""
    section = None
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(("#", ";")):
            continue
        match = _SECTION.match(stripped)
        if match is not None:
            section = match[1]
            continue
        name, equals, value = stripped.partition("=")
        if equals:
            yield section, name.strip(), value.strip()
