"""The views of this folder, for the page.

Implements docs/design/review.md "Other views".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_server.review.asking import Asking
from mcp_server.review.views.console import Console
from mcp_server.review.views.figures_view import FiguresView
from mcp_server.review.views.holds import Holds
from mcp_server.review.views.jobs import Jobs
from mcp_server.review.views.notes import NoteActions
from mcp_server.review.views.problems import Problems

if TYPE_CHECKING:
    from starlette.routing import Route

    from mcp_server.editor.tools import EditorTools
    from mcp_server.review.asking import Call
    from mcp_server.review.review import Review


def more_routes(review: Review, editor: EditorTools, call: Call) -> list[Route]:
    """Return the routes of what waits, notes, jobs, the console, problems and figures.

    ``call`` runs a tool's call, as for every client.
    """
    ask, store = Asking(call), review.store
    return [
        *Holds(review.held).routes(),
        *NoteActions(store, review.notes).routes(),
        *Jobs(editor, ask).routes(),
        *Console(editor, ask, store).routes(),
        *Problems(store, ask).routes(),
        *FiguresView(store).routes(),
    ]
