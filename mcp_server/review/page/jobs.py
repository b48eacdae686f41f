"""Show the Editor's jobs: their progress, and failed tests as a tree. Cancel jobs.

Implements docs/design/review.md "Other views".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.editor.job_manager import Job
from mcp_server.review.page.access import checked_form
from mcp_server.review.page.console import parts_of
from mcp_server.review.page.rendering import rendered
from mcp_server.review.page.sources import Sources

MAX_TESTS = 500
MAX_DEPTH = 12
"""Most levels of the tree. The last level has the rest of a longer name."""


@dataclass(slots=True)
class Branch:
    """A part of a test's name, such as a namespace, and what is below it."""

    name: str
    branches: dict[str, Branch] = field(default_factory=dict)
    failures: list[Mapping[str, Any]] = field(default_factory=list)
    """The failures of the test whose name ends here."""
    count: int = 0

    @property
    def below(self) -> list[Branch]:
        """Return the branches below. A branch with only one further branch is joined with it."""
        return [_joined(each) for each in self.branches.values()]


def tree_of(failed: Sequence[Mapping[str, Any]]) -> Branch:
    """Return the tree of ``failed_tests``, as a test run's result lists them."""
    root = Branch("")
    for test in failed[:MAX_TESTS]:
        at = root
        at.count += 1
        for part in _parts(str(test.get("name", ""))):
            at = at.branches.setdefault(part, Branch(part))
            at.count += 1
        at.failures.append(test)
    return root


def _joined(branch: Branch) -> Branch:
    while len(branch.branches) == 1 and not branch.failures:
        (only,) = branch.branches.values()
        if not only.branches:
            break  # a test gets its own line
        branch = Branch(f"{branch.name}.{only.name}", only.branches, only.failures, only.count)
    return branch


def _parts(name: str) -> Iterator[str]:
    head, paren, arguments = name.partition("(")
    parts = head.split(".", MAX_DEPTH - 1)
    yield from parts[:-1]
    yield f"{parts[-1]}{paren}{arguments}"


MAX_JOBS = 50
MAX_ERRORS = 200


@dataclass(frozen=True, slots=True)
class ShownJob:
    """A job and its failures: a tree of tests, or a compile's errors."""

    job: Job
    summary: Mapping[str, Any]
    tree: Branch | None
    errors: tuple[Mapping[str, Any], ...]
    more: int


async def jobs_page(
    sources: Sources, request: Request, said: str = "", status: int = 200
) -> Response:
    """Show the Editor's jobs, in the last reported state."""
    jobs = sources.editor.jobs
    return await rendered(
        request,
        "jobs.html",
        status=status,
        jobs=[_shown_job(each) for each in jobs[:MAX_JOBS]],
        left_out=max(0, len(jobs) - MAX_JOBS),
        is_connected=sources.editor.connected,
        is_running=any(not each.settled for each in jobs),
        parts_of=parts_of,
        said=said,
    )


async def cancel_job(sources: Sources, request: Request) -> Response:
    """Ask the Editor to cancel a job."""
    job_id = checked_form(request).get("job_id", "")
    outcome = await sources.ask(CATALOG["cancel_job"], {"job_id": job_id})
    if isinstance(outcome, ToolError):
        said = f"The job was not cancelled: {outcome.message}"
        return await jobs_page(sources, request, said, 409)
    if outcome.structured.get("status") == "rejected":
        return await jobs_page(sources, request, "That job had ended already.", 409)
    return RedirectResponse("/jobs", 303)


def _shown_job(job: Job) -> ShownJob:
    result = job.result or {}
    failed, errors = result.get("failed_tests"), result.get("errors")
    rows = tuple(errors[:MAX_ERRORS]) if isinstance(errors, list) else ()
    summary = result.get("summary")
    return ShownJob(
        job,
        summary if isinstance(summary, dict) else {},
        tree_of(failed) if isinstance(failed, list) and failed else None,
        rows,
        max(0, len(errors) - len(rows)) if isinstance(errors, list) else 0,
    )
