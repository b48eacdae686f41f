"""Find the object that a reference names: through prefabs, variants and their instances.

An object of an instance has no document of its own. Its id is the instance's id and its id in the
source prefab, combined by exclusive or.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unity_assets.index.project_files import YAML, suffix_of
from unity_assets.yaml.documents import BOM, HEADER
from unity_assets.yaml.scalars import MalformedError

if TYPE_CHECKING:
    from unity_assets.asset_file import AssetFile, Reader
    from unity_assets.index.project_index import ProjectIndex
    from unity_assets.yaml.documents import Document
    from unity_assets.yaml.nodes import Node

MONO_BEHAVIOUR = 114
PREFAB_INSTANCE = 1001
_ID_BITS = 0x7FFFFFFFFFFFFFFF
_DEEPEST_VARIANT = 32


@dataclass(frozen=True)
class Reference:
    """``{fileID: 1100, guid: …}``; without GUID, an object of the same file."""

    file_id: int
    guid: str

    @classmethod
    def read(cls, node: Node | None) -> Reference:
        """Read a reference; any other node gives a reference to nothing."""
        if node is None:
            return cls(0, "")
        try:
            file_id = int(node.text_at("fileID") or 0)
        except ValueError:
            file_id = 0
        return cls(file_id, node.text_at("guid"))


@dataclass(frozen=True)
class Resolved:
    """An object's file and its own document; without both, the object wasn't found.

    An object of a model, for example, has a file but no document.
    """

    file: AssetFile | None = None
    document: Document | None = None

    @property
    def is_known(self) -> bool:
        """Return whether the object was found."""
        return self.file is not None

    @property
    def script(self) -> str:
        """Return the GUID of the object's script; empty if it has none."""
        return script_of(self.document) if self.document is not None else ""


UNKNOWN = Resolved()


def script_of(document: Document) -> str:
    """Return the GUID of the script of the document's object."""
    if document.class_id != MONO_BEHAVIOUR:
        return ""
    try:
        return Reference.read(document.body.get("m_Script")).guid
    except MalformedError:
        return ""


class Objects:
    """Resolves references of one project."""

    def __init__(self, index: ProjectIndex, reader: Reader) -> None:
        self._index = index
        self._reader = reader
        self._found: dict[tuple[str, int], Resolved] = {}

    def resolve(self, path: str, reference: Reference) -> Resolved:
        """Return the object that ``reference``, in the file at ``path``, names."""
        return self._resolve(path, reference, 0)

    def _resolve(self, path: str, reference: Reference, depth: int) -> Resolved:
        if reference.file_id == 0 or depth > _DEEPEST_VARIANT:
            return UNKNOWN
        paths = self._index.paths_by_guid.get(reference.guid, []) if reference.guid else [path]
        if len(paths) != 1:
            return UNKNOWN
        key = (paths[0], reference.file_id)
        if key not in self._found:
            self._found[key] = UNKNOWN  # so that a cycle of references ends
            self._found[key] = self._in_file(paths[0], reference.file_id, depth)
        return self._found[key]

    def _in_file(self, path: str, file_id: int, depth: int) -> Resolved:
        file = self._reader.open(path)
        if file is None:
            return UNKNOWN
        if not file.data.removeprefix(BOM).startswith(HEADER):
            return UNKNOWN if suffix_of(path) in YAML else Resolved(file)
        document = file.documents.by_id.get(file_id)
        try:
            if document is not None and not document.stripped:
                if document.class_id == MONO_BEHAVIOUR:
                    document.body.get("m_Script")  # Raises if unreadable.
                return Resolved(file, document)
            if document is not None:
                source = Reference.read(
                    document.body.get("m_CorrespondingSourceObject")
                    or document.body.get("m_PrefabParentObject")
                )
                found = self._resolve(path, source, depth + 1) if source.guid else UNKNOWN
                # A stripped document names its script itself: the prefab may be missing.
                return found if found.is_known else Resolved(file, document)
            return self._in_instances(file, file_id, depth)
        except MalformedError:
            return UNKNOWN

    def _in_instances(self, file: AssetFile, file_id: int, depth: int) -> Resolved:
        known = UNKNOWN
        for each in file.documents.all:
            if each.class_id != PREFAB_INSTANCE:
                continue
            source = Reference.read(
                each.body.get("m_SourcePrefab") or each.body.get("m_ParentPrefab")
            )
            if source.guid:
                inner = Reference((each.file_id ^ file_id) & _ID_BITS, source.guid)
                found = self._resolve(file.path, inner, depth + 1)
                if found.document is not None:
                    return found
                known = found if found.is_known else known
        return known
