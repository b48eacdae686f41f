"""The lanes of the suite.

`--quick` runs the pure cores and one test of each seam. Tests of very many cases run a sample of
them, the same everywhere, and all of them with `--all`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent

CORES = (
    "snippet_engine/anchors",
    "snippet_engine/answer",
    "snippet_engine/changes",
    "snippet_engine/csharp",
    "snippet_engine/edit_plan",
    "snippet_engine/engine",
    "snippet_engine/history",
    "snippet_engine/fixes",
    "snippet_engine/schemas",
    "snippet_engine/single_edit",
    "snippet_engine/storage/paths",
    "snippet_engine/storage/records",
    "snippet_engine/tools",
    "snippet_engine/validation",
    "mcp_server/contract",
    "mcp_server/repair",
    "mcp_server/review/hold/test_approvals.py",
    "mcp_server/review/hold/test_notes.py",
    "mcp_server/review/views/test_view_parts.py",
    "roslyn_server/projects/test_definition_changes.py",
    "unity_bridge/test_state_tables.py",
)
"""Folders and files of tests whose work is done in this process."""

SEAMS = {
    "a write that is killed": "snippet_engine/storage/test_crash_safety.py::test_apply",
    "the command line": "mcp_server/cli/test_transcripts.py::test_transcript[apply",
    "MCP over HTTP": "mcp_server/host/mcp/test_mcp_endpoint.py::test_preview_apply_undo",
    "MCP over stdio": "mcp_server/stdio/test_stdio_endpoint.py::"
    "test_a_server_that_dies_is_replaced_at_the_next_call",
    "the Unity package's WebSocket": "mcp_server/editor/test_unity_endpoint.py::"
    "test_mcp_and_unity_share_one_port",
    "Unity's Pipeline": "mcp_server/editor/pipeline/test_pipeline_tools.py::"
    "test_the_console_is_read",
    "a language server": "lsp_client/test_edits_and_servers.py::"
    "test_under_lsp_nothing_is_written_without_its_verdict",
    "Roslyn": "roslyn_server/test_project_check.py::"
    "test_what_does_not_compile_is_told_as_the_compiler_tells_it",
    "a browser": "mcp_server/review/page/test_watched_page.py::"
    "test_a_page_shows_what_an_agent_does",
    "the Unity package on Mono": "bench_scenarios/test_bench_connection.py::"
    "test_a_server_with_a_token_is_found_and_believed",
}
"""What the product meets outside its own process, and the test of it that --quick runs."""


def add_option(parser: pytest.Parser) -> None:
    """Add the lanes to pytest's options."""
    parser.addoption("--quick", action="store_true", help="the pure cores, and a test of each seam")
    parser.addoption(
        "--all",
        action="store_true",
        dest="all_cases",
        help="every case of the tests of which otherwise a sample runs",
    )


def is_drawn(key: str, one_in: int) -> bool:
    """Return whether the case named ``key`` is in the sample of one in so many."""
    return _number(key) % one_in == 0


def _number(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


OWN_SERVER_ONE_IN = 12
"""Of so many tests that can share a server one has its own; with ``--all`` each has."""


def shared_server(request: pytest.FixtureRequest, one_in: Callable[[int], int]) -> Any:
    """Return the server that a module's tests share, its fixture ``standing``.

    ``None`` if the test has a server of its own.
    """
    node = request.node
    is_shared = (
        node.get_closest_marker("shares_server") is not None
        and node.get_closest_marker("own_server") is None
        and not is_drawn(f"alone {node.nodeid}", one_in(OWN_SERVER_ONE_IN))
    )
    return request.getfixturevalue("standing") if is_shared else None


def sample(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out of ``items`` the cases that the sample of their ``sampled`` test leaves out.

    Every test keeps one case at least. Cases that are asked for by name all run.
    """
    if config.getoption("all_cases") or any("::" in each for each in config.args):
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for each in items:
        if each.get_closest_marker("sampled") is not None:
            cases[each.nodeid.partition("[")[0]].append(each)
    dropped = set[pytest.Item]()
    for among in cases.values():
        marker = among[0].get_closest_marker("sampled")
        assert marker is not None
        least = min(among, key=lambda each: _number(each.nodeid))
        one_in = marker.kwargs["one_in"]
        dropped |= {each for each in among if not is_drawn(each.nodeid, one_in)} - {least}
    config.hook.pytest_deselected(items=[each for each in items if each in dropped])
    items[:] = [each for each in items if each not in dropped]


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Return whether ``--quick`` leaves out the file or folder at ``path``."""
    if not config.getoption("quick") or path == TESTS or not path.is_relative_to(TESTS):
        return False
    chosen = [TESTS / each.partition("::")[0] for each in (*CORES, *SEAMS.values())]
    return not any(path.is_relative_to(each) or each.is_relative_to(path) for each in chosen)


def left_out() -> list[str]:
    """Return the folders with tests that ``--quick`` leaves out, by their paths below ``tests``."""
    kept = [TESTS / each for each in CORES]
    folders = {file.parent for file in TESTS.rglob("test_*.py")}
    return sorted(
        folder.relative_to(TESTS).as_posix()
        for folder in folders
        if not any(folder.is_relative_to(each) or each.is_relative_to(folder) for each in kept)
    )


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out of ``items``, for ``--quick``, those that only share a file with a seam's test."""
    if not config.getoption("quick"):
        return
    seams = tuple(f"tests/{each}" for each in SEAMS.values())
    files = {each.partition("::")[0] for each in seams}
    dropped = [
        each
        for each in items
        if each.nodeid.partition("::")[0] in files and not each.nodeid.startswith(seams)
    ]
    config.hook.pytest_deselected(items=dropped)
    kept = set(items) - set(dropped)
    items[:] = [each for each in items if each in kept]
