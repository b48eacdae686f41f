"""Frames: read and write the text of a WebSocket message.

Implements docs/design/wire-protocol.md §1, §5, §8 and §9. Reading never raises: an unreadable
message is a value that says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import jsonschema_rs

from unity_bridge.bounded_json import Unreadable, read_json_text
from unity_bridge.link import (
    Answer,
    CancelJob,
    Command,
    Completed,
    Execute,
    Failed,
    GetJobStatus,
    Malformed,
    Rejected,
    SubmitJob,
)
from unity_bridge.plugin.wire_schemas import READ_FROM_PLUGIN
from unity_bridge.timing import MAX_MESSAGE_BYTES, PROTOCOL_VERSION

EXCERPT_LENGTH = 120
"""Longest part of a bad frame that is logged, in code points."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """An invalid message."""

    problem: str
    excerpt: str
    request_id: str | None = None
    """The request it names, if it could be read."""
    kind: str | None = None
    """Its type, if it could be read."""
    hopeless: bool = False
    """Whether asking again would bring the same message."""


@dataclass(frozen=True, slots=True)
class Oversize:
    """A message that is too large to read."""

    size: int
    request_id: str | None
    """The request that it seems to answer."""


Frame: TypeAlias = Mapping[str, Any]


def read_frame(message: str | bytes) -> Frame | Garbage | Oversize:
    """Return the plugin's frame, whose fields have the types of ``READ_FROM_PLUGIN``."""
    if isinstance(message, bytes):
        return Garbage("binary frames are not part of the protocol", f"{len(message)} bytes")
    excerpt = message[:EXCERPT_LENGTH]
    # A code point has at most four bytes, so short messages need no encoding.
    if len(message) * 4 > MAX_MESSAGE_BYTES:
        size = len(message.encode("utf-8", "surrogatepass"))
        if size > MAX_MESSAGE_BYTES:
            return Oversize(size, _request_id_in(message))
    value = read_json_text(message)
    if isinstance(value, Unreadable):
        named = _request_id_in(message)
        return Garbage(value.problem, excerpt, named, hopeless=value.hopeless)
    if not isinstance(value, dict):
        return Garbage("the message is not a JSON object", excerpt)
    kind = value.get("type")
    if not isinstance(kind, str):
        return Garbage("the message has no type", excerpt)
    request_id = value.get("request_id")
    if not isinstance(request_id, str):
        request_id = None
    if kind not in READ_FROM_PLUGIN:
        return Garbage(f"there is no message type {kind[:40]!r}", excerpt, request_id, kind)
    try:
        _validator(kind).validate(value)
    except jsonschema_rs.ValidationError as error:
        path = "".join(f".{part}" for part in error.instance_path)
        problem = f"{kind}{path}: {error.message}"[:200]
        return Garbage(problem, excerpt, request_id, kind)
    except ValueError as error:  # a number or string that has no JSON form
        return Garbage(f"{kind}: {error}"[:200], excerpt, request_id, kind)
    return value


def written(kind: str, **fields: Any) -> str:
    """Return the text of a frame from the server."""
    return json.dumps({"type": kind, "protocol_version": PROTOCOL_VERSION, **fields})


def command_frame(request_id: str, command: Command, timeout_ms: int) -> str:
    """Return the frame that asks for ``command``."""
    if isinstance(command, GetJobStatus):
        return written("get_job_status", request_id=request_id, job_id=command.job_id)
    if isinstance(command, CancelJob):
        return written("cancel", request_id=request_id, target_job_id=command.job_id)
    fields: dict[str, Any] = {
        "request_id": request_id,
        "tool_name": command.tool,
        "params": dict(command.params),
        "timeout_ms": timeout_ms,
    }
    if command.client_request_id is not None:
        fields["client_request_id"] = command.client_request_id
    return written("execute" if isinstance(command, Execute) else "submit_job", **fields)


_REQUEST_ID = re.compile(r'"request_id"\s*:\s*"([^"\\]{1,200})"')


def _request_id_in(message: str) -> str | None:
    """Return the first request id near the beginning or end of an unparsed message."""
    window = 4096
    for part in (message[:window], message[-window:]):
        found = _REQUEST_ID.search(part)
        if found is not None:
            return found[1]
    return None


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(READ_FROM_PLUGIN[kind])


def answer_kind(command: Command) -> str:
    """Return the type of the frame that answers ``command``."""
    kinds: dict[type, str] = {
        Execute: "result",
        SubmitJob: "submit_job_result",
        GetJobStatus: "job_status",
        CancelJob: "cancel_result",
    }
    return kinds[type(command)]


def answer_of(command: Command, frame: Frame) -> Answer:
    """Return the answer in ``frame`` to ``command``.

    ``result`` with ``status: error`` is a tool that started and failed; ``error`` is a refused
    command.
    """
    kind, expected = frame["type"], answer_kind(command)
    if kind == "error":
        error = frame["error"]
        return Rejected(error["code"], error["message"], error.get("details", {}))
    if kind != expected:
        return Malformed(f"a {expected} message", f"a {kind} message")
    if kind == "result":
        result = frame["result"]
        if frame["status"] == "error":
            return Failed(result["code"], result["message"], result.get("details", {}))
        return Completed(result)
    if kind == "submit_job_result" and frame["status"] != "accepted":
        why = frame.get("error", {})
        return Rejected(why.get("code", "ERR_UNITY_EXECUTION"), why.get("message", frame["status"]))
    if isinstance(command, GetJobStatus) and frame["job_id"] != command.job_id:
        return Malformed(f"the status of {command.job_id}", f"the status of {frame['job_id']}")
    return Completed(_without_envelope(frame))


def job_report(status: Frame) -> Mapping[str, Any]:
    """Return the content of a ``job_status``."""
    return {"progress": None, "result": None, **_without_envelope(status)}


def _without_envelope(frame: Frame) -> dict[str, Any]:
    return {key: value for key, value in frame.items() if key not in _ENVELOPE}


_ENVELOPE = frozenset({"type", "protocol_version", "timestamp", "request_id"})
