"""Calls of script tools that the project's running server makes for a command."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from proving_server import Answer, http, proving_server, says
from running_server import (
    SCRIPT,
    SOURCE,
    TIMEOUT_S,
    UNITY_CLI,
    RunningServer,
    edit,
    environment,
    new_script_and_edit,
    run_cli,
    run_python,
)
from running_server import (
    tool_call as call,
)
from torn_sets import NEW, note, texts, torn

from mcp_server.calls.local_tools import LocalTools
from mcp_server.calls.server import delegated_call, server_file
from mcp_server.calls.server.delegated_call import Circumstances
from mcp_server.contract.server_schemas import MAX_QUESTION_BYTES
from mcp_server.host.http.loopback_guard import MAX_BODY_BYTES

EDITED = SOURCE.replace(b"speed > 10", b"speed > 20")
MADE = "command_call"


def hash_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


def filled(folder: Path) -> Path:
    """A project as Unity leaves it."""
    for part in ("Assets/Scripts", "ProjectSettings", "Packages", "Library"):
        (folder / part).mkdir(parents=True)
    (folder / SCRIPT).write_bytes(SOURCE)
    return folder


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return filled(tmp_path / "Ünity game")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(cwd=filled(tmp_path_factory.mktemp("served") / "game")) as running:
        yield running


def ended(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    return done.returncode, done.stdout, done.stderr


@contextmanager
def making(server: RunningServer, calls: int) -> Iterator[None]:
    """So many calls are made by ``server`` meanwhile.

    Each test of a shared server makes its calls in this context: a late line would be the next
    test's.
    """
    before = server.log.count(MADE)
    asked = question(server, secrets.token_hex(16))
    yield
    assert post(server, "/call", asked)[0] == 200  # its line comes behind theirs
    server.wait_for_log(MADE, before + calls + 1)
    assert server.log.count(MADE) == before + calls + 1, server.log


@contextmanager
def making_none(server: RunningServer) -> Iterator[None]:
    """None is made by ``server`` meanwhile, whose project isn't where it was."""
    before = server.log.count(MADE)
    yield
    assert server.log.count(MADE) == before, server.log


# -- the same answer -------------------------------------------------------------------------

INSTRUCTION = edit()["instructions"][0]


def instructed(**other: Any) -> tuple[str, object]:
    """A preview whose only instruction is another."""
    return "edit_snippet", edit() | {"instructions": [INSTRUCTION | other]}


