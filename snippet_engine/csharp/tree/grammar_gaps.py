"""Rewrite valid C# that the tree-sitter grammar can't read, so that it can.

Implements the cure of docs/design/roslyn.md §1.2: rewrites of the same length, made only if the
tree is broken, and only to count the broken nodes. Each turns a construct into another one that is
equally well-formed. The reading with the fewest broken nodes wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from snippet_engine.csharp.lexical.keywords import PREDEFINED_TYPES, RESERVED_WORDS
from snippet_engine.csharp.tree.syntax_tree import blanked
from snippet_engine.csharp.tree.type_arguments import type_arguments

_FLAT = rb"[^()\"';{}]|\"[^\"\\\n]*\"|'[^'\\\n]'"
_NESTED = rb"(?:" + _FLAT + rb"|\((?:" + _FLAT + rb")*+\))"
_ARGUMENTS = rb"((?:" + _NESTED + rb"|\(" + _NESTED + rb"*+\))*+)\)"
_ASSIGNMENT = rb"(?=\s*(?:[-+*/%&|^]|<<|>>|\?\?)?=(?![=>]))"
_ASSIGNED = re.compile(_ASSIGNMENT)
_NOT_A_CALL = frozenset((*RESERVED_WORDS, b"await", b"from", b"var", b"when"))
_VERBATIM = rb"\"((?:[^\"{}]|\"\"|\{\{|\}\}|\{[^{}\"]*(?:\"[^\"\n]*\"[^{}\"]*)*\})*)\"(?!\")"
_NO_KEYWORD = rb"(?!(?:" + b"|".join(sorted(RESERVED_WORDS)) + rb")\b)"
_INTERPOLATED_PART = re.compile(rb"\{\{|\}\}|\"\"|\{[^{}]*\}")
_TEXT_OR_COMMENT = re.compile(
    rb"\"\"\"(?:[^\"]|\"(?!\"\"))*\"\"\"|(?:@\$|\$@)" + _VERBATIM + rb"|@\"(?:[^\"]|\"\")*\""
    rb"|\$\"(?:[^\"\\{\n]|\\.|\{\{|\{[^{}\"\n]*(?:\"[^\"\n]*\"[^{}\"\n]*)*\})*\""
    rb"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,9}?)'|(?P<comment>//[^\n]*|/\*.*?\*/)",
    re.DOTALL,
)
"""A literal or a comment: either can contain the delimiters of the other."""
_NAMES = re.compile(rb"\b(?:and|async|await|field|nint|nuint|or|partial|required|with)\b")
"""Words that are keywords in some places and names in others."""
_BEFORE_STATEMENT = re.compile(rb"[;{}][^;{}]*\Z")
_OPERAND_END = re.compile(rb"(?:[\w)\]\"']|\+\+|--|(?<!\.)\.)\s*$")
"""The end of an operand, which a star multiplies; no operand begins after a single dot, either."""
_WORD_BEFORE_OPERAND = re.compile(
    rb"\b(?:return|ref|out|in|else|do|case|throw|yield|await|unsafe)\s*$"
)
_DEREFERENCED_CAST = re.compile(rb"\*\s*\([\s\w.:<>,?]+\*+\s*\)\s*(?=[\w(&*@])&?")
_CALLEE = re.compile(
    rb"(?:(?:[;{}():\]=&|]|=>|^|\belse)[\s*]*|,\s*)"
    rb"(?P<member>(?:(?:\??\.|->)\s*)?(?:[\w:]+(?:<[\w.,\s:<>?\[\]]*>)?\s*(?:\.|->)\s*)*)"
    rb"(?P<name>\w+)(?:<[^;{}()]*>)?$"
)
_ADDRESS = re.compile(rb"\*\s*&(?!&)")
_LITERAL = re.compile(rb"\*\s*(?:[\"'\d]|[$@]{1,2}\")")
_DECLARED = re.compile(rb"(?:[\w>\]?*](?<!\breturn)(?<!\belse)\s+|[{,]\s*)\w+$")
_BEHIND_CAST = re.compile(rb"\)\s*(?:@?\w+\s*(?:\.|->|::)\s*)*@?\w+\s*\Z")
_INDEXED = re.compile(rb"[\w)>]$")
_PREDEFINED_TYPE = rb"\b(?:" + b"|".join(sorted(PREDEFINED_TYPES)) + rb"|void)"
_PREDEFINED = re.compile(_PREDEFINED_TYPE + rb"(?:\?|\[\])*$")
_CAST_TO_PREDEFINED = re.compile(
    rb"(?<!sizeof)(?<!sizeof\s)(?<!default)(?<!default\s)"
    rb"\(\s*" + _PREDEFINED_TYPE + rb"[\s*]*\)\s*$"
)
_NO_SPACE = re.compile(rb"\S")
_PARENTHESIS = re.compile(rb"[();]")
_MAX_STARS = 5_000
"""Most stars that are examined; real code has fewer pointers."""
_LOOK_BACK = 2000
_LONGEST_WORD = 64
"""Longest word or cast before an operand, in bytes."""
_LOOK_AHEAD = 1000


def _blank(match: re.Match[bytes]) -> bytes:
    return blanked(match[0], [(0, len(match[0]))])


def _blank_group(match: re.Match[bytes]) -> bytes:
    return blanked(match[0], [(match.start(1) - match.start(), match.end(1) - match.start())])


def _rename(match: re.Match[bytes]) -> bytes:
    """Return another name instead of a keyword."""
    return match[0][:-1] + b"_"


def _statement_before(match: re.Match[bytes]) -> bytes:
    """Return the statement's text before the match, with the character before the statement."""
    before = match.string[max(0, match.start() - _LOOK_BACK) : match.start()].rstrip()
    return before[max(0, *(before.rfind(sign) for sign in (b";", b"{", b"}"))) :]


