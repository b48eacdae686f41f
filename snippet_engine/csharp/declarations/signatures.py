"""Read parameter lists as text: the types of a C# signature, each spelled one way.

Part of docs/design/engine.md §1 "Symbol anchor": the parentheses of symbol paths are compared in
this form. The same reading serves the source (``ref int a, string b = ""``) and an agent's path
(``ref int, string``), so equal signatures become equal text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from snippet_engine.late_pattern import late_pattern

_TOKEN = late_pattern(
    r"""
      (?P<space> \s+ | //[^\n]* | /\*.*?\*/ )
    | (?P<word> @?[^\W\d]\w* )
    | (?P<literal> @"(?:""|[^"])*" | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])+' | \d[\w.]* )
    | (?P<mark> :: | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSERS = {"(": ")", "[": "]", "<": ">", "{": "}"}

_PASSING = {"ref", "out", "in", "readonly"}
"""Modifiers that distinguish overloads; they stay in the spelling."""

_UNSPELLED = {"this", "params", "scoped"}
"""Modifiers that don't distinguish overloads."""

_NAME = r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+"
_ARGUMENT = rf"{_NAME}(?:<[\w\s.,\[\]]*+>)?+(?:\[\])*+"
_PLAIN_PARAMETER = late_pattern(
    r"\s*+(?:(?:this|params)\s++)?+((?:ref|out|in)\s++)?+"
    r"(?!(?:this|params|scoped|ref|readonly|out|in|delegate)\b)"
    rf"({_NAME}(?:<{_ARGUMENT}(?:,\s*+{_ARGUMENT})*+>(?:\.{_NAME})?+)?+\??+(?:\[\])*+)"
    r"(?:\s++[^\W\d]\w*+)?+\s*+(,|\Z)"
)
"""The most common parameters, matched in one step: modifier, type, comma after it."""

PREDEFINED = {
    **{"SByte": "sbyte", "Byte": "byte", "Int16": "short", "UInt16": "ushort"},
    **{"Int32": "int", "UInt32": "uint", "Int64": "long", "UInt64": "ulong"},
    **{"Boolean": "bool", "Char": "char", "Single": "float", "Double": "double"},
    **{"Decimal": "decimal", "IntPtr": "nint", "UIntPtr": "nuint"},
    **{"Object": "object", "String": "string"},
}
"""Runtime names of the types that have C# keywords."""
_VALUE_KEYWORDS = set(PREDEFINED.values()) - {"object", "string"}

_QUALIFIER = re.compile(r"(?:\w+(?:\.|::))+(?=\w)")
_WORD = re.compile(r"\w+")
_NULLABLE = re.compile(r"\bNullable<([^<>]*)>")
_ANNOTATED = re.compile(r"(\w*)\?")


@lru_cache(maxsize=4096)
def parameter_types(parameters: str) -> tuple[str, ...] | None:
    """Return the types of a parameter list, given without its brackets, in canonical spelling.

    Attributes, parameter and tuple element names, default values, comments, ``this``, ``params``,
    ``scoped``, ``global::``, ``@`` and optional whitespace are left out; ``ref``, ``out``, ``in``
    and ``ref readonly`` stay before their type. ``None`` if the text can't be a parameter list:
    unmatched brackets, or an empty parameter.
    """
    types: list[str] = []
    at = 0
    while plain := _PLAIN_PARAMETER().match(parameters, at):
        passing, spelled, comma = plain.groups(default="")
        types.append(passing.strip() + " " * bool(passing) + "".join(spelled.split()))
        if not comma:
            return tuple(types)
        at = plain.end()
    return _any_parameter_types(parameters)


def _any_parameter_types(parameters: str) -> tuple[str, ...] | None:
    """Do what :func:`parameter_types` does, for parameters of any form."""
    tokens = [
        (match.lastgroup, match[0].removeprefix("@"))
        for match in _TOKEN().finditer(parameters)
        if match.lastgroup != "space"
    ]
    if not tokens:
        return ()
    types: list[str] = []
    passing = spelled = ""
    after_type = named = False
    closers: list[str] = []
    index = 0
    while index < len(tokens):
        group, token = tokens[index]
        index += 1
        if token == "," and not closers:
            if not spelled:
                return None
            types.append(passing + spelled)
            passing, spelled, after_type, named = "", "", False, False
        elif token == "=" and not closers:
            end = _default_end(tokens, index)
            if end is None or not spelled:
                return None
            index = end
        elif token == "[" and not spelled:
            end = _group_end(tokens, index)
            if end is None:
                return None
            index = end
        elif group == "word":
            if token == "global" and tokens[index : index + 1] == [("mark", "::")]:
                index += 1
            elif token in {"managed", "unmanaged"} and spelled.endswith("delegate*"):
                spelled += " unmanaged" if token == "unmanaged" else ""
            elif token in _PASSING and not after_type:
                if closers:
                    spelled += token + " "
                else:
                    passing += token + " "
            elif after_type:
                # A word after a complete type names a parameter or a tuple element.
                if named:
                    return None
                named = True
            elif spelled or token not in _UNSPELLED:
                spelled += token
                after_type = True
        elif token in _CLOSERS:
            closers.append(_CLOSERS[token])
            spelled += token
            after_type = False
        elif closers and token == closers[-1]:
            closers.pop()
            spelled += token
            after_type, named = True, False
        elif token in {",", ".", "::"}:
            spelled += token
            after_type = named = False
        elif token in {"?", "*"} and after_type:
            spelled += token
        else:
            return None
    if closers or not spelled:
        return None
    return (*types, passing + spelled)


def _group_end(tokens: list[tuple[str | None, str]], index: int) -> int | None:
    """Return the index after the bracket that closes the one before ``index``."""
    depth = 1
    while index < len(tokens):
        token = tokens[index][1]
        depth += (token in {"(", "[", "{"}) - (token in {")", "]", "}"})
        index += 1
        if depth == 0:
            return index
    return None


def _default_end(tokens: list[tuple[str | None, str]], index: int) -> int | None:
    """Return the index of the comma that ends the default value at ``index``, or of the end."""
    while index < len(tokens) and tokens[index][1] != ",":
        index += 1
        if tokens[index - 1][1] in {"(", "[", "{"}:
            end = _group_end(tokens, index)
            if end is None:
                return None
            index = end
    return index


def without_passing(spelled: str) -> str:
    """Return a canonical parameter type without ``ref``, ``out``, ``in``, ``ref readonly``."""
    return (
        spelled.removeprefix("ref ")
        .removeprefix("readonly ")
        .removeprefix("out ")
        .removeprefix("in ")
    )


@lru_cache(maxsize=4096)
def loose_type(spelled: str) -> str:
    """Return a canonical type in a looser form, equal for different spellings of one type.

    ``System.Int32``, ``Int32`` and ``int`` become one; qualifiers are dropped
    (``UnityEngine.Vector3`` is ``Vector3``); ``Nullable<T>`` is ``T?``; and ``?`` is dropped if it
    may be the annotation of a reference type. Types that share only this form may still differ: use
    it if no exact spelling matches.
    """
    text = _QUALIFIER.sub("", spelled)
    text = _WORD.sub(lambda match: PREDEFINED.get(match[0], match[0]), text)
    text = _NULLABLE.sub(r"\1?", text)
    return _ANNOTATED.sub(lambda match: match[0] if match[1] in _VALUE_KEYWORDS else match[1], text)