REPAIRABLE = {"file": SCRIPT, "mode": "preview", "instructions": edit()["instructions"]}
CALLS: Mapping[str, tuple[str, object]] = {
    "a preview": ("edit_snippet", edit()),
    "a preview with a bound": ("edit_snippet", edit(timeout_ms=9_000)),
    "an apply that is refused": ("edit_snippet", {**edit("apply"), "expected_hash": "0" * 64}),
    "no such target": instructed(anchor={"type": "text", "target": "spead > 10"}),
    "an ambiguous target": instructed(anchor={"type": "text", "target": "speed"}),
    "an edit that doesn't parse": instructed(newText="speed > (20"),
    "what MCP would repair": ("edit_snippet", REPAIRABLE),
    "a path that MCP would repair": ("edit_snippet", edit(path=f"./{SCRIPT}")),
    "parameters of nothing": ("edit_scripts", {}),
    "no object": ("undo_snippet", [1]),
    "a set": ("edit_scripts", {**new_script_and_edit("Assets/New.cs"), "mode": "preview"}),
    "symbols": ("get_symbols", {"path": SCRIPT}),
    "of no script": ("get_symbols", {"path": "Assets/Nowhere.cs"}),
    "outside": ("validate_script", {"path": "../x.cs"}),
    "diagnostics": ("validate_script", {"path": SCRIPT}),
    "diagnostics of a broken script": ("validate_script", {"path": "Assets/Broken.cs"}),
    "history": ("get_history", {}),
    "nothing to undo": ("undo_snippet", {"path": SCRIPT, "hashAfter": hash_of(EDITED)}),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_answer_is_the_commands_own(served: RunningServer, name: str) -> None:
    forms = [[*call(*CALLS[name]), "--output", form] for form in ("text", "json")]
    with making(served, 0):
        here = [without_times(run_cli(*each, "--here", cwd=served.cwd)) for each in forms]
    with making(served, 2):
        there = [without_times(run_cli(*each, cwd=served.cwd)) for each in forms]
    assert there == here


def without_times(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    timed = r'("durationMs": )[0-9.]+'
    return done.returncode, re.sub(timed, r"\1TIME", done.stdout), done.stderr


def test_what_it_writes_is_the_same_too(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one"), filled(tmp_path / "other")
    commands = [
        call("edit_snippet", edit("apply", client_request_id="once")),
        call("edit_snippet", edit("apply", client_request_id="once")),
        call("get_history", {}),
        call("undo_snippet", {"path": SCRIPT, "hashAfter": hash_of(EDITED)}),
        call("edit_scripts", new_script_and_edit("Assets/New.cs")),
    ]
    with RunningServer(cwd=one) as running, making(running, len(commands)):
        theirs = [ended(run_cli(*each, cwd=one)) for each in commands]
    ours = [ended(run_cli(*each, cwd=other)) for each in commands]
    assert [without_ids(each) for each in theirs] == [without_ids(each) for each in ours]
    for written in (SCRIPT, "Assets/New.cs"):
        assert (one / written).read_bytes() == (other / written).read_bytes()
        assert (one / written).stat().st_mode == (other / written).stat().st_mode
    listed = [
        json.loads(run_cli("history", "--output", "json", cwd=each).stdout) for each in (one, other)
    ]
    assert [each["client"] for each in listed[0]["changes"]] == ["unity-cli"]
    assert [each["client"] for each in listed[1]["changes"]] == ["unity-cli"]


def without_ids(found: tuple[int, str, str]) -> str:
    """Without times, and ids that are made at random."""
    text = json.dumps(found)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?", "TIME", text)
    return re.sub(r"\b(?:\d{8}T\d+Z?-?[0-9a-f]*|[0-9a-f]{8,32}(?:-[0-9a-f]+)*)\b", "ID", text)


# -- whose call it is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [["--here"], ["--dry-run"], ["--lsp", "no-such-server"]], ids=lambda each: each[0]
)
def test_some_are_made_by_the_command(served: RunningServer, options: list[str]) -> None:
    with making(served, 0):
        done = run_cli(*call("edit_snippet", edit()), *options, cwd=served.cwd)
    assert done.returncode == (2 if "--lsp" in options else 0), done.stderr


def test_a_gated_edit_goes_to_the_editors_server_as_ever(served: RunningServer) -> None:
    with making(served, 0):
        done = run_cli(*call("edit_snippet", edit("apply", editorGate="compile")), cwd=served.cwd)
    assert "No Unity Editor" in done.stderr


def test_a_server_of_another_project_makes_none(served: RunningServer, game: Path) -> None:
    theirs = server_file.in_project(served.cwd)
    ours = server_file.in_project(game)
    ours.parent.mkdir()
    shutil.copy2(theirs, ours)
    with making(served, 0):
        assert run_cli(*call("edit_snippet", edit("apply")), cwd=game).returncode == 0
    assert (game / SCRIPT).read_bytes() == EDITED
    assert (served.cwd / SCRIPT).read_bytes() == SOURCE


@posix
def test_a_command_whose_new_files_would_be_others_makes_them(served: RunningServer) -> None:
    with making(served, 0):
        before = os.umask(0o077)
        try:
            done = run_cli(*call("edit_snippet", edit()), cwd=served.cwd)
        finally:
            os.umask(before)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("mcp_server.__file__", "/elsewhere/mcp_server/__init__.py"),
        ("mcp_server.calls.server.delegated_call._code", lambda: "0" * 64),
    ],
    ids=["another installation", "code that changed beneath the server"],
)
def test_a_server_of_other_code_makes_none(served: RunningServer, where: str, value: Any) -> None:
    """Its version may be the same: in a clone, or where one is installed anew."""
    with making(served, 0), pytest.MonkeyPatch.context() as patched:
        patched.setattr(where, value)
        assert run_cli(*call("edit_snippet", edit()), cwd=served.cwd).returncode == 0


