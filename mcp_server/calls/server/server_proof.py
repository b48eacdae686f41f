"""Have a server prove that it belongs to this user, before anything secret is sent.

Implements docs/design/server-and-bridge.md §10. Any program can listen on a port. A client first
sends a nonce. It goes on only after an HMAC of the nonce, whose key only the server's user can read
(:mod:`mcp_server.calls.server.server_file`). The HMAC covers the address, so another listener can't
relay the answer. The token is sent on the connection that was proven.
"""

from __future__ import annotations

import hmac
import json
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp_server.calls.server.server_file import ServerFile, find

if TYPE_CHECKING:
    import httpx2

PROOF_PATH = "/identity"
LOOPBACK_ADDRESS = "127.0.0.1"
NONCE_BYTES = 32
MAX_ANSWER_BYTES = 16 * 1024
ANSWER_LIMIT_S = 10.0

TOKEN_VARIABLE = "UNITY_CLI_TOKEN"

NO_KEY = (
    "the program there wrote no key file for this user, so the token was not sent. If it is "
    "unity-cli serve of an older version, end it (Ctrl-C where it runs) and start it again"
)
NO_PROOF = (
    "the program there did not prove that it is this user's server, so the token was not sent. "
    "If it is unity-cli serve of an older version, end it (Ctrl-C where it runs) and start it again"
)


class NotProvenError(Exception):
    """The program that listens didn't prove that it is this user's server. The text says why."""


def proof_of(key: str, address: str, port: int, nonce: str) -> str:
    """Return the server's proof that it knows ``key``: an HMAC, in hexadecimal digits.

    The HMAC covers address, port and nonce. Client and server compute it alike.
    """
    said = f"unity-snippet {address}:{port} {nonce}".encode()
    return hmac.new(bytes.fromhex(key), said, "sha256").hexdigest()


def stop_proof_of(key: str, port: int) -> str:
    """Return the proof that a request to end the server on ``port`` comes from its own user.

    The user can read ``key`` in the server's file.
    """
    said = f"unity-snippet stop {LOOPBACK_ADDRESS}:{port}".encode()
    return hmac.new(bytes.fromhex(key), said, "sha256").hexdigest()


def is_nonce(text: str) -> bool:
    """Return whether a server accepts this nonce: 16 to 64 bytes in hexadecimal digits."""
    return 32 <= len(text) <= 128 and all(each in "0123456789abcdef" for each in text)


