"""Warn of fields whose values in scenes, prefabs and assets an edit loses.

Implements ``serialized_field`` of docs/design/engine.md §2.7 and of docs/design/change-sets.md §2
from the texts of the request alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.declaration_header import SymbolKind
from snippet_engine.csharp.declarations.serialized_fields import (
    DeclaredField,
    as_kept,
    declared_fields,
    keeps_value,
    serialized_fields,
    unity_objects,
)
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.errors import shortened

_MAX_FIELDS = 5
"""Most fields of one file that get a warning."""

_LONGEST = 200
"""Longest message, in code points."""

_NAME = re.compile(r"\w+")
_TYPES = (SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.ENUM)

Texts = Collection[tuple[Document | None, Document | None]]
"""Each script of a request, before and after it; ``None`` if it doesn't exist then."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the rest of the request says about the fields of one script."""

    kept: Collection[tuple[str, str]]
    """Names and types of fields that are serialized in some script afterwards."""
    gone: Collection[str]
    """Names of types that the request removes."""
    made: Collection[str]
    """Names of types that the request declares."""

    def is_renamed(self, old: str, new: str) -> bool:
        """Return whether two types differ only in names that the request removes and declares."""
        if _NAME.sub("", old) != _NAME.sub("", new):
            return False
        pairs = zip(_NAME.findall(old), _NAME.findall(new), strict=True)
        return all(a == b or (a in self.gone and b in self.made) for a, b in pairs)


def lost_fields(
    before: Document, after: Document, asked: Callable[[], Elsewhere]
) -> Iterator[Warn]:
    """Yield ``serialized_field`` for each field whose values Unity will no longer find.

    ``asked`` is called only if a field is gone or has another type.
    """
    was = serialized_fields(before)
    if not was:
        return
    # A class that Unity serialized still counts, since its new base may be Unity's, too.
    is_now = declared_fields(after, unity_objects(before))
    now = {(each.owner, each.name): each for each in is_now}
    formerly = {(each.owner, name) for each in is_now if each.is_kept for name in each.formerly}
    owners = {each.path for each in declarations(after)}
    stay = [each for each in was if each.owner in owners]
    lost = [
        (each, new)
        for each in stay
        if (each.owner, each.name) not in formerly
        for new in [now.get((each.owner, each.name))]
        if new is None or not new.is_kept or not keeps_value(each.type, new.type)
    ]
    if lost:
        request = asked()
        lost = [(each, new) for each, new in lost if not _is_kept(each, new, request)]
    names = {(each.owner, each.name) for each in was}
    added = [each for each in is_now if (each.owner, each.name) not in names]
    told = [
        *(_loss_warning(after, each, new, added) for each, new in lost),
        *(
            _former_name_removed(after, now[each.owner, each.name], name)
            for each in stay
            if (new := now.get((each.owner, each.name))) and new.is_kept
            for name in sorted(each.formerly)
            if (each.owner, name) not in formerly and (each.owner, name) not in now
        ),
    ]
    yield from told[:_MAX_FIELDS]


def _is_kept(old: DeclaredField, new: DeclaredField | None, request: Elsewhere) -> bool:
    if new is None:
        return (old.name, as_kept(old.type)) in request.kept
    return new.is_kept and request.is_renamed(old.type, new.type)


def _loss_warning(
    after: Document,
    old: DeclaredField,
    new: DeclaredField | None,
    added: Collection[DeclaredField],
) -> Warn:
    if new is None:
        return _removed(old, _renamed_to(old, added))
    return _retyped(after, old, new) if new.is_kept else _not_serialized(after, old, new)


def _renamed_to(old: DeclaredField, added: Collection[DeclaredField]) -> DeclaredField:
    """Return the field that ``old`` was renamed to; ``old`` itself if that is unclear."""
    fitting = [
        each for each in added if each.owner == old.owner and keeps_value(old.type, each.type)
    ]
    same = [each for each in fitting if _letters(each) == _letters(old)]
    meant = same or fitting
    is_told = len({(each.is_behind_property, each.is_kept) for each in meant}) == 1
    return meant[0] if is_told else old


def _letters(field: DeclaredField) -> str:
    """Return what ``m_speed``, ``_speed`` and ``Speed`` have in common."""
    return field.declared.removeprefix("m_").replace("_", "").casefold()


def _removed(field: DeclaredField, new: DeclaredField) -> Warn:
    target = ""
    if new.is_behind_property:  # neither attribute can stand on the property itself
        target = "field: " if new.is_kept else "field: SerializeField, "
    for name in (f'("{field.name}")', ""):
        message = (
            f"Scenes lose the value of {_field_name(field)}, unless another script declares it: "
            f"[{target}FormerlySerializedAs{name}] on the new name keeps it."
        )
        if len(message) <= _LONGEST:
            break
    return Warn("serialized_field", message)


def _not_serialized(after: Document, old: DeclaredField, new: DeclaredField) -> Warn:
    """Warn without advice: the old name still exists, so the attribute can't go on a new one."""
    return Warn(
        "serialized_field",
        f"{_field_name(old)} is no longer serialized: scenes lose its value.",
        line=_line(after, new),
    )


def _retyped(after: Document, old: DeclaredField, new: DeclaredField) -> Warn:
    return Warn(
        "serialized_field",
        f"{_field_name(old)} was {shortened(old.type, 30)} and becomes {shortened(new.type, 30)}: "
        "scenes may lose its value.",
        line=_line(after, new),
    )


def _former_name_removed(after: Document, field: DeclaredField, name: str) -> Warn:
    return Warn(
        "serialized_field",
        f"{_field_name(field)} no longer has FormerlySerializedAs({shortened(name, 30)}): scenes "
        "that still store the value under that name lose it.",
        line=_line(after, field),
    )


def _field_name(field: DeclaredField) -> str:
    return f"{shortened(field.owner, 40)}.{shortened(field.declared, 30)}"


def _line(document: Document, field: DeclaredField) -> int:
    return document.source.utf8[: field.at].count(b"\n") + 1


def elsewhere(texts: Texts) -> Elsewhere:
    """Return what a request that changes ``texts`` says about fields and types."""
    was, becomes = (
        {name for each in side if each is not None for name in _types(each)}
        for side in zip(*texts, strict=True)
    )
    return Elsewhere(
        named(after for _, after in texts if after is not None), was - becomes, becomes - was
    )


def _types(document: Document) -> Iterable[str]:
    return (each.name for each in declarations(document) if each.kind in _TYPES)


def named(documents: Iterable[Document]) -> set[tuple[str, str]]:
    """Return name and type, as Unity stores it, of every serialized field of ``documents``."""
    return {(each.name, as_kept(each.type)) for one in documents for each in serialized_fields(one)}
