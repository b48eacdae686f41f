"""The double's life: compiling, reloading, playing, testing, and everything that goes wrong."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from held_to_schema import hold_to_schema

from pipeline_editor.commands import COMMANDS, PLAY_COMMANDS, CommandError, EditorGoneError
from pipeline_editor.dialects import DESCRIPTOR, Dialect
from pipeline_editor.http_server import PipelineHttpServer
from pipeline_editor.process import EditorProcess, ReservedPort, reserve_port

Json = dict[str, Any]
PATIENCE_S = 120
SEEN_S = 2
"""How long the Editor settles after a reload if nobody looks."""


@dataclass
class Run:
    """A test run."""

    mode: str
    filter: str | None
    status: str = "running"


@dataclass
class PipelineEditor:
    """One Editor with one project open. Everything is told by its own log, :attr:`done`.

    Changed from any thread; ``lock`` is held for each step.
    """

    project: Path
    dialect: Dialect = Dialect.V1_0
    compile_s: float = 0.02
    reload_s: float = 0.05
    errors: list[str] = field(default_factory=list)
    """What the compiler will say of the scripts as they are."""
    changed: bool = False
    """Whether scripts are newer than what was compiled."""
    blind: bool = False
    """Unfocused: a refresh sees no change."""
    refuses_play: bool = False
    held: set[str] = field(default_factory=set)
    """Commands, in their old names, that begin and then don't end until released; and ``reload``,
    which lasts until then."""
    dialog: Json | None = None
    tests: list[Json] = field(default_factory=lambda: [passed("A.Works"), passed("A.Plays")])
    starts_tests: bool = True
    ends_tests: bool = True
    capital_keys: bool = False
    result_as_text: bool = False
    answer_with: dict[str, Any] = field(default_factory=dict)
    """By a command's old name: the result that it answers instead of its own."""
    says_nothing: set[str] = field(default_factory=set)
    """Commands, in their old names, that return nothing."""
    http_fault: dict[str, Callable[[], tuple[int, bytes]]] = field(default_factory=dict)
    """By path: status and body that are answered instead."""
    done: list[tuple[str, Json]] = field(default_factory=list)
    """What was really executed, in order: old names and parameters that bound."""
    lost: set[str] = field(default_factory=set)
    """Commands, in their old names, that are lost on their way here."""
    plays_first: set[str] = field(default_factory=set)
    """Commands, in their old names, right before which somebody starts play mode by hand."""
    cut: set[str] = field(default_factory=set)
    """Commands, in their old names, that are executed and whose answer is lost on its way."""

    def __post_init__(self) -> None:
        if self.dialect is Dialect.V1_0:
            self.says_nothing |= PLAY_COMMANDS
        self.lock = threading.RLock()
        self._beginning = threading.Lock()
        self.changed_state = threading.Condition(self.lock)
        self.main_thread = threading.Lock()
        self._process: EditorProcess | None = None
        self._port: ReservedPort | None = None
        self.token = token_hex(16)
        self.state = "ready"
        self.play_mode = "stopped"
        self.compiled_errors: list[str] = list(self.errors)
        self.compile_status = "idle"
        self.flag_lags = False
        self.console: list[Json] = []
        self.session = token_hex(4)
        self.run: Run | None = None
        self.frozen = threading.Event()
        self.frozen.set()
        self.released = threading.Event()
        self.ending = threading.Event()
        """Nothing that goes on comes to an end any more."""
        self.asked: list[str] = []
        """Paths of every request that was authorized."""
        self._server: PipelineHttpServer | None = None
        self._started = datetime.now(UTC)
        self._threads: list[threading.Thread] = []
        self._reloads = 0

    # -- life ------------------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.port

    @property
    def listens(self) -> bool:
        return self._server is not None

    @property
    def descriptor_path(self) -> Path:
        return self.project / "Library" / "Pipeline" / ".unity-pipeline-port"

    @property
    def reloads(self) -> int:
        return self._reloads

    def start(self) -> PipelineEditor:
        """Open the project: the lock file, the server, the descriptor."""
        lock_file = self.project / "Temp" / "UnityLockfile"
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock_file.touch()
        self.ending.clear()
        self._listen()
        return self

    def _listen(self) -> None:
        if self._process is None:
            self._process, self._started = EditorProcess(), datetime.now(UTC)
        self._port = self._port or reserve_port()
        self._server = PipelineHttpServer(self, self._port.number, self._process)
        self.write_descriptor()

    def stop(self, *, orderly: bool = True) -> None:
        """End: in an orderly way, or as in a crash, which leaves everything behind."""
        self.ending.set()
        self.frozen.set()
        self.released.set()
        self.stop_listening()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        self.stop_listening()  # one that was reloading has come back
        process, self._process = self._process, None
        if process is not None:
            process.kill()
        port, self._port = self._port, None
        if port is not None:
            port.give_back()
        if orderly:
            self.descriptor_path.unlink(missing_ok=True)
            (self.project / "Temp" / "UnityLockfile").unlink(missing_ok=True)

    def stop_listening(self) -> None:
        """The server goes, and the Editor stays."""
        with self.lock:
            server, self._server = self._server, None
            if server is not None:
                server.gone.set()
        if server is not None:
            server.stop()

    def __enter__(self) -> PipelineEditor:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def crash(self) -> None:
        """Die: the descriptor stays, its process is none any more."""
        assert self._process is not None
        self._process.kill()
        self.stop(orderly=False)

    def restart(self) -> None:
        """Come back as another process, with another token, on another port."""
        another = reserve_port()
        if self._server is not None:
            self.crash()
        self._port = another
        self.token = token_hex(16)
        self.session = token_hex(4)
        self.console.clear()
        self.run = None
        self.state, self.play_mode, self.compile_status = "ready", "stopped", "idle"
        self.released = threading.Event()
        self.ending.clear()
        self._listen()

    def enter_safe_mode(self) -> None:
        """Start with compile errors: the lock file is there, no package is loaded."""
        self.start()
        server, self._server = self._server, None
        assert server is not None
        server.stop()
        self.descriptor_path.unlink()

    def descriptor(self) -> Json:
        document = {
            "port": self.port,
            "evalToken": self.token,
            "pid": self.pid,
            "projectPath": str(self.project),
            "projectName": self.project.name,
            "unityVersion": "6000.2.1f1",
            "mode": "editor",
            "startedAt": self._started.isoformat(),
            "lastHeartbeat": datetime.now(UTC).isoformat(),
        }
        hold_to_schema(document, DESCRIPTOR)
        return document

    def write_descriptor(self, data: bytes | None = None, mode: int = 0o600) -> None:
        """Write it in place, as Unity does; or other bytes."""
        path = self.descriptor_path
        path.parent.mkdir(parents=True, exist_ok=True)
        written = json.dumps(self.descriptor(), indent=2).encode() if data is None else data
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(handle, "wb") as opened:
            os.fchmod(opened.fileno(), mode)
            opened.write(written)

    def edit(self, *errors: str) -> None:
        """Scripts were written: this is what the compiler will say of them."""
        with self.lock:
            self.errors, self.changed = list(errors), True

    def log(self, message: str, log_type: str = "Log") -> None:
        level = {"Log": "log", "Warning": "warn"}.get(log_type, "error")
        with self.lock:
            self.console.append(
                {
                    "seq": len(self.console) + 1,
                    "level": level,
                    "logType": log_type,
                    "message": message,
                    "stackTrace": "at A",
                    "timestampUtc": "2026-10-01T08:00:00Z",
                    "seeded": False,
                }
            )

    # -- state -----------------------------------------------------------------------------------

    def enter(self, state: str) -> None:
        """Change the state, and wake whoever waits for that."""
        with self.changed_state:
            self.state = state
            self.changed_state.notify_all()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        with self.changed_state:
            assert self.changed_state.wait_for(condition, PATIENCE_S), self.done

    def wait_until_asked(self, path: str) -> None:
        self.asked.clear()
        self.wait_until(lambda: path in self.asked)

    def did(self, command: str) -> list[Json]:
        """The parameters of each time that it executed a command, by its old name."""
        with self.lock:
            return [parameters for name, parameters in self.done if name == command]

    @property
    def status(self) -> str:
        if self.dialog is not None:
            return "blocked_by_dialog"
        if self.state == "ready" and self.play_mode != "stopped":
            return "playing"
        return self.state

    def begin(self, life: Callable[[], None]) -> None:
        """Let something happen on the Editor's own time."""
        thread = threading.Thread(target=life, daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def compile(self) -> None:
        """Compile, and reload if there are no errors: on a thread of its own."""
        with self.lock:
            self.compile_status = "compiling"
            self.enter("compiling")
        if self.ending.wait(self.compile_s):
            return
        with self.lock:
            self.changed = False
            self.flag_lags = bool(self.compiled_errors)
            self.compiled_errors = list(self.errors)
            self.compile_status = "completed"
            self.enter("ready")  # for a moment, before the reload
        if not self.compiled_errors:
            self.reload()

    def reload(self) -> None:
        """Reload the domain: the server goes, and comes back on its port."""
        with self.lock:
            self.enter("reloading")
            server, self._server = self._server, None
            if server is not None:
                server.gone.set()
        if server is None:
            return
        server.stop()
        if "reload" in self.held:
            self.released.wait(PATIENCE_S)
        if self.ending.wait(self.reload_s):
            return
        with self.changed_state:
            self._reloads += 1
            if self.dialect is Dialect.V0_3:
                self.token = token_hex(16)
            self.state = "settling"
            self.asked.clear()
            self._listen()
            # However short it is, whoever looks at all sees that there was a reload.
            self.changed_state.wait_for(lambda: "/api/editor_status" in self.asked, SEEN_S)
        with self.lock:
            self.flag_lags = False
            self.enter("ready")

    def play(self, mode: str) -> None:
        """Change the play mode; to enter it reloads the domain."""
        with self.changed_state:
            enters = self.play_mode == "stopped"
            self.play_mode = mode
            self.changed_state.notify_all()
        if enters:
            self.reload()

    # -- tests -----------------------------------------------------------------------------------

    @property
    def test_file(self) -> Path:
        return self.project / "Temp" / "pipeline_test_status.json"

    def write_test_status(self, status: str, results: list[Json] | None = None) -> None:
        results = [] if results is None else results
        verdicts = ("Passed", "Failed", "Skipped", "Inconclusive")
        counts = {each.lower(): sum(one["status"] == each for one in results) for each in verdicts}
        document: Json = {
            "status": status,
            "summary": {"total": len(results), **counts},
            "results": results,
            "written": token_hex(4),
        }
        if self.capital_keys:
            document = _capitals(document)
            document["status"] = document.pop("Status")
        self.test_file.parent.mkdir(parents=True, exist_ok=True)
        self.test_file.write_text(json.dumps(document), encoding="utf-8")

    def run_tests(self, mode: str, tests_filter: str | None) -> None:
        """A run, on a thread of its own; one in play mode goes through a reload."""
        if not self.starts_tests:
            return
        with self._beginning:
            self.run = Run(mode, tests_filter)
            self.write_test_status("running")
        if mode == "playmode":
            self.reload()
        if self.ends_tests:
            self.finish_tests()

    def finish_tests(self) -> None:
        """End the run that has begun; its beginning is told before, as an Editor does."""
        with self._beginning:
            run, self.run = self.run, None
        assert run is not None
        matching = [t for t in self.tests if run.filter is None or run.filter in t["fullName"]]
        self.write_test_status("completed", matching)

    # -- commands --------------------------------------------------------------------------------

    def execute(self, name: str, parameters: Json, caller: str, gone: threading.Event) -> Any:
        """Run a command by its old name, as the main thread does: one at a time; unless the domain
        that was asked has ``gone``. ``caller`` is for :meth:`run_command`."""
        off_thread = name in ("recompile_status", "test_status", "editor_status")
        with self._turn(off_thread):
            with self.lock:
                if gone.is_set() or name in self.lost:
                    raise EditorGoneError
                if name in self.plays_first:
                    self.play_mode = "playing"
                self.done.append((name, parameters))
                self.changed_state.notify_all()
            if name in self.held:
                self.released.wait(PATIENCE_S)
            if name in self.answer_with:
                return self.answer_with[name]
            with self.lock:
                if gone.is_set():
                    raise EditorGoneError
                return self.run_command(name, parameters, caller)

    def run_command(self, name: str, parameters: Json, caller: str) -> Any:
        """What a command does. ``caller`` is who says to have asked, if anybody does."""
        result = COMMANDS[name](self, parameters)
        return None if name in self.says_nothing else result

    @contextmanager
    def _turn(self, off_thread: bool) -> Iterator[None]:
        if off_thread:
            yield
            return
        with self.main_thread:
            yield


def passed(name: str) -> Json:
    return {"fullName": name, "status": "Passed", "duration": 0.25}


def failed(name: str) -> Json:
    return {
        "fullName": name,
        "status": "Failed",
        "message": "expected 1, got 2",
        "stackTrace": "at B",
        "duration": 0.5,
    }


def _capitals(value: Any) -> Any:
    if isinstance(value, dict):
        return {key[0].upper() + key[1:]: _capitals(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_capitals(each) for each in value]
    return value


__all__ = ["CommandError", "Dialect", "PipelineEditor", "failed", "passed"]
