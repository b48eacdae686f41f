"""An Editor with Unity's Pipeline package that answers at once: ``pipeline_editor.py PROJECT``.

A process of its own, as an Editor is: what it takes isn't the server's. It writes the descriptor,
prints its port, and serves until its input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from unity_bridge.pipeline.project_files import DESCRIPTOR_PATH, PORTS

TOKEN = "benchmark"
COMMANDS = {"commands": [{"name": "console", "parameters": [{"name": "tail"}]}]}
CONSOLE = {"success": True, "result": {"entries": [], "cursor": 0, "session": "one"}}


def answer_to(path: str, project: Path) -> bytes:
    """Return the body of an answer."""
    if path.startswith("/api/editor_status"):
        status = {"status": "ready", "playMode": "stopped", "projectPath": str(project)}
        return json.dumps(status).encode()
    return json.dumps(COMMANDS if path.startswith("/api/commands") else CONSOLE).encode()


async def serve(project: Path) -> None:
    """Answer every request, one a connection or several."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = [
                    int(line.partition(":")[2])
                    for line in head.lower().splitlines()
                    if line.startswith("content-length:")
                ]
                await reader.readexactly(sum(length))
                body = answer_to(head.split()[1], project)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        writer.close()

    for port in PORTS:
        try:
            server = await asyncio.start_server(answer, "127.0.0.1", port)
        except OSError:
            continue
        break
    descriptor = project / DESCRIPTOR_PATH
    descriptor.parent.mkdir(parents=True, exist_ok=True)
    descriptor.touch(0o600)
    told = {"port": port, "evalToken": TOKEN, "pid": os.getpid(), "projectPath": str(project)}
    descriptor.write_text(json.dumps(told), encoding="utf-8")
    print(port, flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
