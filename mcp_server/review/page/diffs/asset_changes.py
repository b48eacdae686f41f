"""List the fields that changed in a scene, prefab or other asset. Pure.

Implements docs/design/review.md "Diffs". Each changed line lies in a document of Unity's YAML. A
document describes one object. The keys above the line name the field. Lines that can't be read this
way are shown only raw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from snippet_engine.answer.unified_diff import LineDiff
from snippet_engine.source_text import starts_of
from unity_assets.yaml.documents import BOM, HEADER, Document, Documents
from unity_assets.yaml.nodes import Entry, Node
from unity_assets.yaml.scalars import MalformedError

MAX_FIELDS = 500
MAX_LINES = 5_000
MAX_VALUE = 300
_BEFORE_KEY = re.compile(r"[ ]*(?:- )*")
_OVERRIDES = "m_Modification", "m_Modifications"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A changed field of a component. A value is ``None`` if there is no such field."""

    owner: str
    component: str
    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class AssetChanges:
    """The changed fields of an asset."""

    fields: tuple[FieldChange, ...]
    unread: int = 0
    """How many changed lines or fields could not be read."""
    left_out: int = 0
    unseen: int = 0
    """How many changed lines were skipped, because there are too many."""


_Key = tuple[int, str]
"""A document's id in its file, and the path of the field."""

_Named = tuple[str, str, str]
"""The names of the object, the component and the field."""


def is_asset_text(data: bytes | None) -> bool:
    """Return whether ``data`` is Unity's YAML."""
    return data is not None and data.removeprefix(BOM).startswith(HEADER)


def asset_changes(before: bytes, after: bytes) -> AssetChanges:
    """Return the fields that differ between two texts of an asset."""
    old, new = _Asset(before), _Asset(after)
    touched: dict[_Key, _Named] = {}
    unread = seen = unseen = 0
    for change in LineDiff().changes(old.lines, new.lines):
        for asset, start, end in (
            (old, change.old_start, change.old_end),
            (new, change.new_start, change.new_end),
        ):
            looked_at = min(end, start + max(0, MAX_LINES - seen))
            seen += looked_at - start
            unseen += end - looked_at
            for line in range(start, looked_at):
                found = asset.field_at(line)
                if found is None:
                    unread += bool(asset.lines[line].strip())
                else:
                    touched.setdefault(found[0], found[1])
    fields = [
        FieldChange(*named, old.value(key), new.value(key))
        for key, named in list(touched.items())[:MAX_FIELDS]
    ]
    unread += sum(each.before is None and each.after is None for each in fields)
    kept = tuple(each for each in fields if each.before != each.after)
    return AssetChanges(kept, unread, max(0, len(touched) - MAX_FIELDS), unseen)


class _Asset:
    """One text of an asset, as lines and as YAML."""

    def __init__(self, data: bytes) -> None:
        self._documents = Documents(data)
        lines = data.split(b"\n")
        self._starts = starts_of(lines)
        self.lines: Sequence[str] = [each.decode("utf-8", "replace") for each in lines]
        self._values: dict[_Key, str] = {}

    def field_at(self, line: int) -> tuple[_Key, _Named] | None:
        """Return the key and the names of the field at ``line``; ``None`` if it can't be read."""
        beginning = _BEFORE_KEY.match(self.lines[line])
        offset = self._starts[line] + (beginning.end() if beginning else 0)
        try:
            document = self._documents.at(offset)
            chain = [] if document is None else document.chain(offset)
            if document is None or len(chain) < 2:
                return None
            return self._named(document, chain)
        except (MalformedError, IndexError):
            return None

    def value(self, key: _Key) -> str | None:
        """Return a field's value; ``None`` if there is no such field, or it can't be read."""
        if key not in self._values:
            document = self._documents.by_id.get(key[0])
            try:
                node = None if document is None else _find(document, key[1])
            except (MalformedError, IndexError):
                node = None
            if node is None:
                return None
            self._values[key] = _shown(node)
        return self._values[key]

    def _named(self, document: Document, chain: Sequence[Entry]) -> tuple[_Key, _Named]:
        keys = [each.key for each in chain[1:]]
        owner, component = self._owner(document), _component(document)
        if tuple(keys[:2]) == _OVERRIDES and len(keys) > 2:
            override = chain[3].value
            target = override.text_at("target", "fileID")
            path = override.text_at("propertyPath")
            key = (document.file_id, f"{'.'.join(_OVERRIDES)}:{target}:{path}")
            return key, (owner, f"override of {target}", path)
        field = _path(keys)
        return (document.file_id, field), (owner, component, field)

    def _owner(self, document: Document) -> str:
        """Return the name of the object that ``document`` belongs to; its id if it has no name."""
        name = document.body.text_at("m_Name")
        holder = document.body.text_at("m_GameObject", "fileID")
        if not name and holder.lstrip("-").isdigit():
            owner = self._documents.by_id.get(int(holder))
            name = "" if owner is None else owner.body.text_at("m_Name")
        if not name and document.body.get(*_OVERRIDES) is not None:
            overrides = document.body.get(*_OVERRIDES)
            assert overrides is not None
            names = (e.value for e in overrides.entries)
            name = next(
                (e.text_at("value") for e in names if e.text_at("propertyPath") == "m_Name"), ""
            )
        return name or f"object {document.file_id}"


def _component(document: Document) -> str:
    identifier = document.body.text_at("m_EditorClassIdentifier")
    return identifier.rpartition(":")[2] or document.name


def _path(keys: Sequence[str | int]) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in keys)[1:]


def _find(document: Document, field: str) -> Node | None:
    """Return the value at a path that :func:`_path` wrote, or the value of an override."""
    if field.startswith(".".join(_OVERRIDES) + ":"):
        _, target, path = field.split(":", 2)
        overrides = document.body.get(*_OVERRIDES)
        for each in () if overrides is None else overrides.entries:
            same = each.value.text_at("target", "fileID") == target
            if same and each.value.text_at("propertyPath") == path:
                return each.value.get("value")
        return None
    return document.body.get(*_keys(field))


def _keys(field: str) -> Iterator[str | int]:
    for part in field.replace("[", ".[").split("."):
        yield int(part[1:-1]) if part.startswith("[") else part


def _shown(node: Node) -> str:
    text = node.text if node.kind == "scalar" else node.raw.decode("utf-8", "replace").strip()
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"
