"""Find Microsoft's language server in the C# extension of VS Code and its relatives.

Implements docs/design/roslyn.md §2 and §6. It needs a suitable .NET runtime, and a version that
speaks over stdio.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from snippet_engine.storage.system.plain_file import read_plain

_EDITORS = (
    (".vscode", "VS Code"),
    (".vscode-server", "VS Code"),
    (".vscode-insiders", "VS Code Insiders"),
    (".cursor", "Cursor"),
    (".cursor-server", "Cursor"),
)
_LIBRARY = "Microsoft.CodeAnalysis.LanguageServer.dll"
_VERSION = re.compile(r"ms-dotnettools\.csharp-(\d+(?:\.\d+)*)")
_RUNTIME = re.compile(r"^Microsoft\.NETCore\.App (\d+)\.", re.MULTILINE)
_STDIO_OPTION = "--stdio".encode("utf-16-le")
_LIST_RUNTIMES_S = 10


def extension_servers(home: Path) -> Iterator[tuple[str, tuple[str, ...] | str]]:
    """Yield for each editor with the extension a name, and the command or why there is none."""
    for folder, editor in _EDITORS:
        libraries = (home / folder / "extensions").glob(
            f"ms-dotnettools.csharp-*/.roslyn/{_LIBRARY}"
        )
        newest = max(libraries, key=_version, default=None)
        if newest is not None:
            number = ".".join(map(str, _version(newest)))
            yield f"C# extension {number} of {editor}", _command(newest)


def _version(library: Path) -> tuple[int, ...]:
    found = _VERSION.match(library.parents[1].name)
    return tuple(map(int, found[1].split("."))) if found else ()


def _command(library: Path) -> tuple[str, ...] | str:
    try:
        if _STDIO_OPTION not in read_plain(library):
            return "too old: it does not know --stdio; update the extension"
        config = json.loads(read_plain(library.with_suffix(".runtimeconfig.json")))
        options = config["runtimeOptions"]
        framework = options.get("framework") or options["frameworks"][0]
        major = int(framework["version"].split(".")[0])
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        return f"can't be read ({type(error).__name__})"
    dotnet = shutil.which("dotnet")
    if dotnet is None:
        return f"it needs .NET {major}, and there is no dotnet on PATH"
    runtimes = _runtimes(dotnet)
    if major not in runtimes:
        there = ", ".join(map(str, sorted(runtimes))) or "none"
        return f"it needs .NET {major}; dotnet has: {there}"
    return dotnet, str(library)


def _runtimes(dotnet: str) -> set[int]:
    """Return the major versions of the runtimes that ``dotnet`` can start."""
    try:
        done = subprocess.run(
            [dotnet, "--list-runtimes"],
            capture_output=True,
            timeout=_LIST_RUNTIMES_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return {int(each) for each in _RUNTIME.findall(done.stdout.decode(errors="replace"))}
