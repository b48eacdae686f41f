"""The Editor link over a socket that the test holds in its hand, at the level of ASGI.

What real sockets do is tested with the whole server; here sending stands still where the test
says, which no real socket does at a place that can be named.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from live_server import HeldClock
from starlette.websockets import WebSocket

from unity_bridge.editor_state import EditorView
from unity_bridge.link import Answer, Completed, Execute, NotSent
from unity_bridge.plugin.websocket_link import WebSocketLink

CONSOLE = Execute("read_console", {})
LEFT = NotSent(
    "ERR_UNITY_DISCONNECTED", "the Unity Editor disconnected before the request was sent"
)
HELLO = {"type": "hello", "version": 1, "plugin_version": "1.0.0", "state": "ready"}


class Plugin:
    """One connection of a plugin; its socket takes messages only while it is ``open``."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._to_server: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.open = asyncio.Event()
        self.open.set()
        self._changed = asyncio.Event()
        self.blocked = asyncio.Event()
        scope = {"type": "websocket", "path": "/unity", "headers": [], "query_string": b""}
        self.websocket = WebSocket(scope, self._receive, self._send)
        self._to_server.put_nowait({"type": "websocket.connect"})

    async def _receive(self) -> dict[str, Any]:
        return await self._to_server.get()

    async def _send(self, message: Any) -> None:
        if not self.open.is_set():
            self.blocked.set()
            await self.open.wait()
        self.sent.append(dict(message))
        self._changed.set()

    def says(self, **frame: Any) -> None:
        self._to_server.put_nowait({"type": "websocket.receive", "text": json.dumps(frame)})

    def leaves(self, code: int = 1006) -> None:
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": code})

    def requests(self) -> list[str]:
        frames = [json.loads(each["text"]) for each in self.sent if "text" in each]
        return [frame["request_id"] for frame in frames if "request_id" in frame]

    async def got(self, count: int) -> None:
        """Wait until that many messages have been sent, ``accept`` among them."""
        async with asyncio.timeout(60):
            while len(self.sent) < count:
                self._changed.clear()
                await self._changed.wait()


class Listener:
    """Keeps what the link tells."""

    def __init__(self) -> None:
        self.views: list[EditorView] = []
        self.answers: list[tuple[str, Answer]] = []

    def on_view(self, view: EditorView) -> None:
        self.views.append(view)

    def on_answer(self, request_id: str, answer: Answer) -> None:
        self.answers.append((request_id, answer))


class Connected:
    """A link with one connected plugin; an async context manager."""

    def __init__(self) -> None:
        self.link = WebSocketLink(
            server_version="1", tools=[], log_event=lambda *_, **__: None, clock=HeldClock()
        )
        self.listener = Listener()
        self.link.listen(self.listener)
        self.plugin = Plugin()

    async def __aenter__(self) -> Connected:
        self.serving = asyncio.create_task(self.link.serve(self.plugin.websocket))
        self.plugin.says(**HELLO)
        await self.plugin.got(3)  # accept, hello, capability
        return self

    async def __aexit__(self, *_: object) -> None:
        self.plugin.open.set()
        self.plugin.leaves()
        await asyncio.wait_for(self.serving, 60)
        await self.link.close()


def test_what_was_never_sent_is_told_so_when_the_connection_is_lost() -> None:
    """What had begun to be sent is not: nobody knows how much of it arrived."""

    async def scenario() -> None:
        async with Connected() as connected:
            link, plugin = connected.link, connected.plugin
            plugin.open.clear()
            for name in ("begun", "first", "second"):
                link.start(name, CONSOLE, 1_000)
            await asyncio.wait_for(plugin.blocked.wait(), 60)
            link.forget("second")  # nobody is told what nobody waits for
            link.start("third", CONSOLE, 1_000)
            plugin.leaves()
            await asyncio.wait_for(connected.serving, 60)
            assert connected.listener.answers == [("first", LEFT), ("third", LEFT)]
            assert not link.view.connected
            assert plugin.requests() == []

    asyncio.run(scenario())


def test_what_was_sent_may_still_be_answered_on_the_next_connection() -> None:
    async def scenario() -> None:
        async with Connected() as connected:
            connected.link.start("sent", CONSOLE, 1_000)
            await connected.plugin.got(4)
            connected.plugin.leaves()
            await asyncio.wait_for(connected.serving, 60)
            assert connected.listener.answers == []
            connected.plugin = Plugin()
            async with connected:
                result = {"entries": [], "count": 0, "truncated": False}
                connected.plugin.says(
                    type="result", version=1, request_id="sent", status="ok", result=result
                )
                connected.plugin.leaves()
                await asyncio.wait_for(connected.serving, 60)
            ((name, answer),) = connected.listener.answers
            assert name == "sent"
            assert isinstance(answer, Completed)

    asyncio.run(scenario())
