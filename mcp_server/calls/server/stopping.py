"""End a running server, and wait for its end.

Implements docs/design/command-line.md "status and stop". Only a server that proves itself by its
own file is told to end, on that same connection. No process is ended by its number.
"""

from __future__ import annotations

import time
from http import HTTPStatus

from mcp_server.calls.server.proven_connection import ProvenConnection
from mcp_server.calls.server.server_file import ServerFile
from mcp_server.calls.server.server_proof import NotProvenError, answers, stop_proof_of
from mcp_server.contract.server_schemas import SERVER_STOP_PATH

STEP_S = 5.0
"""Limit for each step of asking, in seconds."""

END_S = 15.0
"""Limit for the server to end, in seconds; it ends itself within ten."""

_LOOK_S = 0.1
_MAX_ANSWER_BYTES = 64 * 1024


def stop(file: ServerFile) -> str | None:
    """End the server that left ``file``, and wait until it has ended.

    Return why it goes on, as the end of a sentence, or ``None``.
    """
    question = {"proof": stop_proof_of(file.key, file.port)}
    try:
        connection = ProvenConnection.to_server(file, STEP_S)
    except (OSError, NotProvenError):
        return "it doesn't prove that it is this user's server"
    try:
        answer = connection.ask(file, SERVER_STOP_PATH, question, within_s=STEP_S)
        answer.read(_MAX_ANSWER_BYTES)
    except (OSError, ValueError) as error:
        return f"it gave no answer ({error})"
    finally:
        connection.close()
    if answer.status == HTTPStatus.NOT_FOUND:
        return "its version can't be stopped this way"
    if answer.status != HTTPStatus.OK:
        return f"it refuses (HTTP status {answer.status})"
    until = time.monotonic() + END_S
    while answers(file, _LOOK_S):
        if time.monotonic() >= until:
            return "it was told to end and still answers"
        time.sleep(_LOOK_S)
    return None
