"""A real ``unity-cli`` process, and a real ``unity-cli serve``, for tests to talk to."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import lanes
from forked_servers import ForkedProcess, start_forked
from this_system import KILL

from mcp_server.cli import main
from mcp_server.interrupt_signals import ending_signals

UNITY_CLI = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
ITSELF = (UNITY_CLI,) if os.name == "posix" else (sys.executable, "-m", "mcp_server.cli")
"""What becomes the command's own process: on Windows a program starts that for it."""

TERMINATED = 0 if os.name == "posix" else 1
"""The exit code of a server that was told to end. Windows ends a process without telling it."""

TIMEOUT_S = 180
START_ONE_IN = 6
"""Of so many tests one starts its servers as users do; with ``--all`` each does."""
STARTED = (
    "test_cli_start_up",
    "test_recovery_at_start",
    "test_serve_process",
    "test_server_commands",
    "test_steady_accept",
)
"""Modules with tests of how a server starts: their servers are never forked."""
_ONE_AT_A_TIME = threading.Lock()
"""A process has one working folder, one environment and one standard output."""
SCRIPT = "Assets/Scripts/Player.cs"
SOURCE = (
    b"using UnityEngine;\r\n"
    b"\r\n"
    b"public class Player : MonoBehaviour\r\n"
    b"{\r\n"
    b"    int speed = 10;\r\n"
    b"\r\n"
    b"    void Update()\r\n"
    b"    {\r\n"
    b"        if (speed > 10)\r\n"
    b"        {\r\n"
    b"            speed = 0;\r\n"
    b"        }\r\n"
    b"    }\r\n"
    b"}\r\n"
)


def make_project(root: Path) -> Path:
    """A small Unity project with one script."""
    for folder in ("Assets/Scripts", "Packages", "ProjectSettings"):
        (root / folder).mkdir(parents=True)
    (root / SCRIPT).write_bytes(SOURCE)
    return root


