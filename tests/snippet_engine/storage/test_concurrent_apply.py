"""Of processes that send one request at once, one applies it: law 6 of docs/design/engine.md §10.

This file is also the program that runs several times at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.source_text import content_hash
from snippet_engine.storage.paths.project import FileSnapshot, Project, ScriptPath
from snippet_engine.storage.records.history_entry import parse_entry
from snippet_engine.storage.stores.request_log import Claim, Replay, RequestLog
from snippet_engine.storage.stores.script_store import ScriptStore

SCRIPT = "Assets/A.cs"
PROCESSES = 2
ROUNDS = 60
HISTORY_ENTRIES = 10


def parts(root: str | Path) -> tuple[Project, ScriptStore, ScriptPath]:
    project = Project.open(Path(root))
    assert isinstance(project, Project)
    script = project.locate(SCRIPT, for_writing=True)
    assert isinstance(script, ScriptPath)
    return project, ScriptStore(project, history_entries=HISTORY_ENTRIES), script


def send_the_same_request(root: str) -> None:
    """Send the same requests as everyone else; prints the lines that were applied here."""
    project, store, script = parts(root)
    log = RequestLog(project, store)
    applied: list[str] = []
    told: Counter[str] = Counter()
    for number in range(ROUNDS):
        line = f"// {number}\n"
        while True:
            claim = log.begin(f"request {number}", "digest")
            if isinstance(claim, Replay):
                told["replayed"] += 1
                break
            if isinstance(claim, SnippetError):
                assert claim.code in (ErrorCode.DUPLICATE_REQUEST, ErrorCode.BUSY), claim
                told[claim.code] += 1
                continue
            assert isinstance(claim, Claim)
            with claim:
                now = script.read()
                assert isinstance(now, FileSnapshot), now
                new = now.data + line.encode()
                assert claim.committing(script, content_hash(new), {}) is None
                if store.apply(script, now.data, new, ticket=claim.ticket) is None:
                    claim.finish({})
                    applied.append(line)
                    break
    print(json.dumps([applied, told]))


def run_at_once(root: Path) -> tuple[list[list[str]], Counter[str]]:
    running = [
        subprocess.Popen(
            [sys.executable, __file__, str(root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    lines: list[list[str]] = []
    told: Counter[str] = Counter()
    for process in running:
        out, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        mine, others = json.loads(out)
        lines.append(mine)
        told.update(others)
    return lines, told


def new_project(root: Path) -> Path:
    (root / "Assets").mkdir(parents=True)
    (root / SCRIPT).write_bytes(b"")
    return root


def lines_of(root: Path) -> list[str]:
    return (root / SCRIPT).read_text().splitlines(keepends=True)


def assert_tidy(root: Path) -> None:
    """No temporary files or records, and a history within its bounds that is not damaged."""
    assert [path.name for path in (root / "Assets").iterdir()] == ["A.cs"]
    state = root / "Library/SnippetEngine"
    assert list((state / "pending").iterdir()) == []
    history = [parse_entry(path.name) for path in (state / "history").iterdir()]
    assert None not in history
    assert len(history) <= HISTORY_ENTRIES


def test_each_request_is_applied_by_one(tmp_path: Path) -> None:
    root = new_project(tmp_path / "Game")
    lines, told = run_at_once(root)
    everything = [f"// {number}\n" for number in range(ROUNDS)]
    assert sorted(lines[0] + lines[1]) == sorted(everything)
    assert sorted(lines_of(root)) == sorted(everything)
    assert told["replayed"] == (PROCESSES - 1) * ROUNDS
    assert_tidy(root)


if __name__ == "__main__":
    send_the_same_request(sys.argv[1])