def _index(match: re.Match[bytes]) -> bytes:
    """Turn ``(x) =`` into ``[x] =``, ``() =`` into a member, unless a type precedes the name."""
    called = _CALLEE.search(_statement_before(match))
    if not called or (called["name"] in _NOT_A_CALL and not called["member"]):
        return match[0]
    return b"[" + match[1] + b"]" if match[1].strip() else b"." + match[1] + b"x"


def _forgiven(match: re.Match[bytes]) -> bytes:
    """Remove the sign of ``a! =``, unless the name is declared there."""
    return match[0] if _DECLARED.search(_statement_before(match)) else b" "


def _target(match: re.Match[bytes]) -> bytes:
    """Remove the target of ``[other: A]``, unless an indexed expression precedes it."""
    return match[0] if _INDEXED.search(_statement_before(match)[-1:]) else _blank_group(match)


def _plain_text(match: re.Match[bytes]) -> bytes:
    """Turn doubled braces and quotes in an interpolated string into letters.

    An empty string loses its ``$``.
    """
    start, text = match[0][: match.start(1) - match.start()], match[1]
    if not text:
        return b" " * start.count(b"$") + start.replace(b"$", b"") + b'"'
    plain = _INTERPOLATED_PART.sub(
        lambda part: b"xx" if part[0] in {b"{{", b"}}", b'""'} else part[0], text
    )
    return start + plain + b'"'


def _dot(match: re.Match[bytes]) -> bytes:
    """Turn ``A::`` into ``A.`` and a space, unless it is declared: ``void A::B()`` is no C#."""
    before = _statement_before(match)[-_LONGEST_WORD:]
    return match[0] if _PREDEFINED.search(before) else match[1] + b". "


class _Rewrite(NamedTuple):
    """A pattern and its replacement. Texts without ``needs`` aren't searched.

    Patterns begin with a literal, which ``re`` finds quickly.
    """

    needs: bytes
    pattern: re.Pattern[bytes]
    replacement: Callable[[re.Match[bytes]], bytes]


def _keyword_as_name(word: bytes, followed_by: bytes) -> _Rewrite:
    """Return the rewrite of ``word`` to a name where the next token can't follow the keyword."""
    pattern = word + rb"(?<!\w" + word + rb")(?=\s*" + followed_by + rb")"
    return _Rewrite(word, re.compile(pattern), _rename)


def _spaces(lead: bytes, *ends: bytes) -> _Rewrite:
    return _Rewrite(lead, re.compile(lead + b"(?:" + b"|".join(ends) + b")"), _blank)


