"""Preprocessor directives: their syntax, their conditions, and their nesting.

Part of docs/design/roslyn.md §1.1. The input is one directive line; the output is the branch stack
after it, and its errors. It behaves like Roslyn's directive parser, also in inactive branches:
there directives still nest, and malformed ones are still errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from snippet_engine.csharp.lexical.problem import Problem
from snippet_engine.csharp.lexical.symbol_sets import EVERY_IF, BuildSymbols, SymbolSet
from snippet_engine.late_pattern import late_pattern

WHITESPACE = "\t\v\f \xa0\x1a\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff"
"""The characters that C# reads as whitespace inside a line, for a regex class."""

_MAX_NESTING = 20
"""A condition with more deeply nested parentheses is reported as invalid."""

_MAX_CHAIN = 4
"""A condition with more ``==`` and ``!=`` in a row is reported as invalid."""

_TOKEN = late_pattern(
    rf"[{WHITESPACE}]*+(?:(?P<name>[^\W\d]\w*)|(?P<operator>&&|\|\||==|!=|[!()])"
    r"|(?P<comment>//.*)|(?P<other>.))",
    re.DOTALL,
)
_RESERVED = frozenset(
    ("true", "false", "default", "hidden", "checksum", "disable", "restore", "enable")
)
"""Words that a directive can't use as the name of a symbol."""

