"""Distinguish type arguments from comparisons as C# does: by the token after the ``>``.

Part of docs/design/roslyn.md §1.2 and §1.4. The grammar weighs both readings of ``a < b > (c)`` and
can choose the wrong one, as in ``(A)b<C>(ref d)``. C# looks only at the next token (the language's
rule for grammar ambiguities).
"""

from __future__ import annotations

import re

from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS

_NO_TYPES = RESERVED_WORDS - PREDEFINED_TYPES - {b"void"}
_OPENING = re.compile(rb"([\w\x80-\xff]+)\s*(<)(?![<=])")
_TOKEN = re.compile(rb"\s*(@?[A-Za-z_\x80-\xff][\w\x80-\xff]*|::|\[[\s,]*\]|[<>.,?*()])")
_NAMES_ITS_OWNER = re.compile(rb"\s*(?:[({\[.)\]},;:^]|\?|==|!=|&&|\|\|)")
"""Tokens that can only follow type arguments."""
_MAX_DEPTH = 50
"""Deepest nesting of brackets in a type."""
_MAX_TOKENS = 2_000
"""Most tokens of one list of types."""
_WORD = re.compile(rb"[A-Za-z_@\x80-\xff]")


def type_arguments(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """Return the disjoint ranges in ``[start, end)`` that C# always reads as type arguments.

    Ranges with a comment between their tokens are not found.
    """
    found: list[tuple[int, int]] = []
    for opening in _OPENING.finditer(text, start, end):
        first = opening.start(2)
        is_inside = found and first < found[-1][1]
        if is_inside or opening[1] in RESERVED_WORDS:
            continue
        last = _Reader(text, first).type_arguments()
        if last is not None and _NAMES_ITS_OWNER.match(text, last):
            found.append((first, last))
    return found


class _Reader:
    """Reads a list of types from ``at`` on, token by token."""

    def __init__(self, text: bytes, at: int) -> None:
        self._text = text
        self._at = at
        self._depth = 0
        self._taken = 0

    def type_arguments(self) -> int | None:
        """Return the end of ``<A.B, C?[], (D e, F)>``; ``None`` if the text is no such list."""
        if self._depth >= _MAX_DEPTH or not self._take(b"<"):
            return None
        self._depth += 1
        while self._type():
            if self._take(b">"):
                self._depth -= 1
                return self._at
            if not self._take(b","):
                return None
        return None

    def _type(self) -> bool:
        if not (self._tuple() if self._take(b"(") else self._name()):
            return False
        while self._take(b"?") or self._take(b"*") or self._take_rank():
            pass
        return True

    def _name(self) -> bool:
        while self._take_word():
            if self._next() == b"<" and self.type_arguments() is None:
                return False
            if not (self._take(b".") or self._take(b"::")):
                return True
        return False

    def _tuple(self) -> bool:
        self._depth += 1
        while self._depth < _MAX_DEPTH and self._type():
            self._take_word()
            if self._take(b")"):
                self._depth -= 1
                return True
            if not self._take(b","):
                return False
        return False

    def _next(self) -> bytes:
        token = _TOKEN.match(self._text, self._at)
        return token[1] if token else b""

    def _take(self, wanted: bytes) -> bool:
        self._taken += 1
        if self._taken > _MAX_TOKENS:
            return False
        token = _TOKEN.match(self._text, self._at)
        if token is None or token[1] != wanted:
            return False
        self._at = token.end()
        return True

    def _take_word(self) -> bool:
        word = self._next()
        return _WORD.match(word) is not None and word not in _NO_TYPES and self._take(word)

    def _take_rank(self) -> bool:
        return self._next().startswith(b"[") and self._take(self._next())
