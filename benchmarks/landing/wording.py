"""A wording: the text that an agent quotes, and the text that it wants instead.

A wording keeps apart what stays (``head``, ``tail``, and the context around them), what goes and
what comes, so that each part can be misremembered for itself and one wording be said in the words
of several tools.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from benchmarks.landing.true_edits import Splice

MOST_LINES = 6
"""How many lines an agent adds on each side of what it quotes until that stands once."""


class Form(Enum):
    """The operation of a wording."""

    REPLACE = auto()
    INSERT_AFTER = auto()
    INSERT_BEFORE = auto()
    INSERT_LINE_AFTER = auto()
    DELETE = auto()


@dataclass(frozen=True, slots=True)
class Wording:
    """``before head old tail after`` is what the agent takes to stand in the file.

    ``old`` is to become ``new``; ``start`` is where ``before`` starts in the text it was made
    from. ``symbol`` is the path of the declaration that it lies in, if the agent names it.
    """

    before: str
    head: str
    old: str
    new: str
    tail: str
    after: str
    start: int
    form: Form = Form.REPLACE
    symbol: str | None = None
    in_comment: bool = False
    metadata: dict[str, Any] | None = None
    lines: Splice | None = None
    """What a deletion of whole lines really takes away: more than it quotes."""

    @property
    def target(self) -> str:
        """Return the text that is replaced, or next to which something is inserted."""
        return self.head + self.old + self.tail

    @property
    def result(self) -> str:
        """Return what the target becomes."""
        return self.head + self.new + self.tail

    @property
    def quoted(self) -> str:
        """Return all that the agent believes is there."""
        return self.before + self.target + self.after

    @property
    def splice(self) -> Splice:
        """Return what goes and what comes, in the text from which the wording was made."""
        if self.lines is not None:
            return self.lines
        start = self.start + len(self.before) + len(self.head)
        return Splice(start, start + len(self.old), self.new)

    @property
    def end(self) -> int:
        """Return where ``after`` ends."""
        return self.start + len(self.quoted)

    def to_instruction(self) -> dict[str, Any]:
        """Return the wording as an instruction of ``edit_snippet``."""
        anchor: dict[str, Any] = {"type": "text"}
        if self.symbol is not None:
            anchor = {"type": "symbol", "symbolPath": self.symbol}
        if self.before:
            anchor["before"] = self.before
        anchor["target"] = self.target
        if self.after:
            anchor["after"] = self.after
        if self.in_comment:
            anchor["in"] = "comment"
        body: dict[str, Any] = {"operation": "replace", "anchor": anchor}
        if self.form is Form.DELETE:
            body["operation"] = "delete"
        elif self.form is Form.REPLACE:
            body["newText"] = self.result
        else:
            body["operation"] = "insert"
            body["newText"] = self.new
            if self.form is Form.INSERT_BEFORE:
                anchor["position"] = "before"
            elif self.form is Form.INSERT_LINE_AFTER:
                anchor["position"] = "line_after"
                body["newText"] = textwrap.dedent(body["newText"].strip("\r\n"))
        if self.metadata is not None:
            body["metadata"] = self.metadata
        return body

    def to_arguments(self, path: str) -> dict[str, Any]:
        """Return the wording as a whole request."""
        return {"path": path, "mode": "apply", "instructions": [self.to_instruction()]}


def stands_once(text: str, quoted: str) -> bool:
    """Return whether ``quoted`` occurs exactly once in ``text``; overlapping places count."""
    at = text.find(quoted)
    return at >= 0 and text.find(quoted, at + 1) < 0


def squeezed(text: str) -> str:
    """Return ``text`` without white space, as context next to the target is compared."""
    return "".join(text.split())


def lines_above(text: str, offset: int, count: int) -> int:
    """Return where the ``count`` lines above the offset's line start."""
    start = text.rfind("\n", 0, offset) + 1
    for _ in range(count):
        if start == 0:
            break
        start = text.rfind("\n", 0, start - 1) + 1
    return start


def lines_below(text: str, offset: int, count: int) -> int:
    """Return where the ``count`` lines below the offset's line end; the offset itself for none."""
    end = offset
    for turn in range(count + (count > 0)):
        found = text.find("\n", end + (turn > 0))
        if found < 0:
            return len(text) if turn else end
        end = found
    return end
