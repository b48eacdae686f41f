"""Reads a member's tree into the scopes that C# has in it.

Part of docs/design/roslyn.md §1.4: which block, loop, section or lambda a variable belongs to, and
from where its name can be seen. What is found follows from that alone, whatever the names around
the member mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from snippet_engine.validation.embedded.names.local_scopes import Declared, Scope, ScopeError
from snippet_engine.validation.embedded.names.scope_nodes import (
    QUERY_CLAUSES,
    declares_of_type_await,
    is_statement,
    names_await,
    names_below,
    names_in_parentheses,
    parts_of_tuple,
)

_MAX_DEPTH = 180
"""Nodes nested deeper, and all below them, are not looked at."""
_IMPLICIT = "implicit_type"
_FUNCTIONS = frozenset(
    (
        "constructor_declaration",
        "conversion_operator_declaration",
        "delegate_declaration",
        "destructor_declaration",
        "method_declaration",
        "operator_declaration",
    )
)
_WITH_ACCESSORS = frozenset(("event_declaration", "indexer_declaration", "property_declaration"))
_WITH_VALUE = frozenset((b"add", b"init", b"remove", b"set"))
_NO_NAMES = frozenset(
    (
        *(b"_", b"and", b"async", b"await", b"field", b"not", b"or", b"partial", b"scoped"),
        *(b"var", b"when", b"with", b"yield"),
    )
)
"""What reads as a name where the grammar doesn't know better, and the discard."""
_PASSED_OVER = frozenset(
    (
        "alias_qualified_name",
        "attribute_list",
        "base_list",
        "comment",
        "explicit_interface_specifier",
        "generic_name",
        "goto_statement",
        "modifier",
        "qualified_name",
        "type_argument_list",
        "type_parameter_constraints_clause",
        "type_parameter_list",
    )
)
"""Nodes without locals: types, names of other things."""
_TYPE_FIELDS = frozenset(("returns", "type"))
_OTHER_NAMES = frozenset(
    (
        "anonymous_object_creation_expression",
        "constant_pattern",
        "is_expression",
        "as_expression",
        "labeled_statement",
        "subpattern",
    )
)
"""Nodes that hold names which may be those of members, types or labels."""


def local_errors(member: Node, text: bytes) -> list[ScopeError]:
    """What is declared twice, or used too early, in a member of a type.

    ``text`` is what was parsed; places are bytes of it.
    """
    reader = _Reader(text)
    reader.member(member)
    return list(reader.errors())


