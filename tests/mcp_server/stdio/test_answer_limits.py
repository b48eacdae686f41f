"""How long the pipe waits for an answer to a call that the server may read otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.calls.answer_limits import ANSWER_MARGIN_S, answer_limit_s
from mcp_server.stdio.pipe import _called


@pytest.mark.parametrize(
    ("arguments", "limit_ms"),
    [
        ({}, 10_000),
        ({"timeout_ms": 20_000}, 20_000),
        ({"timeout_ms": "20000"}, 30_000),
        ({"timeoutMs": 20_000}, 30_000),
        ({"request": {"timeout_ms": 20_000}}, 30_000),
        ("text", 10_000),
    ],
)
def test_what_the_server_may_read_otherwise_gets_the_longest_time(
    arguments: Any, limit_ms: int
) -> None:
    params = {"name": "edit_snippet", "arguments": arguments}
    spec, known = _called({"method": "tools/call", "params": params})
    assert spec is not None
    assert answer_limit_s(spec, known) == limit_ms / 1000 + ANSWER_MARGIN_S
