"""Processes and threads that edit one file at once: law 6 of docs/design/engine.md §10.

This file is also the program that runs several times at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from unity_project import SCRIPT, UnityProject, insert, replace

from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash

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


def run_at_once(project: UnityProject, names: list[str]) -> list[str]:
    """What processes of those names print that run this program at once."""
    running = [
        subprocess.Popen(
            [sys.executable, __file__, str(project.root), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        for name in names
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * len(names)
    return outputs


def check(project: UnityProject, answers: list[tuple[list[str], list[str]]]) -> None:
    landed = [line for lines, _ in answers for line in lines]
    told = {code for _, codes in answers for code in codes}
    assert told <= MAY_HAPPEN
    first, brace, here, *lines, last, end = project.read().decode().split("\n")
    assert [first, brace, here, last, end] == ["class Player", "{", "    // here", "}", ""]
    assert sorted(lines) == sorted(landed)
    assert landed


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


def saved_meanwhile(project: UnityProject, *contents: str) -> list[str]:
    """Another program saves these, one before each write of the engine; returns those to come."""
    store = project.engine._store
    apply, coming = store.apply, list(contents)

    def overtaken(*args: Any, **more: Any) -> SnippetError | None:
        if coming:
            project.write(coming.pop(0))
        return apply(*args, **more)

    store.apply = overtaken  # type: ignore[method-assign]
    return coming


BOTH = "class C { int a; int b; }\n"


def test_an_edit_by_someone_else_in_between_is_not_overwritten(project: UnityProject) -> None:
    """Who asked for the text that it read is told; who didn't is judged again on the new one."""
    file = project.write("class C { int a; }\n")
    expected = content_hash(file.read_bytes())
    saved_meanwhile(project, BOTH)
    error = project.edit(replace("int a", "int z"), expectedHash=expected)
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.STALE_FILE
    assert project.read() == BOTH.encode()


def test_an_apply_that_was_overtaken_is_judged_on_the_new_text(project: UnityProject) -> None:
    project.write("class C { int a; }\n")
    saved_meanwhile(project, BOTH, BOTH + "// more\n")
    result = project.done(replace("int a", "int z"), client_request_id="one")
    assert project.read() == (BOTH + "// more\n").replace("int a", "int z").encode()
    assert result["hashBefore"] == content_hash((BOTH + "// more\n").encode())
    assert result["hashAfter"] == content_hash(project.read())
    again = project.done(replace("int a", "int z"), client_request_id="one")
    assert again == {**result, "replayed": True}


def test_an_apply_that_was_overtaken_is_refused_where_the_new_text_refuses_it(
    project: UnityProject,
) -> None:
    project.write("class C { int a; }\n")
    saved_meanwhile(project, "class C { int b; }\n")
    error = project.edit(replace("int a", "int z"), client_request_id="one")
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.ANCHOR_NOT_FOUND
    assert project.read() == b"class C { int b; }\n"
    assert project.done(replace("int b", "int z"), client_request_id="one")["applied"]


def test_an_apply_that_is_always_overtaken_ends(project: UnityProject) -> None:
    project.write("class C { int a; }\n")
    coming = saved_meanwhile(project, *(f"{BOTH}// {number}\n" for number in range(1000)))
    error = project.edit(replace("int a", "int z"))
    assert isinstance(error, SnippetError)
    assert error.code is ErrorCode.STALE_FILE
    tries = 1000 - len(coming)
    assert 20 < tries < 100
    assert project.read().decode() == f"{BOTH}// {tries - 1}\n"


CLIENTS = 6


def edit_own_line(root: str, me: str) -> None:
    """One edit of one's own line; who does not get the lock in time asks again."""
    engine = SnippetEngine.open(Path(root))
    assert isinstance(engine, SnippetEngine)
    print("ready", flush=True)
    sys.stdin.readline()
    edit = replace(f"int a{me} = 0;", f"int a{me} = 1;")
    params = {"path": SCRIPT, "mode": "apply", "instructions": [edit]}
    outcome = engine.edit_snippet(params)
    while isinstance(outcome, SnippetError) and outcome.code is ErrorCode.BUSY:
        outcome = engine.edit_snippet(params)
    print(outcome.code.value if isinstance(outcome, SnippetError) else outcome["status"])


def test_of_many_who_edit_one_file_at_once_all_land(project: UnityProject) -> None:
    fields = "".join(f"    int a{number} = 0;\n" for number in range(CLIENTS))
    project.write(f"class C\n{{\n{fields}}}\n")
    outputs = run_at_once(project, [str(number) for number in range(CLIENTS)])
    assert outputs == ["applied\n"] * CLIENTS
    assert project.read().decode() == f"class C\n{{\n{fields.replace('= 0', '= 1')}}}\n"


if __name__ == "__main__":
    edit_own_line(*sys.argv[1:])
