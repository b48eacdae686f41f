"""What a call answered: a refusal, or a success."""

from __future__ import annotations

from typing import TypeVar

from snippet_engine.errors import ErrorCode, SnippetError

_Answer = TypeVar("_Answer")


def refusal(answer: object, code: ErrorCode | None = None) -> SnippetError:
    """The error of what must have been refused, with ``code`` if one is given."""
    assert isinstance(answer, SnippetError), answer
    assert code is None or answer.code is code, answer
    return answer


def success(answer: _Answer | SnippetError) -> _Answer:
    """What must not have been refused."""
    assert not isinstance(answer, SnippetError), answer
    return answer
