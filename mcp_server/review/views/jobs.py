"""The Editor's jobs: how far they are, what failed, and a way to cancel them.

Implements docs/design/review.md "Other views".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import RedirectResponse
from starlette.routing import Route

from mcp_server.contract.catalog import CATALOG
from mcp_server.contract.errors import ToolError
from mcp_server.review.page.gate import checked_form
from mcp_server.review.page.rendering import rendered
from mcp_server.review.views.failed_tests import Branch, tree_of
from mcp_server.review.views.places import parts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from mcp_server.editor.job_manager import Job
    from mcp_server.editor.tools import EditorTools
    from mcp_server.review.asking import Asking

MAX_JOBS = 50
"""Most jobs that are shown, the newest ones."""

MAX_ERRORS = 200
"""Most errors of one compile that are shown."""


@dataclass(frozen=True, slots=True)
class ShownJob:
    """A job, with what failed in it: a tree of tests, or a compile's errors."""

    job: Job
    summary: Mapping[str, Any]
    tree: Branch | None
    errors: tuple[Mapping[str, Any], ...]
    more: int


class Jobs:
    """The view over one server's jobs."""

    def __init__(self, editor: EditorTools, ask: Asking) -> None:
        self._editor = editor
        self._ask = ask

    def routes(self) -> list[Route]:
        """Return the view's routes."""
        return [
            Route("/jobs", self._page, methods=["GET"]),
            Route("/actions/cancel-job", self._cancel, methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return await self._rendered(request)

    async def _rendered(self, request: Request, said: str = "", status: int = 200) -> Response:
        jobs = self._editor.jobs
        return await rendered(
            request,
            "jobs.html",
            status=status,
            jobs=[_shown(each) for each in jobs[:MAX_JOBS]],
            left_out=max(0, len(jobs) - MAX_JOBS),
            is_connected=self._editor.connected,
            is_running=any(not each.settled for each in jobs),
            parts_of=parts_of,
            said=said,
        )

    async def _cancel(self, request: Request) -> Response:
        job_id = checked_form(request).get("job_id", "")
        outcome = await self._ask(CATALOG["cancel_job"], {"job_id": job_id})
        if isinstance(outcome, ToolError):
            said = f"The job was not cancelled: {outcome.message}"
            return await self._rendered(request, said, 409)
        if outcome.structured.get("status") == "rejected":
            return await self._rendered(request, "That job had ended already.", 409)
        return RedirectResponse("/jobs", 303)


def _shown(job: Job) -> ShownJob:
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