def edit(mode: str = "preview", **more: Any) -> dict[str, Any]:
    """An ``edit_snippet`` request that fits :data:`SOURCE`."""
    anchor = {"type": "text", "target": "speed > 10"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": "speed > 20"}
    return {"path": SCRIPT, "mode": mode, "instructions": [instruction], **more}


def new_script_and_edit(path: str) -> dict[str, Any]:
    """A change set that makes a script at ``path`` and edits the one that is there."""
    return {
        "mode": "apply",
        "changes": [
            {"path": path, "create": "class Made { }\n"},
            {"path": SCRIPT, "instructions": edit("apply")["instructions"]},
        ],
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(**more: str) -> dict[str, str]:
    """This process's environment without what would steer the command, or a language server."""
    steering = ("UNITY_CLI_PORT", "UNITY_CLI_URL", "UNITY_CLI_TOKEN")
    dropped = ("NO_COLOR", "PYTHONDONTWRITEBYTECODE", *steering)
    kept = {k: v for k, v in os.environ.items() if k not in dropped}
    return {**kept, "UNITY_CLI_LSP": "off", **more}


def run_cli(
    *arguments: str, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``unity-cli`` to its end in this process, which starts in a tenth of the time.

    What is about the process itself (its streams, its signals, its environment's effect on Python)
    takes :func:`run_cli_process`.
    """
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding="utf-8", write_through=True),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", write_through=True),
    }
    with contextlib.ExitStack() as steered:
        steered.enter_context(_ONE_AT_A_TIME)
        steered.enter_context(contextlib.chdir(cwd))
        variables = environment() if env is None else dict(env)
        steered.enter_context(mock.patch.dict(os.environ, variables, clear=True))
        steered.enter_context(mock.patch.multiple(sys, argv=[UNITY_CLI, *arguments], **streams))
        steered.enter_context(interrupts_as_they_were())
        try:
            main(list(arguments))
        except SystemExit as end:
            code = end.code
    assert isinstance(code, int)
    command = [UNITY_CLI, *arguments]
    return subprocess.CompletedProcess(
        command, int(code), out.getvalue().decode(), err.getvalue().decode()
    )


@contextlib.contextmanager
def interrupts_as_they_were() -> Iterator[None]:
    """A command that ends with its process sets what the signals do that end it, and leaves it."""
    handlers = {each: signal.getsignal(each) for each in ending_signals()}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for each, handler in handlers.items():
                signal.signal(each, handler)


def run_cli_process(
    *arguments: str, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``unity-cli`` to its end, as a process."""
    variables = environment() if env is None else dict(env)
    done = run_process([UNITY_CLI, *arguments], cwd, input=stdin, env=variables, text=False)
    return subprocess.CompletedProcess(
        done.args,
        done.returncode,
        done.stdout.decode(),
        done.stderr.decode(),
    )


def run_process(command: Sequence[str], cwd: Path, **more: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end; ``more`` is for ``subprocess.run``."""
    usual = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "timeout": TIMEOUT_S,
        "env": environment(),
    }
    return subprocess.run(command, cwd=cwd, check=False, **usual | more)


def run_python(
    code: str, *arguments: str, cwd: Path, **more: Any
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end, as a process."""
    return run_process([sys.executable, "-c", code, *arguments], cwd, **more)


def tool_call(tool: str, params: object) -> list[str]:
    """The words that call a tool."""
    return ["tool", "call", tool, "--json", json.dumps(params)]


def document(done: subprocess.CompletedProcess[str]) -> Any:
    """Return the one JSON document on stdout; nothing was printed on stderr."""
    assert done.stderr == ""
    return json.loads(done.stdout)


def is_forked_here() -> bool:
    """Whether the servers of the test that runs are forked from a process that has loaded them.

    One in six tests, with ``--all`` each, starts them as users do. So do the tests of ``STARTED``,
    and one that has another program in the server's place.
    """
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]
    is_drawn = lanes.is_drawn(f"starts {test}", START_ONE_IN)
    module = Path(test.partition("::")[0]).stem
    return module not in STARTED and ITSELF == (UNITY_CLI,) and not is_drawn


class RunningServer:
    """``unity-cli serve`` on a port of its own. A context manager: stopped on exit."""

    def __init__(
        self,
        *options: str,
        cwd: Path,
        port: int | None = None,
        verbose: bool = True,
        **env: str,
    ) -> None:
        options = ("--verbose", *options) if verbose else options
        self.cwd = cwd
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._log: list[str] = []
        self._logged = threading.Condition()
        arguments = [*ITSELF, "serve", "--port", str(self.port), *options]
        self.process: subprocess.Popen[str] | ForkedProcess
        if os.name == "posix" and is_forked_here():
            self.process = start_forked(arguments, cwd, environment(**env))
        else:
            self.process = subprocess.Popen(
                arguments,
                cwd=cwd,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment(**env),
            )
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._logged:
                self._log.append(line)
                self._logged.notify_all()

    def __enter__(self) -> RunningServer:
        assert self.process.stdout is not None
        first = self.process.stdout.readline().strip()
        if first != self.url:
            self.stop(KILL)
            raise AssertionError(f"the server did not start: {first!r}\n{self.log}")
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop(KILL)

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit code."""
        self.process.send_signal(with_signal)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end; the exit code."""
        code = self.process.wait(TIMEOUT_S)
        self._reader.join(TIMEOUT_S)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def wait_for_log(self, words: str, times: int = 1) -> None:
        """Wait until the log has ``words`` so many times."""
        with self._logged:
            found = self._logged.wait_for(lambda: self.log.count(words) >= times, TIMEOUT_S)
            assert found, self.log

    def wait_until_asked(self, job_id: str) -> None:
        """Wait until a client asks about a job; the server asks the Editor by itself, too."""
        self.wait_for_log(f"tool=get_job_status job_id={job_id}")

    @property
    def log(self) -> str:
        """What the server wrote to stderr so far (all of it, once it has ended)."""
        return "".join(self._log)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The log of a server with ``--log-format json``."""
        return [json.loads(line) for line in self._log]