def test_whose_code_it_is_shows_in_every_file(tmp_path: Path) -> None:
    for package in delegated_call._PACKAGES:
        (tmp_path / package / "room").mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text("")
    deep = tmp_path / "snippet_engine" / "room" / "one.py"
    deep.write_text("a = 1")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("mcp_server.__file__", str(tmp_path / "mcp_server" / "__init__.py"))
        before = delegated_call._code()
        assert delegated_call._code() == before
        deep.write_text("a = 12")
        assert delegated_call._code() != before


@posix
def test_a_project_that_was_moved_aside_is_not_the_one_in_its_place(tmp_path: Path) -> None:
    """It takes its server's file along; the server has another project by then, or none."""
    first, aside = filled(tmp_path / "first"), tmp_path / "aside"
    with RunningServer(cwd=first) as running:
        first.rename(aside)
        with making_none(running):
            listed = run_cli(*call("get_symbols", {"path": SCRIPT}), cwd=aside)
        assert listed.returncode == 0, listed.stderr
        shutil.copytree(aside, first)
        with making_none(running):
            done = run_cli(*call("edit_snippet", edit("apply")), cwd=aside)
        assert done.returncode == 0, done.stderr
    assert (aside / SCRIPT).read_bytes() == EDITED
    assert (first / SCRIPT).read_bytes() == SOURCE


def test_a_server_that_is_gone_is_not_missed(game: Path) -> None:
    with RunningServer(cwd=game) as running:
        left = server_file.in_project(game).read_bytes()
        running.stop()
    server_file.in_project(game).write_bytes(left)
    server_file.in_project(game).chmod(0o600)
    assert run_cli(*call("edit_snippet", edit("apply")), cwd=game).returncode == 0
    assert (game / SCRIPT).read_bytes() == EDITED


def test_it_loads_nothing_that_makes_the_call(served: RunningServer) -> None:
    code = (
        "import sys\nfrom mcp_server.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print('modules', *sys.modules)\n"
    )
    with making(served, 1):
        done = run_python(code, *call("edit_snippet", edit()), cwd=served.cwd)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "mcp_server.calls.server.delegated_call" in loaded
    assert not loaded & {
        "importlib.metadata",
        "jsonschema_rs",
        "mcp_server.calls.local_tools",
        "mcp_server.contract.script_tools",
        "snippet_engine.engine",
        "tree_sitter",
    }


def test_what_is_too_long_for_the_server_is_made_by_the_command(served: RunningServer) -> None:
    assert MAX_QUESTION_BYTES == MAX_BODY_BYTES
    # Less than that as a text, and more as JSON that is escaped.
    text = "é" * (MAX_BODY_BYTES // 4)
    params = json.dumps({"path": SCRIPT, "note": text}, ensure_ascii=False).encode()
    with making(served, 0):
        command = ("tool", "call", "edit_snippet", "-")
        there = run_cli(*command, cwd=served.cwd, stdin=params)
        here = run_cli(*command, "--here", cwd=served.cwd, stdin=params)
    assert ended(there) == ended(here)


# -- servers that answer oddly -----------------------------------------------------------------

NO_ANSWERS: Mapping[str, Answer] = {
    "hangs up": says(b""),
    "no HTTP": says(b"220 mail.example\r\n\r\n"),
    "breaks off": says(http("200 OK", b'{"text": "",')[:-4]),
    "no JSON": says(http("200 OK", b"{")),
    "null": says(http("200 OK", b"null")),
    "a list": says(http("200 OK", b"[]")),
    "no outcome": says(http("200 OK", b'{"text": "", "is_error": false, "document": 1}')),
    "no error": says(http("200 OK", b'{"text": "", "is_error": true, "document": {"error": 1}}')),
    "an error of its own": says(http("500 Internal Server Error", b"{}")),
    "nested": says(http("200 OK", b"[" * 100_000)),
}
REFUSALS = ["400 Bad Request", "401 Unauthorized", "404 Not Found", "503 Service Unavailable"]


@contextmanager
def left_in(project: Path, answer: Answer, **other: Any) -> Iterator[None]:
    with proving_server(answer) as file:
        place = server_file.in_project(project)
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(file.to_json() | other))
        place.chmod(0o600)
        yield


