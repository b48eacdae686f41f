"""What a storm of compiles has come to, on whichever road."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field


@dataclass
class StormReport:
    """What became of the calls; times in milliseconds, as their caller saw them."""

    failed_ms: list[float] = field(default_factory=list)
    mended_ms: list[float] = field(default_factory=list)
    reloads: int = 0
    kills: int = 0
    again: int = 0
    """Calls that were not executed, and were made again."""
    wrong: list[str] = field(default_factory=list)

    def table(self) -> str:
        """The figures, and each answer that was not what it had to be."""
        lines = [f"{'':12}{'calls':>8}{'median ms':>12}{'max ms':>10}"]
        for name, times in (("failed", self.failed_ms), ("succeeded", self.mended_ms)):
            if times:
                middle, most = statistics.median(times), max(times)
                lines.append(f"{name:12}{len(times):8}{middle:12.0f}{most:10.0f}")
        lines.append(f"{self.reloads} domain reloads, {self.kills} Editors killed while compiling")
        if self.again:
            lines.append(f"{self.again} calls made again, which had not been executed")
        return "\n".join([*lines, *self.wrong])
