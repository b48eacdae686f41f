"""Detect a broken file from the body around an edit, without parsing the rest.

A shortcut within docs/design/roslyn.md §1.2, the reverse of :mod:`.edit_windows`. A method's or
type's header decides the meaning of the braces behind it. If the edits leave these braces paired,
the text between them has to parse alone; if it doesn't, neither does the file. The answer is never
"whole": only "broken", or "ask the tree".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import tree_sitter

from snippet_engine.csharp.lexical.scanner import scan
from snippet_engine.csharp.tree import syntax_tree
from snippet_engine.csharp.tree.edit_windows import AROUND, EditWindow, moved, parse_alone, path_to
from snippet_engine.csharp.tree.grammar import FUNCTIONS
from snippet_engine.csharp.tree.syntax_tree import Allowance, Change, TooMuchWorkError

_MAX_WORK = 50_000
"""Most work for one body, in hundreds of the parser's steps."""
_MAX_MEMBERS = 100_000
"""Most members of a body, comments included, that are examined one by one."""
_LONG_BLANKS = re.compile(rb"[ \n]{1000,}+")
"""Blanks in place of inactive branches: after an error the parser reads them several times."""
_WITH_BLOCK = FUNCTIONS | {"accessor_declaration"}
"""Members whose braces can only be a block.

Behind ``=>`` and ``if (a)`` the grammar also accepts an initializer, such as ``{ a }``.
"""
# Where these parse with content, they also parse without. They hold nearly all of a file's text.
_EMPTIED = frozenset(("accessor_list", "block", "declaration_list"))
"""Bodies that parse without their content."""


class _Scope(NamedTuple):
    """The inside of braces, or the whole file: bytes ``[start, end)`` of the old text.

    ``end`` is ``None`` for the end of the file.
    """

    node: tree_sitter.Node
    kind: str
    start: int
    end: int | None


class _Part(NamedTuple):
    """The part of a scope that is read: old bytes without the insides of ``bodies``.

    They are ``[start, end)``; up to the end of the file if ``end`` is ``None``.
    """

    start: int
    end: int | None
    bodies: list[tuple[int, int]]
    """The bodies of members that no edit is near."""


def is_broken(
    tree: tree_sitter.Tree, after: bytes, changes: Sequence[Change], windows: Sequence[EditWindow]
) -> bool:
    """Return whether ``after`` surely does not parse.

    ``tree`` is that of the text before ``changes``, and whole; ``windows`` cover all of them. The
    scanner must have found nothing wrong in ``after``.
    """
    # Windows that parse alone don't affect the text behind them.
    broken = next((each for each in windows if not _is_whole(each, after)), None)
    # "} class B {" inside of a class doesn't parse between its braces, while the file does. The
    # scope's braces are still a pair only if brackets pair off inside of every window.
    if broken is None or not all(_has_pairs(each, after) for each in windows):
        return False
    scope = _scope(tree, *broken.before)
    # AROUND has no text for this kind of list, or with so many members the tree is quicker.
    if scope is None or scope.node.named_child_count > _MAX_MEMBERS:
        return False
    part = _part(scope, broken, windows)
    done, end = 0, len(after)
    if part.end is not None:
        done, end = moved(part.start, part.end, changes)
    head, tail = AROUND[scope.kind]
    pieces = [head]
    for first, last in part.bodies:
        start, stop = moved(first, last, changes)
        pieces.append(after[done:start])
        done = stop
    pieces += after[done:end], tail
    return _has_error(_LONG_BLANKS.sub(_shortened, b"".join(pieces)))


def _shortened(blanks: re.Match[bytes]) -> bytes:
    return b"\n" if b"\n" in blanks[0] else b" "


def _is_whole(window: EditWindow, after: bytes) -> bool:
    start, end = window.after
    return parse_alone(after[start:end], window.kind) is not None


def _has_pairs(window: EditWindow, after: bytes) -> bool:
    """Return whether brackets pair up inside; if not, the text may end the body around it."""
    start, end = window.after
    return scan(after[start:end].decode(), frozenset()).is_clean


def _scope(tree: tree_sitter.Tree, start: int, end: int) -> _Scope | None:
    """Return the innermost body that holds a range and whose meaning the edit can't change."""
    scope = _Scope(tree.root_node, "compilation_unit", 0, None)
    for node, parent in path_to(tree, start, end):
        # A smaller block would be quicker to parse, but the edit may change its meaning.
        kind = "block" if node.type == "block" and parent in _WITH_BLOCK else ""
        if node.type == "declaration_list":
            kind = parent
        if kind:
            scope = _Scope(node, kind, node.start_byte + 1, node.end_byte - 1)
    # The innermost wins, whatever contains it: if braces are certainly a body, no text outside of
    # them can make the inside parse.
    return scope if scope.kind in AROUND else None


@lru_cache(maxsize=4)
def _has_error(text: bytes) -> bool:
    """Whether a text doesn't parse; cached, because other symbol sets may have the same text."""
    try:
        return syntax_tree.parse(text, None, Allowance(_MAX_WORK)).root_node.has_error
    except TooMuchWorkError:
        return False


def _part(scope: _Scope, broken: EditWindow, windows: Sequence[EditWindow]) -> _Part:
    """Return the part of a scope that shows whether the new text of ``broken`` can be right there.

    The members of a type before it are unchanged. The text can reach at most to the next semicolon
    that ends a member, because no member contains one outside of all brackets.
    """
    start, end = scope.start, scope.end
    bodies: list[tuple[int, int]] = []
    if scope.kind == "block":
        return _Part(start, end, bodies)
    # Members are independent, unlike the statements of a block ("if" and "else"). At the top
    # of a file there may be statements among them, so only bodies are left out there.
    for member in scope.node.named_children:
        first, last = member.start_byte, member.end_byte
        if end is not None and last < broken.before[0]:
            # Strictly before: a member that touches the window may have got another end.
            start = last
        elif not any(a <= last and first <= b for a, b in (each.before for each in windows)):
            body = member.child_by_field_name("body") or member.child_by_field_name("accessors")
            if body is not None and body.type in _EMPTIED:
                # Keep only the braces: the member parses the same without the body's content.
                bodies.append((body.start_byte + 1, body.end_byte - 1))
            # A broken header may take the next member's body, so reading too far is better than
            # stopping too early. No member continues after a semicolon outside of all brackets.
            if end is not None and first > broken.before[1] and _ends_in_semicolon(member):
                end = last
                break
    return _Part(start, end, bodies)


def _ends_in_semicolon(member: tree_sitter.Node) -> bool:
    return bool(member.child_count) and member.children[-1].type == ";"
