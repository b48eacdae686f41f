"""Edits that Unity compiles before they stay, from many clients at once.

What is said of each is held against its script, and its errors against what it has brought itself.
Each client has a script of its own, so that after each answer its text tells what is true. Calls
are made again under their ids, and some edits are taken back before that.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

from calls import Call
from mcp import Client

PATIENCE_S = 300
TRIES = 6
"""How often an edit is sent at most while Unity can't compile."""

TIMEOUTS_MS = (1_500, 30_000, 30_000)


class GatedEdits:
    """Those of one client."""

    def __init__(self, project: Path, number: int) -> None:
        self._path = f"Assets/Client{number}.cs"
        self._script = project / self._path
        self._script.write_text(f"class Client{number}\n{{\n    int first;\n}}\n")
        self._unknown: set[str] = set()
        """Calls of which it was told that their outcome isn't known."""

    async def one(self, client: Client, chance: random.Random, name: str) -> Call:
        """Make an edit, perhaps undo it, and perhaps send it again; ``wrong`` says what was."""
        member, bad = name.replace("-", "_"), chance.random() < 0.5
        anchor = {"type": "text", "target": "int first;", "position": "line_after"}
        text = f"    int {member};" + (f" //! {name}" if bad else "")
        request = {
            "path": self._path,
            "mode": "apply",
            "instructions": [{"operation": "insert", "anchor": anchor, "newText": text}],
            "editorGate": "compile",
            "include": ["full"],
            "client_request_id": name,
            "timeout_ms": chance.choice(TIMEOUTS_MS),
        }
        call = Call(name, "edit_snippet", request, patience_s=PATIENCE_S)
        for _ in range(TRIES):
            first = await self._made(client, call)
            self._check(call, first, member, bad=bad)
            if "error" not in first:
                break
            await asyncio.sleep(0.2)
        stands = member in self._script.read_text()
        if stands and (bad or chance.random() < 0.3):
            await self._undo(client, call, first)
            stands = False
        if chance.random() < 0.5:
            again = await self._made(client, call)
            call.attempts += 1
            if first.get("applied") and again.get("applied") not in (None, stands):
                call.wrong.append(f"sent again: {again}, while it stands is {stands}")
            if not first.get("applied") or "error" not in again:
                self._check(call, again, member, bad=bad)
            if member in self._script.read_text() and bad:
                await self._undo(client, call, again)
        return call

    async def _made(self, client: Client, call: Call) -> dict[str, Any]:
        called = await client.call_tool(
            call.tool, call.arguments, read_timeout_seconds=call.patience_s
        )
        call.answer = dict(called.structured_content or {})
        return call.answer

    async def _undo(self, client: Client, call: Call, answer: dict[str, Any]) -> None:
        which = {"path": self._path, "hashAfter": answer.get("hashAfter")}
        if which["hashAfter"] is None:
            told = await client.call_tool("get_history", {"path": self._path})
            which = dict((told.structured_content or {})["changes"][0]["undo"])
        undone = await client.call_tool("undo_snippet", which)
        if undone.is_error:
            call.wrong.append(f"could not be undone: {undone.structured_content}")

    def _check(self, call: Call, answer: dict[str, Any], member: str, *, bad: bool) -> None:
        """Where an answer says what isn't so."""
        stands = member in self._script.read_text()
        compiled = answer.get("compile", {})
        details = answer.get("error", {}).get("details", {})
        if details.get("execution_guarantee") == "unknown":
            self._unknown.add(call.name)
        if "error" in answer and call.name in self._unknown:
            return
        if stands != bool(answer.get("applied")):
            call.wrong.append(f"it stands is {stands}, and it was told {answer}")
        if answer.get("status") == "undone_by_compile":
            own = [each for each in compiled["errors"] if each["message"] == call.name]
            others = "others caused them" in compiled.get("reason", "")
            unknown = "has not compiled that yet" in compiled.get("reason", "")
            if not (others or unknown) and own != compiled["errors"]:
                call.wrong.append(f"undone for others' errors: {answer}")
        if bad and stands and compiled.get("status") in ("succeeded", "up_to_date"):
            call.wrong.append(f"it doesn't compile, and was told {answer}")
        if (
            "before the edit" in compiled.get("reason", "")
            and any(each["message"] == call.name for each in compiled["errors"])
            and "all of these" in compiled["reason"]
        ):
            call.wrong.append(f"its own error was told as an older one: {answer}")
