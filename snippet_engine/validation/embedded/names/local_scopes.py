"""The scopes of one function: what each declares, and what a name means where it is used.

Part of docs/design/roslyn.md §1.4. It knows nothing of trees; :mod:`.scope_reader` fills it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class ScopeError(NamedTuple):
    """An error of one name: the compiler's id, and two places in bytes.

    ``other`` is where the name is declared that it is in conflict with.
    """

    id: str
    name: bytes
    start: int
    other: int

    def moved_by(self, shift: int) -> ScopeError:
        """The same error, so many bytes further on."""
        return self._replace(start=self.start + shift, other=self.other + shift)


class Declared(NamedTuple):
    """A name in a scope. ``kind`` is ``local``, ``parameter`` or ``function``.

    Before byte ``usable`` a local can't be used.
    """

    name: bytes
    start: int
    kind: str
    usable: int


class Scope:
    """Names declared in one scope. A function's own scope has its parameters."""

    __slots__ = ("declared", "hidden", "is_async", "is_function", "names", "parent", "target")

    def __init__(
        self, parent: Scope | None, *, is_function: bool = False, is_async: bool | None = None
    ) -> None:
        self.parent = parent
        self.is_function = is_function
        self.is_async: bool | None = is_async
        if parent is not None and is_async is None:
            self.is_async = parent.is_async
        """Whether its function can wait; ``None`` where that isn't known."""
        self.target = self
        """Where what stands in this scope declares its locals."""
        self.names: dict[bytes, Declared] = {}
        self.declared: list[Declared] = []
        self.hidden: set[bytes] = set()
        """Names that mean something else here, as the variables of a query."""

    def declare(self, declared: Declared) -> None:
        """Add a name; of several alike, the first is what the name means."""
        self.target.names.setdefault(declared.name, declared)
        self.target.declared.append(declared)

    def declared_twice(self) -> Iterator[ScopeError]:
        """What is declared here and has a namesake here, or in a scope around it.

        Around it up to the function: what a function declares may hide what is around that.
        """
        for each in self.declared:
            first = self.names[each.name]
            if first is not each:
                id_ = "CS0100" if each.kind == "parameter" else "CS0128"
                yield ScopeError(id_, each.name, each.start, first.start)
            elif (around := self._declared_around(each)) is not None:
                yield ScopeError("CS0136", each.name, each.start, around.start)

    def used_early(self, name: bytes, start: int) -> ScopeError | None:
        """The error where a name is used here, at byte ``start``, before it is declared."""
        found = self._meaning(name)
        if found is None or found.kind != "local" or found.usable <= start:
            return None
        return ScopeError("CS0841", name, start, found.start)

    def _declared_around(self, declared: Declared) -> Declared | None:
        scope = self
        while not scope.is_function and scope.parent is not None:
            scope = scope.parent
            found = scope.names.get(declared.name)
            if found is not None:
                return found
        return None

    def _meaning(self, name: bytes) -> Declared | None:
        """What the name stands for, if that is declared in the member."""
        scope: Scope | None = self
        while scope is not None and name not in scope.hidden:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None
