"""Decide what a question about a project covers, and name what can't be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath

from roslyn_server import protocol
from roslyn_server.projects.build import Composition, Unknown
from roslyn_server.projects.project_builds import Compositions
from roslyn_server.reasons import unchecked

_NEAREST = 3
"""Number of similar names to suggest."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question covers."""

    judged: list[str]
    """Assemblies to judge."""
    alone: list[str]
    """Assemblies of which only the texts can be judged."""
    paths: tuple[PurePosixPath, ...]
    """Paths whose errors are shown."""
    left: list[protocol.NotCheckedAssembly]
    """What can't be judged."""

    @classmethod
    def of(
        cls,
        asked: protocol.CheckProjectParams,
        known: Compositions | Unknown,
        texts_of: Callable[[str], tuple[Composition, bool] | None],
    ) -> Scope:
        """Return the scope of a question."""
        paths = tuple(PurePosixPath(each) for each in asked.get("paths") or ())
        if isinstance(known, Unknown):
            return cls([], [], paths, [unchecked("", known)])
        names = asked.get("assemblies") or sorted(known)
        left = [_missing(name, known) for name in names if name not in known]
        chosen = [name for name in names if name in known]
        if paths:
            sources = {name: _sources(name, known[name], texts_of) for name in known}
            inside = {path: _assemblies_with(path, sources) for path in paths}
            left += [_no_scripts(str(path)) for path, found in inside.items() if not found]
            chosen = [name for name in chosen if any(name in found for found in inside.values())]
        judged, alone = [], []
        for name in chosen:
            composed = known[name]
            if isinstance(composed, Unknown):
                left.append(unchecked(name, composed))
                alone.append(name)
            else:
                judged.append(name)
        return cls(judged, alone, paths, left)

    def shows(self, path: str) -> bool:
        """Return whether errors at the project-relative path were asked for."""
        return not self.paths or any(_lies_in(path, each) for each in self.paths)


def _sources(
    name: str,
    composed: Composition | Unknown,
    texts_of: Callable[[str], tuple[Composition, bool] | None],
) -> tuple[str, ...]:
    if isinstance(composed, Composition):
        return composed.sources
    texts = texts_of(name)
    return texts[0].sources if texts is not None else ()


def _assemblies_with(path: PurePosixPath, sources: Mapping[str, Sequence[str]]) -> set[str]:
    return {name for name, own in sources.items() if any(_lies_in(source, path) for source in own)}


def _lies_in(path: str, folder: PurePosixPath) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def _missing(name: str, known: Iterable[str]) -> protocol.NotCheckedAssembly:
    message = f"There is no assembly {name} in the project"
    return {
        "assembly": name,
        "reason": protocol.NO_SUCH_ASSEMBLY,
        "message": f"{message}{_nearest(name, list(known))}.",
    }


def _nearest(name: str, known: Sequence[str]) -> str:
    """Return suggestions as the end of a sentence."""
    spelt = {each.lower(): each for each in sorted(known)}
    found = get_close_matches(name.lower(), spelt, _NEAREST, 0.5)
    found += [each for each in spelt if name.lower() in each and each not in found]
    if found:
        return f"; the nearest are {', '.join(spelt[each] for each in found[:_NEAREST])}"
    listed = sorted(known)[:_NEAREST]
    more = ", …" if len(known) > _NEAREST else ""
    return f"; it has {', '.join(listed)}{more}" if listed else ""


def _no_scripts(path: str) -> protocol.NotCheckedAssembly:
    message = f"No script that Unity compiles, and that can be checked, is at {path} or below it."
    return {"assembly": "", "reason": "no_such_script", "message": message}
