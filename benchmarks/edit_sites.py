"""Places in generated C# where a small edit fits, and requests that make such edits."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

_NUMBER = re.compile(r"(?<![\w.])\d+")


@dataclass(frozen=True)
class Site:
    """A line that stands once in its file and holds a number, between its neighbours."""

    above: str
    line: str
    below: str

    def instruction(self, number: int) -> dict[str, Any]:
        """Replace the line's first number by ``number``; the lines around it are the context."""
        return {
            "operation": "replace",
            "anchor": {
                "type": "text",
                "before": self.above,
                "target": self.line,
                "after": self.below,
            },
            "newText": _NUMBER.sub(str(number), self.line, count=1),
        }


def sites_of(text: str) -> list[Site]:
    """Return every site of ``text`` from top to bottom, none on neighbouring lines."""
    lines = text.split("\n")
    stripped = [line.strip() for line in lines]
    occurrences = Counter(stripped)
    sites: list[Site] = []
    taken = -1
    for index in range(1, len(lines) - 1):
        line = stripped[index]
        is_code = not line.startswith(("//", "*", "#"))
        if index - 1 > taken and is_code and occurrences[line] == 1 and _NUMBER.search(line):
            sites.append(Site(f"{lines[index - 1]}\n", line, f"\n{lines[index + 1]}"))
            taken = index
    return sites


def spread(sites: list[Site], count: int, turn: int) -> list[Site]:
    """Return ``count`` sites spread evenly over the file; others on every turn."""
    step = len(sites) / count
    return [sites[(int(part * step) + turn) % len(sites)] for part in range(count)]


def edit_request(path: str, mode: str, sites: list[Site], number: int) -> dict[str, Any]:
    """Return an ``edit_snippet`` request that writes ``number`` at each of ``sites``."""
    return {
        "path": path,
        "mode": mode,
        "instructions": [site.instruction(number) for site in sites],
    }