@pytest.mark.parametrize("by", ["file", "environment"])
def test_a_call_that_can_not_be_sent_is_made_here(game: Path, by: str) -> None:
    """With a token that can't be a header's value; nobody else has heard of the call."""
    token = "x\r\nEvil: 1"
    env = environment(UNITY_CLI_TOKEN=token) if by == "environment" else environment()
    with left_in(game, says(b""), **({"token": token} if by == "file" else {})):
        done = run_cli(*call("edit_snippet", edit("apply")), cwd=game, env=env)
    assert ended(done)[0] == 0, done
    assert (game / SCRIPT).read_bytes() == EDITED


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_a_change_without_an_answer_is_told_as_such(game: Path, name: str) -> None:
    with left_in(game, NO_ANSWERS[name]):
        read = run_cli(*call("edit_snippet", edit()), cwd=game)
        done = run_cli(*call("edit_snippet", edit("apply")), "--output", "json", cwd=game)
    assert read.returncode == 0
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (1, "ERR_RECONNECT_TIMEOUT")
    assert error["details"]["execution_guarantee"] == "unknown"
    assert not error["retryable"]
    assert (game / SCRIPT).read_bytes() == SOURCE, "it was sent, so it isn't made here as well"


@pytest.mark.parametrize("status", REFUSALS)
def test_what_is_refused_is_made_here(game: Path, status: str) -> None:
    with left_in(game, says(http(status, b"no"))):
        assert run_cli(*call("edit_snippet", edit("apply")), cwd=game).returncode == 0
    assert (game / SCRIPT).read_bytes() == EDITED


@pytest.mark.parametrize("other", [{"key": "0" * 64}, {"port": 1}, {"port": 10**6}, {"key": 1}])
def test_what_does_not_prove_itself_is_sent_nothing(game: Path, other: Mapping[str, Any]) -> None:
    heard: list[bool] = []
    with left_in(game, lambda _: heard.append(True), **other):
        assert run_cli(*call("edit_snippet", edit("apply")), cwd=game).returncode == 0
    assert (game / SCRIPT).read_bytes() == EDITED
    assert heard == []


