"""Parameters of a call that satisfy their tool's schema: checked once, on whatever road they came.

The server refuses a wrong call before it is queued, the command line before anything runs, lint
before it asks for a preview, and the engine for whoever calls it directly. Whoever comes first
checks, and hands on the :class:`CheckedParams`; nobody behind checks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, final

from snippet_engine.errors import ErrorCode, SnippetError
from snippet_engine.schemas.metadata_size import request_problems
from snippet_engine.schemas.schema_check import Problem
from snippet_engine.schemas.whole_numbers import with_integers

_SHOWN_PATH = 90
"""Longest JSON path in a message, in code points: the end says what it is about."""


@final
class CheckedParams(Mapping[str, Any]):
    """The parameters of a call of ``tool``. Made by :func:`checked`; read only."""

    __slots__ = ("_values", "tool")

    def __init__(self, tool: str, values: Mapping[str, Any]) -> None:
        self.tool = tool
        self._values = values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def with_known(self, **known: Any) -> CheckedParams:
        """The same with ``known`` values, of which the caller knows that the schema has them."""
        return CheckedParams(self.tool, {**self._values, **known})


def checked(tool: str, schema: Mapping[str, Any], params: object) -> CheckedParams | list[Problem]:
    """``params`` as what satisfies ``schema``, or every problem that they have under it.

    ``schema`` is the input schema of ``tool``; sizes that it can't say are checked, too. A whole
    number is an ``int`` from here on, however it was written. What was checked for ``tool`` already
    is returned as it is.
    """
    if isinstance(params, CheckedParams) and params.tool == tool:
        return params
    problems = request_problems(schema, params)
    if problems:
        return problems
    assert isinstance(params, Mapping), "the parameters of every tool are an object"
    return CheckedParams(tool, with_integers(params))


def refusal(problems: list[Problem]) -> SnippetError:
    """``invalid_request`` for parameters with these problems; ``details.problems`` has them all."""
    first = problems[0]
    path = first.path if len(first.path) <= _SHOWN_PATH else "…" + first.path[1 - _SHOWN_PATH :]
    left = len(problems) - 1
    more = f"; {left} more problem{'' if left == 1 else 's'}" if left else ""
    return SnippetError(
        ErrorCode.INVALID_REQUEST,
        f"{path} {first.message}{more}",
        details={"problems": [{"path": p.path, "message": p.message} for p in problems]},
    )
