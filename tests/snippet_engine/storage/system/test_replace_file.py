"""A rename over a file that others have open: docs/design/systems.md.

Windows' refusals are made up here, with the codes that its documentation gives; under Wine, and on
Windows, the last tests hold real files open.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from answered import refusal, success
from this_system import only_windows

from snippet_engine.errors import ErrorCode
from snippet_engine.storage.os_failure import write_failed
from snippet_engine.storage.paths.project import Project, ScriptPath
from snippet_engine.storage.state_folder import StateFolder
from snippet_engine.storage.stores.script_store import ScriptStore
from snippet_engine.storage.system import replace_file as module
from snippet_engine.storage.system.replace_file import FileInUseError, patiently, replace_file

ACCESS_DENIED, SHARING_VIOLATION, LOCK_VIOLATION = 5, 32, 33
PRIVILEGE_NOT_HELD = 1314


class WindowsRefusalError(PermissionError):
    """As ``os.replace`` raises it on Windows."""

    def __init__(self, code: int) -> None:
        super().__init__(13, "refused")
        self.winerror = code


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, without making them."""
    made: list[float] = []
    monkeypatch.setattr(module.time, "sleep", made.append)
    return made


def refusing(times: int, code: int) -> Callable[[], None]:
    left = [times]

    def attempt() -> None:
        if left[0]:
            left[0] -= 1
            raise WindowsRefusalError(code)

    return attempt


@pytest.mark.parametrize("code", [SHARING_VIOLATION, LOCK_VIOLATION])
def test_what_passes_is_waited_for(pauses: list[float], code: int) -> None:
    patiently(refusing(3, code), ["a.cs"], windows=True)
    assert len(pauses) == 3
    assert pauses == sorted(pauses)


def test_the_wait_is_bounded_and_says_who(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "names_of_holders", lambda _: ("Unity Editor",))
    with pytest.raises(FileInUseError) as caught:
        patiently(refusing(10_000, SHARING_VIOLATION), ["a.cs"], windows=True)
    assert sum(pauses) == pytest.approx(module.PATIENCE_S)
    error = write_failed(caught.value, "Writing Assets/A.cs")
    assert error.code is ErrorCode.BUSY
    assert error.retryable
    assert "Unity Editor" in error.message
    assert error.details["holders"] == ["Unity Editor"]


def test_access_denied_is_waited_for_only_where_the_file_is_open(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WindowsRefusalError):
        patiently(refusing(10_000, ACCESS_DENIED), ["a.cs"], windows=True)
    assert sum(pauses) < module.PATIENCE_S / 10
    pauses.clear()
    monkeypatch.setattr(module, "is_held", lambda _: True)
    patiently(refusing(8, ACCESS_DENIED), ["a.cs"], windows=True)
    assert len(pauses) == 8


