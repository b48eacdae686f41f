"""JSON that remembers where its values stand in the text.

Implements docs/design/command-line.md ``lint`` ("line and column inside the bundle"). Python's own
parser decides what is JSON and what it means. tree-sitter's tree of the same text says where
each value stands; it is made only when somebody asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_server.lint.findings import FILE_START, Region
from snippet_engine.schema_findings import JsonPath
from snippet_engine.schema_messages import quoted

if TYPE_CHECKING:
    from tree_sitter import Node, Point

_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]++|\\.)*+"|NaN|-?Infinity')
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"|[-0-9][-+.0-9eE]*')


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """Why a text is not JSON, or not JSON that means one thing; and where."""

    message: str
    region: Region
    steps: JsonPath = ()


class JsonText:
    """A JSON document. Make one with :func:`parse_json`."""

    def __init__(self, text: str, value: Any, *, repeats_keys: bool) -> None:
        self.value = value
        self._repeats_keys = repeats_keys
        self._text = text
        self._inner: dict[JsonPath, dict[str | int, Node]] = {}

    def region(self, steps: JsonPath, *, key: bool = False) -> Region:
        """Where the value at ``steps`` stands; what is missing is shown at what should hold it.

        ``key``: where its key stands instead.
        """
        for length in range(len(steps), -1, -1):
            node = self._node(steps[:length])
            if node is not None:
                if key and length == len(steps) and node.parent is not None:
                    node = node.parent.child_by_field_name("key") or node
                return self._region(node.start_point, node.end_point)
        return FILE_START

    def repeated_keys(self) -> Iterator[JsonProblem]:
        """The second and further values that an object gives for one key."""
        todo: list[tuple[JsonPath, Node]] = [((), self._root)] if self._repeats_keys else []
        while todo:
            steps, node = todo.pop()
            children = node.named_children
            if node.type == "array":
                todo += [((*steps, index), child) for index, child in enumerate(children)]
            if node.type != "object":
                continue
            seen: set[str] = set()
            for pair in children:
                name, value = _key_and_value(pair)
                key = _text(name)
                if key in seen:
                    region = self._region(name.start_point, name.end_point)
                    yield JsonProblem(f"gives {quoted(key)} more than once", region, steps)
                seen.add(key)
                todo.append(((*steps, key), value))

    @cached_property
    def _root(self) -> Node:
        import tree_sitter  # noqa: PLC0415 - only for bundles with something wrong
        import tree_sitter_json  # noqa: PLC0415

        language = tree_sitter.Language(tree_sitter_json.language())
        # Its grammar does not know every form of a number, such as 1e+2.
        text = _STRING_OR_NUMBER.sub(_with_plain_number, self._text)
        tree = tree_sitter.Parser(language).parse(text.encode())
        root = tree.root_node.named_child(0)
        assert root is not None, "Python's parser found a value, so this one does"
        return root

    @cached_property
    def _lines(self) -> list[bytes]:
        return self._text.encode().split(b"\n")

    def _node(self, steps: JsonPath) -> Node | None:
        """The value at ``steps``; of a key that is given twice the last value, as in Python."""
        if not steps:
            return self._root
        parent, step = steps[:-1], steps[-1]
        holder = self._node(parent)
        if holder is None:
            return None
        if parent not in self._inner:
            self._inner[parent] = _values_in(holder)
        return self._inner[parent].get(step)

    def _region(self, start: Point, end: Point) -> Region:
        return Region(
            start.row + 1,
            self._column(start),
            end.row + 1,
            self._column(end),
        )

    def _column(self, point: Point) -> int:
        before = self._lines[point.row][: point.column]
        return len(before.decode().encode("utf-16-le")) // 2 + 1


def parse_json(text: str) -> JsonText | JsonProblem:
    """``text`` as one JSON value, or the first thing that keeps it from being one."""
    constants: list[str] = []
    repeats: list[str] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            repeats.append("a key")
        return result

    try:
        value = json.loads(text, parse_constant=constants.append, object_pairs_hook=made)
    except json.JSONDecodeError as error:
        return JsonProblem(f"is not JSON: {error.msg}", _at(text, error.pos))
    except ValueError as error:  # a number with more digits than Python reads
        why = str(error).partition(";")[0]
        return JsonProblem(f"is not JSON that can be read: {why}", FILE_START)
    except RecursionError:
        return JsonProblem("is nested too deeply", FILE_START)
    if constants:
        matches = _STRING_OR_CONSTANT.finditer(text)
        offset = next(match.start() for match in matches if not match[0].startswith('"'))
        return JsonProblem(f"is not JSON: {constants[0]} is no JSON value", _at(text, offset))
    return JsonText(text, value, repeats_keys=bool(repeats))


def _with_plain_number(token: re.Match[str]) -> str:
    """A string as it is; a number as another one of the same length."""
    return token[0] if token[0].startswith('"') else "1" * len(token[0])


def _values_in(node: Node) -> dict[str | int, Node]:
    """The values of an array or object by their indexes or keys."""
    if node.type == "array":
        return dict(enumerate(node.named_children))
    if node.type != "object":
        return {}
    return {_text(key): value for key, value in map(_key_and_value, node.named_children)}


def _key_and_value(pair: Node) -> tuple[Node, Node]:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    assert key is not None
    assert value is not None
    return key, value


def _text(name: Node) -> str:
    assert name.text is not None
    return str(json.loads(name.text))


def _at(text: str, offset: int) -> Region:
    """The character at ``offset``, a code point index."""
    line = text.count("\n", 0, offset) + 1
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    column = len(before.encode("utf-16-le")) // 2 + 1
    width = len(text[offset : offset + 1].strip("\r\n").encode("utf-16-le")) // 2
    return Region(line, column, line, column + width)
