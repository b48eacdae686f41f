"""Frames: between the text of a WebSocket message and what it means.

Implements docs/design/wire-protocol.md §1, §8 and §9. Reading never raises: what
can't be read is a value that says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import jsonschema_rs

from unity_bridge.link import CancelJob, Command, Execute, GetJobStatus
from unity_bridge.plugin.wire_schemas import READ_FROM_PLUGIN
from unity_bridge.timing import MAX_MESSAGE_BYTES, PROTOCOL_VERSION
from unity_bridge.told_json import Unreadable, read_told

EXCERPT_LENGTH = 120
"""Longest part of a bad frame that is logged, in code points."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """A message that means nothing. ``request_id`` and ``kind`` are what could be read of it.

    ``hopeless`` where the same would come again if it were asked for again.
    """

    problem: str
    excerpt: str
    request_id: str | None = None
    kind: str | None = None
    hopeless: bool = False


@dataclass(frozen=True, slots=True)
class Oversize:
    """A message that is too large to be read; ``request_id`` is the one it seems to answer."""

    size: int
    request_id: str | None


Frame: TypeAlias = Mapping[str, Any]


def read_frame(message: str | bytes) -> Frame | Garbage | Oversize:
    """The frame that the plugin sent; its fields have the types of ``READ_FROM_PLUGIN``."""
    if isinstance(message, bytes):
        return Garbage("binary frames are not part of the protocol", f"{len(message)} bytes")
    excerpt = message[:EXCERPT_LENGTH]
    # A code point has at most four bytes: short messages need not be encoded to be measured.
    if len(message) * 4 > MAX_MESSAGE_BYTES:
        size = len(message.encode("utf-8", "surrogatepass"))
        if size > MAX_MESSAGE_BYTES:
            return Oversize(size, _request_id_in(message))
    value = read_told(message)
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
    """The text of a frame from the server."""
    return json.dumps({"type": kind, "protocol_version": PROTOCOL_VERSION, **fields})


def command_frame(request_id: str, command: Command, timeout_ms: int) -> str:
    """The frame that asks for ``command``."""
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
    """The first request id in a message that can't be parsed; looked for in its first and last
    parts, where senders put the small fields."""
    window = 4096
    for part in (message[:window], message[-window:]):
        found = _REQUEST_ID.search(part)
        if found is not None:
            return found[1]
    return None


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(READ_FROM_PLUGIN[kind])
