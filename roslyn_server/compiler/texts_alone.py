"""Scripts of which it isn't known what they refer to: what is wrong with their texts all the same.

Part of docs/design/roslyn.md §3 "The whole project": syntax, and what no reference can cure.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
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

    def errors_in_names(
        self,
        references: Mapping[str, Iterable[str]],
        cancellation: Cancellation,
        *,
        is_only_unity_unknown: bool,
        knows_unity: bool,
    ) -> list[ProjectError]:
        """The errors in what names mean, where no library that isn't known can change that.

        ``references`` are by the names of assemblies those that each refers to; :meth:`errors` was
        asked about all of them before, and there were none. ``is_only_unity_unknown`` tells that
        they use no libraries that aren't known but Unity's own; ``knows_unity``, that these are of
        a version of which it is known what scripts inherit. Raises :class:`CancelledError`.
        """
        try:
            answer = self._model.CheckNames(
                hosting.dotnet_strings(list(references)),
                hosting.dotnet_string_lists([sorted(each) for each in references.values()]),
                is_only_unity_unknown,
                knows_unity,
                cancellation.token,
            )
        except self._cancelled as error:
            raise CancelledError from error
        return [project_error(str(row)) for row in answer.Rows()]