_REWRITES = (
    _spaces(b"\xe1", rb"\x9a\x80"),
    _spaces(b"\xe2", rb"\x80[\x80-\x8a\xaf]", rb"\x81\x9f"),
    _Rewrite(
        b'$"',
        re.compile(
            rb"\$\"(?<!@\$\")((?:[^\"\\{}\n]|\\.|\{\{|\}\}"
            rb"|\{[^{}\"\n]*(?:\"[^\"\n]*\"[^{}\"\n]*)*\})*)\""
        ),
        _plain_text,
    ),
    _Rewrite(b'$@"', re.compile(rb"\$@" + _VERBATIM), _plain_text),
    _Rewrite(b'@$"', re.compile(rb"@\$" + _VERBATIM), _plain_text),
    # `*++p`
    _Rewrite(b"*", re.compile(rb"\*\s*(\+\+|--)(?=\s*[\w(@*])"), _blank_group),
    # `*p++ = v`
    _Rewrite(b"*", re.compile(rb"\*\s*\w+\s*(\+\+|--)\s*=(?!=)"), _blank_group),
    # `(in T a, in T b) => …`
    _Rewrite(
        b"in",
        re.compile(rb"[(,]\s*(in)(?=\s+[\w.<>\[\]?*,:\s]{1,200}?[\s>\]?*]\w+\s*[,)=])"),
        _blank_group,
    ),
    # `(out T a, out T b) => …`
    _Rewrite(
        b"out",
        re.compile(rb"out(?<=[(,\s]out)(?=\s+\w[^()]{1,400}+\)\s*=>)"),
        lambda _: b"ref",
    ),
    # `[@assembly: A]`
    _Rewrite(b"[", re.compile(rb"\[\s*(@)(?=(?:assembly|module)\s*:)"), _blank_group),
    # `[other: A]`, which C# takes with a warning
    _Rewrite(
        b"[",
        re.compile(
            rb"\[\s*(?!(?:assembly|event|field|method|module|param|property|return|type)\b)"
            rb"(@?\w+\s*:)(?!:)"
        ),
        _target,
    ),
    # `delegate*<in A, out B, C>`
    _Rewrite(b"delegate*", re.compile(rb"[<,]\s*(in|out)(?=\s+[\w.]+\s*[,>])"), _blank_group),
    # `a! = b`, where the sign isn't next to the `=`
    _Rewrite(
        b"!",
        re.compile(rb"!(?<=[\w)\]]!)(?=\s+(?:[-+*/%&|^]|<<|>>|\?\?)?=(?![=>]))"),
        _forgiven,
    ),
    _Rewrite(b"ref", re.compile(rb"ref(?<!\wref)(?=\s+partial\b)"), _blank),
    _Rewrite(b"~", re.compile(rb"unsafe(?<!\wunsafe)(?=\s*~)"), _blank),
    _keyword_as_name(
        b"async", rb"(?:[^\s\w(@/]|\s\w+\s*(?:=(?!>)|;)|\([^()]*\)\s*(?:[.;,)!+*/%&|^?:-]|==))"
    ),
    _keyword_as_name(b"required", rb"[^\s\w(@/]"),
    _keyword_as_name(b"partial", rb"[^\s\w(@/]"),
    _keyword_as_name(b"await", rb"(?:[.);,=\]}?:<>|^%]|!=)"),
    _keyword_as_name(b"with", rb"[^\s\w{/]"),
    _keyword_as_name(b"and", rb"[=;,.)\]]"),
    _keyword_as_name(b"or", rb"[=;,.)\]]"),
    _keyword_as_name(b"nint", rb"\W"),
    _keyword_as_name(b"nuint", rb"\W"),
    _Rewrite(b"_", re.compile(rb"_(?<=\bfrom _)(?=\s+in\b)"), lambda _: b"x"),
    # `A::B()`, where A is but a name
    _Rewrite(b"::", re.compile(rb"(?<![\w.:\]])" + _NO_KEYWORD + rb"(\w+)::"), _dot),
    # `enum E { … } ;`
    _Rewrite(b"}", re.compile(rb"\}(\s+);"), lambda match: b"};" + match[1]),
    # `__refvalue(r, T) = v`
    _Rewrite(
        b"__refvalue",
        re.compile(rb"__refvalue\s*\(" + _ARGUMENTS + _ASSIGNMENT),
        lambda match: b"x" + _blank(match)[1:] if b"," in match[1] else match[0],
    ),
    # `(a ? ref b : ref c) = v`, read as if it were `(a, b, c) = v`
    _Rewrite(
        b"?",
        re.compile(
            rb"\(((?:%b){1,400}?)\?(\s*)ref\b((?:%b){1,400}?):(\s*)ref\b((?:%b){1,400}+)\)"
            rb"(?=[\s)]*(?:[-+*/%%&|^]|<<|>>|\?\?)?=(?![=>]))" % ((_NESTED,) * 3)
        ),
        lambda match: b"(%b,%b   %b,%b   %b)" % match.groups(),
    ),
    # `F(x) = v` where F returns a reference
    _Rewrite(
        b"=",
        re.compile(rb"\((?<=[\w>\s]\()" + _ARGUMENTS + _ASSIGNMENT),
        _index,
    ),
)


