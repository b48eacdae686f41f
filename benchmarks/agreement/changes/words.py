"""One word, number, operator or string in place of another."""

from __future__ import annotations

from random import Random

from benchmarks.agreement.generators import Generator, exchanged, inside
from benchmarks.agreement.tokens import Tokens
from snippet_engine.edits import TextEdit

_CONTEXTUAL_WORDS = (
    "get set add remove where select from join let orderby group into by on equals async await "
    "partial yield var dynamic value when nameof unmanaged init record with and or not global "
    "ascending descending assembly return field"
)
_CONTEXTUAL = frozenset(_CONTEXTUAL_WORDS.split())


def renamed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Replace one occurrence of a name by another name."""
    token = tokens.pick(rng, "name")
    if token is None or token.text in _CONTEXTUAL:
        return None
    new = rng.choice(
        (token.text + "2", "new" + token.text, "_" + token.text, "@" + token.text, "値", "onReady")
    )
    return TextEdit(token.start, token.end, new.replace("@@", "@"))


def number_changed(tokens: Tokens, rng: Random) -> TextEdit | None:
    """Replace a number by another."""
    token = tokens.pick(rng, "number")
    new = rng.choice(("0", "42", "1.5f", "0x1F", "1e3", "7L", "1_000", "2.5m", "0b11", ".5f", "3u"))
    return token and TextEdit(token.start, token.end, new)


WORDS: dict[str, Generator] = {
    "name changed": renamed,
    "number changed": number_changed,
    "string changed": inside(
        "string", " more", "é", "{0}", "'", "//", "/*", "\\n", "#if", "}", "("
    ),
    "word in place of a word": exchanged(
        "keyword",
        {
            "true": "false",
            "false": "true",
            "public": "internal",
            "private": "public",
            "protected": "private protected",
            "int": ("long", "float", "int?"),
            "float": "double",
            "null": "default",
            "string": ("object", "string?"),
            "class": "struct",
            "this": "other",
            "bool": "int",
            "as": "is",
            "virtual": "abstract",
            "override": "new",
            "sealed": "static",
            "ref": "out",
            "while": "if",
            "readonly": "static",
            "break": "return",
        },
    ),
    "operator changed": exchanged(
        "operator",
        {
            "+": ("-", "*", "%", "<<"),
            "-": "+",
            "*": "/",
            "/": "*",
            "==": ("!=", "<=", ">"),
            "!=": "==",
            "<=": ">=",
            ">=": "<",
            "&&": ("||", "&", "^"),
            "||": ("&&", "??"),
            "+=": ("-=", "*=", "??=", ">>="),
            "-=": "+=",
            "++": "--",
            "--": "++",
            "??": "||",
        },
    ),
    "interpolation changed": inside(
        "interpolated", "{x}", "{{", "}}", "{a.b}", "{x:0.0}", "{f(1)}"
    ),
}
"""Changes by kind."""