class _Reader:
    """Reads a member into scopes, then compares what they declare and use."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._scopes: list[Scope] = []
        self._uses: list[tuple[Scope, bytes, int]] = []
        self._awaits: list[int] = []
        self._depth = 0
        self._handlers: dict[str, Callable[[Node, Scope], None]] = {
            "accessor_declaration": self._accessor,
            "anonymous_method_expression": self._lambda,
            "argument": self._argument,
            "arrow_expression_clause": self._nested,
            "assignment_expression": self._assignment,
            "await_expression": self._await,
            "block": self._nested,
            "catch_clause": self._nested,
            "catch_declaration": self._named,
            "declaration_expression": self._nothing,
            "declaration_pattern": self._named,
            "do_statement": self._nested,
            "expression_statement": self._expression,
            "fixed_statement": self._nested,
            "for_statement": self._for,
            "foreach_statement": self._foreach,
            "if_statement": self._children,
            "initializer_expression": self._initializer,
            "lambda_expression": self._lambda,
            "local_function_statement": self._local_function,
            "parameter_list": self._parameters,
            "query_expression": self._query,
            "recursive_pattern": self._named,
            "switch_body": self._nested,
            "switch_expression_arm": self._nested,
            "switch_section": self._section,
            "using_statement": self._nested,
            "variable_declaration": self._variables,
            "while_statement": self._nested,
            "with_initializer": self._with,
        }

    def member(self, member: Node) -> None:
        """Read one member of a type."""
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
                    self._nested(child, scope)
        elif member.type == "field_declaration":
            for declaration in member.named_children:
                for declarator in declaration.named_children:
                    if declarator.type == "variable_declarator":
                        own = self._scope(None, is_function=True, is_async=False)
                        self._children(declarator, own)

    def errors(self) -> Iterator[ScopeError]:
        for scope in self._scopes:
            yield from scope.declared_twice()
        for scope, name, start in self._uses:
            error = scope.used_early(name, start)
            if error is not None:
                yield error
        for start in self._awaits:
            yield ScopeError("CS4032", b"await", start, start)

    def _scope(
        self, parent: Scope | None, *, is_function: bool = False, is_async: bool | None = None
    ) -> Scope:
        scope = Scope(parent, is_function=is_function, is_async=is_async)
        self._scopes.append(scope)
        return scope

    def _function(self, parent: Scope | None, function: Node) -> Scope:
        """A function's own scope, in which its parameters are."""
        is_async = any(
            each.type == "modifier" and self._text[each.start_byte : each.end_byte] == b"async"
            for each in function.children
        )
        return self._scope(parent, is_function=True, is_async=is_async)

    def _declare(
        self, name: Node | None, scope: Scope, kind: str = "local", usable: int | None = None
    ) -> None:
        text = self._name(name)
        if name is not None and text is not None:
            start = name.start_byte
            scope.declare(Declared(text, start, kind, start if usable is None else usable))

    def _name(self, node: Node | None) -> bytes | None:
        """A name as it is compared; ``None`` for none, and for what may be spelt in another way."""
        if node is None or node.type != "identifier" or node.start_byte == node.end_byte:
            return None
        text = self._text[node.start_byte : node.end_byte]
        return None if text in _NO_NAMES or b"\\" in text else text.removeprefix(b"@")

    # Each of these reads one kind of node, which stands in ``scope``.

    def _visit(self, node: Node, field: str | None, scope: Scope) -> None:
        if field in _TYPE_FIELDS or node.type in _PASSED_OVER or self._depth > _MAX_DEPTH:
            return
        self._depth += 1
        handler = self._handlers.get(node.type)
        if handler is not None:
            handler(node, scope)
        elif node.child_count:
            self._children(node, scope)
        self._depth -= 1

    def _children(self, node: Node, scope: Scope) -> None:
        embeds = node.type.endswith("_statement") and node.type != "labeled_statement"
        has_uses = node.type not in _OTHER_NAMES
        cursor = node.walk()
        more = cursor.goto_first_child()
        while more:
            child = cursor.node
            if child is not None and child.is_named:
                if child.type == "identifier":
                    if has_uses and cursor.field_name not in {"name", "type", "returns"}:
                        self._use(child, scope)
                elif embeds and is_statement(child):
                    self._visit(child, None, self._scope(scope))
                else:
                    self._visit(child, cursor.field_name, scope)
            more = cursor.goto_next_sibling()

    def _use(self, name: Node, scope: Scope) -> None:
        text = self._name(name)
        if text is not None:
            self._uses.append((scope, text, name.start_byte))

    def _await(self, waiting: Node, scope: Scope) -> None:
        if scope.is_async is False and not names_await(waiting, self._text):
            self._awaits.append(waiting.start_byte)
        self._children(waiting, scope)

    def _expression(self, statement: Node, scope: Scope) -> None:
        if scope.is_async is not False or not declares_of_type_await(statement):
            self._children(statement, scope)

    def _nested(self, node: Node, scope: Scope) -> None:
        self._children(node, self._scope(scope))

    def _named(self, node: Node, scope: Scope) -> None:
        self._declare(node.child_by_field_name("name"), scope)
        self._children(node, scope)

    def _variables(self, declaration: Node, scope: Scope) -> None:
        type_ = declaration.child_by_field_name("type")
        is_implicit = type_ is not None and type_.type == _IMPLICIT
        for declarator in declaration.named_children:
            if declarator.type != "variable_declarator":
                continue
            # What gives `var` its type can't use the variable.
            usable = declarator.end_byte if is_implicit else None
            self._declare(declarator.child_by_field_name("name"), scope, usable=usable)
            # `F (a) = b` and `var(a)` are misread as a type and parts in parentheses.
            if is_implicit and any(child.type == "=" for child in declarator.children):
                self._parts(declarator, scope)
            self._children(declarator, scope)

    def _parts(self, owner: Node, scope: Scope) -> None:
        """Declare the variables of ``var (a, b)``."""
        for name in names_in_parentheses(owner):
            self._declare(name, scope)

    def _for(self, statement: Node, scope: Scope) -> None:
        loop = self._scope(scope)
        cursor = statement.walk()
        more = cursor.goto_first_child()
        while more:
            child, field = cursor.node, cursor.field_name
            if child is not None and child.is_named:
                # Variables of the condition and of each step are seen there alone.
                inner = loop if field == "initializer" else self._scope(loop)
                self._value(child, inner, field)
            more = cursor.goto_next_sibling()

    def _foreach(self, statement: Node, scope: Scope) -> None:
        loop = self._scope(scope)
        left, type_ = (statement.child_by_field_name(each) for each in ("left", "type"))
        right, body = (statement.child_by_field_name(each) for each in ("right", "body"))
        self._declare(left, loop)
        if left is not None and left.type == "tuple_pattern":
            if type_ is not None and type_.type == _IMPLICIT:
                self._parts(statement, loop)
        elif left is not None and left.type != "identifier":
            self._deconstructed(left, loop)
            self._visit(left, None, loop)
        if right is not None:
            self._value(right, loop)
        if body is not None:
            self._visit(body, None, self._scope(loop))

    def _argument(self, argument: Node, scope: Scope) -> None:
        # Without `out`, `F(a * b)` and `F(A < B > c)` are misread as declarations.
        if any(child.type == "out" for child in argument.children):
            for child in argument.named_children:
                if child.type == "declaration_expression":
                    self._declare(child.child_by_field_name("name"), scope)
        self._children(argument, scope)

    def _assignment(self, assignment: Node, scope: Scope) -> None:
        self._deconstructed(assignment.child_by_field_name("left"), scope)
        self._children(assignment, scope)

    def _deconstructed(self, target: Node | None, scope: Scope) -> None:
        """Declare the variables of ``(int a, var b)``, which is assigned to."""
        for part in parts_of_tuple(target):
            if part.type == "declaration_expression":
                self._declare(part.child_by_field_name("name"), scope)

    def _nothing(self, _: Node, __: Scope) -> None:
        pass

    def _section(self, section: Node, scope: Scope) -> None:
        labels = self._scope(scope)
        inside = self._scope(labels)
        inside.target = scope
        for child in section.named_children:
            if is_statement(child):
                self._visit(child, None, inside)
            else:
                self._value(child, labels)

    def _lambda(self, function: Node, scope: Scope) -> None:
        own = self._function(scope, function)
        parameters = function.child_by_field_name("parameters")
        body = function.child_by_field_name("body")
        if parameters is not None and parameters.type == "parameter_list":
            self._parameters(parameters, own)
        elif parameters is not None:
            name = self._text[parameters.start_byte : parameters.end_byte].removeprefix(b"@")
            own.declare(Declared(name, parameters.start_byte, "parameter", 0))
        if function.type == "anonymous_method_expression":
            body = next((each for each in function.named_children if each.type == "block"), None)
        if body is not None:
            self._value(body, self._scope(own))

    def _local_function(self, function: Node, scope: Scope) -> None:
        if not any(
            child.type in {"arrow_expression_clause", "block"} for child in function.named_children
        ):
            return
        self._declare(function.child_by_field_name("name"), scope, "function")
        self._children(function, self._function(scope, function))

    def _accessor(self, accessor: Node, scope: Scope) -> None:
        own = self._scope(scope)
        name = accessor.child_by_field_name("name")
        if name is not None and self._text[name.start_byte : name.end_byte] in _WITH_VALUE:
            own.declare(Declared(b"value", accessor.start_byte, "parameter", 0))
        for child in accessor.named_children:
            if child.type in {"arrow_expression_clause", "block"}:
                self._nested(child, own)

    def _parameters(self, parameters: Node, scope: Scope) -> None:
        # A parameter with `params` has no node of its own.
        last = parameters.child_by_field_name("name")
        for child in parameters.named_children:
            if child.type == "parameter":
                self._declare(child.child_by_field_name("name"), scope, "parameter")
        self._declare(last, scope, "parameter")

    def _query(self, query: Node, scope: Scope) -> None:
        own = self._scope(scope, is_function=True)
        for clause in query.named_children:
            if clause.type in QUERY_CLAUSES:
                own.hidden.update(names_below(clause, self._text))
            elif clause.type == "identifier":  # behind `into`
                own.hidden.add(self._name(clause) or b"")
        for clause in query.named_children:
            self._visit(clause, None, self._scope(own, is_function=True))

    def _initializer(self, initializer: Node, scope: Scope) -> None:
        """Read ``{ Name = value }``, where the name is a member's."""
        for child in initializer.named_children:
            if child.type == "assignment_expression":
                left, right = (child.child_by_field_name(side) for side in ("left", "right"))
                if left is not None and left.type != "identifier":
                    self._visit(left, None, scope)
                if right is not None:
                    self._value(right, scope)
            else:
                self._value(child, scope)

    def _with(self, initializer: Node, scope: Scope) -> None:
        for value in initializer.named_children[1:]:
            self._value(value, scope)

    def _value(self, node: Node, scope: Scope, field: str | None = None) -> None:
        if node.type == "identifier":
            self._use(node, scope)
        else:
            self._visit(node, field, scope)