def cure(text: bytes) -> bytes:
    """Return ``text``, at equal length, with the constructs rewritten that the grammar can't read.

    Comments become spaces, because they can be anywhere in such a construct.
    """
    if b"//" in text or b"/*" in text:
        text = _TEXT_OR_COMMENT.sub(_without_comment, text)
    text = _index_pointers(text)
    for needs, pattern, replacement in _REWRITES:
        if needs in text:
            text = pattern.sub(replacement, text)
    return text


def cure_statements(text: bytes, broken: Iterable[tuple[int, int]]) -> bytes:
    """Return ``text`` with ambiguities decided in the statements of the ``broken`` ranges.

    Contextual keywords are names there, and a call behind a cast loses its type arguments.
    """
    cured = bytearray(text)
    done = 0
    for start, end in broken:
        before = _BEFORE_STATEMENT.search(cured, max(0, start - _LOOK_BACK), start)
        first = max(done, before.start() if before else start)
        cured[first:end] = _NAMES.sub(_rename, bytes(cured[first:end]))
        # Copy only the surroundings, not all the text: there may be many broken places.
        around = bytes(cured[first : min(len(cured), end + _LOOK_AHEAD)])
        for opening, closing in type_arguments(around, 0, len(around)):
            behind = max(0, opening - _LOOK_BACK)
            if _BEHIND_CAST.search(around, behind, opening):
                cured[first + opening : first + closing] = blanked(
                    around[opening:closing], [(0, closing - opening)]
                )
        done = max(done, end)
    return bytes(cured)


def _without_comment(match: re.Match[bytes]) -> bytes:
    return _blank(match) if match["comment"] else match[0]


def _index_pointers(text: bytes) -> bytes:
    """Turn ``*(T*)p`` and ``*&p`` into ``p``, and ``*(p + n)`` and ``*(T*)(p + n)`` into ``a[p +
    n]``.

    ``*"s"`` loses its star: C#'s syntax doesn't depend on which expressions are pointers.
    """
    cured = bytearray(text)
    at = text.find(b"*")
    for _ in range(_MAX_STARS):
        if at < 0:
            break
        # Nothing can be multiplied by a pointer: the star before a pointer cast is no operator.
        cast = _DEREFERENCED_CAST.match(text, at)
        if cast is None and _is_prefix(text, at):
            cast = _ADDRESS.match(text, at)
        if cast:
            cured[at : cast.end()] = _blank(cast)
        elif _LITERAL.match(text, at) and _is_prefix(text, at):
            cured[at] = ord(" ")
        operand = _NO_SPACE.search(text, cast.end() if cast else at + 1)
        end = operand.start() if operand else len(text)
        if text.startswith(b"(", end):
            close = _closing(text, end)
            if close > 0 and (cast or _is_prefix(text, at) or _ASSIGNED.match(text, close + 1)):
                cured[at], cured[end], cured[close] = b"a[]"
        at = text.find(b"*", end)
    return bytes(cured)


def _is_prefix(text: bytes, star: int) -> bool:
    """Return whether an operand begins at the star, so that it can't multiply."""
    before = text[max(0, star - _LOOK_BACK) : star].rstrip()[-_LONGEST_WORD:]
    return not _OPERAND_END.search(before) or any(
        each.search(before) for each in (_WORD_BEFORE_OPERAND, _CAST_TO_PREDEFINED)
    )


def _closing(text: bytes, opening: int) -> int:
    """Return where the parenthesis at ``opening`` is closed; -1 if not near."""
    depth = 0
    for match in _PARENTHESIS.finditer(text, opening, opening + _LOOK_AHEAD):
        if match[0] == b";":
            return -1
        depth += 1 if match[0] == b"(" else -1
        if depth == 0:
            return match.start()
    return -1