def is_local(url: str) -> bool:
    """Return whether ``url`` is on this machine."""
    return urlsplit(url).hostname in (LOOPBACK_ADDRESS, "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Credentials:
    """A client's token for one server, and the place of that server's file."""

    token: str | None
    needs_proof: bool
    port: int | None = None
    project: Path | None = None

    @classmethod
    def for_url(cls, url: str, token: str | None, project: Path | None) -> Credentials:
        """Return the credentials for ``url``.

        Without ``token`` they are the environment's, or those in the server's own file.

        The user chose a server on another machine, so that server needs no proof.
        """
        parts = urlsplit(url)
        local = is_local(url)
        try:
            port = parts.port
        except ValueError:
            port = None
        token = token or os.environ.get(TOKEN_VARIABLE)
        if not local or port is None:
            return cls(token, needs_proof=False)
        if token is None and (file := find(port, project)) is not None:
            token = file.token
        return cls(token, token is not None, port, project)

    @classmethod
    def for_file(cls, file: ServerFile) -> Credentials:
        """Return the credentials for a server that has proved that it wrote ``file``."""
        return cls(os.environ.get(TOKEN_VARIABLE) or file.token, needs_proof=True, port=file.port)

    def file(self) -> ServerFile | None:
        """Return the file of the server that runs now."""
        return find(self.port, self.project) if self.port is not None else None

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers with the token. Send them on proven connections only."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


class Challenge:
    """A challenge to a server, and its answer. Does no I/O except reading the server's file.

    The file is read after the answer: a starting server may take a connection before it writes its
    file, but never answers before.
    """

    def __init__(self, file: Callable[[], ServerFile | None], address: str, port: int) -> None:
        """``address`` and ``port`` are those of the real connection."""
        import h11  # noqa: PLC0415 - for those that have a token

        self._file = file
        self._address, self._port = address, port
        self._nonce = os.urandom(NONCE_BYTES).hex()  # like ``secrets``, which loads much
        self._connection = h11.Connection(h11.CLIENT)
        self._received = 0
        self._status = 0
        self._body = b""
        request = h11.Request(
            method="GET",
            target=f"{PROOF_PATH}?nonce={self._nonce}",
            headers=[("Host", f"{address}:{port}")],
        )
        sent = self._connection.send(request), self._connection.send(h11.EndOfMessage())
        self.question = b"".join(part or b"" for part in sent)

    def answered(self, data: bytes) -> bool:
        """Take received data; return whether the answer is complete and right.

        Raises :class:`NotProvenError` for a wrong answer.
        """
        import h11  # noqa: PLC0415

        self._received += len(data)
        if self._received > MAX_ANSWER_BYTES or not data:
            raise NotProvenError(NO_PROOF)
        try:
            self._connection.receive_data(data)
            while True:
                event = self._connection.next_event()
                if event is h11.NEED_DATA:
                    return False
                if self._ends_with(event):
                    break
        except h11.ProtocolError:
            raise NotProvenError(NO_PROOF) from None
        file = self._file()
        if file is None:
            raise NotProvenError(NO_KEY)
        expected = proof_of(file.key, self._address, self._port, self._nonce)
        if self._status != 200 or not hmac.compare_digest(self._proof(), expected):
            raise NotProvenError(NO_PROOF)
        return True

    def _ends_with(self, event: object) -> bool:
        import h11  # noqa: PLC0415

        if isinstance(event, h11.Response):
            self._status = event.status_code
        elif isinstance(event, h11.Data):
            self._body += bytes(event.data)
        return isinstance(event, h11.EndOfMessage | h11.ConnectionClosed)

    def _proof(self) -> str:
        try:
            document = json.loads(self._body)
        except (ValueError, RecursionError):
            return ""
        found = document.get("proof") if isinstance(document, Mapping) else None
        return found if isinstance(found, str) and found.isascii() else ""


def proving(credentials: Credentials) -> dict[str, Any]:
    """Return arguments for ``httpx2.AsyncClient`` that prove each connection before use."""
    if not credentials.needs_proof:
        return {"headers": credentials.headers}

    async def on_event(name: str, info: Mapping[str, Any]) -> None:
        if name == "connection.connect_tcp.complete":
            await _prove(info["return_value"], credentials.file)

    async def on_request(request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": on_event}

    # Never through a proxy.
    return {
        "headers": credentials.headers,
        "trust_env": False,
        "event_hooks": {"request": [on_request]},
    }


async def _prove(stream: Any, file: Callable[[], ServerFile | None]) -> None:
    """Have the server at the other end of ``stream`` (httpcore2's) prove itself."""
    import asyncio  # noqa: PLC0415 - loaded already

    try:
        address, port = stream.get_extra_info("server_addr")[:2]
        challenge = Challenge(file, address, port)
        async with asyncio.timeout(ANSWER_LIMIT_S):
            await stream.write(challenge.question)
            while not challenge.answered(await stream.read(4096)):
                pass
    except TimeoutError:
        await stream.aclose()
        raise NotProvenError(NO_PROOF) from None
    except BaseException:
        await stream.aclose()
        raise


def answers(file: ServerFile, limit_s: float = 2.0) -> bool:
    """Return whether the server of ``file`` answers with a proof. Each step takes ``limit_s``."""
    try:
        with socket.create_connection((LOOPBACK_ADDRESS, file.port), limit_s) as connection:
            prove(connection, lambda: file)
    except (OSError, OverflowError, NotProvenError):
        return False
    return True


def prove(connected: socket.socket, file: Callable[[], ServerFile | None]) -> None:
    """Have the server at the other end of the socket prove itself, within the socket's timeout.

    Raises :class:`NotProvenError`, ``OSError``.
    """
    limit_s = connected.gettimeout()
    until = None if limit_s is None else monotonic() + limit_s
    address, port = connected.getpeername()[:2]
    challenge = Challenge(file, address, port)
    connected.sendall(challenge.question)
    while not challenge.answered(connected.recv(4096)):
        if until is not None:
            left_s = until - monotonic()
            if left_s <= 0:
                raise TimeoutError("no proof in time")
            connected.settimeout(left_s)
    connected.settimeout(limit_s)
