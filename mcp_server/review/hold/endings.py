"""What a held call's agent gets when it was not approved: an error it can act on."""

from __future__ import annotations

from mcp_server.contract.errors import ToolError, ToolErrorCode, from_engine, tool_error
from mcp_server.review.hold.approvals import Ended, Ending
from snippet_engine.errors import ErrorCode, SnippetError, one_line, shortened

_MAX_SHOWN_REASON = 80
"""Most code points of a reason that fit into a message; the error's details have all of it."""


def not_approved(tool: str, ended: Ended, waited_s: float, page_url: str) -> ToolError:
    """Return the error of a call of ``tool`` that ended otherwise than by an approval."""
    details: dict[str, object] = {"waited_s": round(waited_s, 1)}
    if ended.ending is Ending.REFUSED:
        details |= {"reason": ended.reason} if ended.reason else {}
        todo = "don't send it again as it is."
        message = f"The user refused this change on the review page. Nothing was written: {todo}"
        if ended.reason:
            why = shortened(one_line(ended.reason), _MAX_SHOWN_REASON)
            message = message.replace("page. ", f'page: "{why}" ', 1)
        return from_engine(tool, SnippetError(ErrorCode.APPROVAL_REFUSED, message, None, details))
    if ended.ending is Ending.TIMED_OUT:
        message = (
            f"Nobody approved this change within {waited_s:.0f} s; nothing was written. Ask the "
            f"user to open {page_url}, then send it again."
        )
    elif ended.ending is Ending.STOPPED:
        message = (
            "The server stopped before anybody approved this change; nothing was written. Send it "
            "again when the server is back."
        )
    else:
        message = "The call was cancelled while it waited for approval; nothing was written."
    return from_engine(tool, SnippetError(ErrorCode.APPROVAL_TIMEOUT, message, None, details))


def too_many_wait(page_url: str) -> ToolError:
    """Return the error of a call that can't wait for approval, because too many do."""
    return tool_error(
        ToolErrorCode.QUEUE_FULL,
        f"Too many changes wait for approval on {page_url}; nothing was written. "
        "Wait until the user has answered some.",
    )


def not_begun() -> ToolError:
    """Return the error of a call that would need approval, while the server is busy or stops."""
    return tool_error(
        ToolErrorCode.QUEUE_FULL,
        "The server is busy or stops, and changes have to be approved; nothing was written. "
        "Send it again.",
    )
