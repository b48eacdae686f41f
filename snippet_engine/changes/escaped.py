"""A new file's text that was sent with its escapes: ``\\\\n`` where a line break is meant.

Part of docs/design/change-sets.md §4. Only where the text as it was sent is no C# and what it
stands for is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from snippet_engine.changes.request import Change
from snippet_engine.errors import Offer

_PIECE = re.compile(
    r"""(?P<kept>@"(?:[^"]|"")*"|"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'|//(?:(?!\\[rn]).)*)"""
    r"""|(?P<line_break>(?:\\r)?\\n|\\r)|(?P<tab>\\t)|(?P<other>\\.)"""
)
"""What may hold an escape of its own, and what is one where code stands.

A sign that is escaped in code begins no string: each one then is looked at once.
"""


def with_line_breaks(change: Change, is_valid: Callable[[str], bool]) -> Iterator[Offer]:
    """The new file with real line breaks, if its text is one line with escapes and is C# then.

    ``is_valid`` tells that of a text.
    """
    sent = change.create
    if sent is None or "\\n" not in sent or "\n" in sent.rstrip("\r\n"):
        return
    for text in dict.fromkeys(_meant(sent)):
        if text != sent and is_valid(text):
            made = {"path": change.path, "create": text}
            yield Offer("with real line breaks", made, r"the text has \n where lines end")
            return


def _meant(sent: str) -> Iterator[str]:
    """What the text may stand for: all of it escaped once more, or only the breaks between code."""
    line = sent.rstrip()
    with suppress(ValueError):  # Quotes may stand in it as they are; half a sign has no bytes.
        text = json.loads(f'"{line}"') + sent[len(line) :]
        text.encode()
        yield text
    yield _PIECE.sub(_meant_by, sent)


def _meant_by(piece: re.Match[str]) -> str:
    meant = {"line_break": "\n", "tab": "\t"}
    return meant.get(piece.lastgroup or "", piece[0])
