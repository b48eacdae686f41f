"""A compiler for the doubles of Unity, on either road: what it says is written in the scripts.

A line that ends in ``//! words`` is an error of these words. ``//? words`` is one of syntax: while
there is any, no others are told. So it goes with Unity, whose compilers see no further.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fake_editor import COMPILED, FakeEditor
from pipeline_editor import PipelineEditor

MOST = 100
"""So many errors are told."""


@dataclass
class MarkedScripts:
    """The scripts of one project; ``at`` says what happens right before a compile, by its number,
    from 1."""

    project: Path
    at: dict[int, Callable[[], object]] = field(default_factory=dict)
    compiles: int = 0
    reloads_at: int = 0
    """Right before that compile a reload begins, as where Unity sees a change by itself."""

    def reloads_before(self, compile_: int) -> bool:
        """Whether a reload begins before that compile; once."""
        begins = compile_ == self.reloads_at
        self.reloads_at = 0 if begins else self.reloads_at
        return begins

    def texts(self) -> dict[Path, bytes]:
        """Each script's text."""
        return {each: each.read_bytes() for each in (self.project / "Assets").rglob("*.cs")}

    def compile(self) -> list[dict[str, Any]]:
        """The errors of a compile."""
        self.compiles += 1
        self.at.get(self.compiles, lambda: None)()
        return self._marked("//? ") or self._marked("//! ")

    def _marked(self, mark: str) -> list[dict[str, Any]]:
        found = []
        for path in sorted((self.project / "Assets").rglob("*.cs")):
            place = path.relative_to(self.project).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                _, is_marked, words = line.partition(mark)
                if is_marked:
                    where = {"path": place, "line": number, "column": 1}
                    found.append({**where, "code": "CS0103", "message": words.strip()})
        return found


async def plugin_compiles(editor: FakeEditor, scripts: MarkedScripts) -> None:
    """Have each compile that a plugin is asked for come to what the scripts say."""
    with suppress(asyncio.CancelledError):
        while True:
            frame = await editor.received("submit_job")
            if scripts.reloads_before(scripts.compiles + 1):
                await editor.refuse(frame, "ERR_EDITOR_NOT_READY", "the domain reloads")
                await editor.reload()
                await editor.connect()
                continue
            await editor.accept(frame)
            while not editor.jobs or list(editor.jobs.values())[-1].ended:
                await asyncio.sleep(0)
            job = list(editor.jobs.values())[-1]
            errors = await asyncio.to_thread(scripts.compile)
            told = {
                "status": "failed" if errors else "succeeded",
                "errors": errors[:MOST],
                "reloaded": not errors,
                "last_compiled": datetime.now(UTC).isoformat(timespec="milliseconds"),
            }
            cut = {"truncated": True} if len(errors) > MOST else {}
            job.finish("succeeded", {**COMPILED, **told, **cut})
            await editor.announce(job)


@dataclass
class MarkedPipelineEditor(PipelineEditor):
    """One with Unity's package; ``scripts`` are those of its project."""

    scripts: MarkedScripts | None = None

    def _reload_after_change(self) -> None:
        assert self.scripts is not None
        before = self.scripts.texts()
        while before == self.scripts.texts() and not self.ending.wait(0.002):
            pass
        self.reload()

    def run_command(self, name: str, parameters: dict[str, Any], caller: str) -> Any:
        if name == "recompile" and self.scripts is not None:
            if self.scripts.reloads_before(self.scripts.compiles + 2):
                self.begin(self._reload_after_change)
            self.edit(
                *[
                    "{path}({line},{column}): error {code}: {message}".format(**each)
                    for each in self.scripts.compile()
                ]
            )
        return super().run_command(name, parameters, caller)