def test_a_file_that_is_let_go_before_anyone_looks_is_tried_again(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process's rename has it for less time than the question who has it takes."""
    looks = iter([True, False, True, False])
    monkeypatch.setattr(module, "is_held", lambda _: next(looks))
    patiently(refusing(4, ACCESS_DENIED), ["a.cs"], windows=True)
    assert len(pauses) == 4


def test_another_refusal_is_final_at_once(pauses: list[float]) -> None:
    with pytest.raises(WindowsRefusalError):
        patiently(refusing(1, PRIVILEGE_NOT_HELD), ["a.cs"], windows=True)
    assert pauses == []


def test_a_file_that_can_t_be_opened_is_waited_for_where_others_have_it(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``os.open`` tells C's number alone."""

    def refused() -> None:
        raise PermissionError(13, "Permission denied")

    with pytest.raises(PermissionError):
        patiently(refused, ["a.cs"], windows=True)
    assert sum(pauses) < module.PATIENCE_S / 10
    monkeypatch.setattr(module, "is_held", lambda _: True)
    with pytest.raises(FileInUseError):
        patiently(refused, ["a.cs"], windows=True)
    assert pauses


def test_a_script_that_another_program_has_for_itself_is_busy(player: ScriptPath) -> None:
    told = player.unreadable(FileInUseError(str(player.real), ("Unity Editor",)))
    assert told.code is ErrorCode.BUSY
    assert told.message.startswith("Reading Assets/Scripts/Player.cs failed: the file is held open")
    assert "Unity Editor" in told.message


def test_elsewhere_a_refusal_is_final(pauses: list[float]) -> None:
    with pytest.raises(WindowsRefusalError):
        patiently(refusing(1, SHARING_VIOLATION), ["a.cs"], windows=False)
    assert pauses == []


def test_the_message_fits_whatever_programs_are_called() -> None:
    held = FileInUseError("a.cs", ("x" * 255, "y" * 255))
    assert len(write_failed(held, "Writing " + "a" * 65).message) <= 200


# -- for real --------------------------------------------------------------------------------

HOLD = "import sys; f = open(sys.argv[1], 'rb'); print('held', flush=True); sys.stdin.read()"


HOLD_ALONE = """
import _winapi, sys
_winapi.CreateFile(sys.argv[1], _winapi.GENERIC_READ, 0, 0, _winapi.OPEN_EXISTING, 0, 0)
print('held', flush=True)
sys.stdin.read()
"""
"""Without a share mode: nobody else may open it, not even to read."""


@contextmanager
def held_open(path: Path, program: str = HOLD) -> Iterator[subprocess.Popen[bytes]]:
    """Another process has ``path`` open, until its input ends."""
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"held"
        yield process
        process.communicate()


@only_windows
def test_a_file_that_stays_open_is_left_as_it_is(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_bytes(b"new")
    old.write_bytes(b"old")
    with held_open(old), pytest.raises(FileInUseError):
        replace_file(new, old)
    assert old.read_bytes() == b"old"
    replace_file(new, old)
    assert old.read_bytes() == b"new"


@only_windows
def test_a_file_that_is_let_go_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_bytes(b"new")
    old.write_bytes(b"old")
    let_go = threading.Event()
    with held_open(old) as process:

        def let_go_first(_: float) -> None:
            if not let_go.is_set():
                let_go.set()
                process.communicate()

        monkeypatch.setattr(module.time, "sleep", let_go_first)
        replace_file(new, old)
    assert let_go.is_set()
    assert old.read_bytes() == b"new"


@only_windows
def test_an_apply_to_a_script_that_is_open_elsewhere_is_busy(
    store: ScriptStore, player: ScriptPath, project: Project
) -> None:
    old = player.real.read_bytes()
    with held_open(player.real):
        refusal(store.apply(player, old, b"class Other {}"), ErrorCode.BUSY)
    assert player.real.read_bytes() == old
    left = [each for each in (project.root / "Assets").rglob("*") if each.is_file()]
    assert left == [player.real]
    assert store.apply(player, old, b"class Other {}") is None


@only_windows
def test_a_set_whose_record_a_scanner_has_open_comes_to_its_end(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = StateFolder(project.root)
    state.create("pending", "x.set", b"x", durable=False)
    record = project.root / "Library" / "SnippetEngine" / "pending" / "x.set"
    with held_open(record) as process:

        def let_go_first(_: float) -> None:
            if process.poll() is None:
                process.communicate()

        monkeypatch.setattr(module.time, "sleep", let_go_first)
        state.remove("pending", "x.set")
    assert not record.exists()


@only_windows
def test_reading_a_script_that_is_another_programs_alone(
    player: ScriptPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = player.real.read_bytes()
    with held_open(player.real, HOLD_ALONE):
        refusal(player.read(), ErrorCode.BUSY)
    with held_open(player.real, HOLD_ALONE) as process:

        def let_go_first(_: float) -> None:
            if process.poll() is None:
                process.communicate()

        monkeypatch.setattr(module.time, "sleep", let_go_first)
        found = success(player.read())
    assert found.data == text
