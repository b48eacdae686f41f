"""Detect requests to edit all places, and the places in comments that they may mean.

Part of docs/design/engine.md §8. A match in code takes precedence over matches in comments. But if
the metadata says "everywhere", the agent may want places in comments, too, most of all in
commented-out code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from snippet_engine.anchors.whole_words import cuts_word
from snippet_engine.csharp.document import Document
from snippet_engine.request import Anchor, Instruction
from snippet_engine.source_text import TextRange

MAX_TEXTS = 200
"""Most values of the metadata that are examined."""

_EVERYWHERE = re.compile(
    r"\b(?:everywhere|throughout|(?:whole|entire)\s+(?:file|class|script|type)|"
    r"(?:all|every|each)\s+(?:of\s+the\s+|the\s+)?"
    r"(?:\d+\s+)?(?:occurrence|place|use|usage|match|instance|reference|call)(?:e?s)?)\b",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"all|everywhere|global|(?:rename|change)_?all|all_?(?:occurrence|place|match)(?:e?s)?",
    re.IGNORECASE,
)
"""A key of the metadata that asks for all places if it is true."""


def asks_for_all(instruction: Instruction) -> bool:
    """Whether the metadata asks for all places."""
    flags = (instruction.metadata or {}).items()
    if any(value is True and _FLAG.fullmatch(key) for key, value in flags):
        return True
    said = " ".join(f"{key} {text}" for key, text in texts_of(instruction.metadata or {}))
    return _EVERYWHERE.search(said) is not None


def texts_of(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text and number of the metadata, with its key; at most ``MAX_TEXTS``."""
    queue = [(key, value)]
    seen = 0
    while queue and seen < MAX_TEXTS:
        seen += 1
        key, value = queue.pop(0)
        if isinstance(value, Mapping):
            queue += [(str(name), each) for name, each in list(value.items())[:MAX_TEXTS]]
        elif isinstance(value, list):
            queue += [(key, each) for each in value[:MAX_TEXTS]]
        elif isinstance(value, str):
            yield key, value[:2000]
        elif isinstance(value, int) and not isinstance(value, bool):
            yield key, str(value)


def is_whole(document: Document, anchor: Anchor, place: TextRange) -> bool:
    """Whether a place isn't a part of a longer word, if the target is a word."""
    is_one = (anchor.target or "").isidentifier()
    return not (is_one and cuts_word(document.source.view, place))
