"""Read ``{key: value, …}`` and ``[value, …]``, also over several lines."""

from __future__ import annotations

import re

from unity_assets.yaml.limits import MAXIMUM_DEPTH, MAXIMUM_FLOW, MalformedError
from unity_assets.yaml.scalars import text_of

FlowEntry = tuple[int, "str | int", int, int, tuple[int, int]]
"""Start, key or index, start and end of the key, start and end of the value."""

_TOKEN = re.compile(
    rb"""\s+|[{}\[\],]|'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|:(?=[\s,}\]])|(?:[^\s{}\[\],:]|:(?![\s,}\]]))+""",
    re.DOTALL,
)


def flow_entries(data: bytes, start: int, end: int) -> list[FlowEntry]:
    """Return the elements of the flow collection in these bytes; raise MalformedError."""
    if end - start > MAXIMUM_FLOW:
        raise MalformedError(start, "a {…} that is too long")
    close = {b"{": b"}", b"[": b"]"}[data[start : start + 1]]
    entries: list[FlowEntry] = []
    depth, at = 0, start + 1
    first = last = at
    key: tuple[int, int] | None = None
    seen = False
    while at < end:
        token = _TOKEN.match(data, at, end)
        if token is None:
            raise MalformedError(at, "a {…} that can't be read")
        sign = token[0]
        at = token.end()
        if sign.isspace():
            continue
        if depth == 0 and sign in (b",", close):
            if seen or key:
                value = (first, last) if seen else (last, last)
                entries.append(_entry(data, len(entries), key, value, mapping=close == b"}"))
            if sign == close:
                if at != end:
                    raise MalformedError(at, "text after a {…}")
                return entries
            key, seen = None, False
            continue
        if depth == 0 and sign == b":" and key is None:
            if not seen:
                raise MalformedError(at, "a {…} with a value without key")
            key, seen, last = (first, last), False, at
            continue
        depth += (sign in (b"{", b"[")) - (sign in (b"}", b"]"))
        if not 0 <= depth <= MAXIMUM_DEPTH:
            raise MalformedError(at, "a {…} that is nested wrongly")
        if not seen:
            first, seen = token.start(), True
        last = at
    raise MalformedError(start, "a {…} that doesn't end")


def _entry(
    data: bytes, index: int, key: tuple[int, int] | None, value: tuple[int, int], *, mapping: bool
) -> FlowEntry:
    if not mapping:
        return (value[0], index, value[0], value[0], value)
    if key is None:
        key, value = value, (value[1], value[1])
    return (key[0], text_of(data[slice(*key)]), *key, value)
