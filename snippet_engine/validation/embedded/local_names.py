"""Locals and parameters that a member declares twice, and ``await`` outside of ``async`` functions.

Part of docs/design/roslyn.md §1.4. The member's tree is read into C#'s scopes: blocks, loops,
sections of a switch, lambdas, local functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from snippet_engine.csharp.tree.grammar import FUNCTIONS

_MAX_DEPTH = 180
"""Deepest nodes that are read."""
_IMPLICIT = "implicit_type"
_FUNCTIONS = FUNCTIONS | {"delegate_declaration"}
_WITH_ACCESSORS = frozenset(("event_declaration", "indexer_declaration", "property_declaration"))
_WITH_VALUE = frozenset((b"add", b"init", b"remove", b"set"))
_NO_NAMES = frozenset(b"_ and async await field not or partial scoped var when with yield".split())
"""The discard, and keywords that the grammar may read as names."""
_SCOPES = frozenset(
    (
        "arrow_expression_clause",
        "block",
        "catch_clause",
        "do_statement",
        "fixed_statement",
        "switch_body",
        "switch_expression_arm",
        "using_statement",
        "while_statement",
    )
)
"""Nodes that have a scope of their own."""
_WITHOUT_LOCALS = frozenset(
    (
        "attribute_list",
        "base_list",
        "comment",
        "declaration_expression",
        "explicit_interface_specifier",
        "generic_name",
        "modifier",
        "qualified_name",
        "type_argument_list",
        "type_parameter_constraints_clause",
        "type_parameter_list",
    )
)
_BEGINS_OPERAND = re.compile(rb"[A-Za-z_\x80-\xff\"$]")


class NameConflict(NamedTuple):
    """An error about one name, in bytes: the compiler's id, and the place of the other
    declaration.
    """

    id: str
    name: bytes
    start: int
    other: int


class _Scope:
    """The names declared in one scope. A function's own scope has its parameters."""

    __slots__ = ("declared", "is_async", "is_function", "names", "parent", "target")

    def __init__(
        self, parent: _Scope | None, *, is_function: bool = False, is_async: bool | None = None
    ) -> None:
        self.parent = parent
        self.is_function = is_function
        self.is_async: bool | None = is_async
        """Whether its function is ``async``; ``None`` if unknown."""
        if parent is not None and is_async is None:
            self.is_async = parent.is_async
        self.target = self
        """The scope that receives the locals declared in this one."""
        self.names: dict[bytes, int] = {}
        self.declared: list[tuple[bytes, int, bool]] = []

    def declare(self, name: bytes, start: int, *, is_parameter: bool = False) -> None:
        self.target.names.setdefault(name, start)
        self.target.declared.append((name, start, is_parameter))

    def conflicts(self) -> Iterator[NameConflict]:
        """Yield each name that this scope, or one around it in the function, already declares."""
        for name, start, is_parameter in self.declared:
            first = self.names[name]
            if first != start:
                yield NameConflict("CS0100" if is_parameter else "CS0128", name, start, first)
                continue
            scope = self
            while not scope.is_function and scope.parent is not None:
                scope = scope.parent
                if name in scope.names:
                    yield NameConflict("CS0136", name, start, scope.names[name])
                    break


def local_conflicts(member: Node, text: bytes) -> list[NameConflict]:
    """Return the conflicts inside a member of a type. ``text`` is the parsed text."""
    reader = _Reader(text)
    reader.read_member(member)
    found = [each for scope in reader.scopes for each in scope.conflicts()]
    return found + [NameConflict("CS4032", b"await", start, start) for start in reader.awaits]


