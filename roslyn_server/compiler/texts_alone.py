"""Scripts of which it isn't known what they refer to: what is wrong with their texts all the same.

Part of docs/design/roslyn.md §3 "The whole project": syntax, and what no reference can cure.
"""

from __future__ import annotations

import importlib
from typing import Any

from roslyn_server.compiler import hosting
from roslyn_server.compiler.answers import ProjectError, project_error
from roslyn_server.compiler.calls import Cancellation, CancelledError
from roslyn_server.compiler.compiled_project import CompiledFrom


class TextsAlone:
    """What is known of such scripts, kept between questions. Not for two threads at a time.

    Roslyn must be loaded.
    """

    def __init__(self) -> None:
        model: Any = importlib.import_module("RoslynServer").TextsAlone
        self._model = model()
        self._cancelled: Any = importlib.import_module("System").OperationCanceledException

    def errors(
        self, compiled: CompiledFrom, cancellation: Cancellation, *, knows_symbols: bool
    ) -> list[ProjectError]:
        """The errors of an assembly's scripts on disk that hold whatever their names mean.

        ``knows_symbols`` tells that the symbols come from a build. Raises :class:`CancelledError`.
        """
        try:
            answer = self._model.Check(
                compiled.assembly,
                hosting.dotnet_strings(list(compiled.arguments)),
                str(compiled.stamp),
                str(compiled.folder),
                hosting.dotnet_strings(list(compiled.sources)),
                knows_symbols,
                cancellation.token,
            )
        except self._cancelled as error:
            raise CancelledError from error
        return [project_error(str(row)) for row in answer.Rows()]
