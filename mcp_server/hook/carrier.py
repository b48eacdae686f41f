"""One hook's process: sends standard input to the server, and prints the server's answer.

No failure here may stop an agent. So after a failure the answer is empty, and the exit code 0.

On one connection, the server first proves itself, and then gets the event. The proof is that of
``mcp_server.calls.server.server_proof``, computed here without its imports. Loading ``socket`` and
``hashlib`` takes longer than the whole exchange, so the C modules below them are used. If these
have other names, the usual modules are used.
"""

from __future__ import annotations

import _thread
import os
import time

from mcp_server.hook import CLIENTS, NotCarriedError
from mcp_server.hook.server_record import Server, find_server, log, text_after

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""Largest event that the server accepts."""

ANSWER_S = 0.3
"""Seconds that an agent waits for the server before and after a tool call."""

STOP_S = 60.0
"""Seconds that an agent waits at the end of its turn, when the compiler may be asked."""

READ_S = 3.0
"""Seconds that the client has to write the event, and later to read the answer."""

_STOPS = ("Stop", "stop", "agentStop", "AfterAgent", "session.idle")
_NAME_KEYS = (b"hook_event_name", b"hookEventName", b"hookName", b"agent_action_name")
_MAX_NAME = 40


def carry(client: str) -> int:
    """Answer the event on standard input. Return the exit code."""
    client = client[:_MAX_NAME]
    answer = Carried()
    try:
        answer = _ask_server(client)
    except NotCarriedError as error:
        log(client, str(error))
    except BaseException as error:  # no failure may stop the agent
        log(client, f"{type(error).__name__}: {error}")
    try:
        _write(1, answer.stdout)
        _write(2, answer.stderr)
    except OSError:  # nobody reads the answer
        pass
    return answer.exit_code


def _ask_server(client: str) -> Carried:
    if client not in CLIENTS:
        raise NotCarriedError(f"there is no client of that name; known: {', '.join(CLIENTS)}")
    _end_after(READ_S, client, "the client did not end its event")
    event = _read_event()
    within_s = STOP_S if _is_stop(event) else ANSWER_S * _patience()
    _end_after(within_s + READ_S, client, "the client did not read the answer")
    return exchange(find_server(event), client, event, within_s)


def _patience() -> int:
    """Return the factor for time limits, as :func:`mcp_server.guard.events.factor` does."""
    given = os.environ.get("UNITY_SNIPPET_GUARD_PATIENCE", "")
    return min(max(1, int(given)), 100) if given.isdigit() else 1


def _is_stop(event: bytes) -> bool:
    return any(text_after(event, key) in _STOPS for key in _NAME_KEYS)


def _read_event() -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := os.read(0, 1 << 16):
        parts.append(part)
        size += len(part)
        if size > MAX_EVENT_BYTES:
            raise NotCarriedError(f"the event has more than {MAX_EVENT_BYTES:,} bytes")
    if not size:
        raise NotCarriedError("there was no event on standard input")
    return b"".join(parts)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


_timers = 0


def _end_after(seconds: float, client: str, reason: str) -> None:
    """End the process in ``seconds``, unless this function is called again before."""
    global _timers  # noqa: PLW0603 - one process, one event
    _timers += 1
    _thread.start_new_thread(_end_late, (_timers, seconds, client, reason))


def _end_late(number: int, seconds: float, client: str, reason: str) -> None:
    time.sleep(seconds)
    if number == _timers:
        log(client, reason)
        os._exit(0)


TYPE_CHECKING = False  # as in ``typing``
if TYPE_CHECKING:
    from hashlib import sha256
    from socket import AF_INET, SOCK_STREAM, socket
else:
    try:
        from _socket import AF_INET, SOCK_STREAM, socket
    except ImportError:
        from socket import AF_INET, SOCK_STREAM, socket
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

ADDRESS = "127.0.0.1"
MAX_ANSWER_BYTES = 256 * 1024

PROOF_S = 2.0
"""Most seconds for the proof. Only a verdict may take longer."""


class Carried:
    """The server's answer, to be passed on to the client."""

    def __init__(self, stdout: bytes = b"", stderr: bytes = b"", exit_code: int = 0) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.exit_code = exit_code


