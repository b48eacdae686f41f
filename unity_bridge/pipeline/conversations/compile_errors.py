"""Read ``recompile_status``: the last compile and its errors.

Implements docs/design/pipeline.md §8. The Editor answers it off its main thread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unity_bridge.pipeline.conversations.conversation import Editor
from unity_bridge.pipeline.replies import Result, field_of, list_field
from unity_bridge.pipeline.vocabulary import Operation

MAX_ERRORS = 200
"""Maximum number of errors that are passed on."""

MAX_ERROR = 2_000
"""Maximum length of an error, in code points."""

_ERROR = re.compile(
    r"(?P<path>[^\n(]+)\((?P<line>\d{1,9}),(?P<column>\d{1,9})\)\s*:\s*"
    r"(?P<severity>error|warning)\s+(?P<code>\w+)\s*:\s*(?P<message>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class CompileReport:
    """The Editor's report on its last compile."""

    status: str
    """In the Editor's own word."""
    failed: bool
    errors: tuple[str, ...]
    flag: bool
    """``compilationFailed``: it stays set for a moment after a good compile."""

    @property
    def over(self) -> bool:
        """Return whether nothing is being compiled."""
        return self.status not in ("triggered", "compiling")

    @property
    def has_errors(self) -> bool:
        """Return whether the last compile had errors; the flag counts if nothing was compiled."""
        if self.failed or self.errors:
            return True
        return self.flag and self.status in ("idle", "up_to_date")


def read_report(result: Any) -> CompileReport | None:
    """Return the report; ``None`` if ``result`` isn't one."""
    status = field_of(result, "status")
    if not isinstance(status, str):
        return None
    return CompileReport(
        status.lower(),
        field_of(result, "failed") is True,
        tuple(each for each in list_field(result, "errors") if isinstance(each, str)),
        field_of(result, "compilationFailed") is True,
    )


async def ask_report(editor: Editor) -> CompileReport | None:
    """Ask for the report; ``None`` if there is none now."""
    reply = await editor.exec(Operation.RECOMPILE_STATUS)
    return read_report(reply.value) if isinstance(reply, Result) else None


async def known_compile_errors(editor: Editor) -> list[dict[str, Any]]:
    """Ask for the compile errors, as :func:`located`; none if they are unknown."""
    report = await ask_report(editor)
    return [] if report is None else issues(report)


def issues(report: CompileReport) -> list[dict[str, Any]]:
    """Return a report's first errors, as :func:`located`; at least one if the compile failed."""
    found = [located(each[:MAX_ERROR]) for each in report.errors[:MAX_ERRORS]]
    if found or not report.has_errors:
        return found
    return [located("compilation failed; the Editor lists no errors")]


def one_line(issue: Mapping[str, Any]) -> str:
    """Return an error on one line."""
    place = f"{issue['path']}:{issue['line']}: " if issue["path"] else ""
    return f"{place}{issue['message']}"


def located(error: str) -> dict[str, Any]:
    """Return ``{path, line, column, code, message}`` of a message; a missing part is empty or 0."""
    found = _ERROR.fullmatch(error.strip())
    if found is None:
        return {"path": "", "line": 0, "column": 0, "code": "", "message": error.strip()}
    return {
        "path": found["path"].strip().replace("\\", "/"),
        "line": int(found["line"]),
        "column": int(found["column"]),
        "code": found["code"],
        "message": found["message"].strip(),
    }
