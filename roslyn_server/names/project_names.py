"""Find the references of a symbol in the project on disk.

Implements docs/design/roslyn.md §9. The answer names everything that was not searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from roslyn_server import protocol
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import Project
from roslyn_server.names import gaps
from roslyn_server.names.name_params import Place
from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.judged_symbols import judged_symbols
from roslyn_server.projects.project_builds import Compositions


class ProjectNames:
    """Answers questions about names in the project that ``check`` keeps in step with the disk."""

    def __init__(self, check: ProjectCheck) -> None:
        self._check = check

    def references(self, place: Place, cancellation: Cancellation) -> protocol.FoundReferences:
        """Return the references of the symbol at ``place``.

        Raises ``JsonRpcInvalidParams`` if there is none, and ``CancelledError``.
        """

        def ask(
            project: Project, known: Compositions | Unknown, interrupt: Cancellation
        ) -> tuple[dict[str, Any], list[str]]:
            if isinstance(known, Unknown):
                raise JsonRpcInvalidParams(known.message)
            answer = project.references(
                place.path, place.line, place.character, symbol_sets, interrupt
            )
            return answer, _not_compiled(known)

        answer, left = self._check.ask(ask, cancellation)
        if "error" in answer:
            raise JsonRpcInvalidParams(f"{place}: {answer['error']}")
        reasons = [*left, *gaps.sentences(answer["reasons"], self._relative)]
        return {
            "symbol": answer["symbol"],
            "references": [self._reference(each) for each in answer["references"]],
            "complete": not reasons,
            "reasons": reasons,
        }

    def _reference(self, row: Mapping[str, Any]) -> protocol.Reference:
        return {**row, "path": self._relative(row["path"])}  # type: ignore[typeddict-item]

    def _relative(self, path: str) -> str:
        return self._check.project_path(path)


def symbol_sets(text: str, defined: str) -> list[str]:
    """Return the symbol sets that reach the branches of ``text``, apart from the ``defined``
    one.
    """
    base = frozenset(defined.split())
    return [" ".join(sorted(each)) for each in judged_symbols(text, base) if each != base]


def _not_compiled(known: Compositions) -> list[str]:
    return [
        f"{name} was not searched: {each.message}"
        for name, each in known.items()
        if not isinstance(each, Composition)
    ]
