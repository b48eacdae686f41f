"""HTTP by hand, for what no well-behaved client would send."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fake_editor import PATIENCE_S

Json = dict[str, Any]

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


def head(port: int, length: int | None, path: str = "/mcp", **headers: str) -> bytes:
    """The head of a POST; without a length, the body comes in chunks."""
    all_headers = {
        "Host": f"127.0.0.1:{port}",
        **HEADERS,
        **({"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": str(length)}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = [f"POST {path} HTTP/1.1", *(f"{k}: {v}" for k, v in all_headers.items()), "", ""]
    return "\r\n".join(lines).encode()


class RawConnection:
    """One TCP connection to the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def __aenter__(self) -> RawConnection:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def open(self) -> RawConnection:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def post(self, body: bytes, **headers: str) -> None:
        await self.send(head(self.port, len(body), **headers) + body)

    async def status(self) -> int:
        """The status of the next answer."""
        line = await asyncio.wait_for(self.reader.readline(), PATIENCE_S)
        assert line.startswith(b"HTTP/1.1 "), line
        return int(line.split()[1])

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """The next answer: its status, headers (in lower case) and whole body."""
        status = await self.status()
        headers: dict[str, str] = {}
        while (line := await self.reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int((await self.reader.readline()).split(b";")[0], 16):
                body += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        else:
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return status, headers, body

    async def ended(self) -> bytes:
        """What still comes until the server ends the connection, politely or not."""
        try:
            return await asyncio.wait_for(self.reader.read(), PATIENCE_S)
        except ConnectionResetError:
            return b""


def request(method: str, request_id: object, **params: Any) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    ).encode()


def messages(body: bytes) -> list[Json]:
    """The JSON-RPC messages in an answer, whichever form it has."""
    text = body.decode()
    if text.lstrip().startswith("{"):
        return [json.loads(text)]
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