@pytest.mark.parametrize("road", ["lent", "with a compiler"])
def test_a_server_that_proves_nothing_has_only_a_part_of_the_calls_time(
    game: Path, monkeypatch: pytest.MonkeyPatch, road: str
) -> None:
    """What is left is for making the call."""
    now, left_ms = [1000.0], []
    real = LocalTools.call_in_time

    class Silent:
        @staticmethod
        def to_server(_file: object, limit_s: float) -> None:
            now[0] += limit_s
            raise TimeoutError

    def noted(self: LocalTools, spec: Any, params: Any, *more: Any) -> object:
        left_ms.append(spec.timeout_ms(params))
        monkeypatch.undo()
        return real(self, spec, params.with_known(timeout_ms=60_000), *more)

    monkeypatch.setattr("mcp_server.calls.server.delegated_call.ProvenConnection", Silent)
    monkeypatch.setattr("mcp_server.calls.server.warm_server.ProvenConnection", Silent)
    for module in ("cli.commands.tool_commands", "calls.tool_caller"):
        monkeypatch.setattr(f"mcp_server.{module}.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(LocalTools, "call_in_time", noted)
    lsp = [] if road == "lent" else ["--lsp", "auto", "--url", "http://127.0.0.1:1/mcp"]
    with left_in(game, says(b"")):
        done = run_cli(*call("edit_snippet", edit()), "--timeout", "1", *lsp, cwd=game)
    assert done.returncode == 0, done.stderr
    assert len(left_ms) == 1
    assert left_ms[0] == 1000 - round((now[0] - 1000) * 1000)
    assert 250 <= left_ms[0] < 1000


# -- calls that are cut off --------------------------------------------------------------------

# At one moment of a call, the server dies, or tells so and waits until the call is to be stopped.
STAGED = """
import os, signal, sys, threading
from mcp_server.calls.local_tools import LocalTools
from mcp_server.cli import main
from snippet_engine import budget
from snippet_engine.storage.stores import script_locks, script_store
from snippet_engine.storage.change_sets import change_slots

moment, rest = sys.argv[1], sys.argv[2:]
stop, heard = budget.Stop.stop, threading.Event()

def stopping(self):
    try:
        return stop(self)
    finally:
        heard.set()

def at(real):
    def reached(*given, **named):
        if moment.startswith("dies"):
            os.kill(os.getpid(), signal.SIGKILL)
        print("reached", file=sys.stderr, flush=True)
        heard.wait()
        return real(*given, **named)
    return reached

lock_one, others = script_locks.ScriptLocks._lock_one, []

def waiting(self, key, timeout_ms):
    others.append(lock_one(self, key, 0))
    print("reached", file=sys.stderr, flush=True)
    return lock_one(self, key, timeout_ms)

budget.Stop.stop = stopping
if moment.endswith("before"):
    budget.begin_writing = at(budget.begin_writing)
elif moment == "waiting":
    script_locks.ScriptLocks._lock_one = waiting
elif moment == "ending":
    # Not already at the server's start: the change is as if its process died after that.
    LocalTools.prepare = lambda self, begun=lambda: None: [] if begun() else []
    change_slots.OpenSlot.forward = at(change_slots.OpenSlot.forward)
else:
    script_store.put_in_place = at(script_store.put_in_place)
main(rest)
"""


class StagedServer(RunningServer):
    """A server in which one moment of a call is awaited."""

    def __init__(self, moment: str, cwd: Path) -> None:
        itself = (sys.executable, "-c", STAGED, moment)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("running_server.ITSELF", itself)
            super().__init__(cwd=cwd)


@posix
@pytest.mark.parametrize("moment", ["dies before", "dies writing"])
def test_a_server_that_dies_in_the_middle(game: Path, moment: str) -> None:
    with StagedServer(moment, game) as running:
        done = run_cli(*call("edit_snippet", edit("apply")), "--output", "json", cwd=game)
        running.wait()
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (1, "ERR_RECONNECT_TIMEOUT")
    assert error["details"]["execution_guarantee"] == "unknown"
    assert (game / SCRIPT).read_bytes() == SOURCE
    again = run_cli(*call("edit_snippet", edit("apply")), cwd=game)
    assert (again.returncode, (game / SCRIPT).read_bytes()) == (0, EDITED)


STOPPED = "Interrupted. It was stopped, and changed nothing.\n"
APPLIED = (
    f"Interrupted. The edit of {SCRIPT} was already applied. To take it back: "
    f"unity-cli undo {SCRIPT}\n"
)


@posix
@pytest.mark.parametrize(
    ("moment", "told", "left", "by", "code"),
    [
        ("before", STOPPED, SOURCE, signal.SIGTERM, 143),
        ("writing", APPLIED, EDITED, signal.SIGINT, 130),
    ],
)
def test_an_interrupt_reaches_the_server(
    game: Path, moment: str, told: str, left: bytes, by: signal.Signals, code: int
) -> None:
    done = interrupted(game, moment, lambda command: command.send_signal(by))
    assert ended(done) == (code, "", told)
    assert (game / SCRIPT).read_bytes() == left


@posix
def test_an_interrupt_while_the_server_completes_a_change_of_before(game: Path) -> None:
    change = torn(game)
    done = interrupted(game, "ending", lambda command: command.send_signal(signal.SIGTERM))
    told = f"Interrupted. It was stopped before its own change. {note(change)}\n"
    assert ended(done) == (143, "", told)
    assert texts(game) == {NEW}
    assert (game / SCRIPT).read_bytes() == SOURCE


def test_before_anything_was_sent_it_changed_nothing(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    interrupting = SimpleNamespace(to_server=interrupt)
    monkeypatch.setattr("mcp_server.calls.server.delegated_call.ProvenConnection", interrupting)
    with left_in(game, says(b"")):
        done = run_cli(*call("edit_snippet", edit("apply")), cwd=game)
        read = run_cli(*call("edit_snippet", edit()), cwd=game)
    assert ended(done) == (130, "", STOPPED)
    assert ended(read) == (130, "", "Interrupted.\n")


@posix
def test_a_command_that_is_killed_stops_its_call(game: Path) -> None:
    with StagedServer("before", game) as running:
        begun = begin(running)
        begun.kill()
        begun.communicate(timeout=TIMEOUT_S)
        running.wait_for_log(MADE)
    assert (game / SCRIPT).read_bytes() == SOURCE


@posix
@pytest.mark.parametrize(
    ("moment", "guarantee", "left"),
    [
        ("waiting", "not_executed", {SOURCE}),
        ("before", "not_executed", {SOURCE}),
        ("writing", "unknown", {SOURCE, EDITED}),
    ],
)
def test_a_server_that_stops_meanwhile_says_what_is_known(
    game: Path, moment: str, guarantee: str, left: set[bytes]
) -> None:
    with StagedServer(moment, game) as running:
        begun = begin(running, "--output", "json")
        assert running.stop() == 0
        out, _ = begun.communicate(timeout=TIMEOUT_S)
    error = json.loads(out)["error"]
    assert (begun.returncode, error["code"]) == (1, "ERR_RECONNECT_TIMEOUT")
    assert error["details"]["execution_guarantee"] == guarantee
    assert "The server stopped before edit_snippet had finished" in error["message"]
    assert (game / SCRIPT).read_bytes() in left


def begin(running: RunningServer, *options: str) -> subprocess.Popen[str]:
    """An apply that has reached the moment that the server waits at."""
    begun = subprocess.Popen(
        [UNITY_CLI, *call("edit_snippet", edit("apply")), *options],
        cwd=running.cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running.wait_for_log("reached")
    return begun


def interrupted(
    game: Path, moment: str, interrupt: Callable[[subprocess.Popen[str]], object]
) -> subprocess.CompletedProcess[str]:
    with StagedServer(moment, game) as running:
        begun = begin(running)
        interrupt(begun)
        out, err = begun.communicate(timeout=TIMEOUT_S)
    return subprocess.CompletedProcess(begun.args, begun.returncode, out, err)


# -- the server's end --------------------------------------------------------------------------


def post(served: RunningServer, path: str, body: object) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", path, data, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    told = answer.status, json.loads(answer.read())
    connection.close()
    return told


def question(served: RunningServer, call_id: str, **more: Any) -> dict[str, Any]:
    here = Circumstances.of_this_process(served.cwd).to_json()
    return {**here, "id": call_id, "tool": "get_symbols", "params": {"path": SCRIPT}, **more}


def test_a_call_is_made_once(served: RunningServer) -> None:
    asked = question(served, "1" * 32)
    with making(served, 1):
        assert post(served, "/call", asked)[0] == 200
        status, told = post(served, "/call", asked)
    assert (status, told) == (400, {"error": "this call ID was used already"})
    status, told = post(served, "/call/stop", {"id": "1" * 32})
    assert (status, told["is_stopped"], told["outcome"]["is_error"]) == (200, True, False)
    assert post(served, "/call/stop", {"id": "2" * 32})[0] == 404


@pytest.mark.parametrize("path", ["/call", "/call/stop"])
def test_what_is_no_question_is_refused(served: RunningServer, path: str) -> None:
    with making(served, 0):
        for body in (b"", b"{", b"[]", b"{}", b"[" * 100_000, {"id": "x"}):
            status, told = post(served, path, body)
            assert (status, list(told)) == (400, ["error"]), body


@pytest.mark.parametrize("other", [{"tool": "compile"}, {"inode": 0}, {"umask": 0o777}, {"id": ""}])
def test_nor_are_calls_that_another_has_to_make(
    served: RunningServer, other: Mapping[str, Any]
) -> None:
    with making(served, 0):
        assert post(served, "/call", question(served, "3" * 32, **other))[0] == 400