def proof_of(key: str, port: int, nonce: str) -> str:
    """Return the proof that a server at ``port`` would give if it has ``key``."""
    said = f"unity-snippet {ADDRESS}:{port} {nonce}".encode()
    padded = bytes.fromhex(key).ljust(64, b"\0")
    inner = sha256(bytes(each ^ 0x36 for each in padded) + said).digest()
    return sha256(bytes(each ^ 0x5C for each in padded) + inner).hexdigest()


def exchange(server: Server, client: str, event: bytes, within_s: float) -> Carried:
    """Return the server's answer to ``event``. Raises :class:`NotCarriedError`."""
    began = time.monotonic()
    until, proved = began + within_s, began + min(within_s, PROOF_S)
    waited_s = proved - began
    connection = socket(AF_INET, SOCK_STREAM)
    try:
        connection.settimeout(waited_s)
        connection.connect((ADDRESS, server.port))
        nonce = os.urandom(32).hex()
        host = f"Host: {ADDRESS}:{server.port}\r\n"
        connection.sendall(f"GET /identity?nonce={nonce} HTTP/1.1\r\n{host}\r\n".encode())
        _, proof = _answer(connection, proved)
        if proof_of(server.key, server.port, nonce).encode() not in proof:
            raise NotCarriedError(
                "the program that listens there did not prove that it is this user's server"
            )
        authorization = f"Authorization: Bearer {server.token}\r\n" if server.token else ""
        head = (
            f"POST /guard/{client} HTTP/1.1\r\n{host}{authorization}"
            f"Content-Type: application/json\r\nContent-Length: {len(event)}\r\n"
            f"X-Hook-Until: {until:.3f}\r\nX-Hook-Folder: {_folder_in_hex()}\r\n"
            "X-Hook-Process: 1\r\nConnection: close\r\n\r\n"
        )
        waited_s = within_s
        connection.settimeout(max(0.001, until - time.monotonic()))
        connection.sendall(head.encode() + event)
        headers, body = _answer(connection, until)
    except TimeoutError:
        raise NotCarriedError(f"the server gave no answer within {waited_s:g} s") from None
    except OSError as error:
        raise NotCarriedError(f"no connection to the server: {error.strerror or error}") from None
    finally:
        connection.close()
    on_stdout = _number(headers, b"x-stdout-bytes:", len(body))
    return Carried(body[:on_stdout], body[on_stdout:], _number(headers, b"x-exit-code:", 0))


def _answer(connection: socket, until: float) -> tuple[bytes, bytes]:
    """Return the headers, in lower case, and the body of an answer.

    Raises :class:`NotCarriedError` if the status isn't 200.
    """
    data = b""
    head, length = b"", -1
    while length < 0 or len(data) < len(head) + 4 + length:
        # Bytes that came in time are read, even if this process could not run until now.
        connection.settimeout(max(0.001, until - time.monotonic()))
        part = connection.recv(65536)
        if not part:
            raise NotCarriedError("the server hung up")
        data += part
        if len(data) > MAX_ANSWER_BYTES:
            raise NotCarriedError("the server's answer is too long")
        if length < 0 and b"\r\n\r\n" in data:
            head = data.partition(b"\r\n\r\n")[0]
            status = head[9:12].decode("ascii", "replace")
            if status != "200":
                raise NotCarriedError(f"the server answered with HTTP status {status}")
            length = _number(head.lower(), b"content-length:", -1)
            if length < 0:
                raise NotCarriedError("the server's answer has no length")
    return head.lower(), data[len(head) + 4 : len(head) + 4 + length]


def _folder_in_hex() -> str:
    """Return the working folder in hexadecimal digits. Some clients send paths relative to it."""
    try:
        return os.fsencode(os.getcwd()).hex()
    except OSError:  # the folder is gone
        return ""


def _number(headers: bytes, name: bytes, otherwise: int) -> int:
    digits = headers.partition(b"\r\n" + name)[2].partition(b"\r\n")[0].strip()
    return int(digits) if digits.isdigit() else otherwise
