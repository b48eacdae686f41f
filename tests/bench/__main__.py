"""``python -m tests.bench``: a stand-in Editor to try the whole product with, without Unity.

It runs the Unity package on Mono (or .NET) and connects to a running ``unity-cli serve``: without
``--port`` to that of its project, as the package finds it.
Commands are typed, or come from a script; ``help`` lists them. In a script, ``wait EVENT`` waits
for an event, and ``#`` begins a comment. Exit code 0, 2 where something
is missing, 130 for Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import suppress
from pathlib import Path

from mcp_server.calls.server.server_file import DEFAULT_PORT
from mcp_server.this_installation import quoted_word
from roslyn_server.toolchains.packages import FetchError
from tests.bench.compiler import CompileError
from tests.bench.editor import BenchEditor, Event
from tests.bench.installation import Runtime, install, prepare_project
from tests.bench.toolchains import ROOT, MissingToolError

DEFAULT_PROJECT = ROOT / "build" / "bench-project"

SAMPLE_TESTS = (
    "test edit Game.InventoryTests.AddsItems passed 200",
    "test edit Game.InventoryTests.RefusesNegativeCounts passed 150",
    "test edit Game.HealthTests.DiesAtZero failed 250 Expected: True  But was: False",
    "test play Game.PlayerTests.Jumps passed 300",
)
"""Tests that a bench started by hand has, so that ``run_tests`` has something to run."""


def main() -> int:
    """Start the bench and pass commands on until it quits."""
    options = _options()
    try:
        print("Compiling the package and the stand-ins (half a minute, the first time)")
        installation = install(Runtime(options.runtime))
        commands = [] if options.script is None else _script(options.script)
    except (MissingToolError, FetchError, CompileError, OSError) as failure:
        print(failure, file=sys.stderr)
        return 2
    prepare_project(options.project, DEFAULT_PORT if options.port is None else options.port)
    print(f"Unity project: {options.project}")
    print(f"Server: {_server(options.project, options.port)}")
    with BenchEditor(installation, options.project, on_event=_show) as editor:
        editor.tell(*SAMPLE_TESTS)
        print("Type a command; 'help' lists them, 'quit' ends the bench.")
        for command in commands:
            if command.startswith("wait "):
                editor.wait(command.removeprefix("wait "))
            else:
                editor.do(command)
        typing = threading.Thread(target=_pass_on, args=(editor,), daemon=True)
        typing.start()
        try:
            return editor.wait_for_end(None)
        except KeyboardInterrupt:
            with suppress(OSError):  # a terminal's Ctrl-C has ended it already
                editor.tell("quit")
            editor.wait_for_end()
            raise


def _server(project: Path, port: int | None) -> str:
    """Which server the package connects to, and what starts that."""
    if port is None:
        # Unity would have made it; the server leaves its file there, by which the package finds it.
        (project / "Library").mkdir(exist_ok=True)
        start = f"unity-cli serve --project {quoted_word(str(project.absolute()))}"
        return f"the project's own ({start})"
    return f"ws://127.0.0.1:{port}/unity (unity-cli serve --port {port})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, prog="python -m tests.bench", description=__doc__
    )
    parser.add_argument("--port", type=int, help="the server's port; else the project's own server")
    parser.add_argument("--runtime", choices=[each.value for each in Runtime], default="mono")
    parser.add_argument("--script", type=Path, help="a file of commands to begin with")
    parser.add_argument("--project", type=Path, default=DEFAULT_PROJECT, help="a Unity project")
    return parser.parse_args()


def _script(file: Path) -> list[str]:
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _pass_on(editor: BenchEditor) -> None:
    """Pass on what is typed; the end of the input quits."""
    for line in sys.stdin:
        editor.tell(line.strip())
    editor.tell("quit")


def _show(event: Event) -> None:
    kind = event["event"]
    if kind == "log":
        print(f"[{event['type']}] {event['message']}", flush=True)
    elif kind == "help":
        print("\n".join(event["commands"]), flush=True)
    elif kind == "error":
        print(event["message"], flush=True)
    elif kind != "done":
        rest = " ".join(f"{name}={value}" for name, value in event.items() if name != "event")
        print(f"-- {kind} {rest}".rstrip(), flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
