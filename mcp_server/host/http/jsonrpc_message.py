"""Whether a body is a JSON-RPC message that MCP's SDK can answer to, and if not, why.

Implements docs/design/server-and-bridge.md §10. The SDK takes a request whose id it doesn't
understand for a notification, and is silent; of anything else that is wrong it shows how its own
models failed. Here it is told what is wrong, and what to send instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from mcp import types
from pydantic_core import ValidationError, from_json

from snippet_engine.errors import shortened
from snippet_engine.schemas.schema_messages import quoted

BATCH = "a batch of messages is not taken: send each message in a POST of its own"
NO_OBJECT = "the body must be one JSON-RPC message, an object"


@dataclass(frozen=True, slots=True)
class Unsound:
    """Why a body is no message: ``problem`` is for the client, about its request ``id``."""

    problem: str
    id: str | int | None = None
    code: int = types.INVALID_REQUEST

    def to_json(self) -> str:
        """JSON-RPC's error message, as text."""
        data = types.ErrorData(code=self.code, message=self.problem)
        error = types.JSONRPCError(jsonrpc="2.0", id=self.id, error=data)
        return error.model_dump_json(by_alias=True, exclude_unset=True)


def sound(body: bytes) -> bytes | Unsound:
    """The JSON-RPC message ``body``, with an id that can be answered to.

    Integers may be written as ``1.0``: they come back as integers. What is no JSON, and responses,
    are passed on as they are, to whom it may concern.
    """
    try:
        message = from_json(body)
    except ValueError:
        return body
    twice = _key_given_twice(body)
    if not isinstance(message, dict):
        return Unsound(BATCH if isinstance(message, list) else NO_OBJECT)
    if "method" not in message and message.keys() & {"result", "error"}:
        return body
    request_id = message.get("id")
    if isinstance(request_id, float) and request_id.is_integer() and abs(request_id) < 2**53:
        message["id"] = request_id = int(request_id)
        body = json.dumps(message).encode()
    if "id" in message and not isinstance(request_id, str) and type(request_id) is not int:
        return Unsound("id must be a string or an integer")
    problem = _problem(message)
    if twice is not None:
        problem = f"the key {shortened(quoted(twice), 80)} is given twice in one object"
    if problem is not None:
        return Unsound(problem, request_id)
    wrong = _wrong_introduction(message) if message["method"] == "initialize" else None
    return body if wrong is None else Unsound(wrong, request_id, types.INVALID_PARAMS)


class _GivenTwiceError(Exception):
    """A key that an object has twice: which value is meant, nobody can say."""


def _key_given_twice(body: bytes) -> str | None:
    """The first key that an object of ``body``, which is JSON, has twice."""

    def once(pairs: list[tuple[str, Any]]) -> None:
        known: set[str] = set()
        for key, _ in pairs:
            if key in known:
                raise _GivenTwiceError(key)
            known.add(key)

    try:
        json.loads(body, object_pairs_hook=once)
    except _GivenTwiceError as error:
        return str(error)
    except (ValueError, RecursionError):  # the SDK's reader takes it otherwise
        return None
    return None


def _wrong_introduction(message: dict[str, Any]) -> str | None:
    """What is wrong with the parameters of ``initialize``, of which the SDK says nothing."""
    try:
        types.InitializeRequestParams.model_validate(message.get("params") or {}, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = shortened(".".join(map(str, ("params", *first["loc"]))), 80)
        return f"{where} {_WRONG.get(first['type']) or shortened(first['msg'], 80)}"
    return None


_WRONG = {
    "missing": "is missing",
    "string_type": "must be a string",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


def _problem(message: dict[str, Any]) -> str | None:
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if not isinstance(message.get("method"), str):
        return "method must be a string"
    if not isinstance(message.get("params"), dict | None):
        return "params must be an object"
    return None
