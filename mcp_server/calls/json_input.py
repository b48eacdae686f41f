"""A JSON text that somebody typed: its value, or why it has none, in one clause."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class NotJson:
    """Why a text is not JSON."""

    why: str


def parsed(text: str) -> Any | NotJson:
    """The JSON value of ``text``. Lines and columns in the reason count from one."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return NotJson(f"line {error.lineno}, column {error.colno}: {error.msg}")
    except ValueError as error:  # a number with more digits than Python reads
        return NotJson(str(error).partition(";")[0])
    except RecursionError:
        return NotJson("it is nested too deeply")
