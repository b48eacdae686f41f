"""What ``recompile_status`` says: what was compiled last, and with which errors.

Implements docs/design/pipeline.md §8. Answered off the Editor's main thread.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from unity_bridge.pipeline.conversations.conversation import Ask, execute
from unity_bridge.pipeline.envelopes import Result, field_of
from unity_bridge.pipeline.vocabulary import Operation

MAX_ERRORS = 200
"""Most errors that are passed on."""

MAX_ERROR = 2_000
"""Longest of them, in code points."""

_ERROR = re.compile(
    r"(?P<path>[^\n(]+)\((?P<line>\d{1,9}),(?P<column>\d{1,9})\)\s*:\s*"
    r"(?P<severity>error|warning)\s+(?P<code>\w+)\s*:\s*(?P<message>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class CompileReport:
    """What the Editor tells of its last compile. ``status`` is its own word."""

    status: str
    failed: bool
    errors: tuple[str, ...]
    flag: bool
    """``compilationFailed``: stays for a moment after a good compile."""

    @property
    def over(self) -> bool:
        """Whether nothing is being compiled."""
        return self.status not in ("triggered", "compiling")

    @property
    def has_errors(self) -> bool:
        """Whether the code, as the Editor has compiled it last, has errors. The flag counts only
        when nothing was compiled."""
        if self.failed or self.errors:
            return True
        return self.flag and self.status in ("idle", "up_to_date")


def read_report(result: Any) -> CompileReport | None:
    """The report; ``None`` if it isn't one."""
    status, errors = field_of(result, "status"), field_of(result, "errors")
    if not isinstance(status, str):
        return None
    told = tuple(each for each in errors if isinstance(each, str)) if _is_list(errors) else ()
    return CompileReport(
        status.lower(),
        field_of(result, "failed") is True,
        told,
        field_of(result, "compilationFailed") is True,
    )


def ask_report() -> Generator[Ask, Any, CompileReport | None]:
    """Ask for the report; ``None`` if it can't be had now."""
    reply = yield from execute(Operation.RECOMPILE_STATUS)
    return read_report(reply.value) if isinstance(reply, Result) else None


def known_compile_errors() -> Generator[Ask, Any, list[dict[str, Any]]]:
    """The compile errors that the Editor knows, as :func:`located`; none if it can't say."""
    report = yield from ask_report()
    if report is None or not report.has_errors:
        return []
    return issues(report)


def issues(report: CompileReport) -> list[dict[str, Any]]:
    """The errors of a report, at most :data:`MAX_ERRORS`, as :func:`located`; at least one of a
    compilation that failed."""
    told = [located(each[:MAX_ERROR]) for each in report.errors[:MAX_ERRORS]]
    if told or not report.has_errors:
        return told
    return [located("the Editor says that compilation failed, not why")]


def in_words(issue: Mapping[str, Any]) -> str:
    """An error on one line, as short as it goes."""
    place = f"{issue['path']}:{issue['line']}: " if issue["path"] else ""
    return f"{place}{issue['message']}"


def located(error: str) -> dict[str, Any]:
    """``{path, line, column, code, message}`` of a compiler's message; what it doesn't say, and
    paths and numbers are no part of every one, is empty or 0."""
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


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
