"""``editorGate`` on the package itself, on Mono: each edit answers for itself, sent again, too."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from live_server import LiveServer
from marked_scripts import MarkedScripts
from running_server import make_project
from stage import Stage

from mcp_server.contract.outcome import Outcome
from tests.bench.editor import BenchEditor
from tests.bench.installation import Installation, prepare_project

pytestmark = pytest.mark.anyio

GOOD, BAD = "Assets/Good.cs", "Assets/Bad.cs"


def request(path: str, member: str) -> dict[str, Any]:
    anchor = {"type": "text", "target": "int first;", "position": "line_after"}
    instruction = {"operation": "insert", "anchor": anchor, "newText": f"    {member}"}
    return {
        "path": path,
        "mode": "apply",
        "instructions": [instruction],
        "editorGate": "compile",
        "include": ["full"],
        "client_request_id": path,
    }


def let_unity_see_writes(live: LiveServer, editor: BenchEditor, scripts: MarkedScripts) -> None:
    """What a script tool has written is what the bench's compiler says from then on."""
    tools = live.server._local_tools
    call = tools.call

    def seen(*arguments: Any) -> Outcome:
        before = scripts.texts()
        outcome = call(*arguments)
        if scripts.texts() != before:
            told = "{path}({line},{column}): {code}: {message}"
            errors = [told.format(**each) for each in scripts.compile()]
            editor.do(f"edited {errors[0]}" if errors else "edited")
        return outcome

    tools.call = seen  # type: ignore[method-assign]


async def test_of_two_at_once_the_bad_one_is_undone_and_told_so_when_sent_again(
    on_mono: Installation, tmp_path: Path
) -> None:
    folder = make_project(tmp_path / "project")
    for path in (GOOD, BAD):
        (folder / path).write_text(f"class {Path(path).stem}\n{{\n    int first;\n}}\n")
    bad, good = request(BAD, "int second; //! mine"), request(GOOD, "int second;")
    before = (folder / BAD).read_bytes()
    async with LiveServer(project=folder) as live, live.client() as client:
        prepare_project(folder, live.port)
        with BenchEditor(on_mono, folder) as editor:
            stage = Stage(live, editor, client)
            await stage.ready()
            let_unity_see_writes(live, editor, MarkedScripts(folder))
            undone, applied = await asyncio.gather(
                stage.result("edit_snippet", **bad), stage.result("edit_snippet", **good)
            )
            again = await stage.result("edit_snippet", **bad)
    assert (applied["status"], applied["compile"]["status"]) == ("applied", "succeeded")
    assert (undone["status"], undone["applied"]) == ("undone_by_compile", False)
    assert [each["message"] for each in undone["compile"]["errors"]] == ["mine"]
    assert again == {**undone, "replayed": True}
    assert (folder / BAD).read_bytes() == before
    assert b"int second;" in (folder / GOOD).read_bytes()
