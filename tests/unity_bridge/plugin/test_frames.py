"""Frames: what can be read of a message, and that nothing at all can break the reader."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.link import CancelJob, Command, Execute, GetJobStatus, SubmitJob
from unity_bridge.plugin.frames import Garbage, Oversize, command_frame, read_frame, written
from unity_bridge.plugin.wire_schemas import FROM_PLUGIN, FROM_SERVER
from unity_bridge.timing import MAX_MESSAGE_BYTES

HELLO = {"type": "hello", "protocol_version": 1, "plugin_version": "1", "state": "ready"}


def test_unknown_fields_are_ignored() -> None:
    assert read_frame(json.dumps({**HELLO, "later": 1})) == {**HELLO, "later": 1}


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (b"{}", "binary"),
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "nesting"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("{}", "no type"),
        ('{"type": 5}', "no type"),
        ('{"type": "dance"}', "no message type 'dance'"),
        ('{"type": "execute"}', "no message type"),
        ('{"type": "editor_status"}', "required"),
        ('{"type": "editor_status", "state": "ready", "seq": -1}', "editor_status.seq"),
        ('{"type": "editor_status", "state": "asleep", "seq": 1}', "editor_status.state"),
        ('{"type": "submit_job_result", "request_id": "r", "status": "accepted"}', "job_id"),
        ('{"type": "hello", "plugin_version": 1, "state": "ready"}', "hello.plugin_version"),
        (json.dumps({**HELLO, "protocol_version": 2}), "protocol_version"),
        ('{"type": "result", "request_id": "r", "status": "error", "result": {}}', "required"),
    ],
)
def test_garbage_says_what_is_wrong(message: str | bytes, problem: str) -> None:
    read = read_frame(message)
    assert isinstance(read, Garbage)
    assert problem in read.problem
    assert len(read.problem) <= 200
    assert len(read.excerpt) <= 120


@given(st.one_of(st.text(), st.binary()))
def test_any_message_can_be_read(message: str | bytes) -> None:
    read_frame(message)


@given(
    st.dictionaries(
        st.sampled_from(["type", "request_id", "state", "seq", "result", "error", "status"]),
        st.recursive(
            st.one_of(
                st.none(),
                st.booleans(),
                st.integers(),
                st.floats(),
                st.sampled_from(["hello", "result", "error", "job_status", "ready", "ok"]),
            ),
            lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=5,
        ),
    )
)
def test_any_object_can_be_read(frame: dict[str, Any]) -> None:
    read = read_frame(json.dumps(frame))
    if isinstance(read, dict):
        jsonschema.validate(read, FROM_PLUGIN[read["type"]])


DEEP = "[" * 990 + "]" * 990
LONG = "1" * 100_000


@pytest.mark.parametrize(
    ("result", "problem", "hopeless"),
    [
        (DEEP, "nesting of more than 64 levels", True),
        ("[" * 100_000, "nesting of more than 64 levels", True),
        (LONG, "a number with too many digits", True),
        ('{"entries": [', "text that is not JSON", False),
    ],
)
def test_what_can_not_be_read_still_names_its_request(
    result: str, problem: str, hopeless: bool
) -> None:
    read = read_frame(f'{{"type": "result", "request_id": "r-1", "result": {result}}}')
    assert isinstance(read, Garbage)
    assert (read.problem, read.request_id, read.hopeless) == (problem, "r-1", hopeless)


def oversize(frame: dict[str, Any], field: str = "result") -> str:
    return json.dumps({**frame, field: {"entries": ["é" * 100] * 12_000}}, ensure_ascii=False)


def test_an_oversize_message_is_measured_and_its_request_found() -> None:
    first = oversize({"type": "result", "request_id": "req-1", "status": "ok"})
    read = read_frame(first)
    assert read == Oversize(len(first.encode()), "req-1")
    last = json.dumps({"result": "x" * MAX_MESSAGE_BYTES, "request_id": "req-2"})
    assert read_frame(last) == Oversize(len(last), "req-2")


def test_the_request_of_an_oversize_message_is_not_taken_from_its_content() -> None:
    quoted = json.dumps({"request_id": "forged"}) + "x" * MAX_MESSAGE_BYTES
    read = read_frame(json.dumps({"type": "result", "result": quoted}))
    assert isinstance(read, Oversize)
    assert read.request_id is None


def test_the_limit_is_in_bytes_and_inclusive() -> None:
    frame = json.dumps({**HELLO, "pad": ""})
    fits = frame[:-2] + "x" * (MAX_MESSAGE_BYTES - len(frame)) + frame[-2:]
    assert isinstance(read_frame(fits), dict)
    assert isinstance(read_frame(fits + " "), Oversize)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (Execute("read_console", {"max_entries": 1}, "mine"), "execute"),
        (SubmitJob("run_tests", {"mode": "all"}), "submit_job"),
        (GetJobStatus("job-1"), "get_job_status"),
        (CancelJob("job-1"), "cancel"),
    ],
)
def test_commands_satisfy_the_contract(command: Command, kind: str) -> None:
    frame = json.loads(command_frame("req-1", command, 5_000))
    assert frame["type"] == kind
    jsonschema.validate(frame, FROM_SERVER[kind])


def test_half_a_character_spoils_nothing() -> None:
    frame = {"type": "result", "request_id": "r", "status": "ok", "result": {"m": "cut \ud83d"}}
    read = read_frame(json.dumps(frame))
    assert isinstance(read, dict)
    assert read["result"] == {"m": "cut ?"}
    whole = read_frame(json.dumps({**frame, "result": {"m": "whole \U0001f600"}}))
    assert isinstance(whole, dict)
    assert whole["result"] == {"m": "whole \U0001f600"}


def test_every_frame_of_the_server_says_its_version() -> None:
    assert json.loads(written("ping")) == {"type": "ping", "protocol_version": 1}
    assert all("protocol_version" in schema["required"] for schema in FROM_SERVER.values())
