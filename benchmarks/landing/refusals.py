"""How long a refused request takes on a file of 5,000 lines, beside one parse of it.

Each round measures one bare tree-sitter parse and one request of each kind, by an engine that knows
the file, as a server's does.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.edit_sites import sites_of
from benchmarks.generated_csharp import csharp_of_lines
from benchmarks.measuring import Samples, repeat
from benchmarks.workbench import SCRIPT, Workbench, cold_parse
from snippet_engine.errors import SnippetError

LINES = 5_000
AIM_MS = 50.0

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RefusalFigures:
    """One kind of refused request: milliseconds, and as a ratio to one parse.

    ``processor_ms`` is the median of the processor's time, ``parse_ms`` that of a parse.
    """

    kind: str
    median_ms: float
    p90_ms: float
    processor_ms: float
    parse_ms: float
    rounds: int

    @property
    def ratio_to_parse(self) -> float:
        """How many parses of the same file it takes."""
        return self.processor_ms / self.parse_ms


def measure_refusals(*, seconds: float = 6.0) -> list[RefusalFigures]:
    """Measure each kind for about ``seconds`` in all."""
    text = csharp_of_lines(LINES)
    samples = Samples()
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder))
        bench.script.write_text(text, encoding="utf-8", newline="")
        engine = bench.open_engine()
        for _, request in _requests(text, 0):
            engine.edit_snippet(request)

        def one_round(number: int) -> None:
            samples.timed("parse", cold_parse, text.encode())
            for kind, request in _requests(text, number):
                answer = samples.timed(kind, engine.edit_snippet, request)
                if not isinstance(answer, SnippetError):
                    raise RuntimeError(f"not refused: {kind}")

        repeat(one_round, seconds=seconds, at_least=5, at_most=100)
    parse = samples.cpu_median_ms("parse")
    return [
        RefusalFigures(
            kind,
            samples.median_ms(kind),
            samples.p90_ms(kind),
            samples.cpu_median_ms(kind),
            parse,
            samples.count(kind),
        )
        for kind, _ in _requests(text, 0)
    ]


def _requests(text: str, number: int) -> list[tuple[str, Request]]:
    """One request of each kind; other places in every round."""
    sites = sites_of(text)
    site = sites[(37 * number + 11) % len(sites)]
    instruction = site.instruction(1_000_000 + number)
    target = instruction["anchor"]["target"]

    def changed(change: Callable[[str], str]) -> Request:
        anchor = {"type": "text", "target": change(target)}
        return _request({**instruction, "anchor": anchor})

    several = re.findall(r"\n( *return \w+;)", text)[0].strip()
    lone = {"operation": "replace", "newText": f"return {number};"}
    symbol = {"type": "symbol", "symbolPath": f"Generated.Nothing{number}.Update()"}
    context = {**instruction["anchor"], "before": f"Nothing like this {number};\n"}
    return [
        ("nothing alike", changed(lambda _: f"zqx qqq {number} wwww yyyy {{ jjj }}")),
        ("a letter wrong", changed(lambda line: line[:-2] + "x" + line[-2:])),
        ("white space wrong", changed(lambda line: line.replace(" ", "  ", 1))),
        ("several lines wrong", changed(lambda line: f"{site.above}{line[2:]}{site.below}x")),
        ("context that fits nowhere", _request({**instruction, "anchor": context})),
        (
            "stands many times",
            _request({**lone, "anchor": {"type": "text", "target": several}}),
        ),
        ("no such symbol", _request({**lone, "anchor": symbol})),
        ("would not compile", changed(lambda line: line) | {"instructions": [
            {**instruction, "newText": f"{{ ({number}"}]}),
    ]  # fmt: skip


def _request(instruction: dict[str, Any]) -> Request:
    return {"path": SCRIPT, "mode": "preview", "instructions": [instruction]}
