"""Find the references of a symbol in the project on disk, and rename it.

Implements docs/design/roslyn.md §9. The answer names every part that was not searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from roslyn_server import protocol
from roslyn_server.checking.project_check import ProjectCheck
from roslyn_server.compiler.calls import Cancellation
from roslyn_server.compiler.compiled_project import Project
from roslyn_server.failures import RequestRefusedError
from roslyn_server.projects.build import Composition, Unknown, first_few
from roslyn_server.projects.project_builds import Compositions


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file: line and character are zero-based, in UTF-16 code units."""

    path: Path
    line: int
    character: int

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line + 1}:{self.character + 1}"


@dataclass(frozen=True, slots=True)
class RenameAsked:
    """A rename that was asked for."""

    place: Place
    new_name: str
    attributes: bool = False
    """Whether attributes are added that keep serialized values."""
    force: bool = False
    """Whether Unity's messages are renamed, too."""


class ProjectNames:
    """Answers questions about names in the project that ``check`` keeps in step with the disk.

    ``unsaved`` are files that the client has open with another text.
    """

    def __init__(self, check: ProjectCheck, unsaved: Sequence[Path] = ()) -> None:
        self._check = check
        self._unsaved = unsaved

    def references(self, place: Place, cancellation: Cancellation) -> protocol.FoundReferences:
        """Return the references of the symbol at ``place``.

        Raises ``JsonRpcInvalidParams`` if there is none.
        """

        def ask(project: Project, interrupt: Cancellation) -> dict[str, Any]:
            return project.references(place.path, place.line, place.character, interrupt)

        answer = self._answer(place, ask, cancellation, as_built=True)
        return {
            "symbol": answer["symbol"],
            "references": answer["references"],
            "complete": not answer["reasons"],
            "reasons": answer["reasons"],
        }

    def rename(self, asked: RenameAsked, cancellation: Cancellation) -> protocol.Renamed:
        """Return the edits that rename the symbol at a place, and the conflicts that forbid it.

        Raises ``JsonRpcInvalidParams`` if there is no symbol.
        """
        place = asked.place

        def ask(project: Project, interrupt: Cancellation) -> dict[str, Any]:
            return project.rename(
                place.path,
                place.line,
                place.character,
                asked.new_name,
                attributes=asked.attributes,
                force=asked.force,
                cancellation=interrupt,
            )

        answer = self._answer(place, ask, cancellation)
        edits: dict[str, list[protocol.RenameEdit]] = {}
        for each in answer["edits"]:
            edits.setdefault(each.pop("path"), []).append(each)
        return {
            "symbol": answer["symbol"],
            "edits": [{"path": path, "edits": those} for path, those in edits.items()],
            "moves": answer["moves"],
            "strings": answer["strings"],
            "conflicts": [*answer["conflicts"], *_outside(edits)],
            "proved": answer["proved"],
            "complete": not answer["reasons"],
            "reasons": answer["reasons"],
        }

    def _answer(
        self,
        place: Place,
        ask: Callable[[Project, Cancellation], dict[str, Any]],
        cancellation: Cancellation,
        *,
        as_built: bool = False,
    ) -> dict[str, Any]:
        """Return the compiler's answer with project-relative paths and sentences as reasons.

        With ``as_built``, assemblies that can no longer be judged are read as they were last built.
        Raises ``RequestRefusedError`` if the project, or the file's assembly, can't be judged.
        """

        def question(
            project: Project, known: Compositions | Unknown, interrupt: Cancellation
        ) -> tuple[dict[str, Any], list[str]]:
            if isinstance(known, Unknown):
                raise RequestRefusedError(known.message)
            return ask(project, interrupt), _not_compiled(known, as_built=as_built)

        answer, left = self._check.ask(question, cancellation, as_built=as_built)
        if "error" in answer and left and answer["isUncompiled"]:
            raise RequestRefusedError(left[0])
        if "error" in answer:
            advice = f". {_COMPILE_IT}" if answer["isUncompiled"] else ""
            raise JsonRpcInvalidParams(f"{place}: {answer['error']}{advice}")
        relative = self._check.project_path
        reasons = [*left, *(_gap(each, relative) for each in answer.pop("reasons"))]
        reasons += (
            f"{relative(str(path))} is open with unsaved changes, which were not searched."
            for path in self._unsaved
        )
        found = _with_paths(answer, relative)
        reasons += (
            f"{path} has the name and was not searched: Unity doesn't compile {assembly} here."
            for path, assembly in self._excluded(found)
        )
        return {**found, "reasons": list(dict.fromkeys(reasons))}

    def _excluded(self, answer: dict[str, Any]) -> list[tuple[str, str]]:
        """Return scripts that may use the symbol on other platforms, with their assemblies."""
        symbol = answer.get("symbol")
        if symbol is None or symbol["isPrivate"]:
            return []
        name = symbol["name"]
        words = {name, name.removesuffix("Attribute") or name}
        places = answer["references"] if "references" in answer else answer["edits"]
        return self._check.excluded({each["path"] for each in places}, words)


