"""Failed tests as a tree, by the parts of their names. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MAX_TESTS = 500
"""Most failed tests that are shown."""

MAX_DEPTH = 12
"""Most levels of the tree; deeper names stay whole."""


@dataclass(slots=True)
class Branch:
    """A part of a test's name."""

    name: str
    branches: dict[str, Branch] = field(default_factory=dict)
    """The parts below it."""
    failures: list[Mapping[str, Any]] = field(default_factory=list)
    """The failures of the test whose name ends here."""
    count: int = 0
    """How many failed tests it contains."""

    @property
    def below(self) -> list[Branch]:
        """Return the branches, those that have only one each joined."""
        return [_joined(each) for each in self.branches.values()]


def tree_of(failed: Sequence[Mapping[str, Any]]) -> Branch:
    """Return the tree of ``failed_tests``, as a test run's result has them."""
    root = Branch("")
    for test in failed[:MAX_TESTS]:
        at = root
        at.count += 1
        for part in _parts(str(test.get("name", ""))):
            at = at.branches.setdefault(part, Branch(part))
            at.count += 1
        at.failures.append(test)
    return root


def _joined(branch: Branch) -> Branch:
    while len(branch.branches) == 1 and not branch.failures:
        (only,) = branch.branches.values()
        if not only.branches:
            break  # a test keeps a line of its own
        branch = Branch(f"{branch.name}.{only.name}", only.branches, only.failures, only.count)
    return branch


def _parts(name: str) -> Iterator[str]:
    """Yield the parts of a test's name; dots in its arguments part nothing."""
    head, paren, arguments = name.partition("(")
    parts = head.split(".", MAX_DEPTH - 1)
    yield from parts[:-1]
    yield f"{parts[-1]}{paren}{arguments}"
