"""What the undo of a change set can't bring back of ``.meta`` files, or finds where none was.

Part of docs/design/engine.md §5 "Undo". The texts of the scripts are compared; a ``.meta`` belongs
to Unity and to whoever sets its import settings, so that one that was changed meanwhile is no
reason to refuse. But scenes refer to a script by the GUID in it: what is not as it was is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from snippet_engine.storage.change_sets.change_plan import ChangePlan
from snippet_engine.storage.change_sets.file_change import FileChange
from snippet_engine.storage.paths.meta_guid import guid_in
from snippet_engine.storage.paths.project import META
from snippet_engine.storage.paths.request_path import shown
from snippet_engine.storage.records.change_record import ChangedFile, ChangeRecord, Slot


@dataclass(frozen=True, slots=True)
class MetaWarning:
    """A ``.meta`` at ``path`` (project-relative) that isn't as it was before the set, and how."""

    code: str
    path: str
    message: str


def meta_warnings(
    record: ChangeRecord, changes: Sequence[FileChange], plan: ChangePlan
) -> Iterator[MetaWarning]:
    """What to tell of the undo of ``record`` that ``changes`` do, and that comes to ``plan``."""
    carried = {write.slot.file: write.slot for write in plan.writes if _is_leaving(write.slot)}
    before = {slot.file: slot for slot in record.slots if _is_leaving(slot)}
    for index, (file, change) in enumerate(zip(record.files, changes, strict=True)):
        if file.target is not None:
            yield from _moved(file, before.get(index), carried.get(index))
        elif file.after is None and index not in before and change.script.meta.is_taken:
            yield MetaWarning(
                "meta_orphan",
                file.path + META,
                f"{shown(file.path + META)} is new; the script had none. It takes over that GUID, "
                "and what refers to it.",
            )
        elif file.had_meta and not change.script.meta.is_taken:
            yield MetaWarning(
                "meta_missing",
                file.path + META,
                f"{shown(file.path + META)}, which was there before the script, is gone. Put it "
                "back (version control), if something refers to its GUID.",
            )
    for made in plan.makes.values():
        if not made.had_meta:
            yield MetaWarning(
                "meta_missing",
                made.path + META,
                f"{shown(made.path + META)} isn't there, and its folder is made anew: Unity gives "
                "that another GUID. Put the .meta back (version control), if that matters.",
            )


def _moved(file: ChangedFile, before: Slot | None, now: Slot | None) -> Iterator[MetaWarning]:
    """Of a script that comes back from where it had moved, with the ``.meta`` that it has ``now``.

    One that is gone comes back as it was before.
    """
    if now is None or (before is not None and before.before == now.before):
        return
    path = file.path + META
    if before is None:
        told = "came back with the script, which had none before the move."
    else:
        told = f"was changed since the move, and came back so{_guids(before, now)}."
    yield MetaWarning("meta_changed", path, f"{shown(path)} {told}")


def _guids(before: Slot, now: Slot) -> str:
    """How the GUIDs of the two differ, as far as they tell."""
    old, new = guid_in(before.image), guid_in(now.image)
    if old is None or new is None:
        return ""
    if old == new:
        return "; its GUID is the same"
    return f"; its GUID is {new}, was {old} (scenes may refer to that)"


def _is_leaving(slot: Slot) -> bool:
    return slot.is_meta and slot.after is None
