"""Fields whose values scenes, prefabs and assets lose by an edit.

Implements ``serialized_field`` of docs/design/engine.md §2.7 and docs/design/change-sets.md §2.
Told from the texts of the request: whether another script declares the field now, they don't tell.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from snippet_engine.answer.kept_declarations import keeps_declarations
from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.serialized_fields import (
    SerializedField,
    may_be_serialized,
    serialized_fields,
)
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.csharp.document import Document
from snippet_engine.edit_plan.plan import Plan
from snippet_engine.schemas.schema_messages import shortened

_MAX_FIELDS = 5
"""Fields of one file that are told, so that the answer stays short."""

_LONGEST = 200
"""Code points of a message, at most."""

Kept = Collection[tuple[str, str]]
"""Names and types of fields that are serialized somewhere afterwards: one may have moved there."""


def about_lost_fields(before: Document, after: Document, plan: Plan) -> Iterator[Warn]:
    """``serialized_field`` for an edit of one script, with the instruction if there is but one."""
    if not may_be_serialized(before) or keeps_declarations(before, after, plan.edits):
        return
    edits = list(plan.edits)
    index = plan.instruction_of(edits[0]) if len(edits) == 1 else None
    for warning in lost_fields(before, after, lambda: named([after])):
        yield replace(warning, index=index)


def lost_fields(before: Document, after: Document, kept: Callable[[], Kept]) -> Iterator[Warn]:
    """``serialized_field`` for each field that Unity won't find its values for any more.

    ``kept`` is asked only where one is gone.
    """
    was = serialized_fields(before)
    if not was:
        return
    is_now = serialized_fields(after)
    now = {(each.owner, each.name): each for each in is_now}
    formerly = {(each.owner, name) for each in is_now for name in each.formerly}
    owners = {each.path for each in declarations(after)}
    lost = [
        (each, new)
        for each in was
        if each.owner in owners and (each.owner, each.name) not in formerly
        for new in [now.get((each.owner, each.name))]
        if new is None or new.type != each.type
    ]
    if any(new is None for _, new in lost):
        others = kept()
        lost = [(each, new) for each, new in lost if new or (each.name, each.type) not in others]
    for each, new in lost[:_MAX_FIELDS]:
        yield _gone(each) if new is None else _retyped(after, each, new)


def _gone(field: SerializedField) -> Warn:
    target = "field: " if field.is_behind_property else ""
    what = f"{shortened(field.owner, 40)}.{shortened(field.declared, 30)}"
    for name in (f'("{field.name}")', ""):
        message = (
            f"Scenes lose the value of {what}, unless another script declares it: "
            f"[{target}FormerlySerializedAs{name}] on the new name keeps it."
        )
        if len(message) <= _LONGEST:
            break
    return Warn("serialized_field", message)


def _retyped(after: Document, field: SerializedField, new: SerializedField) -> Warn:
    what = f"{shortened(field.owner, 40)}.{shortened(field.declared, 30)}"
    return Warn(
        "serialized_field",
        f"{what} was {shortened(field.type, 30)} and becomes {shortened(new.type, 30)}: "
        "scenes may lose its value.",
        line=after.source.utf8[: new.at].count(b"\n") + 1,
    )


def named(documents: Iterable[Document]) -> set[tuple[str, str]]:
    """Name and type of every field of ``documents`` that is serialized."""
    return {(each.name, each.type) for one in documents for each in serialized_fields(one)}
