"""JSON as an Editor tells it, read within bounds: what is read here can be passed on by everybody.

Implements docs/design/wire-protocol.md §8. An Editor's answer goes on to clients whose parsers have
bounds of their own, so what is nested deeper than any answer needs is not an answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 64
"""How deep objects and arrays may be nested in each other."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What a text is that has no value, in a few words. ``hopeless``: it would have none either if
    it were told again."""

    problem: str
    hopeless: bool = False


def read_told(text: str) -> Any | Unreadable:
    """The JSON value of ``text``; never raises.

    Half a character, as a C# string that was cut in the middle of one has, becomes a question mark:
    nothing after this could write it.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return Unreadable("text that is not JSON")
    except ValueError:
        return Unreadable("a number of more digits than are read", hopeless=True)
    except RecursionError:
        return _TOO_DEEP
    if _is_too_deep(value):
        return _TOO_DEEP
    if _SURROGATE.search(text):
        told = json.dumps(value, ensure_ascii=False)
        value = json.loads(told.encode("utf-8", "replace"))
    return value


_TOO_DEEP = Unreadable(f"nesting of more than {MAX_DEPTH} levels", hopeless=True)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
        if not inner:
            return False
        level = inner
    return True
