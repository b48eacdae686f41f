"""The scripts of the project by type and GUID, and those that share one GUID."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from unity_assets.index.contents import guid_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unity_assets.asset_file import Reader
    from unity_assets.facts import TypeName
    from unity_assets.index.project_index import ProjectIndex


class Scripts:
    """The project's scripts by type and GUID."""

    def __init__(self, index: ProjectIndex, reader: Reader) -> None:
        self._index = index
        self._reader = reader

    def guids(self, type_name: TypeName, scripts: Iterable[str]) -> list[str]:
        """Return the GUIDs by which objects of the type name their script.

        Unity finds a type by its file's name. If no file has the type's name, a file counts unless
        it has the name of another type in it.
        """
        paths = list(scripts)
        named = [each for each in paths if PurePosixPath(each).stem == type_name.last]
        used = named or [each for each in paths if not self._has_own_type(each)]
        return [guid for each in used if (guid := self.guid(each))]

    def guid(self, path: str) -> str:
        """Return the GUID in the script's ``.meta``; nothing if there is none.

        A package may be outside of the project's folder, and then isn't in the index.
        """
        known = self._index.guids.get(path)
        if known is None:
            meta = self._reader.open(f"{path}.meta")
            known = guid_of(meta.data) if meta is not None else ""
        return known

    def shared(self, scripts: Iterable[str]) -> list[tuple[str, list[str]]]:
        """Return the scripts whose GUID other scripts have, too, each with those others."""
        found: list[tuple[str, list[str]]] = []
        for path in dict.fromkeys(scripts):
            same = self._index.paths_by_guid.get(self.guid(path), [])
            others = [each for each in same if each != path]
            if others:
                found.append((path, sorted(others)))
        return found

    def _has_own_type(self, path: str) -> bool:
        stem = PurePosixPath(path).stem
        file = self._reader.open(path)
        if file is None:
            return False
        return re.search(rb"\bclass\s+" + re.escape(stem.encode()) + rb"\b", file.data) is not None
