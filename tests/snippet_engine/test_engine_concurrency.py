"""Processes and threads that edit one file at once: law 6 of docs/design/engine.md §10.

This file is also the program that runs several times at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from unity_project import SCRIPT, UnityProject, insert, replace

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError

PROCESSES = 2
ROUNDS = 40
START = "class Player\n{\n    // here\n}\n"
MAY_HAPPEN = {ErrorCode.STALE_FILE, ErrorCode.BUSY}


def request(me: str, number: int) -> dict[str, Any]:
    """Add a line of one's own where everyone adds theirs."""
    return {
        "path": SCRIPT,
        "mode": "apply",
        "instructions": [
            insert("// here", f"int {me}{number};", position="line_after", **{"in": "comment"})
        ],
        "client_request_id": f"{me} {number}",
    }


def add_lines(engine: SnippetEngine, me: str) -> tuple[list[str], list[str]]:
    """The lines that were reported as applied, and the other answers' codes."""
    landed, told = [], []
    for number in range(ROUNDS):
        outcome = engine.edit_snippet(request(me, number))
        if isinstance(outcome, SnippetError):
            told.append(outcome.code.value)
        else:
            landed.append(f"    int {me}{number};")
    return landed, told


def main(root: str, me: str) -> None:
    engine = SnippetEngine.open(Path(root))
    assert isinstance(engine, SnippetEngine)
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(add_lines(engine, me)))


def check(project: UnityProject, answers: list[tuple[list[str], list[str]]]) -> None:
    landed = [line for lines, _ in answers for line in lines]
    told = {code for _, codes in answers for code in codes}
    assert told <= MAY_HAPPEN
    first, brace, here, *lines, last, end = project.read().decode().split("\n")
    assert [first, brace, here, last, end] == ["class Player", "{", "    // here", "}", ""]
    assert sorted(lines) == sorted(landed)
    assert landed


def test_processes_lose_no_edit_silently(project: UnityProject) -> None:
    project.write(START)
    running = [
        subprocess.Popen(
            [sys.executable, __file__, str(project.root), f"p{number}x"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    check(project, [json.loads(output) for output in outputs])


def test_threads_of_one_engine_lose_no_edit_silently(project: UnityProject) -> None:
    project.write(START)
    answers: list[tuple[list[str], list[str]]] = []
    threads = [
        threading.Thread(
            target=lambda me=f"t{number}x": answers.append(add_lines(project.engine, me))
        )
        for number in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3
    check(project, answers)


def test_one_request_sent_by_several_at_once_is_applied_once(project: UnityProject) -> None:
    project.write(START)
    outcomes: list[dict[str, Any] | SnippetError] = []
    engines = [project.engine, *(SnippetEngine.open(project.root) for _ in range(2))]
    threads = [
        threading.Thread(target=lambda e=engine: outcomes.append(e.edit_snippet(request("a", 1))))
        for engine in engines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert project.read().count(b"int a1;") == 1
    done = [each for each in outcomes if not isinstance(each, SnippetError)]
    assert sum("replayed" not in each for each in done) == 1
    assert {each.code for each in outcomes if isinstance(each, SnippetError)} <= {
        ErrorCode.DUPLICATE_REQUEST,
        ErrorCode.BUSY,
    }


def test_an_edit_by_someone_else_in_between_is_not_overwritten(project: UnityProject) -> None:
    """Another program saves between the engine's reading and its writing."""
    project.write("class C { int a; }\n")
    store = project.engine._store
    apply = store.apply

    def saved_meanwhile(*args: Any, **more: Any) -> SnippetError | None:
        project.write("class C { int a; int b; }\n")
        return apply(*args, **more)

    store.apply = saved_meanwhile  # type: ignore[method-assign]
    error = project.edit(replace("int a", "int z"))
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.STALE_FILE
    assert project.read() == b"class C { int a; int b; }\n"


if __name__ == "__main__":
    main(*sys.argv[1:])
