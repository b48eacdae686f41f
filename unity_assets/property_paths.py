"""Property paths as Unity writes them: ``waves.Array.data[0].hp``, ``managedReferences[7].hp``."""

from __future__ import annotations

import re
from dataclasses import dataclass

ELEMENT = "[]"

_PART = re.compile(r"Array\.data\[\d+\]|managedReferences\[(-?\d+)\]|[^.\[\]]+|\[\d+\]")


@dataclass(frozen=True)
class PropertyPath:
    """A path's parts, the offset of each in the text, and the managed reference at its start."""

    text: str
    parts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    reference: int | None = None

    @classmethod
    def read(cls, text: str) -> PropertyPath:
        """Read a path. Any other text gets parts that equal no key."""
        parts: list[str] = []
        spans: list[tuple[int, int]] = []
        reference = None
        for found in _PART.finditer(text):
            if found[1] is not None and not parts:
                reference = int(found[1])
                continue
            is_element = found[0].startswith(("Array.data[", "["))
            parts.append(ELEMENT if is_element else found[0])
            spans.append(found.span())
        return cls(text, tuple(parts), tuple(spans), reference)

    def with_parts(self, indexes: list[int], name: str) -> str:
        """Return the text with another name for these parts."""
        text = self.text
        for index in reversed(indexes):
            start, end = self.spans[index]
            text = text[:start] + name + text[end:]
        return text


def holder_parts(path: str) -> tuple[str, ...]:
    """Return the parts of a holder's path: ``stats.waves[]`` → ``stats``, ``waves``, ``[]``."""
    parts: list[str] = []
    for name in filter(None, path.split(".")):
        elements = (len(name) - len(name.rstrip("[]"))) // 2
        parts += [name.rstrip("[]"), *[ELEMENT] * elements]
    return tuple(parts)


def key_index(
    parts: tuple[str, ...], key: str | None, paths: frozenset[tuple[str, ...]]
) -> list[int]:
    """Return the indexes of the parts that are ``key`` and whose object is at one of ``paths``."""
    return [index for index, part in enumerate(parts) if part == key and parts[:index] in paths]
