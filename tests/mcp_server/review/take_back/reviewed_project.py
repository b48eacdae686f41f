"""A project whose calls are recorded, and whose events a person takes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_server.calls.local_tools import LocalTools
from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.host.execution_coordinator import ExecutionCoordinator
from mcp_server.review.record.events import Event, FileTexts, NewEvent
from mcp_server.review.record.events import Outcome as EventOutcome
from mcp_server.review.review import Review
from mcp_server.review.take_back.planner import Hunks
from mcp_server.review.take_back.plans import PUT_TEXTS, Plan
from snippet_engine.call_context import as_client
from snippet_engine.source_text import content_hash

LONG_S = 60.0

Files = dict[str, bytes]


class ReviewedProject:
    """The real engine over real files, with the review's record of what it does."""

    def __init__(self, root: Path, files: Mapping[str, bytes]) -> None:
        self.root = root / "Game"
        for folder in ("Assets", "Packages", "ProjectSettings"):
            (self.root / folder).mkdir(parents=True)
        for path, data in files.items():
            self.save(path, data)
        self.review = Review(root / "kept", "http://127.0.0.1:1/")
        self.review.start()
        self._tools = LocalTools(self.root)
        self._run(lambda one: one.stop(0))  # which attaches the review

    # -- files -------------------------------------------------------------------------------------

    def save(self, path: str, data: bytes) -> None:
        """Write a file past the tools, with nobody watching."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(data)

    def files(self) -> Files:
        """Every file of the project, and (with an empty text) every empty folder."""
        found: Files = {}
        for top in ("Assets", "Packages", "ProjectSettings"):
            for path in sorted((self.root / top).rglob("*")):
                name = path.relative_to(self.root).as_posix()
                if path.is_file():
                    found[name] = path.read_bytes()
                elif not any(path.iterdir()):
                    found[f"{name}/"] = b""
        return found

    # -- events ------------------------------------------------------------------------------------

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Make a call as an agent."""
        with as_client("agent"):
            return self._run(lambda one: one.call(CATALOG[tool], arguments))

    def _run(self, work: Any) -> Any:
        async def run() -> Any:
            coordinator = ExecutionCoordinator(self._tools)
            coordinator.attach(self.review)
            try:
                return await work(coordinator)
            finally:
                await coordinator.stop(0)

        return asyncio.run(run())

    def did(self, outcome: Outcome) -> int:
        """The number of the newest event, which a call that succeeded led to."""
        assert isinstance(outcome, ToolResult), outcome
        return self.last()

    def last(self) -> int:
        """The number of the newest event."""
        assert self.review.store.settle(LONG_S)
        return self.review.store.last_number

    def event(self, number: int) -> Event:
        found = self.review.store.event(number)
        assert found is not None
        return found

    def edit(self, path: str, old: str, new: str) -> int:
        """Replace the only occurrence of a text in a script."""
        instruction = {
            "operation": "replace",
            "anchor": {"type": "text", "target": old},
            "newText": new,
        }
        asked = {"mode": "apply", "changes": [{"path": path, "instructions": [instruction]}]}
        return self.did(self.call("edit_scripts", asked))

    def change(self, *changes: Mapping[str, Any]) -> int:
        """Apply a change set; a deletion need not say the hash."""
        named = [
            {**each, "expectedHash": content_hash((self.root / each["path"]).read_bytes())}
            if "delete" in each
            else each
            for each in changes
        ]
        asked = {"mode": "apply", "changes": named}
        return self.did(self.call("edit_scripts", asked))

    def put(self, *files: Mapping[str, Any]) -> int:
        """Change files of any kind in one set, as a rename does."""
        asked = {"mode": "apply", "validation": "none", "files": list(files)}
        with as_client("agent"):
            return self.did(self._run(lambda one: one.call(PUT_TEXTS, asked)))

    def undo(self, number: int) -> int:
        """Let the agent undo an event."""
        undo = self.event(number).undo
        assert undo is not None
        return self.did(self.call("undo_snippet", undo))

    def outside(self, *files: FileTexts, known: bool = True) -> int:
        """Change files past the tools, and record it as a watcher does."""
        for each in files:
            if each.after is None:
                (self.root / each.path).unlink()
            else:
                self.save(each.path, each.after)
        told = [each if known else FileTexts(each.path, is_unknown=True) for each in files]
        event = Event(0, 0.0, None, None, "", EventOutcome.CHANGED)
        self.review.store.add(NewEvent(event, tuple(told)))
        return self.last()

    # -- taking back -------------------------------------------------------------------------------

    def plan(self, number: int, hunks: Hunks | None = None) -> Plan:
        return self.review.take_back.plan(number, hunks)

    def since(self, number: int) -> Plan:
        return self.review.take_back.plan_since(number)

    def do(self, plan: Plan, *, all_the_same: bool = False) -> Outcome:
        return self._run(lambda _: self.review.take_back.do(plan, all_the_same=all_the_same))

    def taken_back(self, plan: Plan, *, all_the_same: bool = False) -> int:
        """Do what a plan says, which must succeed; return the number of its event."""
        assert plan.is_possible, plan
        return self.did(self.do(plan, all_the_same=all_the_same))
