"""An agent that has tools and hooks is told once."""

from __future__ import annotations

from mcp_server.news.findings import NewError
from mcp_server.news.reported_errors import MAX_CLIENTS, MAX_ERRORS, ReportedErrors

ERROR = NewError("Assets/A.cs", 3, "CS0103", "no such name")
OTHER_LINE = NewError("Assets/A.cs", 4, "CS0103", "no such name")


def test_what_a_hook_told_is_known_to_the_tools() -> None:
    told = ReportedErrors()
    told.hook_called("codex", "s1")
    told.by_hook("codex", [ERROR])
    assert told.was_by_hook("codex-mcp-client", OTHER_LINE)
    assert told.was_by_hook("Codex", ERROR)
    assert not told.was_by_hook("claude-code", ERROR)
    assert not told.was_by_hook(None, ERROR)


def test_what_a_tool_told_is_known_to_the_hooks() -> None:
    told = ReportedErrors()
    told.by_tool("codex-mcp-client", [ERROR])
    assert not told.was_by_tool("codex", ERROR)
    told.hook_called("codex", "s1")
    told.by_tool("codex-mcp-client", [ERROR])
    assert told.was_by_tool("codex", ERROR)


def test_of_several_sessions_nobody_knows_whose_connection_it_is() -> None:
    told = ReportedErrors()
    for session in ("s1", "s2", "s1"):
        told.hook_called("codex", session)
    told.by_hook("codex", [ERROR])
    told.by_tool("codex", [ERROR])
    assert not told.was_by_hook("codex", ERROR)
    assert not told.was_by_tool("codex", ERROR)


def test_little_is_remembered() -> None:
    told = ReportedErrors()
    for number in range(MAX_CLIENTS + 1):
        told.hook_called(f"client{number}.", "s")
        told.by_hook(f"client{number}.", [ERROR])
    assert not told.was_by_hook("client0.", ERROR)
    assert told.was_by_hook("client1.", ERROR)
    told.by_hook("client1.", [NewError("B.cs", 1, "CS1", str(n)) for n in range(MAX_ERRORS)])
    assert not told.was_by_hook("client1.", ERROR)
