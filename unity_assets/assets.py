"""Find and rename a symbol's names in a project's assets. Start here."""

from __future__ import annotations

import os
import re
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Literal

from unity_assets.asset_file import Occurrences, Reader
from unity_assets.facts import SymbolFacts
from unity_assets.index.contents import JSON, is_json
from unity_assets.index.project_files import NATIVE_CODE, SHADERS, STYLE_SHEETS, USERS, suffix_of
from unity_assets.index.project_index import ProjectIndex
from unity_assets.objects import Objects
from unity_assets.places.in_yaml import places_in_yaml
from unity_assets.places.input_messages import input_conflicts
from unity_assets.places.markup import places_in_link_xml, places_in_uxml
from unity_assets.places.other_texts import (
    places_in_actions,
    places_in_native_code,
    places_in_shader,
    places_in_style_sheet,
)
from unity_assets.places.place import Reach, Search
from unity_assets.renaming import Renaming
from unity_assets.results import Conflict, Found, Hit, Left, Renamed, StoppedError
from unity_assets.scripts import Scripts
from unity_assets.yaml.edits import applied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from unity_assets.asset_file import AssetFile
    from unity_assets.places.place import Place

Mode = Literal["keep", "rewrite", "code"]
Progress = "Callable[[int, int], None]"

_BY_SUFFIX: Mapping[str, Callable[[Search, AssetFile], list[Place]]] = {
    ".uxml": places_in_uxml,
    ".xml": places_in_link_xml,
    ".inputactions": places_in_actions,
    **dict.fromkeys(SHADERS, places_in_shader),
    **dict.fromkeys(NATIVE_CODE, places_in_native_code),
    **dict.fromkeys(STYLE_SHEETS, places_in_style_sheet),
}
"""The reader of each kind of file; Unity's YAML and JSON have many suffixes."""
_FETCHED = "Library/PackageCache/"
_KEPT = {
    Reach.ATTRIBUTE: "an attribute in C# makes Unity read the old name",
    Reach.EDITOR: "Unity writes it anew at the next save",
}


