"""An anchor as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from snippet_engine.fixes.search.edge_whitespace import with_gap_before
from snippet_engine.fixes.search.tokens import Token, tokens_of
from snippet_engine.request import Anchor

MAX_TOKENS = 800
"""Most tokens of an anchor that is aligned."""
_BLANKS = (" ", "\t")
_DOC, _COMMENT = "///", "//"


@dataclass(frozen=True)
class Sent:
    """An anchor as tokens; the target is ``[first, last)`` of them."""

    tokens: Sequence[Token]
    lines: Sequence[int]
    """The line of the anchor that each token is on."""
    first: int
    last: int
    target: str
    seams: tuple[bool, bool]
    """For each seam between context and target: whether only one of the two has white space there.
    """

    @classmethod
    def of(cls, anchor: Anchor) -> Sent | None:
        """Return the anchor as tokens; ``None`` if its target has no token, or too many."""
        target = anchor.target or ""
        if len(anchor.before) + len(target) + len(anchor.after) > MAX_TOKENS * 20:
            return None
        if not target.strip():
            return None
        # White space between target and context doesn't count, but a comment needs its own line.
        above = with_gap_before(anchor.before, target)
        text = with_gap_before(above + target, anchor.after) + anchor.after
        # An anchor may begin inside a comment of several lines.
        begin, marker = (above, _COMMENT) if above.strip() else (target, _DOC)
        begins_in_comment = begin.lstrip().startswith(marker)
        tokens = tokens_of(text, above_is_comment=begins_in_comment)[:-1]
        first = sum(each.end <= len(above) for each in tokens)
        last = sum(each.start < len(above) + len(target) for each in tokens)
        if first >= last or len(tokens) > MAX_TOKENS:
            return None
        lines = [text.count("\n", 0, each.start) for each in tokens]
        seams = (_is_one(anchor.before, target), _is_one(target, anchor.after))
        return cls(tokens, lines, first, last, target, seams)

    @cached_property
    def keys(self) -> Sequence[str]:
        """Return the tokens in their plainest spelling."""
        return [each.key for each in self.tokens]

    @cached_property
    def weights(self) -> Sequence[int]:
        """Return each token's weight for mistakes; the last one is for the end."""
        size, rest = self.last - self.first, len(self.tokens) - self.last
        return [*[1] * self.first, *[2] * size, *[1] * (rest + 1)]

    @property
    def sides(self) -> tuple[int, int]:
        """Count the tokens before the target, and after it."""
        return self.first, len(self.tokens) - self.last

    @property
    def begins_line(self) -> bool:
        """Whether the target begins its line, so that its indentation counts."""
        lead = self.target[: len(self.target) - len(self.target.lstrip())]
        return not self.first and len(lead.expandtabs()) > 1

    def tells_indentation(self, at: int, end: int) -> bool:
        """Whether the white space before a token shows how the file indents.

        ``end`` is where the matching tokens end. Any white space matches between context and
        target; there, an indentation counts only if it is all in one of them. A comment marker
        before a token without a match belongs to another comment.
        """
        if self.keys[at] == "/" and at + 2 >= end:
            return False
        if at in (self.first, self.last) and at:
            is_seamless = self.seams[0] if at == self.first else self.seams[1]
            indentation = self.tokens[at].gap.rpartition("\n")[2]
            return is_seamless and bool(indentation)
        return True


def _is_one(text: str, following: str) -> bool:
    """Whether at most one of ``text`` and ``following`` has white space where they meet."""
    return not (text[-1:] in _BLANKS and following[:1] in _BLANKS)
