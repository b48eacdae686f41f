"""Choose the language server to run, and say why each other one was not chosen.

Implements ``--lsp auto|off|COMMAND`` of docs/design/roslyn.md §2.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsp_client.servers import server_table
from lsp_client.servers.server_table import Launch, ServerSpec
from snippet_engine.storage.system.plain_file import read_plain

AUTO = "auto"
OFF = "off"

RoslynServerCheck = Callable[[Path], str | None]
"""Returns why ``roslyn_server`` can't be used for a project; ``None`` if it can."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One server that was considered. ``reason`` says why it was chosen, or why not."""

    name: str
    taken: bool
    reason: str
    command: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return ``{name, taken, reason, command?}``."""
        body: dict[str, Any] = {"name": self.name, "taken": self.taken, "reason": self.reason}
        if self.command:
            body["command"] = list(self.command)
        return body


@dataclass(frozen=True, slots=True)
class Selection:
    """The result of ``--lsp``. ``launches`` can be started, the best first."""

    option: str
    candidates: tuple[Candidate, ...] = ()
    launches: tuple[Launch, ...] = ()

    def why_none(self) -> str:
        """Return why no server can be started, in a few words."""
        if self.option == OFF:
            return "it is switched off (--lsp off)"
        return self.candidates[0].reason if self.candidates else "none was found"

    def to_json(self) -> dict[str, Any]:
        """Return ``{option, taken, candidates}``; ``taken`` is a name or ``null``."""
        taken = next((each.name for each in self.candidates if each.taken), None)
        return {
            "option": self.option,
            "taken": taken,
            "candidates": [each.to_json() for each in self.candidates],
        }


def check_option(option: str) -> str | None:
    """Return why the value of ``--lsp`` is invalid; ``None`` if it is valid."""
    if option in (AUTO, OFF):
        return None
    try:
        words = split_command(option)
    except ValueError as error:
        return f"--lsp: the command can't be read ({error}). Quote it as for a shell."
    if not words:
        return "--lsp is empty. Say auto, off, or a command that starts a language server."
    if shutil.which(words[0]) is None:
        return f"--lsp: there is no program {words[0][:80]!r}. Say auto, off, or a command."
    return None


def split_command(text: str, system: str = os.name) -> list[str]:
    """Split a command line; on Windows a backslash is no escape. Raises ``ValueError``."""
    if system == "posix":
        return shlex.split(text)
    return [_unquoted(word) for word in shlex.split(text, posix=False)]


def _unquoted(word: str) -> str:
    quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if quoted else word


def select(
    option: str,
    project: Path,
    roslyn_server_check: RoslynServerCheck,
    home: Path | None = None,
) -> Selection:
    """Return the servers that can be started for ``project``, and the reason for each candidate.

    ``option`` is a valid value of ``--lsp``. ``home`` is the user's home folder.
    """
    if option == OFF:
        return Selection(option)
    files = _project_files(project)
    if option != AUTO:
        command = tuple(split_command(option))
        launch = Launch(_known_or_custom(command), command, project, files)
        taken = Candidate(launch.spec.name, True, "given by --lsp", command)
        return Selection(option, (taken,), (launch,))
    found = list(_candidates(project, files, roslyn_server_check, home or Path.home()))
    launches = tuple(each for _, each in found if isinstance(each, Launch))
    candidates = tuple(_candidate(name, each, launches) for name, each in found)
    return Selection(option, candidates, launches)


def for_one_check(selection: Selection) -> Selection:
    """Return the selection with our own server started without a warm-up for verdicts."""
    return replace(
        selection,
        launches=tuple(
            replace(each, command=(*each.command, "--no-warm-up"))
            if selection.option == AUTO and each.spec is server_table.ROSLYN_SERVER
            else each
            for each in selection.launches
        ),
    )


def _candidate(name: str, found: Launch | str, launches: tuple[Launch, ...]) -> Candidate:
    if isinstance(found, str):
        return Candidate(name, False, found)
    if found is launches[0]:
        return Candidate(name, True, "the first that can be used", found.command)
    return Candidate(name, False, "can be used, but another comes first", found.command)


def _candidates(
    project: Path, files: tuple[Path, ...], roslyn_server_check: RoslynServerCheck, home: Path
) -> Iterator[tuple[str, Launch | str]]:
    """Yield every known server: how to start it, or why not."""
    spec = server_table.ROSLYN_SERVER
    why_not = roslyn_server_check(project)
    command = (sys.executable, *_filled(spec.arguments, project, files))
    yield spec.name, why_not or Launch(spec, command, project)
    for spec in server_table.ON_PATH:
        yield spec.name, _on_path(spec, project, files)
        if spec is server_table.ROSLYN_LANGUAGE_SERVER:
            for place, server in extension_servers(home):
                arguments = _filled(spec.arguments, project, files)
                yield (
                    place,
                    server
                    if isinstance(server, str)
                    else _unopened(spec, files)
                    or Launch(spec, (*server, *arguments), project, files),
                )


def _on_path(spec: ServerSpec, project: Path, files: tuple[Path, ...]) -> Launch | str:
    executable = next(filter(None, map(shutil.which, spec.executables)), None)
    if executable is None:
        return "not on PATH"
    arguments = spec.arguments
    if files and files[0].suffix in _SOLUTIONS:
        arguments += spec.solution_arguments
    command = (executable, *_filled(arguments, project, files))
    return _unopened(spec, files) or Launch(spec, command, project, files)


def _unopened(spec: ServerSpec, files: tuple[Path, ...]) -> str | None:
    """Return why a server that needs project files can't be started."""
    if files or not spec.needs_projects:
        return None
    return "the project has no .sln or .csproj file; let Unity generate them"


_SOLUTIONS = (".sln", ".slnx")


def _project_files(project: Path) -> tuple[Path, ...]:
    """Return the project's solution, else its ``.csproj`` files."""
    for suffixes in (_SOLUTIONS, (".csproj",)):
        try:
            found = sorted(each for each in project.iterdir() if each.suffix in suffixes)
        except OSError:
            return ()
        if found:
            # Unity names the solution after the project's folder.
            own = [each for each in found if each.stem == project.name]
            return tuple(own or found) if suffixes is _SOLUTIONS else tuple(found)
    return ()


def _known_or_custom(command: tuple[str, ...]) -> ServerSpec:
    """Return the table's row for a command, by the words of the command."""
    words = {Path(word).stem.lower() for word in command}
    for spec in server_table.KNOWN:
        if words & {spec.name.lower(), *(each.lower() for each in spec.executables)}:
            return spec
    if "microsoft.codeanalysis.languageserver" in words:
        return server_table.ROSLYN_LANGUAGE_SERVER
    return server_table.custom(Path(command[0]).stem)


def _filled(arguments: tuple[str, ...], project: Path, files: tuple[Path, ...]) -> tuple[str, ...]:
    values: Mapping[str, str] = {
        "{project}": str(project),
        "{solution}": str(files[0]) if files else "",
        "{logs}": str(Path(tempfile.gettempdir()) / "unity-snippet-lsp-logs"),
    }
    return tuple(values.get(each, each) for each in arguments)


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
    """Yield a name for each editor with the C# extension, and its command or why it has none."""
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
