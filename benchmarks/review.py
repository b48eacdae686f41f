"""Measure what a watching review page costs, and a page with many entries.

    python -m benchmarks.review [--quick]

A real Chromium looks at a real server while the SDK's client makes edits; without a browser it says
so, and ends. Calls with a page and without alternate in blocks, so that a slow moment of the
machine falls on both.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from mcp import Client
from rich.console import Console
from rich.table import Table

COST_AIM = 1.03
"""A call with a watching page, beside one without."""

PAUSE_S = 0.3
"""Between an agent's calls, in seconds; its model takes longer."""

SETTLE_S = 0.3
"""For a page to be drawn before calls are measured, in seconds."""

SCRIPT = "Assets/Scripts/Player.cs"
SOURCE = "public class Player\n{\n    public int speed = 0;\n}\n"
MANY = 10_000

_SEEN = """() => {
    window.seen = {};
    const note = (changes) => {
        for (const change of changes)
            for (const each of change.addedNodes)
                if (each.matches?.(".entry")) window.seen[each.dataset.number] = Date.now();
    };
    new MutationObserver(note).observe(document.getElementById("entries"), { childList: true });
}"""
_LONGEST = """() => new Promise((resolve) => {
    let longest = 0;
    const note = (list) => {
        for (const each of list.getEntries()) longest = Math.max(longest, each.duration);
    };
    const watch = new PerformanceObserver(note);
    watch.observe({ type: "longtask", buffered: true });
    setTimeout(() => { note({ getEntries: () => watch.takeRecords() }); resolve(longest); }, 200);
})"""