_COMPILE_IT = "Let Unity compile the project, and ask again; or search for the name as text."
_PATHS = frozenset(("path", "from", "to"))


def _with_paths(value: Any, relative: Callable[[str], str]) -> Any:
    match value:
        case dict():
            return {
                key: relative(each)
                if key in _PATHS and isinstance(each, str)
                else [relative(one) for one in each]
                if key == "scripts"
                else _with_paths(each, relative)
                for key, each in value.items()
            }
        case list():
            return [_with_paths(each, relative) for each in value]
    return value


_EDITABLE = ("Assets/", "Packages/")


def _outside(paths: Iterable[str]) -> list[protocol.RenameConflict]:
    """Return a conflict for each file that isn't the project's own."""
    return [
        {
            "code": "not_editable",
            "path": path,
            "line": 0,
            "column": 0,
            "message": f"{path} is not below Assets or Packages",
        }
        for path in paths
        if not path.startswith(_EDITABLE)
    ]


def _not_compiled(known: Compositions, *, as_built: bool) -> list[str]:
    """Return the assemblies that were not searched, or only as last built, and why."""
    found: dict[str, list[str]] = {}
    for name, each in known.items():
        if isinstance(each, Composition):
            continue
        is_built = as_built and each.as_built is not None
        how = "only searched as last built" if is_built else "not searched"
        found.setdefault(f"{how}: {each.message.removeprefix(_NOT_CHECKED)}", []).append(name)
    return [
        f"{first_few(names)} {'were' if names[1:] else 'was'} {why}" for why, names in found.items()
    ]


_NOT_CHECKED = "Names and types were not checked: "

_OF_PLACE = {
    "inactive": "{0}:{1}: the name is in #if code that no symbol set compiles.",
    "unnamed": "{0}:{1}: new() and base() in #if code that isn't compiled were not searched.",
    "unbound": "{0}:{1}: the compiler doesn't know what the name means there.",
    "dynamic": "{0}:{1}: the name is looked up at run time (dynamic).",
}


def _gap(row: str, relative: Callable[[str], str]) -> str:
    """Return the compiler's row about an unsearched part as a sentence."""
    match row.split("\t"):
        case ["assembly", name, _, detail]:
            return f"{name} was not searched: {detail}."
        case ["deep", path]:
            return f"{relative(path)} was not searched: it nests too deeply."
        case ["implicit", name]:
            how = "(foreach, await, queries) were not searched: search for those as text."
            return f"Uses that don't spell {name} {how}"
        case ["element", name]:
            return f"Uses of {name} by its number, such as Item1, were not searched."
        case ["made", name]:
            return (
                f"Objects of {name} that are made without its name (by constructors of derived "
                "types, new T() or Unity) were not searched."
            )
        case ["paths", type_name, most]:
            return f"{type_name} has the field at more than {most} paths: only these were searched."
        case [kind, path, line]:
            return _OF_PLACE[kind].format(relative(path), line)
    raise ValueError(row)
