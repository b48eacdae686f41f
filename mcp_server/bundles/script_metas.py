"""Which ``.meta`` files a bundle doesn't bring to the state that they have after a change.

Part of docs/design/command-line.md ``bundle``. A change set moves a script's ``.meta`` along and
deletes it with its script; it neither creates nor changes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from snippet_engine.changes.between import ScriptChange
from snippet_engine.storage.paths.project import META


def metas_left_out(
    scripts: Iterable[ScriptChange],
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
) -> tuple[str, ...]:
    """The ``.meta`` files that differ from ``after`` once ``scripts`` were applied, in order.

    ``before`` and ``after`` have the content of each that changed at all, ``None`` where it is not
    there.
    """
    made = dict(before)
    goes = [each for each in scripts if each.new is None or each.new_path is not None]
    made |= dict.fromkeys([each.path + META for each in goes])
    # After that: a place that one script leaves may be another's.
    made |= {
        each.place + META: before[each.path + META]
        for each in goes
        if each.new is not None and before.get(each.path + META) is not None
    }
    return tuple(path for path in sorted(after) if made.get(path) != after[path])
