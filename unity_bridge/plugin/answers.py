"""From the frame that comes back for a command to the answer that it is.

Implements docs/design/wire-protocol.md §5: ``result`` with ``status: error`` is a tool that started
and failed; ``error`` is a command that was refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from unity_bridge.plugin.frames import Frame


def answer_kind(command: Command) -> str:
    """The type of the frame that answers ``command``."""
    kinds: dict[type, str] = {
        Execute: "result",
        SubmitJob: "submit_job_result",
        GetJobStatus: "job_status",
        CancelJob: "cancel_result",
    }
    return kinds[type(command)]


def answer_of(command: Command, frame: Frame) -> Answer:
    """What ``frame`` answers to ``command``; its fields have the types of ``contracts/wire/``."""
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


def told_of_job(status: Frame) -> Mapping[str, Any]:
    """What a ``job_status`` says, whoever asked."""
    return {"progress": None, "result": None, **_without_envelope(status)}


def _without_envelope(frame: Frame) -> dict[str, Any]:
    return {key: value for key, value in frame.items() if key not in _ENVELOPE}


_ENVELOPE = frozenset({"type", "protocol_version", "timestamp", "request_id"})
