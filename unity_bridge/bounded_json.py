"""Read JSON that an Editor sent, within bounds that every client's parser accepts.

Implements docs/design/wire-protocol.md §8.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 64
"""How deep objects and arrays may be nested."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a text has no value."""

    problem: str
    hopeless: bool = False
    """Whether reading the same text again would fail again."""


_TOO_DEEP = Unreadable(f"nesting of more than {MAX_DEPTH} levels", hopeless=True)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json_text(text: str) -> Any | Unreadable:
    """Return the JSON value of ``text``; never raises.

    Half of a surrogate pair becomes a question mark, because no later step could encode it.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return Unreadable("text that is not JSON")
    except ValueError:
        return Unreadable("a number with too many digits", hopeless=True)
    except RecursionError:
        return _TOO_DEEP
    if _is_too_deep(value):
        return _TOO_DEEP
    if _SURROGATE.search(text):
        encoded = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        value = json.loads(encoded)
    return value


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
