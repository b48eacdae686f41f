"""Lint and the C# language server: asked when told to, and by each worker for itself."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import hostile_server
import pytest
from bundle_files import request, write_bundle
from running_server import run_cli
from this_system import command_line

from mcp_server.bundles import item as engines
from mcp_server.calls import language_server
from snippet_engine.validation.judge import VERDICT_S

SERVER = command_line([sys.executable, "-S", str(hostile_server.__file__)])


def linted(project: Path, *options: str) -> list[tuple[str, str]]:
    done = run_cli("lint", "edits", "--output", "json", *options, cwd=project)
    assert done.returncode in (0, 1), done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return [(finding["code"], finding["path"]) for finding in document["findings"]]


@pytest.fixture
def insisting(project: Path) -> Path:
    """A project with two bundles that insist on a language server."""
    for number in range(2):
        write_bundle(project / "edits", str(number), [request(), request(validation="lsp")])
    return project


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_server_judges_what_insists_on_it(insisting: Path, jobs: str) -> None:
    assert linted(insisting, "--jobs", jobs, "--lsp", f"{SERVER} none") == []


def test_without_one_that_is_a_finding_of_those_requests_alone(insisting: Path) -> None:
    found = linted(insisting, "--lsp", "off")
    assert found == [("validator_unavailable", "$[1].validation")] * 2


def test_a_start_may_take_longer_than_a_verdict(insisting: Path) -> None:
    slow = f"{SERVER} starts_in_s:{VERDICT_S + 0.5}"
    assert linted(insisting, "--jobs", "1", "--lsp", slow) == []


def test_a_server_that_gives_no_verdict_is_a_finding(insisting: Path) -> None:
    found = linted(insisting, "--jobs", "1", "--lsp", f"{SERVER} dies_on_start")
    assert found == [("validator_unavailable", "$[1].validation")] * 2


def test_a_wrong_option_is_told_before_anything_is_checked(insisting: Path) -> None:
    done = run_cli("lint", "edits", "--lsp", "no-such-program", cwd=insisting)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no program 'no-such-program'" in done.stderr


@pytest.mark.parametrize(
    ("command", "fault", "told"),
    [
        # On a machine that is busy, it comes to its first word no sooner.
        (("lint",), "never_initializes", "is still starting|has sent nothing since it started"),
        (("apply", "--dry-run"), "first_takes_s:60", "did not answer within"),
    ],
)
def test_one_that_never_comes_to_a_verdict_is_waited_for_as_by_a_call(
    project: Path,
    fault: str,
    told: str,
    command: tuple[str, ...],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not for the half minute that a start may take; and that it is done without is said."""
    waited: list[float | None] = []

    def warm_up(server: Any, root: Path, asked: Any, timeout_s: float | None = None) -> None:
        waited.append(timeout_s)
        language_server.warm_up(server, root, asked, timeout_s)

    monkeypatch.setattr(engines, "warm_up", warm_up)
    write_bundle(project / "edits", "one", [request(timeout_ms=6000)])
    done = run_cli(*command, "edits", "--lsp", f"{SERVER} {fault}", cwd=project)
    assert (done.returncode, waited) == (0, [6.0])
    (said,) = [each for each in caplog.messages if each.startswith("judged without")]
    assert re.search(told, said)
