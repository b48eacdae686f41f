"""The server's states: every transition, legal and not."""

from __future__ import annotations

from itertools import product

import pytest

from mcp_server.editor.tools import Lifecycle, ServerState

LEGAL = {
    ("booting", "waiting_editor"),
    ("booting", "stopping"),
    ("waiting_editor", "ready"),
    ("ready", "waiting_editor"),
    ("waiting_editor", "stopping"),
    ("ready", "stopping"),
    ("stopping", "stopped"),
}
ROUTES = {
    "booting": [],
    "waiting_editor": ["waiting_editor"],
    "ready": ["waiting_editor", "ready"],
    "stopping": ["stopping"],
    "stopped": ["stopping", "stopped"],
}


@pytest.mark.parametrize(("start", "end"), list(product(ROUTES, ROUTES)))
def test_every_transition(start: str, end: str) -> None:
    told: list[tuple[str, str]] = []
    lifecycle = Lifecycle(lambda before, after: told.append((before.value, after.value)))
    for state in ROUTES[start]:
        lifecycle.enter(ServerState(state))
    told.clear()
    if start == end:
        lifecycle.enter(ServerState(end))
        assert told == []
    elif (start, end) in LEGAL:
        lifecycle.enter(ServerState(end))
        assert told == [(start, end)]
        assert lifecycle.state == end
    else:
        with pytest.raises(ValueError, match=f"from {start} to {end}"):
            lifecycle.enter(ServerState(end))
        assert lifecycle.state == start
        assert told == []