class _Reader:
    """Reads a member into scopes."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.scopes: list[_Scope] = []
        self.awaits: list[int] = []
        """Where ``await`` is in a function that isn't ``async``."""
        self._depth = 0
        self._handlers: dict[str, Callable[[Node, _Scope], None]] = {
            "accessor_declaration": self._accessor,
            "anonymous_method_expression": self._lambda,
            "argument": self._argument,
            "assignment_expression": self._assignment,
            "await_expression": self._await,
            "catch_declaration": self._named,
            "declaration_pattern": self._named,
            "expression_statement": self._expression_statement,
            "for_statement": self._for,
            "foreach_statement": self._foreach,
            "lambda_expression": self._lambda,
            "local_function_statement": self._local_function,
            "parameter_list": self._parameters,
            "query_expression": self._query,
            "recursive_pattern": self._named,
            "switch_section": self._section,
            "variable_declaration": self._variables,
        }

    def read_member(self, member: Node) -> None:
        if member.type in _FUNCTIONS:
            self._children(member, self._function(None, member))
        elif member.type in _WITH_ACCESSORS:
            scope = self._scope(None, is_function=True, is_async=False)
            parameters = member.child_by_field_name("parameters")
            if parameters is not None:
                self._parameters(parameters, scope)
            for child in member.named_children:
                if child.type == "accessor_list":
                    self._children(child, scope)
                elif child.type == "arrow_expression_clause":
                    self._visit(child, scope)
        elif member.type == "field_declaration":
            for declaration in member.named_children:
                for declarator in declaration.named_children:
                    if declarator.type == "variable_declarator":
                        own = self._scope(None, is_function=True, is_async=False)
                        self._children(declarator, own)

    def _scope(
        self, parent: _Scope | None, *, is_function: bool = False, is_async: bool | None = None
    ) -> _Scope:
        scope = _Scope(parent, is_function=is_function, is_async=is_async)
        self.scopes.append(scope)
        return scope

    def _function(self, parent: _Scope | None, function: Node) -> _Scope:
        is_async = any(
            each.type == "modifier" and self._spelled(each) == b"async"
            for each in function.children
        )
        return self._scope(parent, is_function=True, is_async=is_async)

    def _spelled(self, node: Node) -> bytes:
        return self._text[node.start_byte : node.end_byte]

    def _declare(self, name: Node | None, scope: _Scope, *, is_parameter: bool = False) -> None:
        if name is None or name.type != "identifier" or name.start_byte == name.end_byte:
            return
        spelled = self._spelled(name)
        if spelled not in _NO_NAMES and b"\\" not in spelled:
            scope.declare(spelled.removeprefix(b"@"), name.start_byte, is_parameter=is_parameter)

    # Each of these reads one kind of node that stands in ``scope``.

    def _visit(self, node: Node, scope: _Scope) -> None:
        if node.type in _WITHOUT_LOCALS or self._depth > _MAX_DEPTH:
            return
        self._depth += 1
        handler = self._handlers.get(node.type)
        if handler is not None:
            handler(node, scope)
        elif node.child_count:
            self._children(node, self._scope(scope) if node.type in _SCOPES else scope)
        self._depth -= 1

    def _children(self, node: Node, scope: _Scope) -> None:
        embeds = node.type.endswith("_statement") and node.type != "labeled_statement"
        for child in node.named_children:
            if child.child_count:
                self._visit(child, self._scope(scope) if embeds and _is_statement(child) else scope)

    def _named(self, node: Node, scope: _Scope) -> None:
        self._declare(node.child_by_field_name("name"), scope)
        self._children(node, scope)

    def _await(self, waiting: Node, scope: _Scope) -> None:
        # What isn't the keyword may name a value or method, unless a name or literal follows it.
        operand = waiting.children[-1] if waiting.child_count > 1 else None
        follows = operand is not None and _BEGINS_OPERAND.match(self._text, operand.start_byte)
        if scope.is_async is False and follows:
            self.awaits.append(waiting.start_byte)
        self._children(waiting, scope)

    def _expression_statement(self, statement: Node, scope: _Scope) -> None:
        # Outside of `async`, `await a;` and `await a = b;` can declare a local of a type `await`.
        waiting = statement.named_children[0] if statement.named_children else None
        if scope.is_async is False and waiting is not None and waiting.type == "await_expression":
            last = waiting.named_children[-1:]
            if last and last[0].type in {"assignment_expression", "identifier"}:
                return
        self._children(statement, scope)

    def _variables(self, declaration: Node, scope: _Scope) -> None:
        type_ = declaration.child_by_field_name("type")
        is_implicit = type_ is not None and type_.type == _IMPLICIT
        for declarator in declaration.named_children:
            if declarator.type != "variable_declarator":
                continue
            self._declare(declarator.child_by_field_name("name"), scope)
            # `F (a) = b` and `var(a)` are misread as a type and parts in parentheses.
            if is_implicit and any(child.type == "=" for child in declarator.children):
                self._parts(declarator, scope)
            self._children(declarator, scope)

    def _parts(self, owner: Node, scope: _Scope) -> None:
        """Declare the variables of ``var (a, (b, c))``."""
        for child in owner.named_children:
            if child.type == "tuple_pattern":
                for part in child.named_children:
                    self._declare(part, scope)
                self._parts(child, scope)

    def _for(self, statement: Node, scope: _Scope) -> None:
        loop = self._scope(scope)
        initializers = statement.children_by_field_name("initializer")
        for child in statement.named_children:
            # Variables of the condition and of each step are seen there alone.
            self._visit(child, loop if child in initializers else self._scope(loop))

    def _foreach(self, statement: Node, scope: _Scope) -> None:
        loop = self._scope(scope)
        left, type_ = (statement.child_by_field_name(each) for each in ("left", "type"))
        right, body = (statement.child_by_field_name(each) for each in ("right", "body"))
        self._declare(left, loop)
        if left is not None and left.type == "tuple_pattern":
            if type_ is not None and type_.type == _IMPLICIT:
                self._parts(statement, loop)
        elif left is not None:
            if left.type == "tuple_expression":
                self._deconstruct(left, loop)
            self._visit(left, loop)
        if right is not None:
            self._visit(right, loop)
        if body is not None:
            self._visit(body, self._scope(loop))

    def _argument(self, argument: Node, scope: _Scope) -> None:
        # Without `out`, `F(a * b)` and `F(A < B > c)` are misread as declarations.
        if any(child.type == "out" for child in argument.children):
            for child in argument.named_children:
                if child.type == "declaration_expression":
                    self._declare(child.child_by_field_name("name"), scope)
        self._children(argument, scope)

    def _assignment(self, assignment: Node, scope: _Scope) -> None:
        left = assignment.child_by_field_name("left")
        if left is not None and left.type == "tuple_expression":
            self._deconstruct(left, scope)
        self._children(assignment, scope)

    def _deconstruct(self, target: Node, scope: _Scope) -> None:
        """Declare the variables of ``(int a, (var b, c))``, the target of an assignment."""
        if target.type == "declaration_expression":
            self._declare(target.child_by_field_name("name"), scope)
        elif target.type == "tuple_expression":
            for argument in target.named_children:
                for part in argument.named_children:
                    self._deconstruct(part, scope)

    def _section(self, section: Node, scope: _Scope) -> None:
        labels = self._scope(scope)
        inside = self._scope(labels)
        inside.target = scope
        for child in section.named_children:
            self._visit(child, inside if _is_statement(child) else labels)

    def _lambda(self, function: Node, scope: _Scope) -> None:
        own = self._function(scope, function)
        parameters = function.child_by_field_name("parameters")
        body = function.child_by_field_name("body")
        if parameters is not None and parameters.type == "parameter_list":
            self._parameters(parameters, own)
        elif parameters is not None:
            name = self._spelled(parameters).removeprefix(b"@")
            own.declare(name, parameters.start_byte, is_parameter=True)
        if function.type == "anonymous_method_expression":
            body = next((each for each in function.named_children if each.type == "block"), None)
        if body is not None:
            self._visit(body, self._scope(own))

    def _local_function(self, function: Node, scope: _Scope) -> None:
        bodies = {"arrow_expression_clause", "block"}
        if any(child.type in bodies for child in function.named_children):
            self._declare(function.child_by_field_name("name"), scope)
            self._children(function, self._function(scope, function))

    def _accessor(self, accessor: Node, scope: _Scope) -> None:
        own = self._scope(scope)
        name = accessor.child_by_field_name("name")
        if name is not None and self._spelled(name) in _WITH_VALUE:
            own.declare(b"value", accessor.start_byte, is_parameter=True)
        self._children(accessor, own)

    def _parameters(self, parameters: Node, scope: _Scope) -> None:
        for child in parameters.named_children:
            if child.type == "parameter":
                self._declare(child.child_by_field_name("name"), scope, is_parameter=True)
        # A parameter with `params` has no node of its own.
        self._declare(parameters.child_by_field_name("name"), scope, is_parameter=True)

    def _query(self, query: Node, scope: _Scope) -> None:
        # The variables of a query may hide those around it.
        for clause in query.named_children:
            self._visit(clause, self._scope(scope, is_function=True))


def _is_statement(node: Node) -> bool:
    return node.type == "block" or node.type.endswith("_statement")
