"""A server told to end, by the user whose server it is, and waited for.

Implements docs/design/command-line.md "status and stop". Only the server that proves itself
by its own file is told so, on that very connection; no process is ever ended by its number.
"""

from __future__ import annotations

import json
import time
from http import HTTPStatus

from mcp_server.calls.server.proven_connection import ProvenConnection
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import (
    Credentials,
    NotProvenError,
    answers,
    stop_proof_of,
)
from mcp_server.calls.server.single_call import JSON_TYPE
from mcp_server.contract.server_schemas import SERVER_STOP_PATH

STEP_S = 5.0
"""How long each step of asking may take, in seconds."""

END_S = 15.0
"""How long the server's end may take, in seconds; it sees to that in ten itself."""

_LOOK_S = 0.1
_MAX_ANSWER_BYTES = 64 * 1024


def stop(file: ServerFile) -> str | None:
    """Tell the server that left ``file`` to end, and wait for that; else why it doesn't, as the end
    of a sentence."""
    headers = {**Credentials.for_file(file).headers, "Content-Type": JSON_TYPE}
    body = json.dumps({"proof": stop_proof_of(file.key, file.port)}).encode()
    try:
        connection = ProvenConnection(file, STEP_S)
    except (OSError, NotProvenError):
        return "it gives no proof that it is this user's server"
    try:
        answer = connection.request("POST", SERVER_STOP_PATH, headers, body, within_s=STEP_S)
        answer.read(_MAX_ANSWER_BYTES)
    except (OSError, ValueError) as error:
        return f"it gave no answer ({error})"
    finally:
        connection.close()
    if answer.status == HTTPStatus.NOT_FOUND:
        return "it is of a version that can't be told so"
    if answer.status != HTTPStatus.OK:
        return f"it refuses (HTTP status {answer.status})"
    until = time.monotonic() + END_S
    while answers(file, _LOOK_S):
        if time.monotonic() >= until:
            return "it was told so, and still answers"
        time.sleep(_LOOK_S)
    return None