_WS = f"[{WHITESPACE}]"
_END = rf"{_WS}*(?://.*)?$"
_NULLABLE = late_pattern(
    rf"{_WS}*(?:enable|disable|restore)(?:{_WS}+(?:annotations|warnings))?{_END}"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed ``#if`` expression."""

    operator: str
    """``symbol``, ``literal``, ``!``, ``&&``, ``||``, ``==`` or ``!=``."""
    operands: tuple[Condition, ...] = ()
    name: str = ""
    """The name of the symbol, or ``true`` or ``false``."""

    def value(self, known: Mapping[str, bool]) -> bool | None:
        """Return the value, if ``known`` decides it; ``None`` if it depends on other symbols."""
        if self.operator == "symbol":
            return known.get(self.name)
        if self.operator == "literal":
            return self.name == "true"
        values = [operand.value(known) for operand in self.operands]
        if self.operator in {"&&", "||"}:
            decisive = self.operator == "||"
            if decisive in values:
                return decisive
            return None if None in values else not decisive
        if None in values:
            return None
        if self.operator == "!":
            return not values[0]
        return (values[0] == values[1]) == (self.operator == "==")

    def text(self, *, is_inner: bool = False) -> str:
        """Return the condition in C# syntax; with ``is_inner``, in parentheses if needed."""
        if not self.operands:
            return self.name
        parts = [each.text(is_inner=True) for each in self.operands]
        if self.operator == "!":
            return f"!{parts[0]}"
        text = f" {self.operator} ".join(parts)
        return f"({text})" if is_inner else text

    def symbols(self) -> Iterator[str]:
        """Yield its symbols, with repetitions, in text order."""
        if self.operator == "symbol":
            yield self.name
        for operand in self.operands:
            yield from operand.symbols()


_MAX_CONDITIONS = 100
"""Most conditions of one chain of ``#elif`` that are kept; the others are never solved for."""
_MAX_DEFINITIONS = 2_000
"""Most symbols that a file can define for itself; further ones are ignored."""
_FALSE = Condition("literal", name="false")


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive. Columns count from the ``#``."""

    keyword: str
    """Empty if unknown."""
    condition: Condition = _FALSE
    symbol: str = ""
    problems: tuple[Problem, ...] = ()
    """Errors wherever the directive is."""
    active_problems: tuple[Problem, ...] = ()
    """Errors only if the directive is in active code."""


class Branch:
    """One open ``#if`` chain or ``#region``, linked to the one around it.

    Branches are interned by their parent (:meth:`open`), so equal stacks are one object.

    * ``kind`` is ``if`` (also after ``#elif``), ``else``, ``region``, or empty at the bottom.
    * ``conditions`` are those of the chain so far; an ``else`` branch adds none.
    * ``active`` says that the current branch is compiled.
    * ``taken`` says that the chain so far has a compiled branch.
    """

    __slots__ = ("_inner", "active", "conditions", "kind", "parent", "taken")

    def __init__(
        self,
        parent: Branch | None = None,
        kind: str = "",
        conditions: tuple[Condition, ...] = (),
        active: bool = True,
        taken: bool = True,
    ) -> None:
        self.parent = parent
        self.kind = kind
        self.conditions = conditions
        self.active = active
        self.taken = taken
        self._inner: dict[tuple[str, tuple[Condition, ...], bool, bool], Branch] = {}

    def open(
        self, kind: str, conditions: tuple[Condition, ...], active: bool, taken: bool
    ) -> Branch:
        """Return the branch of these values that is opened inside this one."""
        key = (kind, conditions, active, taken)
        found = self._inner.get(key)
        if found is None:
            found = self._inner.setdefault(key, Branch(self, *key))
        return found

    @property
    def names_symbols(self) -> bool:
        """Whether any condition of this branch, or of one around it, names a symbol."""
        return any(
            True
            for branch in self.outermost_first()
            for condition in branch.conditions
            for _ in condition.symbols()
        )

    def outermost_first(self) -> list[Branch]:
        """Return the open branches from the outermost to this one."""
        chain: list[Branch] = []
        branch = self
        while branch.parent is not None:
            chain.append(branch)
            branch = branch.parent
        return chain[::-1]


Definitions = frozenset[tuple[str, bool]]
"""The effect of ``#define`` (true) and ``#undef`` (false) so far."""


class Step(NamedTuple):
    """The state after one directive, and its errors."""

    branch: Branch
    definitions: Definitions
    problems: tuple[Problem, ...]


def skipping(condition: Condition) -> str:
    """Return the marker that makes ``condition`` false in a symbol set with ``EVERY_IF``."""
    return f"{EVERY_IF} {condition.text()}"


def take(
    directive: Directive,
    branch: Branch,
    definitions: Definitions,
    symbols: SymbolSet,
    after_first_token: bool,
) -> Step:
    """Apply ``directive`` at ``branch`` under the symbol set ``symbols``.

    A conditional ``#error`` counts only in the symbol set of a real build, not in a made-up set.
    """
    problems = directive.problems
    if branch.active and directive.active_problems:
        is_error = directive.keyword == "error"
        if not is_error or isinstance(symbols, BuildSymbols) or not branch.names_symbols:
            problems += directive.active_problems

    def holds(condition: Condition) -> bool:
        if EVERY_IF in symbols:
            return skipping(condition) not in symbols
        known = {
            name: (name, True) in definitions
            or (name in symbols and (name, False) not in definitions)
            for name in condition.symbols()
        }
        return condition.value(known) is True

    match directive.keyword:
        case "if":
            taken = branch.active and holds(directive.condition)
            branch = branch.open("if", (directive.condition,), taken, taken)
        case "region":
            branch = branch.open("region", (), branch.active, branch.active)
        case "elif" | "else" if branch.kind == "if" and branch.parent is not None:
            outer = branch.parent
            active = outer.active and not branch.taken
            conditions, kind = branch.conditions, "else"
            if directive.keyword == "elif":
                active = active and holds(directive.condition)
                kind = "if"
                if len(conditions) < _MAX_CONDITIONS:
                    conditions = (*conditions, directive.condition)
            branch = outer.open(kind, conditions, active, branch.taken or active)
        case "endif" if branch.kind in {"if", "else"} and branch.parent is not None:
            branch = branch.parent
        case "endregion" if branch.kind == "region" and branch.parent is not None:
            branch = branch.parent
        case "elif" | "else" | "endif" | "endregion":
            problems = (*problems, _misplaced(directive.keyword, branch))
        case "define" | "undef" if branch.active and directive.symbol:
            if after_first_token:
                problems = (*problems, _define_too_late(directive.keyword))
            else:
                if len(definitions) >= _MAX_DEFINITIONS:
                    return Step(branch, definitions, problems)
                defines = directive.keyword == "define"
                kept = definitions - {(directive.symbol, not defines)}
                definitions = kept | {(directive.symbol, defines)}
    return Step(branch, definitions, problems)


def _misplaced(keyword: str, branch: Branch) -> Problem:
    match branch.kind:
        case "region":
            return Problem(0, "CS1038", f"#endregion expected before #{keyword}")
        case "if" | "else":
            return Problem(0, "CS1027", f"#endif expected before #{keyword}")
    opener = "#region" if keyword == "endregion" else "#if"
    return Problem(0, "CS1028", f"unexpected #{keyword}: no {opener} is open")


def _define_too_late(keyword: str) -> Problem:
    return Problem(0, "CS1032", f"#{keyword} must come before the first token of the file")


@lru_cache(maxsize=4096)
def parse_directive(text: str) -> Directive:
    """Parse a directive from its ``#`` to the end of its line."""
    tokens = _Tokens(text, 1)
    column, keyword = tokens.column, tokens.take_name()
    match keyword:
        case "if" | "elif":
            condition = _either(tokens, 0)
            tokens.expect_end()
            return Directive(keyword, condition, problems=tuple(tokens.problems))
        case "else" | "endif":
            tokens.expect_end()
            return Directive(keyword, problems=tuple(tokens.problems))
        case "define" | "undef":
            symbol = tokens.take_name()
            if not symbol or symbol in _RESERVED:
                problem = Problem(tokens.column, "CS1001", f"#{keyword} needs a symbol's name")
                return Directive(keyword, problems=(problem,))
            tokens.expect_end()
            return Directive(keyword, symbol=symbol, problems=tuple(tokens.problems))
        case "region" | "endregion" | "warning" | "pragma":
            return Directive(keyword)
    rest = text[tokens.end_of_last :]
    return (
        Directive(keyword, active_problems=_active_problems(keyword, rest, column))
        if (keyword in {"error", "line", "nullable", "r", "load"})
        else Directive("", problems=(Problem(column, "CS1024", "unknown preprocessor directive"),))
    )


@cache
def _line_pattern() -> re.Pattern[str]:
    """Return the pattern for the rest of a ``#line``; compiled late, because it is rare."""
    point = rf"\({_WS}*\d+{_WS}*,{_WS}*\d+{_WS}*\)"
    return re.compile(
        rf"{_WS}*(?:(?:default|hidden){_END}|0*[1-9]\d*(?:{_WS}+\"[^\"]*\")?{_END}"
        rf"|{point}{_WS}*-{_WS}*{point}{_WS}*\d*{_WS}*\"[^\"]*\"{_END})"
    )


def _active_problems(keyword: str, rest: str, column: int) -> tuple[Problem, ...]:
    match keyword:
        case "line" if not _line_pattern().match(rest):
            return (Problem(column, "CS1576", "#line needs a number, 'default' or 'hidden'"),)
        case "nullable" if not _NULLABLE().match(rest):
            return (Problem(column, "CS8637", "#nullable needs 'enable', 'disable' or 'restore'"),)
        case "error":
            return (Problem(column, "CS1029", f"#error: '{rest.strip()[:60]}'"),)
        case "r" | "load":
            return (Problem(column, "CS1024", f"#{keyword} is only allowed in scripts"),)
    return ()


class _Tokens:
    """The tokens of one directive, and the problems found in it."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.end_of_last = start
        self._advance()

    def _advance(self) -> None:
        match = _TOKEN().match(self.text, self.end_of_last)
        self.kind = match.lastgroup if match and match.lastgroup else "end"
        self.value = match[match.lastgroup] if match and match.lastgroup else ""
        self.column = match.start(match.lastgroup) if match and match.lastgroup else len(self.text)
        if self.kind == "comment":
            self.kind = "end"

    def take(self, *operators: str) -> str:
        """Step over the next token if it is one of ``operators``; return it, or an empty text."""
        if self.kind == "operator" and self.value in operators:
            return self._step()
        return ""

    def take_name(self) -> str:
        """Step over the next token if it is a name; return it, or an empty text."""
        return self._step() if self.kind == "name" else ""

    def _step(self) -> str:
        value = self.value
        self.end_of_last = self.column + len(value)
        self._advance()
        return value

    def fail(self, id: str, message: str) -> None:  # noqa: A002
        """Note a problem at the next token."""
        self.problems.append(Problem(self.column, id, message))

    def expect_end(self) -> None:
        """Note a problem unless only a comment is left; one such problem is enough."""
        if self.kind != "end" and not self.problems:
            self.fail("CS1025", "a directive ends with its line, or with a // comment")


def _either(tokens: _Tokens, depth: int) -> Condition:
    operands = [_both(tokens, depth)]
    while tokens.take("||"):
        operands.append(_both(tokens, depth))
    return operands[0] if len(operands) == 1 else Condition("||", tuple(operands))


def _both(tokens: _Tokens, depth: int) -> Condition:
    operands = [_equality(tokens, depth)]
    while tokens.take("&&"):
        operands.append(_equality(tokens, depth))
    return operands[0] if len(operands) == 1 else Condition("&&", tuple(operands))


def _equality(tokens: _Tokens, depth: int) -> Condition:
    left = _negation(tokens, depth)
    chained = 0
    while operator := tokens.take("==", "!="):
        chained += 1
        right = _negation(tokens, depth)
        left = Condition(operator, (left, right)) if chained <= _MAX_CHAIN else _FALSE
    if chained > _MAX_CHAIN:
        tokens.fail("CS1517", "invalid preprocessor expression: too long")
    return left


def _negation(tokens: _Tokens, depth: int) -> Condition:
    negated = False
    while tokens.take("!"):
        negated = not negated
    operand = _primary(tokens, depth)
    return Condition("!", (operand,)) if negated else operand


def _primary(tokens: _Tokens, depth: int) -> Condition:
    if depth < _MAX_NESTING and tokens.take("("):
        inner = _either(tokens, depth + 1)
        if not tokens.take(")"):
            tokens.fail("CS1026", ") expected in the preprocessor expression")
        return inner
    if tokens.kind == "name":
        if tokens.value.lower() in {"true", "false"}:
            return Condition("literal", name=tokens.take_name().lower())
        if tokens.value not in _RESERVED:
            return Condition("symbol", name=tokens.take_name())
    tokens.fail("CS1517", "invalid preprocessor expression")
    return _FALSE
