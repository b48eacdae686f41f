"""Rewrite C# newer than version 9 that the tree-sitter grammar can't read, so that it can.

Part of docs/design/roslyn.md §1.5. Like :mod:`.grammar_gaps`, but depending on the project's
language version, because an older compiler refuses all of this. Texts keep their length and lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from snippet_engine.csharp.lexical.language_version import LanguageVersion

_BALANCED = r"(?:[^;{}=(),]|\([^;{}()]*+(?:\([^;{}()]*+\)[^;{}()]*+)*+\))"
_NOT_BLANK = re.compile(r"\S")
_LAMBDA_PARAMETER = re.compile(
    r"\s*((?:scoped\s+)?(?:ref\s+readonly\s+|(?:ref|out|in)\s+)?)(?!(?:ref|out|in)\b)@?\w+\s*"
)
_OPERATOR_NAMES = {
    **{"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Mod", "&": "And", "|": "Or"},
    **{"^": "Xor", "<<": "Shl", ">>": "Shr", ">>>": "Ushr", "++": "Inc", "--": "Dec"},
}
_MAX_LENGTH = 500_000
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)


def _blank_first(match: re.Match[str]) -> str:
    """Return the match with its first group blanked."""
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return match[0][:start] + _blank(match[1]) + match[0][end:]


def _method(match: re.Match[str]) -> str:
    """Turn ``operator checked +=``, or ``++`` of an object, into a method with its own name."""
    name = f"op{'c' if match[1] else ''}{_OPERATOR_NAMES[match[2] or match[3]]}"
    return name + _blank(match[0][len(name) :])


def _without_modifiers(match: re.Match[str]) -> str:
    parameters = [_LAMBDA_PARAMETER.fullmatch(each) for each in match[1].split(",")]
    if not all(parameters):
        return match[0]
    return f"({','.join(_blank(p[1]) + p[0][p.end(1) - p.start() :] for p in parameters if p)})"


def _type_of(number: int, match: re.Match[str]) -> str:
    """Turn ``extension<T>(List<T> l)`` into ``class E01<T>``, each with a unique name."""
    name = f"class E{_DIGITS[number // 36 % 36]}{_DIGITS[number % 36]}"
    return match[1] + name + match[2] + _blank(match[3])


class _Rewrite(NamedTuple):
    """A feature of a C# version, and its rewrite. Texts without ``sign`` don't use it."""

    since: int
    sign: str
    pattern: re.Pattern[str]
    replacement: Callable[[re.Match[str]], str]


_REWRITES = (
    # `[var first, .. var rest]`
    _Rewrite(
        11,
        "..",
        re.compile(r"(?<=[\[,])\s*(\.\.)(?=\s*(?:var\b|[{\[]|\w+(?:\[\])?\s+\w))"),
        _blank_first,
    ),
    # `[.., 1]`, `[..] all`
    _Rewrite(11, "..", re.compile(r"(?<=\[)\.\.(?=\s*[,\]])"), lambda _: "_ "),
    # `[type, a]`, where `type` could have been an attribute's target
    _Rewrite(
        12,
        "[",
        re.compile(r"\[\s*(?:assembly|field|method|module|param|property|type)\b(?=\s*[^\s:])"),
        lambda match: match[0][:-1] + "_",
    ),
    # `delegate*<ref readonly A, B>`
    _Rewrite(12, "readonly", re.compile(r"(?<=[<,])\s*ref\s+(readonly)(?=\s+\w)"), _blank_first),
    # `where T : allows ref struct`
    _Rewrite(
        13,
        "allows",
        re.compile(r"(?<=[:,])\s*allows(\s+ref\s+struct)\b(?=\s*(?:[{;]|=>|where\b))"),
        _blank_first,
    ),
    # `a?.b = c`
    _Rewrite(
        14,
        "?",
        re.compile(
            r"(?<=[\w)\]>])\s*(\?)(?=[^;{}]{1,100}=)(?=(?:\.\s*[A-Za-z_@]|\[)"
            + _BALANCED
            + r"{0,100}?"
            r"(?:(?<![!<>=])=|<<=|>>>?=)(?![=>]))"
        ),
        _blank_first,
    ),
    # `operator +=(A a)`
    _Rewrite(
        14,
        "operator",
        re.compile(
            r"\boperator\s+(checked\s+)?"
            r"(?:([-+*/%&|^]|<<|>>>?)=(?=\s*\()|(\+\+|--)(?=\s*\(\s*\)))"
        ),
        _method,
    ),
    # `(text, out value) => …`
    _Rewrite(
        14, "=>", re.compile(r"(?<![\w>])\(([\w\s,@]{1,400}+)\)(?=\s*=>)"), _without_modifiers
    ),
)
_TYPES = r"<[^(){};<>]*+(?:<[^(){};<>]*+(?:<[^(){};<>]*+>[^(){};<>]*+)*+>[^(){};<>]*+)*+>"
_EXTENSION = re.compile(
    rf"([{{}};]\s*)extension(\s*(?:{_TYPES}\s*)?)"
    rf"(\((?:[^(){{}};,<>]|{_TYPES})++\))(?=\s*(?:\{{|where\b))"
)
_EXTENSION_SINCE = LanguageVersion(14)


def readable(text: str, version: LanguageVersion) -> str:
    """Rewrite the features of ``version`` that the grammar doesn't know, at equal length.

    A very long text stays as it is.
    """
    if len(text) > _MAX_LENGTH:
        return text
    for since, sign, pattern, replacement in _REWRITES:
        if version >= LanguageVersion(since) and sign in text:
            text = pattern.sub(replacement, text)
    if version >= _EXTENSION_SINCE and "extension" in text:
        numbers = count()
        text = _EXTENSION.sub(lambda match: _type_of(next(numbers), match), text)
    return text
