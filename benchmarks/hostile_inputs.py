"""What requests on files made to be slow take: CPU time, memory, and how long others wait.

    python -m benchmarks.hostile_inputs [--size BYTES] [--only TEXT] [--request NAME] [--json]

Each family of :mod:`.hostile_files` and :mod:`.hostile_constructs` is written into a project of its
own, and each request is made of it by a process of its own, so that none profits from another.
*CPU* is that of the process during the call; *pause* is the longest time in which another thread of
that process did not get to run, as a server's event loop wouldn't. *Loop* is what a fixed loop
takes in that process, half of it before the call and half after it: where other cores are busy, CPU
time grows by half, and so does the loop's. A call that takes longer than ``--limit`` is ended.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import hostile_constructs, hostile_files
from benchmarks.hostile_files import MARK
from snippet_engine.engine import SnippetEngine
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import MAX_FILE_BYTES, content_hash
from snippet_engine.storage.paths.project import Project
from snippet_engine.storage.stores.script_store import ScriptStore

SCRIPT = "Assets/Hostile.cs"
_TICK_S = 0.002
_MEMORY = 6 << 30
"""Bytes that a call may take before it is ended."""
_NOTHING = "int MARC = 0 ; // nothing of the kind stands in any of these files"


@dataclass(frozen=True)
class Row:
    """One call: what came of it, and what it took, in seconds and megabytes."""

    family: str
    request: str
    size: int
    outcome: str
    cpu_s: float
    pause_s: float
    peak_mb: float
    loop_s: float


def _replace(target: str, new_text: str, **anchor: str) -> dict[str, Any]:
    return {
        "operation": "replace",
        "anchor": {"type": "text", "target": target, **anchor},
        "newText": new_text,
    }


def requests(text: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """The requests made of a file, by name: the tool and its arguments."""
    middle = text.rfind("\n", 0, len(text) // 2) + 1
    line = text[middle : middle + 300].split("\n", 1)[0] or " "
    above, below = text[max(0, middle - 2_000) : middle], text[middle + len(line) :][:2_000]
    often = max((text[len(text) // 2 :][:1], " "), key=text.count)
    symbol = {"type": "symbol", "symbolPath": "C", "position": "body_start"}
    edits: dict[str, list[dict[str, Any]]] = {
        "edit": [_replace(MARK, MARK.replace("0", "1"))],
        "broken edit": [_replace(MARK, MARK.replace("0", ""))],
        "unbalanced edit": [_replace(MARK, MARK + " {")],
        "symbol": [{"operation": "insert", "anchor": symbol, "newText": "int z;"}],
        "missing": [_replace(_NOTHING, "a")],
        "in the middle": [_replace(line, line + " ", before=above, after=below)],
        "ten contexts": [
            _replace(line[:80], f"a{number}", before=above[number:], after=below + "?")
            for number in range(10)
        ],
        "often": [_replace(often, "a")],
        "often, in context": [_replace(often, "a", before=often * 50, after=often * 50)],
    }
    tools: dict[str, tuple[str, dict[str, Any]]] = {
        name: ("edit_snippet", {"path": SCRIPT, "mode": "preview", "instructions": instructions})
        for name, instructions in edits.items()
    }
    tools["get_symbols"] = "get_symbols", {"path": SCRIPT}
    tools["validate_script"] = "validate_script", {"path": SCRIPT}
    after = text.replace(MARK, MARK.replace("0", "1"), 1)
    undone = {"path": SCRIPT, "hashAfter": content_hash(after.encode())}
    tools["undo_snippet"] = "undo_snippet", undone
    return tools


def rows(size: int, only: str, request: str, limit_s: float) -> Iterator[Row]:
    """Every call that is asked for, one after the other."""
    start = multiprocessing.get_context("spawn")
    made = hostile_files.files(size) | hostile_constructs.files(size)
    for family, make in made.items():
        if only not in family:
            continue
        text = make()
        data = text.encode()[:MAX_FILE_BYTES]
        text = data.decode(errors="ignore")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for each in ("Assets", "Packages", "ProjectSettings"):
                (root / each).mkdir()
            (root / SCRIPT).write_bytes(text.encode())
            for name, (tool, arguments) in requests(text).items():
                if request not in ("", name):
                    continue
                receiving, sending = start.Pipe(duplex=False)
                process = start.Process(
                    target=_call, args=(root, tool, arguments, limit_s, sending)
                )
                process.start()
                sending.close()
                answer: tuple[str, float, float, float, float]
                try:
                    answer = receiving.recv()
                except EOFError:  # ended by the limit, or for want of memory
                    answer = "no answer", limit_s, 0, 0, 0
                process.join()
                yield Row(family, name, len(data), *answer)


def _call(root: Path, tool: str, arguments: Mapping[str, Any], limit_s: float, answer: Any) -> None:
    """In a process of its own: make the call, and send what came of it."""
    most = round(limit_s + process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    engine = SnippetEngine.open(root)
    assert not isinstance(engine, SnippetError)
    ended, longest = Event(), [0.0]

    def watch() -> None:
        last = perf_counter()
        while not ended.wait(_TICK_S):
            now = perf_counter()
            longest[0] = max(longest[0], now - last)
            last = now

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    if tool == "undo_snippet":
        _write_to_undo(root)
    loop_s = _loop()
    started = process_time()
    outcome = getattr(engine, tool)(arguments)
    cpu_s = process_time() - started
    ended.set()
    watcher.join()
    loop_s += _loop()
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = round(cpu_s, 2), round(longest[0], 2), round(peak_mb), round(loop_s, 3)
    answer.send((_named(outcome), *figures))


def _write_to_undo(root: Path) -> None:
    """Write what :func:`requests` takes back, through the store: no validator is to refuse it."""
    project = Project.open(root)
    assert not isinstance(project, SnippetError)
    script = project.locate(SCRIPT, for_writing=True)
    assert not isinstance(script, SnippetError)
    text = (root / SCRIPT).read_bytes()
    edited = text.replace(MARK.encode(), MARK.replace("0", "1").encode(), 1)
    refused = ScriptStore(project).apply(script, text, edited)
    assert refused is None, refused


def _loop() -> float:
    """CPU seconds of a loop that is always the same."""
    started = process_time()
    found: dict[int, str] = {}
    for number in range(100_000):
        found[number % 5_000] = str(number)
    return process_time() - started


def _named(outcome: Any) -> str:
    if isinstance(outcome, SnippetError):
        return outcome.code.value
    notes = outcome.get("validation", {}).get("notChecked", [])
    return ", ".join(["ok", *(note.split(":")[0] for note in notes if note != "semantics")])


def main() -> int:
    """Measure, print, and tell by the exit code whether a call took longer than the bound."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument("--size", type=int, default=MAX_FILE_BYTES - 1_000, help="bytes of a file")
    parser.add_argument("--only", default="", help="families whose name has this in it")
    parser.add_argument("--request", default="", help="the request of this name")
    parser.add_argument("--limit", type=float, default=30.0, help="CPU seconds of a call at most")
    parser.add_argument(
        "--bound", type=float, default=2.0, help="CPU seconds that are shown as too many"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured: list[Row] = []
    for row in rows(options.size, options.only, options.request, options.limit):
        measured.append(row)
        if not options.json:
            flag = "  <--" if row.cpu_s > options.bound else ""
            print(
                f"{row.family:26} {row.request:18} {row.cpu_s:6.2f} s  pause {row.pause_s:5.2f} s "
                f"{row.peak_mb:6.0f} MB  loop {row.loop_s:5.3f} s  {row.outcome}{flag}",
                flush=True,
            )
    if options.json:
        json.dump([asdict(row) for row in measured], sys.stdout, indent=1)
        return 0
    table = Table("slowest", "request", "CPU s", "pause s", "peak MB", "loop s", "outcome")
    for row in sorted(measured, key=lambda each: -each.cpu_s)[:20]:
        table.add_row(
            row.family, row.request, f"{row.cpu_s:.2f}", f"{row.pause_s:.2f}",
            f"{row.peak_mb:.0f}", f"{row.loop_s:.3f}", row.outcome,
        )  # fmt: skip
    Console().print(table)
    return int(any(row.cpu_s > options.bound for row in measured))


if __name__ == "__main__":
    sys.exit(main())
