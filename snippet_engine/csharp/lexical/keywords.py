"""C#'s reserved words: names only with ``@``, whatever the context.

Part of docs/design/roslyn.md §1.4.
"""

from __future__ import annotations

_WORDS = (
    b"abstract as base bool break byte case catch char checked class const continue decimal "
    b"default delegate do double else enum event explicit extern false finally fixed float for "
    b"foreach goto if implicit in int interface internal is lock long namespace new null object "
    b"operator out override params private protected public readonly ref return sbyte sealed "
    b"short sizeof stackalloc static string struct switch this throw true try typeof uint ulong "
    b"unchecked unsafe ushort using virtual void volatile while"
)

RESERVED_WORDS = frozenset(_WORDS.split())
"""Encoded as UTF-8, like a parsed text."""

_TYPES = b"bool byte char decimal double float int long object sbyte short string uint ulong ushort"

PREDEFINED_TYPES = frozenset(_TYPES.split())
"""The reserved words that name types, without ``void``."""
