"""One connection to a server of this user's, proven before anything else is said on it.

Part of docs/design/server-and-bridge.md §10 and §13. h11 over a socket: what a command asks of a
server that runs already is a few small requests, and to import an HTTP client takes longer.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic

import h11

from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import LOOPBACK_ADDRESS, prove

_SLICE_S = 0.25
"""So long one wait for bytes takes at most: Windows has Ctrl-C wait for its end."""

_READ_BYTES = 64 * 1024


class ConnectionLostError(ConnectionError):
    """The connection ended, or what came on it is no HTTP."""


class NotSentError(ConnectionLostError):
    """No whole request went out, so that nothing can come of it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response: its status, its media type, and its body as it comes, which has to be read
    to its end before the next request."""

    status: int
    content_type: str
    parts: Iterator[bytes]

    def bounded(self, limit: int) -> Iterator[bytes]:
        """The body's parts. Raises ``ValueError`` if they are more than ``limit`` bytes, and what
        :meth:`ProvenConnection.request` does."""
        size = 0
        for part in self.parts:
            size += len(part)
            if size > limit:
                raise ValueError("the answer is too long")
            yield part

    def read(self, limit: int) -> bytes:
        """The whole body. Raises as :meth:`bounded`."""
        return b"".join(self.bounded(limit))


class ProvenConnection:
    """A connection at whose other end is the server that left ``file``; ``close`` it.

    One request at a time.
    """

    def __init__(self, file: ServerFile, limit_s: float) -> None:
        """Connect, and have the server prove itself; each step takes ``limit_s`` at most.

        Raises ``OSError``, :class:`.NotProvenError`.
        """
        self._http = h11.Connection(h11.CLIENT)
        self._host = f"{LOOPBACK_ADDRESS}:{file.port}"
        try:
            self._socket = socket.create_connection((LOOPBACK_ADDRESS, file.port), limit_s)
        except OverflowError as error:  # of a file that names no port
            raise OSError(str(error)) from error
        try:
            prove(self._socket, lambda: file)
        except BaseException:
            self._socket.close()
            raise
        self._rests_since = monotonic()

    @property
    def is_idle(self) -> bool:
        """Whether the next request can be sent: the last answer was read, and neither end is to
        hang up."""
        return self._http.our_state is h11.IDLE and self._http.their_state is h11.IDLE

    def has_rested(self, for_s: float) -> bool:
        """Whether the last exchange on it ended so long ago that the server may have hung up."""
        return monotonic() - self._rests_since > for_s

    def request(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        within_s: float,
    ) -> Answer:
        """Ask, and wait for the beginning of the answer; all of it takes ``within_s`` at most.

        Raises ``TimeoutError`` once that time is over, :class:`NotSentError` where it was not
        sent, and :class:`ConnectionLostError` or another ``OSError`` if there is no answer.
        """
        until = monotonic() + within_s
        sent = {"Host": self._host, **headers}
        if body:
            sent["Content-Length"] = str(len(body))
        try:
            begin = h11.Request(method=method, target=target, headers=list(sent.items()))
            events = (begin, *([h11.Data(data=body)] if body else []), h11.EndOfMessage())
            self._socket.settimeout(within_s)
            self._socket.sendall(b"".join(self._http.send(each) or b"" for each in events))
        except TimeoutError:
            raise
        # The server has said that it hangs up, or a header can't have such a value. What the
        # system refuses to take is the end of the request, at least.
        except (h11.LocalProtocolError, OSError, ValueError) as error:
            raise NotSentError(str(error)) from error
        while not isinstance(event := self._next(until), h11.Response):
            if not isinstance(event, h11.InformationalResponse):
                raise ConnectionLostError("it ended without an answer")
        kinds = (value for name, value in event.headers if name == b"content-type")
        kind = next(kinds, b"").partition(b";")[0].strip().lower().decode("ascii", "replace")
        return Answer(event.status_code, kind, self._parts(until))

    def _parts(self, until: float) -> Iterator[bytes]:
        while isinstance(event := self._next(until), h11.Data):
            yield bytes(event.data)
        if not isinstance(event, h11.EndOfMessage):
            raise ConnectionLostError("it ended in the middle of an answer")
        self._rests_since = monotonic()
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    def _next(self, until: float) -> object:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(self._received(until))
        except h11.ProtocolError as error:
            is_missing = self._http.trailing_data[1]
            what = "it hung up" if is_missing else "what it answered is no HTTP"
            raise ConnectionLostError(what) from error
        return event

    def _received(self, until: float) -> bytes:
        while (left_s := until - monotonic()) > 0:
            self._socket.settimeout(min(left_s, _SLICE_S))
            try:
                return self._socket.recv(_READ_BYTES)
            except TimeoutError:
                continue
        raise TimeoutError("no answer in time")

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
