"""An Editor with Unity's Pipeline package that misbehaves at random, from a seed.

It compiles, reloads, plays, asks with dialogs, starts in Safe Mode, freezes, crashes and comes back
as another process, in another dialect. It keeps a log of what it really did, and for whom: that is
what every claim is held against.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from marked_scripts import MarkedScripts
from pipeline_editor import PipelineEditor
from pipeline_editor.commands import CommandError
from pipeline_editor.dialects import Dialect
from pipeline_editor.editor import Run, failed, passed

Json = dict[str, Any]
DIALOG = {"title": "Script Updating Consent", "message": "Go ahead?", "buttons": ["Yes", "No"]}


@dataclass
class Compilation:
    """One that the Editor began. ``errors`` and ``ended_s`` once it came to an end."""

    number: int
    errors: list[str] = field(default_factory=list)
    ended_s: float | None = None


@dataclass
class TestRun:
    """One that the Editor began. ``state``: ``running``, ``completed``, ``cancelled``."""

    __test__ = False
    caller: str
    state: str = "running"
    passed: int = 0
    failed: int = 0


@dataclass
class Moment:
    """What was so from this time on, as of ``time.monotonic``."""

    since_s: float
    play_mode: str
    compiled_errors: tuple[str, ...]


@dataclass
class ChaoticPipeline(PipelineEditor):
    """One unreliable Editor. Durations are seconds."""

    seed: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.executions: Counter[tuple[str, str]] = Counter()
        """How often a command, by its old name, was executed for a caller."""
        self.failures: Counter[str] = Counter()
        """How often a command was tried for a caller and failed, without doing anything."""
        self.happened: Counter[str] = Counter()
        self.compilations: list[Compilation] = []
        self.nothing_to_compile_s: list[float] = []
        """When it said so."""
        self.test_runs: dict[str, list[TestRun]] = {}
        """By caller."""
        self.logged: set[str] = set()
        self.scripts = MarkedScripts(self.project)
        self._compiled_texts: dict[Any, bytes] = {}
        self.history: list[Moment] = []
        self._life = threading.RLock()
        self._test_run: TestRun | None = None
        super().__post_init__()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("play_mode", "compiled_errors") and hasattr(self, "compiled_errors"):
            errors = tuple(self.compiled_errors)
            self.history.append(Moment(time.monotonic(), self.play_mode, errors))

    def moments(self, began_s: float, ended_s: float) -> list[Moment]:
        """All that was so at any time from ``began_s`` to ``ended_s``."""
        with self.lock:
            history = list(self.history)
        before = [each for each in history if each.since_s <= began_s]
        return before[-1:] + [each for each in history if began_s < each.since_s <= ended_s]

    # -- what it does ----------------------------------------------------------------------------

    def run_command(self, name: str, parameters: Json, caller: str) -> Any:
        if self.random.random() < 0.02:
            self.failures[caller] += 1
            raise CommandError("not today")
        self.executions[caller, name] += 1
        if name == "recompile" and self.scripts.texts() != self._compiled_texts:
            self.changed = True
        if name == "recompile" and self.compile_status in ("triggered", "compiling"):
            return {"status": "compiling", "message": "It goes on"}
        if name == "run_tests" and self.run is None:
            run = TestRun(caller)
            self.test_runs.setdefault(caller, []).append(run)
            mode, tests_filter = parameters.get("mode", "all"), parameters.get("filter")
            self.run = Run(mode, tests_filter)
            self.begin(lambda: self._test(run, str(tests_filter)))
            return {"message": "Test run started"}
        if name == "cancel_tests" and self._test_run is not None:
            self._test_run.state, self._test_run = "cancelled", None
        result = super().run_command(name, parameters, caller)
        if name == "recompile" and result["status"] == "up_to_date":
            self.nothing_to_compile_s.append(time.monotonic())
        if isinstance(result, dict) and result.get("success") is False:
            self.executions[caller, name] -= 1
            self.failures[caller] += 1
        return result

    def _test(self, run: TestRun, name: str) -> None:
        with self._life:
            if self._pause(0, 0.05):
                return
            with self.lock:
                if self.run is None:  # cancelled before it began
                    run.state = "cancelled"
                    return
                self._test_run = run
                mode = self.run.mode
                self.write_test_status("running")
            if mode == "playmode":
                self.reload()
        if self._pause(0, 0.3):
            return
        with self.lock:
            if self._test_run is not run:
                return
            results = [passed(name)] + [failed(f"{name}.{n}") for n in range(self._roll(3))]
            run.state, run.passed, run.failed = "completed", 1, len(results) - 1
            self.run = self._test_run = None
            self.write_test_status("completed", results)

    def compile(self) -> None:
        with self._life:
            if self.ending.is_set():
                return
            with self.lock:
                compilation = Compilation(len(self.compilations))
                self.compilations.append(compilation)
                self.compile_status = "compiling"
                self.enter("compiling")
                broken, self.changed = bool(self.errors), False
                self._compiled_texts = self.scripts.texts()
                marked = [
                    "{path}({line},{column}): error CS0029: {message}".format(**each)
                    for each in self.scripts.compile()
                ]
            if self._pause(0, 0.15):
                return
            with self.lock:
                place = f"Assets/Player.cs({compilation.number + 1},1)"
                told = f"{place}: error CS0029: compilation {compilation.number}"
                if broken:  # by a save of that script
                    (self.project / "Assets/Player.cs").touch()
                compilation.errors = [*([told] if broken else []), *marked]
                compilation.ended_s = time.monotonic()
                self.flag_lags = bool(self.compiled_errors)
                self.compiled_errors = list(compilation.errors)
                self.compile_status = "completed"
                self.enter("ready")
            if not compilation.errors:
                self.reload()

    def reload(self) -> None:
        with self._life:
            self.reload_s = self.random.uniform(0, 0.15)
            super().reload()

    def play(self, mode: str) -> None:
        if self.play_mode != "stopped" or mode == "stopped":
            super().play(mode)  # no reload, and called with the lock held
            return
        with self._life:
            super().play(mode)

    def log(self, message: str, log_type: str = "Log") -> None:
        self.logged.add(message)
        super().log(message, log_type)

    def _pause(self, shortest: float, longest: float) -> bool:
        """Let time pass; whether the Editor has ended."""
        return self.ending.wait(self.random.uniform(shortest, longest))

    def _roll(self, sides: int) -> int:
        return self.random.randrange(sides)

    # -- its life --------------------------------------------------------------------------------

    def live(self, over: threading.Event) -> None:
        """Be unreliable until ``over``; then be ready and reliable."""
        fates: dict[Callable[[], None], int] = {
            self._write: 8,
            self._say: 4,
            self._refresh: 3,
            self._reload_for_somebody: 3,
            self._play_by_hand: 3,
            self._ask: 2,
            self._freeze: 2,
            self._lose_answers: 3,
            self._talk_nonsense: 2,
            self._spoil_descriptor: 1,
            self._crash_and_return: 1,
            self._quit_and_return: 1,
            self._start_in_safe_mode: 1,
        }
        while not over.wait(self.random.uniform(0.1, 0.8)):
            (fate,) = self.random.choices(list(fates), list(fates.values()))
            self.happened[fate.__name__.strip("_")] += 1
            fate()

    def _write(self) -> None:
        wrong = ["an error"] if self._roll(4) == 0 else []
        self.edit(*wrong)

    def _say(self) -> None:
        self.log(f"line {len(self.logged)}", self.random.choice(["Log", "Warning", "Error"]))

    def _refresh(self) -> None:
        if self.changed and self.play_mode == "stopped":
            self.begin(self.compile)

    def _reload_for_somebody(self) -> None:
        self.begin(self.reload)

    def _play_by_hand(self) -> None:
        mode = self.random.choice(["stopped", "stopped", "playing", "paused"])
        self.begin(lambda: self.play(mode))

    def _ask(self) -> None:
        self.dialog = DIALOG
        time.sleep(self.random.uniform(0, 0.3))
        self.dialog = None

    def _freeze(self) -> None:
        self.frozen.clear()
        time.sleep(self.random.uniform(0, 0.4))
        self.frozen.set()

    def _lose_answers(self) -> None:
        self.cut = {self.random.choice(("editor_play", "recompile", "run_tests", "console"))}
        time.sleep(self.random.uniform(0, 0.2))
        self.cut = set()

    def _talk_nonsense(self) -> None:
        nonsense = [
            (200, b"<html>"),
            (500, b""),
            (429, b"{}"),
            (401, b""),
            (200, b'{"success": 1}'),
        ]
        answer = self.random.choice(nonsense)
        path = self.random.choice(("/api/exec", "/api/editor_status", "/api/commands"))
        self.http_fault = {path: lambda: answer}
        time.sleep(self.random.uniform(0, 0.1))
        self.http_fault = {}

    def _spoil_descriptor(self) -> None:
        with self._life, self.lock:
            if self.ending.is_set() or not self.descriptor_path.exists():
                return
            whole = self.descriptor_path.read_bytes()
            lie = whole.replace(str(self.project).encode(), b"/elsewhere")
            self.write_descriptor(self.random.choice([whole[: len(whole) // 2], b"", lie]))
        time.sleep(self.random.uniform(0, 0.1))
        with self._life, self.lock:
            if self.listens:
                self.write_descriptor()

    def _come_back(self) -> None:
        with self.lock:
            self._test_run = None
            self._compiled_texts = {}
            self.changed = self.changed or self.compile_status == "compiling"
            self.compiled_errors = []
            self.dialect = self.random.choice(list(Dialect))
        self.restart()

    def _crash_and_return(self) -> None:
        self.stop(orderly=False)
        time.sleep(self.random.uniform(0, 0.4))
        self._come_back()

    def _quit_and_return(self) -> None:
        self.stop()
        time.sleep(self.random.uniform(0, 0.3))
        self._come_back()

    def _start_in_safe_mode(self) -> None:
        self.stop()
        (self.project / "Temp" / "UnityLockfile").touch()
        time.sleep(self.random.uniform(0, 0.3))
        self._come_back()
