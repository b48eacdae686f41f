"""Scripts that go with a GUID that scenes may refer to them by.

Part of docs/design/change-sets.md §2: a warning, as Unity alone knows what refers to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from snippet_engine.answer.script_names import Bases
from snippet_engine.answer.warnings import Warn
from snippet_engine.csharp.declarations.symbols import declarations
from snippet_engine.errors import shortened

if TYPE_CHECKING:
    from snippet_engine.changes.planning import PlannedChange


def guids_lost(
    change: PlannedChange, changes: Sequence[PlannedChange], bases: Bases
) -> Iterator[Warn]:
    """``guid_lost`` for a script that goes with its ``.meta``, and whose class Unity finds by it.

    ``bases`` are the classes that derive from Unity's objects, as the scripts were. None where
    another script of the set has the class afterwards: then that is told of that one.
    """
    if change.new is not None or change.before is None or not change.script.meta.is_taken:
        return
    made = {
        each.path
        for other in changes
        if other.old is None and other.after is not None
        for each in declarations(other.after)
    }
    stem = change.script.name.removesuffix(".cs")
    for each in declarations(change.before):
        if each.name == stem and each.name in bases and each.path not in made:
            yield Warn(
                "guid_lost",
                f"{shortened(stem, 40)} goes with its .meta: what refers to it in scenes and "
                "prefabs is lost, also if a script of that name is made anew. To rewrite one, "
                "edit it.",
            )
