"""Find the code that would mend some errors of a changed text: a ``using``, or members.

Implements docs/design/roslyn.md §3 "Fixes".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from roslyn_server import protocol
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import Project
from roslyn_server.judge import Judge
from roslyn_server.project_requests import changes_of
from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import Compositions


def params_of(params: Any) -> tuple[dict[str, str | None], str]:
    """Return texts by project-relative path, and the one to mend. Raises
    ``JsonRpcInvalidParams``.
    """
    changes, path = changes_of(params), getattr(params, "path", None)
    if not isinstance(path, str) or changes.get(path) is None:
        raise JsonRpcInvalidParams("path must be that of a changed text")
    return changes, path


def code_fixes(
    judge: Judge, changes: Mapping[str, str | None], script: str, cancellation: Cancellation
) -> protocol.CodeFixes:
    """Return the fixes of ``script`` with these texts; none if names can't be judged.

    Raises ``CancelledError``.
    """

    def question(
        project: Project, known: Compositions | Unknown, interrupt: Cancellation
    ) -> list[protocol.CodeFix]:
        if isinstance(known, Unknown):
            return []
        judged = [
            (judge.root / path, text, owner)
            for path, text in changes.items()
            for owner in [judge.assembly_of(judge.root / path)]
            if isinstance(known.get(owner), Composition)
        ]
        return project.fixes(judge.root / script, judged, interrupt)

    return {"fixes": judge.project.ask(question, cancellation, is_quick=True)}
