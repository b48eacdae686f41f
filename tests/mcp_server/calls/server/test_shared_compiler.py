"""Commands that judge much ask the compiler of the project's running server, and do without it."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import hostile_server
import project_server
import pytest
from bundle_files import request, write_bundle
from running_server import SCRIPT, SOURCE, TIMEOUT_S, RunningServer, run_cli
from this_system import KILL

from lsp_client.validator import LanguageServerValidator
from mcp_server.bundles.item import opened, preview, read_item
from mcp_server.calls.language_server import server_validator
from mcp_server.calls.server.shared_compiler import SharedCompiler
from mcp_server.calls.server.warm_server import WarmServer, warm_server
from mcp_server.contract.server_schemas import VERDICT_PATH
from snippet_engine.csharp.document import Document
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.schemas.checked_params import CheckedParams
from snippet_engine.source_text import SourceText, decode
from snippet_engine.validation.judge import VERDICT_S
from snippet_engine.validation.validator import ChangesVerdict, Verdict

KNOWS_PROJECTS = shlex.join([sys.executable, "-S", str(project_server.__file__)])


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """What the servers that the doubles are were sent."""
    return tmp_path / "journal"


@pytest.fixture
def lsp(journal: Path) -> str:
    """A server that writes down what it is sent."""
    return shlex.join([sys.executable, "-S", str(hostile_server.__file__), f"records:{journal}"])


@pytest.fixture
def game(project: Path) -> Path:
    """A project that Unity has opened, with bundles of good and bad edits."""
    (project / "Library").mkdir()
    bad = request(validation="lsp")
    bad["instructions"][0]["newText"] = "speed > (20"
    made = {"path": "Assets/Scripts/Made.cs", "create": "class Made { }\n"}
    edited = {"path": SCRIPT, "instructions": request()["instructions"]}
    write_bundle(project / "edits", "0", [request(), bad, request(validation="lsp")])
    write_bundle(project / "edits", "1", [{"mode": "apply", "changes": [made, edited]}])
    return project


def starts(journal: Path) -> int:
    lines = journal.read_text().splitlines() if journal.exists() else []
    return sum(line.split(" ")[0] == "initialize" for line in lines)


def linted(project: Path, lsp: str, *options: str) -> Any:
    done = run_cli("lint", "edits", "--output", "json", "--lsp", lsp, *options, cwd=project)
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout)


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in _TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


_TIMES = {"durationMs", "duration_ms"}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lint_asks_the_compiler_that_runs(game: Path, lsp: str, journal: Path, jobs: str) -> None:
    alone = linted(game, lsp, "--jobs", jobs)
    assert starts(journal) == int(jobs)
    assert any(each["code"] == "syntax_error" for each in alone["findings"])
    journal.unlink()
    with RunningServer("--lsp", lsp, cwd=game):
        assert without_times(linted(game, lsp, "--jobs", jobs)) == without_times(alone)
    assert starts(journal) == 1


def test_apply_asks_the_compiler_that_runs(game: Path, lsp: str, journal: Path) -> None:
    command = ("apply", "edits", "--yes", "--output", "json", "--lsp", lsp)
    (game / "edits/0.snippet.json").write_text(json.dumps([request(validation="lsp")]))
    (game / "edits/1.snippet.json").unlink()
    alone = run_cli(*command, cwd=game)
    assert alone.returncode == 0, alone.stdout
    (game / SCRIPT).write_bytes(SOURCE)
    journal.unlink()
    with RunningServer("--lsp", lsp, cwd=game):
        shared = run_cli(*command, cwd=game)
        assert starts(journal) == 1
        until = monotonic() + TIMEOUT_S  # it is told, and not waited for
        while "textDocument/didSave" not in journal.read_text() and monotonic() < until:
            sleep(0.05)
    assert b"speed > 20" in (game / SCRIPT).read_bytes()
    assert without_times(json.loads(shared.stdout)) == without_times(json.loads(alone.stdout))
    assert "textDocument/didSave" in journal.read_text(), "the server hears what was written"


def test_a_change_set_is_judged_as_one(game: Path) -> None:
    text = "class Made { }\n#error not this one\n"
    changes = [{"path": "Assets/Scripts/Made.cs", "create": text}]
    wrong = {"mode": "apply", "validation": "lsp", "changes": changes}
    write_bundle(game / "edits", "1", [wrong])
    alone = linted(game, KNOWS_PROJECTS)
    assert any("CS1029" in each["message"] for each in alone["findings"]), alone
    with RunningServer("--lsp", KNOWS_PROJECTS, cwd=game):
        assert without_times(linted(game, KNOWS_PROJECTS)) == without_times(alone)


def test_one_that_has_just_been_started_is_waited_for(game: Path) -> None:
    slow = shlex.join(
        [sys.executable, "-S", str(hostile_server.__file__), f"starts_in_s:{VERDICT_S + 0.5}"]
    )
    with RunningServer("--lsp", slow, cwd=game):
        found = linted(game, slow, "--jobs", "1")
    codes = [each["code"] for each in found["findings"]]
    assert codes == ["syntax_error", "new_file_format"]


def test_a_compiler_that_no_request_wants_is_not_started(
    project: Path, lsp: str, journal: Path
) -> None:
    write_bundle(project / "edits", "0", [request(validation="embedded")])
    done = run_cli("lint", "edits", "--output", "json", "--lsp", lsp, cwd=project)
    assert done.returncode == 0, done.stdout
    assert starts(journal) == 0
    write_bundle(project / "edits", "0", [request(validation="embedded"), request()])
    done = run_cli("lint", "edits", "--output", "json", "--lsp", lsp, cwd=project)
    assert done.returncode == 0, done.stdout
    assert starts(journal) == 1


def test_one_that_went_away_is_done_without(game: Path, lsp: str, journal: Path) -> None:
    item = read_item(request(validation="lsp"))
    assert isinstance(item, CheckedParams)
    with RunningServer("--lsp", lsp, cwd=game) as server, opened(game, lsp) as engines:
        first = preview(engines.for_request(item), item)
        assert starts(journal) == 1
        server.stop(KILL)
        second = preview(engines.for_request(item), item)
    assert isinstance(first, dict)
    assert without_times(second) == without_times(first)
    assert first["validation"]["validator"] == "python"
    assert starts(journal) == 2


@pytest.fixture
def running(game: Path, lsp: str) -> Iterator[RunningServer]:
    with RunningServer("--lsp", lsp, cwd=game) as server:
        yield server


def found(server: RunningServer, lsp: str) -> WarmServer:
    warm = warm_server(server.cwd, lsp, lambda: server.url)
    assert warm is not None
    return warm


def own(game: Path, lsp: str) -> LanguageServerValidator:
    made = server_validator(lsp, game)
    assert made is not None
    return made


def source(text: str) -> SourceText:
    decoded = decode(text.encode("utf-8-sig"))
    assert isinstance(decoded, SourceText)
    return decoded


@pytest.mark.skipif(os.name != "posix", reason="stops a process")
def test_one_that_hangs_is_done_without(game: Path, lsp: str, running: RunningServer) -> None:
    compiler = SharedCompiler(found(running, lsp), own(game, lsp))
    running.process.send_signal(signal.SIGSTOP)
    try:
        verdict = compiler.diagnose(
            SCRIPT, Document(source("class A { }")), within_s=0.2, patient=True
        )
        assert isinstance(verdict, Verdict), verdict
        # Whoever waited for the start has the time that it gave, for all that it asks.
        again = compiler.diagnose(
            SCRIPT, Document(source("class B { }")), within_s=0.0, patient=True
        )
        assert isinstance(again, Verdict | ChangesVerdict) or "0.0 s" not in again.message
    finally:
        running.process.send_signal(signal.SIGCONT)
        compiler.close()


def test_verdicts_are_the_same(game: Path, lsp: str, running: RunningServer) -> None:
    """Byte order marks, signs beyond the first plane, and what stood there before."""
    old, new = "class 𝔸 { int a = (; }\n", "class 𝔸 { int a = (; int b = (; }\n"
    before, after = Document(source(old)), Document(source(new))
    edits = EditSet((TextEdit(old.index(" }"), old.index(" }"), " int b = (;"),))
    shared = SharedCompiler(found(running, lsp), own(game, lsp))
    alone = own(game, lsp)
    try:
        alone.wait_until_ready(30)
        verdicts = [
            each.validate(SCRIPT, before, after, edits, within_s=4.5, patient=True)
            for each in (shared, alone)
        ]
        assert without_times(vars_of(verdicts[0])) == without_times(vars_of(verdicts[1]))
        assert isinstance(verdicts[0], Verdict)
        assert verdicts[0].preexisting_errors == 1
    finally:
        shared.close()
        alone.close()


def vars_of(verdict: Any) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in type(verdict).__slots__}


def test_one_that_wants_a_token_gets_its_own(game: Path, lsp: str) -> None:
    token = game / "token"
    token.write_text("a-token-that-is-long-enough-for-anyone")
    token.chmod(0o600)
    with RunningServer("--lsp", lsp, "--token-file", str(token), cwd=game) as server:
        warm = found(server, lsp)
        warm.wait_until_ready(30)
        warm.close()


DATA = base64.b64encode(SOURCE).decode()
READY = {"ask": "ready", "within_ms": 1}
SCRIPT_QUESTION = {"ask": "script", "within_ms": 1, "patient": False, "path": SCRIPT, "data": DATA}


NO_QUESTIONS = (
    (b"{", 400, "JSON"),
    (b"[" * 100_000, 400, "JSON"),
    (json.dumps({**READY, "more": 1}).encode(), 400, "more"),
    (json.dumps({**READY, "within_ms": 10**9}).encode(), 400, "30000"),
    (json.dumps({**SCRIPT_QUESTION, "path": "../Other.cs"}).encode(), 400, "not a path below"),
    (json.dumps({**SCRIPT_QUESTION, "path": "/etc/a.cs"}).encode(), 400, "not a path below"),
    (json.dumps({**SCRIPT_QUESTION, "data": "!"}).encode(), 400, "base64"),
    (json.dumps(SCRIPT_QUESTION | {"data": "/w=="}).encode(), 400, "UTF-8"),
    (b" " * (4 * 1024 * 1024 + 1), 413, "bytes"),
)


def answered(server: RunningServer, body: bytes) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("POST", VERDICT_PATH, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_what_is_no_question_is_told(running: RunningServer) -> None:
    for body, status, says in NO_QUESTIONS:
        found, told = answered(running, body)
        assert (found, says in told) == (status, True), (body[:80], told)


def test_a_server_without_a_compiler_says_so(server: RunningServer) -> None:
    assert answered(server, json.dumps(READY).encode())[0] == http.client.CONFLICT
