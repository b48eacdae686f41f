"""Every example of ``tools/list`` does what it shows, on scripts of the usual form."""

from __future__ import annotations

import json
from pathlib import Path

from mcp import Client
from mcp_talk import talk, text
from running_server import RunningServer

EMPTY_CLASS = b"public class A\r\n{\r\n}\r\n"


def test_every_example_works_as_it_is_listed(server: RunningServer, script: Path) -> None:
    (script.parents[1] / "A.cs").write_bytes(EMPTY_CLASS)
    done: list[str] = []

    async def scenario(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            for line in (tool.description or "").splitlines():
                if line.startswith("{"):
                    result = await client.call_tool(tool.name, json.loads(line))
                    assert not result.is_error, text(result)
                    done.append(tool.name)

    talk(server.url, "auto", scenario)
    assert done == ["edit_snippet", "edit_scripts"]
    assert b"if (speed > 20)" in script.read_bytes()
    assert b"C.D();" in (script.parents[1] / "A.cs").read_bytes()
    assert b"void D() { }" in (script.parents[1] / "C.cs").read_bytes()
