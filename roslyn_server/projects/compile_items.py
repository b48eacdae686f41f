"""Which scripts the ``Compile`` items of a project file stand for.

Part of docs/design/roslyn.md §3 "References". Unity lists every script by its name; a file that
was written by hand may have wildcards, and take some out again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_MAX_FOLDERS = 20_000
_MAX_FILES = 100_000
_WILDCARDS = frozenset("*?")
_NOT_EVALUATED = ("$(", "@(", "%(")


@dataclass(frozen=True, slots=True)
class CompileItem:
    """One element: the patterns that it includes, but for some, or removes of those before it."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    remove: tuple[str, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """All that it names."""
        return (*self.include, *self.exclude, *self.remove)


def compile_items(elements: Iterator[ElementTree.Element]) -> tuple[CompileItem, ...] | None:
    """The ``Compile`` elements, in order; ``None`` where one refers to what isn't known here."""
    items = tuple(
        CompileItem(*(_patterns(each, name) for name in ("Include", "Exclude", "Remove")))
        for each in elements
    )
    named = (pattern for item in items for pattern in item.patterns)
    return None if any(sign in each for each in named for sign in _NOT_EVALUATED) else items


def have_wildcards(items: Sequence[CompileItem]) -> bool:
    """Whether what they include depends on which files there are."""
    return any(map(_is_wild, (pattern for item in items for pattern in item.include)))


def scripts_of(items: Sequence[CompileItem], folder: Path) -> tuple[str, ...] | None:
    """The paths from ``folder`` that the items stand for, each once; those of a wildcard sorted.

    ``None`` where there are too many files to look through. Raises ``OSError`` where a folder can't
    be looked into.
    """
    found: dict[str, None] = {}
    for item in items:
        named: list[str] = []
        for pattern in item.include:
            matching = _matching(pattern, folder) if _is_wild(pattern) else [pattern]
            if matching is None:
                return None
            named += matching
        excluded, removed = _any_of(item.exclude), _any_of(item.remove)
        found.update((each, None) for each in named if not excluded.fullmatch(each))
        for each in [each for each in found if removed.fullmatch(each)]:
            del found[each]
    return tuple(found)


def _patterns(element: ElementTree.Element, name: str) -> tuple[str, ...]:
    listed = (element.get(name) or "").replace("\\", "/").split(";")
    return tuple(each.strip().removeprefix("./") for each in listed if each.strip())


def _is_wild(pattern: str) -> bool:
    return not _WILDCARDS.isdisjoint(pattern)


def _matching(pattern: str, folder: Path) -> list[str] | None:
    """The files that ``pattern`` fits, below the folders that it names before any wildcard."""
    steps = pattern.split("/")
    fixed = next(number for number, step in enumerate(steps) if _is_wild(step))
    above = "/".join(steps[:fixed])
    fits = _any_of((pattern,))
    found: list[str] = []
    files_seen = 0
    for seen, (path, _, names) in enumerate(os.walk(folder / above, onerror=_raise)):
        files_seen += len(names)
        if seen > _MAX_FOLDERS or files_seen > _MAX_FILES:
            return None
        inside = os.path.relpath(path, folder).replace(os.sep, "/")
        start = "" if inside == "." else f"{inside}/"
        found += [f"{start}{name}" for name in names if fits.fullmatch(f"{start}{name}")]
    return sorted(found)


def _raise(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """What fits any of ``patterns``, in whatever case; nothing, if there are none."""
    return re.compile("|".join(map(_expression, patterns)) or r"(?!)", re.IGNORECASE)


def _expression(pattern: str) -> str:
    *folders, name = pattern.split("/")
    within = "".join(
        "(?:[^/]+/)*" if each == "**" else f"{_step(each)}/"
        for number, each in enumerate(folders)
        if each != "**" or folders[number - 1 : number] != ["**"]
    )
    return within + ("(?:[^/]+/)*[^/]*" if name == "**" else _step(name))


def _step(text: str) -> str:
    known = {"*": "[^/]*", "?": "[^/]"}
    # Stars side by side say what one says, and would be tried in every combination.
    return "".join(known.get(sign) or re.escape(sign) for sign in re.sub(r"\*+", "*", text))
