"""Batches of tool calls: check all of them, then run them in order.

Implements docs/design/command-line.md ``batch``. Pure: the caller makes the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.calls.dry_run import Suppressed
from mcp_server.calls.json_input import NotJson, parsed, with_timeout
from mcp_server.calls.tool_caller import job_failure
from mcp_server.contract.errors import ToolError, ToolErrorCode, tool_error
from mcp_server.contract.outcome import Outcome, ToolResult
from mcp_server.contract.script_tools import find_tool
from mcp_server.contract.tool_spec import ToolSpec
from snippet_engine.errors import counted
from snippet_engine.schemas.checked_params import CheckedParams, checked, find_problems, render_path
from snippet_engine.schemas.schema_findings import QUOTED_LENGTH, JsonPath, quoted

ITEM_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "tool": {"type": "string"},
        "params": {"type": "object"},
        "id": {"type": ["string", "integer"]},
    },
    "required": ["tool"],
    "additionalProperties": False,
}
"""The schema of one item of a batch. ``params`` may be missing."""

ItemId = str | int


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One valid call."""

    index: int
    spec: ToolSpec
    params: CheckedParams
    id: ItemId | None = None


@dataclass(frozen=True, slots=True)
class BatchProblem:
    """A problem of one item."""

    index: int
    steps: JsonPath
    """The path from the whole batch to the problem."""
    message: str
    code: ToolErrorCode = ToolErrorCode.INVALID_REQUEST
    id: object = None
    tool: object = None
    """The item's ``tool``, whatever its type."""

    def __str__(self) -> str:
        return problem_line(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return the problem for the error's ``details.problems``."""
        named = {"id": self.id} if isinstance(self.id, str | int) else {}
        if isinstance(self.tool, str):
            named["tool"] = self.tool
        return {
            "index": self.index,
            **named,
            "code": self.code.value,
            "path": render_path(self.steps),
            "message": self.message,
        }


def problem_line(problem: Mapping[str, Any]) -> str:
    """Return a problem of an error's ``details.problems`` as a line: tool, place, problem."""
    tool = problem.get("tool")
    plain = tool is not None and tool.isidentifier() and len(tool) <= QUOTED_LENGTH
    of_tool = "" if tool is None else f"{tool if plain else quoted(tool)}: "
    return f"{of_tool}{problem['path']} {problem['message']}"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as read: its items as JSON values, and the items that could not be read."""

    values: Sequence[Any]
    problems: tuple[BatchProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The outcome of one item."""

    item: BatchItem
    outcome: Outcome | Suppressed

    @property
    def error(self) -> ToolError | None:
        """Return the error of the call, of its preview in a dry run, or of its job."""
        outcome = self.outcome
        if isinstance(outcome, Suppressed):
            return outcome.preview if isinstance(outcome.preview, ToolError) else None
        if isinstance(outcome, ToolError):
            return outcome
        failure = job_failure(self.item.spec, outcome.structured)
        if failure is None:
            return None
        return tool_error(ToolErrorCode.UNITY_EXECUTION, f"{self.item.spec.name}: {failure}.")

    @property
    def skipped(self) -> bool:
        """Return whether the call was held back by a dry run."""
        return isinstance(self.outcome, Suppressed)

    def to_json(self) -> dict[str, Any]:
        """Return the item's result, with its index and id."""
        error = self.error
        body: dict[str, Any] = {"index": self.item.index}
        if self.item.id is not None:
            body["id"] = self.item.id
        body |= {"tool": self.item.spec.name, "ok": error is None}
        if self.skipped:
            body["skipped"] = True
        if error is not None:
            body["error"] = error.to_json()["error"]
        if isinstance(self.outcome, ToolResult | Suppressed):
            body["result"] = self.outcome.to_json()
        return body


@dataclass(frozen=True, slots=True)
class BatchReport:
    """The items' results, in order."""

    total: int
    """The number of items. It exceeds the number of results if the batch ended early."""
    results: Sequence[ItemResult]
    interrupted: bool = False

    @property
    def failed(self) -> int:
        """Return how many items failed."""
        return sum(result.error is not None for result in self.results)

    @property
    def not_run(self) -> int:
        """Return how many items were never started."""
        return self.total - len(self.results)

    @property
    def ok(self) -> bool:
        """Return whether all items ran and none failed."""
        return not self.failed and not self.not_run

    def _counts(self) -> dict[str, int]:
        skipped = sum(result.skipped and result.error is None for result in self.results)
        return {
            "succeeded": len(self.results) - self.failed - skipped,
            "failed": self.failed,
            "skipped": skipped,
            "not_run": self.not_run,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the document of ``--output json``."""
        return {
            "ok": self.ok,
            **({"interrupted": True} if self.interrupted else {}),
            "total": self.total,
            **self._counts(),
            "results": [result.to_json() for result in self.results],
        }

    def summary(self) -> str:
        """Return one line of counts."""
        counts = [
            f"{count:,} {name.replace('_', ' ')}" for name, count in self._counts().items() if count
        ]
        items = counted(self.total, "item")
        return f"{items}: {', '.join(counts) or 'nothing to do'}"


def read_batch(text: str) -> Batch | NotJson:
    """Read a batch: a JSON array, JSON Lines, or a single item."""
    whole = parsed(text)
    if isinstance(whole, list):
        return Batch(whole)
    if isinstance(whole, dict):
        return Batch([whole])
    if not isinstance(whole, NotJson):
        why = "it is neither an array nor lines of {tool, params} objects"
        return NotJson(why, what="is no batch")
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    values = [parsed(line, number) for number, line in lines]
    if text.lstrip().startswith("[") or not any(isinstance(value, dict) for value in values):
        return whole
    problems = [
        BatchProblem(index, (index,), f"{value.what}: {value.why}")
        for index, value in enumerate(values)
        if isinstance(value, NotJson)
    ]
    return Batch(values, tuple(problems))


def check_batch(batch: Batch, *, timeout_s: float | None = None) -> list[BatchItem] | ToolError:
    """Return the checked items, or ``ERR_INVALID_PARAMS`` with the problems of all items."""
    problems = {problem.index: [problem] for problem in batch.problems}
    items: list[BatchItem] = []
    for index, value in enumerate(batch.values):
        if index in problems:
            continue
        item = _check_item(index, value, timeout_s)
        if isinstance(item, BatchItem):
            items.append(item)
        else:
            problems[index] = item
    if not problems:
        return items
    return _refused([p for index in sorted(problems) for p in problems[index]], len(batch.values))


def run_batch(
    items: Sequence[BatchItem],
    call: Callable[[BatchItem], Outcome | Suppressed],
    *,
    stop_on_error: bool,
) -> Iterator[ItemResult]:
    """Run the calls in order; yield each result."""
    for item in items:
        result = ItemResult(item, call(item))
        yield result
        if stop_on_error and result.error is not None:
            return


def _check_item(index: int, value: Any, timeout_s: float | None) -> BatchItem | list[BatchProblem]:
    given, tool = (value.get("id"), value.get("tool")) if isinstance(value, dict) else (None, None)

    def problem(steps: JsonPath, message: str, code: ToolErrorCode) -> BatchProblem:
        return BatchProblem(index, (index, *steps), message, code, given, tool)

    found = [
        problem(each.steps, each.message, ToolErrorCode.INVALID_REQUEST)
        for each in find_problems(ITEM_SCHEMA, value)
    ]
    wrong = {each.steps[1:2] for each in found}
    if not isinstance(value, dict) or "tool" not in value or ("tool",) in wrong:
        return found
    spec = find_tool(value["tool"])
    if isinstance(spec, ToolError):
        return [*found, problem(("tool",), f"is unknown: {spec.message}", spec.code)]
    sent = value.get("params", {})
    if not isinstance(sent, dict):
        return found
    timed = with_timeout(sent, timeout_s, spec.max_timeout_ms)
    params = checked(spec.name, spec.input_schema, timed)
    if isinstance(params, CheckedParams):
        return found or BatchItem(index, spec, params, given)
    return found + [
        problem(("params", *each.steps), each.message, ToolErrorCode.INVALID_PARAMS)
        for each in params
    ]


def _refused(problems: list[BatchProblem], total: int) -> ToolError:
    several = f"{len(problems)} problems" if len(problems) > 1 else "a problem"
    wrong = len({problem.index for problem in problems})
    of_items = f"{wrong} of {total} items" if total > 1 else "its item"
    return tool_error(
        ToolErrorCode.INVALID_PARAMS,
        f"The batch has {several} in {of_items}; nothing was executed. First: {problems[0]}",
        details={"problems": [problem.to_json() for problem in problems]},
    )
