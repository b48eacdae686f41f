"""What a server still holds in memory of calls that have ended."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest
from call_results import result
from live_server import LiveServer
from running_server import edit, make_project

from snippet_engine.storage.change_sets.change_plan import FileChange

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["preview", "apply"])
async def test_the_texts_of_a_call_are_not_kept(tmp_path: Path, mode: str) -> None:
    async with LiveServer(project=make_project(tmp_path / "Game")) as live:
        async with live.client() as client:
            result(await client.call_tool("edit_snippet", edit(mode)), "edit_snippet")
        await asyncio.to_thread(live.server.review.store.settle, 60)
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, FileChange)]
        assert kept == []