@contextmanager
def _server(project: Path, environment: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Return the address of a server's root, and its process."""
    program = str(Path(sysconfig.get_path("scripts")) / "unity-cli")
    command = [program, "serve", "--lsp", "off", "--quiet", "--project", str(project)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            yield url.removesuffix("/mcp"), process.pid
        finally:
            process.terminate()


@asynccontextmanager
async def _browser() -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        found = await driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        await found.close()


async def _watch(browser: Any, address: str) -> Any:
    page = await browser.new_page()
    await page.goto(address)
    await page.locator("#connection", has_text="live").wait_for()
    return page


def _preview(number: int) -> dict[str, Any]:
    anchor = {"type": "text", "target": "speed = 0"}
    instruction = {"operation": "replace", "anchor": anchor, "newText": f"speed = {number}"}
    return {"path": SCRIPT, "mode": "preview", "instructions": [instruction]}


def _processor_ms(pid: int) -> float:
    """Return a process's processor time so far; Linux only, elsewhere 0."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return 0.0
    told = status.read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) * 1000 / os.sysconf("SC_CLK_TCK")


async def _cost(
    root: str, pid: int, browser: Any, *, blocks: int, calls: int, pause_s: float = 0.0
) -> dict[str, float]:
    """Return medians of a call's and its server's processor's time, with and without a page.

    Each block with a page is compared with the one without that is next to it. ``pause_s`` lies
    between two calls: without it, calls also wait for the page's updates of earlier ones.
    """
    took: dict[bool, list[float]] = {True: [], False: []}
    processor: dict[bool, list[float]] = {True: [], False: []}
    async with Client(f"{root}/mcp") as client:

        async def block() -> float:
            samples = []
            for number in range(calls):
                started = time.perf_counter()
                await client.call_tool("edit_snippet", _preview(number + 1))
                samples.append((time.perf_counter() - started) * 1000)
                await asyncio.sleep(pause_s)
            return median(samples)

        await block()
        for number in range(blocks):
            for watched in (False, True) if number % 2 else (True, False):
                page = await _watch(browser, root) if watched else None
                await asyncio.sleep(SETTLE_S)
                before = _processor_ms(pid)
                took[watched].append(await block())
                processor[watched].append((_processor_ms(pid) - before) / calls)
                if page is not None:
                    await page.close()
    ratios = [one / other for one, other in zip(took[True], took[False], strict=True)]
    low, ratio, high = quantiles(ratios, n=4)
    return {
        "without_ms": median(took[False]),
        "with_ms": median(took[True]),
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "processor_without_ms": sum(processor[False]) / blocks,
        "processor_with_ms": sum(processor[True]) / blocks,
    }


async def _latency(root: str, browser: Any, *, calls: int) -> dict[str, float]:
    """Return how long after an answer its entry is on an open page, in milliseconds."""
    page = await _watch(browser, root)
    last = int(await page.locator("#entries").get_attribute("data-last"))
    await page.evaluate(_SEEN)
    answered: dict[str, float] = {}
    async with Client(f"{root}/mcp") as client:
        for number in range(1, calls + 1):
            await client.call_tool("edit_snippet", _preview(number))
            answered[str(last + number)] = time.time() * 1000
            await asyncio.sleep(0.3)
    await page.locator(f"#e{last + calls}").wait_for()
    seen = await page.evaluate("() => window.seen")
    late = [max(0.0, seen[number] - at) for number, at in answered.items()]
    await page.close()
    return {"median_ms": median(late), "p95_ms": quantiles(late, n=20)[-1], "max_ms": max(late)}


async def _many(root: str, browser: Any, most: int) -> dict[str, float]:
    """Return the page with at most so many entries, all loaded."""
    page = await _watch(browser, root)
    started = time.perf_counter()
    while await page.locator("#older").count():
        shown = await page.locator(".entry").count()
        if shown >= most:
            break
        await page.evaluate("() => document.getElementById('older')?.scrollIntoView()")
        await page.locator(f".entry:nth-child({shown + 1})").wait_for(state="attached")
    loaded_s = time.perf_counter() - started
    longest = await page.evaluate(_LONGEST)
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    told = (await session.send("Performance.getMetrics"))["metrics"]
    metrics = {each["name"]: each["value"] for each in told}
    entries = await page.locator(".entry").count()
    await page.close()
    return {
        "entries": entries,
        "loaded_s": loaded_s,
        "longest_task_ms": longest,
        "js_heap_mib": metrics["JSHeapUsedSize"] / 2**20,
        "nodes": metrics["Nodes"],
    }


def _prefill(project: Path) -> None:
    """Leave many events for the project's next server."""
    from mcp_server.host.kept_state import KeptState
    from mcp_server.review.record.event_store import EventStore
    from mcp_server.review.record.events import Event, NewEvent, Outcome

    kept = KeptState(project, 0)
    store = EventStore(kept.folder / "review")
    store.start()
    for number in range(1, MANY + 1):
        line = f"speed = {number - 1} → speed = {number}"
        event = Event(0, 1.7e9 + number, "agent", "s", "edit_snippet", Outcome.APPLIED, line=line)
        store.add(NewEvent(event))
    store.stop(60)
    kept.release()


async def _measure(*, quick: bool) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_STATE_HOME": f"{folder}/state"}
        os.environ["XDG_STATE_HOME"] = environment["XDG_STATE_HOME"]
        projects = [Path(folder) / name for name in ("Some", "Many")]
        for each in projects:
            (each / "Assets/Scripts").mkdir(parents=True)
            (each / "ProjectSettings").mkdir()
            (each / SCRIPT).write_text(SOURCE, encoding="utf-8")
        _prefill(projects[1])
        async with _browser() as browser:
            with _server(projects[0], environment) as (root, pid):
                blocks, calls = (4, 30) if quick else (24, 60)
                cost = await _cost(root, pid, browser, blocks=blocks, calls=calls)
                paced = await _cost(
                    root, pid, browser, blocks=blocks, calls=calls // 6, pause_s=PAUSE_S
                )
                latency = await _latency(root, browser, calls=10 if quick else 60)
            with _server(projects[1], environment) as (root, _):
                many = await _many(root, browser, 1_000 if quick else MANY)
    return {"cost": cost, "paced": paced, "latency": latency, "many": many}


def _cost_rows(how: str, cost: dict[str, float]) -> list[tuple[str, str, str]]:
    quartiles = f"{cost['ratio_low']:.3f} to {cost['ratio_high']:.3f}"
    without, watched = cost["processor_without_ms"], cost["processor_with_ms"]
    return [
        (
            f"{how}: a preview without a page, and while one watches",
            f"{cost['without_ms']:.2f} and {cost['with_ms']:.2f} ms",
            "",
        ),
        (
            "ratio, block by block (quartiles)",
            f"{cost['ratio']:.3f} ({quartiles})",
            f"≤ {COST_AIM}",
        ),
        ("the server's processor for a call", f"{without:.2f} and {watched:.2f} ms", ""),
    ]


def main() -> int:
    """Measure, and print a table; returns the process's exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        print("Not measured: there is no Chromium.", file=sys.stderr)
        return 0
    found = asyncio.run(_measure(quick=chosen.quick))
    table = Table("what", "figure", "aim", title="The review page")
    latency, many = found["latency"], found["many"]
    rows = [
        *_cost_rows(f"calls {PAUSE_S} s apart", found["paced"]),
        *_cost_rows("calls without a pause", found["cost"]),
        (
            "an entry is on the page after its answer",
            f"{latency['median_ms']:.0f} ms, at most {latency['max_ms']:.0f} ms",
            "200 ms",
        ),
        (f"{many['entries']:,.0f} entries: longest task", f"{many['longest_task_ms']:.0f} ms", ""),
        ("their script memory", f"{many['js_heap_mib']:.1f} MiB, {many['nodes']:,.0f} nodes", ""),
        ("time to scroll through all", f"{many['loaded_s']:.1f} s", ""),
    ]
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