class Assets:
    """The assets of one project. Not for use by several threads at once."""

    def __init__(self, project_root: str | os.PathLike[str], cache_folder: Path | None) -> None:
        self._root = Path(project_root)
        self._index = ProjectIndex(self._root, cache_folder)
        self._looked_at = -inf

    def refresh(
        self,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read the files that have changed; ``progress`` gets the bytes done and the total."""
        started = monotonic()
        self._index.refresh(progress, should_stop)
        self._looked_at = started

    def find(
        self,
        facts: dict[str, Any],
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        should_stop: Callable[[], bool] = lambda: False,
        since: float = inf,
    ) -> Found:
        """Return the places of the symbol's name, and the files that couldn't be searched.

        Changed files are read first, unless a refresh began after ``since`` (``time.monotonic``).
        """
        operation = self._operation(facts, progress, should_stop, since)
        operation.renaming = Renaming.for_search(operation.facts, operation.scripts)
        hits = [_hit(file, place) for file, places in operation.places() for place in places]
        unnamed = list(operation.unnamed())
        return Found(sorted(hits), operation.not_searched(), unnamed)

    def rename(
        self,
        facts: dict[str, Any],
        new_name: str,
        mode: Mode,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        should_stop: Callable[[], bool] = lambda: False,
        since: float = inf,
    ) -> Renamed:
        """Return the changed files of a rename, and the places that stay. Nothing is written.

        ``since`` is as in :meth:`find`.
        """
        if mode not in ("keep", "rewrite", "code"):
            raise ValueError(f'The mode is "keep", "rewrite" or "code", not {mode!r}.')
        operation = self._operation(facts, progress, should_stop, since)
        operation.renaming = Renaming(
            operation.facts, new_name.removeprefix("@"), operation.scripts
        )
        return operation.renamed(mode)

    def _operation(
        self,
        facts: dict[str, Any],
        progress: Callable[[int, int], None],
        should_stop: Callable[[], bool],
        since: float,
    ) -> _Operation:
        read = SymbolFacts.from_json(facts)
        if self._looked_at < since:
            self.refresh(progress, should_stop)
        return _Operation(read, self._root, self._index, should_stop)


class _Operation:
    """One search or rename."""

    def __init__(
        self,
        facts: SymbolFacts,
        root: Path,
        index: ProjectIndex,
        should_stop: Callable[[], bool],
    ) -> None:
        self.facts = facts
        self._index = index
        self._should_stop = should_stop
        self._reader = Reader(root)
        self.scripts = Scripts(index, self._reader)
        self.renaming = Renaming(facts, facts.name, self.scripts)
        self._problems: list[tuple[str, str]] = []

    def places(self) -> Iterator[tuple[AssetFile, list[Place]]]:
        """Yield each file that has places, with its places."""
        words = self.renaming.words
        if not words:
            return
        search = Search(self.renaming, Objects(self._index, self._reader), self._index)
        for file in self._opened(self._index.with_any(self.renaming.forms)):
            places_in = _BY_SUFFIX.get(suffix_of(file.path))
            if places_in is not None:
                found, problem = places_in(search, file), ""
            elif is_json(file.data):
                has_name = Occurrences(file.data, self.renaming.forms).at_or_after(0) is not None
                found, problem = [], JSON if has_name else ""
            else:
                found, problem = places_in_yaml(search, file, self._should_stop)
            if problem:
                self._problems.append((file.path, problem))
            if found:
                yield file, found

    def _opened(self, paths: Iterable[str]) -> Iterator[AssetFile]:
        """Yield the files, in order; record a file that can't be read as a problem."""
        for path in sorted(paths):
            if self._should_stop():
                raise StoppedError
            file = self._reader.open(path)
            if file is None:
                self._problems.append((path, "it can't be read any more"))
            else:
                yield file

    def renamed(self, mode: Mode) -> Renamed:
        """Return the changed files, and the decision for each place."""
        files: list[tuple[str, bytes, bytes]] = []
        hits: list[Hit] = []
        left: list[Left] = []
        conflicts = [*self._shared_guids(), *input_conflicts(self.facts, self._index, self._reader)]
        for file, places in self.places():
            changing = [each for each in places if _changes(file, each, mode)]
            hits += [_hit(file, each) for each in changing]
            left += [_left(file, each, mode) for each in places if not _changes(file, each, mode)]
            if mode != "code":
                conflicts += [
                    Conflict(file.path, file.line(each.offset), each.clash)
                    for each in places
                    if each.clash
                ]
            after = applied(file.data, [edit for each in changing for edit in each.edits])
            if after != file.data:
                files.append((file.path, file.data, after))
        return Renamed(files, sorted(hits), sorted(left), self.not_searched(), sorted(conflicts))

    def unnamed(self) -> Iterator[Hit]:
        """Yield uses without the name: objects of a type, and messages of a ``PlayerInput``."""
        for each in input_conflicts(self.facts, self._index, self._reader):
            yield Hit(each.path, each.line, "input message", f"PlayerInput sends {self.facts.name}")
        targets = self.facts.targets if self.facts.kind == "type" else ()
        guids = {one for each in targets for one in self.scripts.guids(each.type, each.scripts)}
        for guid in sorted(guids):
            # A ``.meta`` has its own GUID at the start of a line.
            named = re.compile(rb"(?<!\n)\bguid: " + re.escape(guid.encode()))
            for file in self._opened(self._index.with_guid(guid)):
                for found in named.finditer(file.data):
                    text = file.line_text(found.start())
                    yield Hit(file.path, file.line(found.start()), "object", text)

    def not_searched(self) -> list[tuple[str, str]]:
        """Return the files that may have the name and couldn't be searched."""
        if not self.renaming.is_stored:
            return sorted(self._problems)
        nameless = {
            (path, "it has no GUID in a .meta, so assets that use it aren't recognised")
            for path in self._scripts_of_facts()
            if not self.scripts.guid(path)
        }
        return sorted({*self._index.problems(), *self._problems, *nameless, *self._packages()})

    def _packages(self) -> Iterator[tuple[str, str]]:
        """Yield the fetched packages with a type of the symbol: their own assets may use it."""
        for path in self._scripts_of_facts():
            if path.startswith(_FETCHED):
                yield (
                    "/".join(path.split("/")[:3]),
                    "the assets of fetched packages aren't searched",
                )

    def _scripts_of_facts(self) -> list[str]:
        holders = (path for each in self.facts.holders for path in each.scripts)
        return [*holders, *(path for each in self.facts.targets for path in each.scripts)]

    def _shared_guids(self) -> Iterator[Conflict]:
        for path, others in self.scripts.shared(self._scripts_of_facts()):
            message = f"Its GUID is also that of {others[0]}: give one of them a new .meta."
            yield Conflict(f"{path}.meta", 1, message)


def _changes(file: AssetFile, place: Place, mode: Mode) -> bool:
    if mode == "code" or not place.edits or _is_users(file):
        return False
    return mode == "rewrite" or place.reach is Reach.NOTHING


def _is_users(file: AssetFile) -> bool:
    return file.path.startswith(f"{USERS}/")


def _hit(file: AssetFile, place: Place) -> Hit:
    text = file.line_text(place.offset)
    return Hit(file.path, file.line(place.offset), place.kind, text)


def _left(file: AssetFile, place: Place, mode: Mode) -> Left:
    hit = _hit(file, place)
    if place.reach is Reach.LISTED:
        why, lost = place.why, place.lost
    elif mode == "code":
        why, lost = "assets stay as they are", place.reach is not Reach.EDITOR
    elif _is_users(file) and (mode == "rewrite" or place.reach is Reach.NOTHING):
        why, lost = "the Editor writes this file for one user", place.reach is not Reach.EDITOR
    else:
        why, lost = _KEPT[place.reach], False
    return Left(hit.path, hit.line, hit.kind, hit.text, why, lost)
