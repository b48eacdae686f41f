"""A server that proves to be this user's, and answers whatever a test has it say."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import proof_of

Answer = Callable[[socket.socket], None]


@contextmanager
def proving_server(answer: Answer) -> Iterator[ServerFile]:
    """Proves that it is this user's server, and gives any call to ``answer``."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        file = ServerFile.of_this_process(listener.getsockname()[1], None)
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    head = request(client)
                    target = head.split(b" ")[1].decode()
                    nonce = parse_qs(urlsplit(target).query)["nonce"][0]
                    said = {"proof": proof_of(file.key, "127.0.0.1", file.port, nonce)}
                    client.sendall(http("200 OK", json.dumps(said).encode()))
                    if request(client):
                        answer(client)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield file
        ended.set()
        listener.close()


def request(client: socket.socket) -> bytes:
    """A whole request, or nothing."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = client.recv(65536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0].partition(b":")[2]):
        body += client.recv(65536)
    return head


def http(status: str, body: bytes, kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def says(data: bytes) -> Answer:
    return lambda client: client.sendall(data)
